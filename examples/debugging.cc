// Looking into programs while they run: lines printed from a loop on the
// device and from each replica, the first number that is none.
//
//   build/bin/debugging
//
// Expected:
//   turn 0 loss 16.0
//   turn 1 loss 4.0
//   turn 2 loss 1.0
//   replica 0: rows [1. 2.]
//   replica 1: rows [3. 4.]
//   check_numerics "features": the result of log at debugging.cc:... has ...
//     value: float32[2]
//     at: debugging.cc:...
#include <systolic/systolic.h>

#include <iostream>

using namespace systolic;

int main() {
  // [print]
  Variable w(constant(1.0), {.name = "w"});
  const auto train = function([&](Tensor steps) {
    for_loop(steps, [&](const Tensor& i) {
      GradientTape tape;
      const Tensor loss = square(w - 5);
      debug::print("turn", i, "loss", loss);
      w.assign_sub(tape.gradient(loss, w) * 0.25f);
    });
  });
  train(constant(3));
  // [print]

  // [replicas]
  const distribute::MirroredStrategy strategy({"CPU:0", "CPU:1"});
  const auto rows =
      data::Dataset::from_tensor_slices(Array::from({1.f, 2.f, 3.f, 4.f}))
          .batch(4);
  for (const auto& batch : strategy.distribute_dataset(rows)) {
    strategy.run([](Tensor x) { debug::print("rows", x); }, batch);
  }
  // [replicas]

  // [check]
  const auto features = function(
      [](Tensor x) { return debug::check_numerics(log(x), "features"); });
  try {
    features(constant({1.0, 0.0}));
  } catch (const ValueError& error) {
    std::cout << error.what() << "\n";
  }
  // [check]
}
