// One program for machines with a TPU and without: what is found is used. An
// explicit request, such as TPUClusterResolver("grpc://10.0.0.2:8470"), throws
// instead of falling back.
//
//   build/bin/no_tpu
//
// Where there is no TPU, standard error says what was looked at.
//
// Expected:
//   no TPU: the default strategy is used
//   replicas: 1
//   2 x + 1 at x = 3: 7.0
#include <systolic/systolic.h>

#include <cstdio>
#include <iostream>

using namespace systolic;

int main() {
  // [strategy]
  distribute::Strategy strategy = distribute::get_strategy();
  try {
    auto resolver = distribute::TPUClusterResolver::connect();
    strategy = distribute::TPUStrategy(resolver);
  } catch (const ValueError& error) {
    std::cerr << error.what() << "\n";
    std::cout << "no TPU: the default strategy is used\n";
  }
  // [strategy]
  std::cout << "replicas: " << strategy.num_replicas_in_sync() << "\n";

  auto scope = strategy.scope();
  set_random_seed(0);
  const Array x = Array::from({-1.f, 0.f, 1.f, 2.f}, {4, 1});
  models::Sequential model({layers::Dense(1)});
  model.compile({.optimizer = optimizers::SGD(0.1), .loss = "mse"});
  model.fit(x, x * 2.f + 1.f,
            {.epochs = 200, .verbose = models::Verbose::silent});
  const Array y = model.predict(Array::from({3.f}, {1, 1}),
                                {.verbose = models::Verbose::silent});
  std::printf("2 x + 1 at x = 3: %.1f\n", y.item<float>());
}
