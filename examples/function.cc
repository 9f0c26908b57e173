// A function that is recorded once and launched from then on: what counts as
// another function, what is captured, how many steps fit into one launch.
//
//   build/bin/function
//
// Expected:
//   recording with n = 2
//   [3. 6.] [5. 8.]
//   recording with n = 3
//   [4. 7.]
//   recorded 2 times
//   loss 25 after 0 steps
//   loss 0.134... after 10 steps
//   loss 0 after 60 steps
//   recorded 1 time
#include <systolic/systolic.h>

#include <iostream>

using namespace systolic;

int main() {
  // [signature]
  Variable offset(constant({1.0, 4.0}));
  const auto shifted = function([&](Tensor x, int n) {
    std::cout << "recording with n = " << n << "\n";
    return x * n + offset;
  });
  const Tensor x = constant({1.0, 1.0});
  std::cout << shifted(x, 2).numpy();  // a number counts by its value,
  offset.assign({Array::from({3.f, 6.f})});
  std::cout << " " << shifted(x, 2).numpy() << "\n";  // a Variable is read
  offset.assign({Array::from({1.f, 4.f})});
  std::cout << shifted(x, 3).numpy() << "\n";
  std::cout << "recorded " << shifted.experimental_get_tracing_count()
            << " times\n";
  // [signature]

  // [steps]
  // The number of steps is a Tensor: changing it records nothing.
  Variable w(constant(0.0), {.name = "w"});
  const auto train = function([&](Tensor steps) {
    for_loop(steps, [&](const Tensor&) {
      GradientTape tape;
      const Tensor loss = square(w - 5);
      w.assign_sub(tape.gradient(loss, w) * 0.115f);
    });
    return square(w - 5);
  });
  for (const int steps : {0, 10, 50}) {
    static int total = 0;
    total += steps;
    const float loss = train(constant(steps)).item<float>();
    std::cout << "loss " << (loss < 1e-6f ? 0 : loss) << " after " << total
              << " steps\n";
  }
  std::cout << "recorded " << train.experimental_get_tracing_count()
            << " time\n";
  // [steps]
}
