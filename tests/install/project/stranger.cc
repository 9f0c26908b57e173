// A stranger's program: fits a line, and ends with 0 when the loss fell.
#include <systolic/systolic.h>

#include <iostream>

int main() {
  using namespace systolic;
  set_random_seed(1);
  const Array x = random::uniform({64, 1}, -1, 1, {.seed = 3}).numpy();
  models::Sequential model({layers::Dense(1, {.input_shape = {1}})});
  model.compile(
      {.optimizer = optimizers::SGD(0.1), .loss = losses::MeanSquaredError()});
  const auto history = model.fit(
      x, x * 3.f + 1.f,
      {.batch_size = 8, .epochs = 5, .verbose = models::Verbose::silent});
  const double first = history["loss"].front();
  const double last = history["loss"].back();
  std::cout << "loss " << first << " -> " << last << "\n";
  return last < first / 10 ? 0 : 1;
}
