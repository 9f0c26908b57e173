// One program on every replica: each core multiplies the same matrices.
//
//   build/bin/replicated_matmul
//
// Expected:
//   PerReplica:{
//     0: Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32),
//     1: Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32),
//     2: Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32),
//     3: Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32),
//     4: Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32),
//     5: Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32),
//     6: Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32),
//     7: Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32)
//   }
//   the sum of the replicas' numbers: 28
//   in the replicas: 28
#include <systolic/systolic.h>

#include <iostream>

using namespace systolic;

int main() {
  distribute::TPUClusterResolver resolver("virtual:v3-8");
  distribute::connect_to_cluster(resolver);
  distribute::initialize_tpu_system(resolver);
  distribute::TPUStrategy strategy(resolver);

  // [matmul]
  const Tensor a = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  PerReplica z =
      strategy.run([](Tensor x, Tensor y) { return matmul(x, y); }, a, b);
  std::cout << z << "\n";
  // [matmul]

  // [collectives]
  auto numbers = strategy.run([] {
    auto here = distribute::get_replica_context();
    Tensor number = here.replica_id_in_sync_group();
    return std::pair(number, here.all_reduce(ReduceOp::sum, number));
  });
  Tensor total = strategy.reduce(ReduceOp::sum, numbers.first);
  std::cout << "the sum of the replicas' numbers: " << total.item<int>()
            << "\nin the replicas: " << numbers.second[7].item<int>() << "\n";
  // [collectives]
}
