// Values without a model: constants, ops, slices, a gradient, a mistake.
//
//   build/bin/eager
//
// Expected:
//   c = Tensor(
//   [[22. 28.]
//    [49. 64.]], shape=(2, 2), dtype=float32)
//   second row: [49. 64.]
//   last column doubled: [ 56. 128.]
//   row sums: [ 50. 113.], as one number: 163
//   d/dw 2/3 (x w)^2 = [4. 8.]
//   after a step of 0.25: w = [ 0. -1.]
//   a mistake: matmul: expected inner sizes to agree, got (2, 3) and (2, 3)
//     input 0: float32[2, 3]
//     input 1: float32[2, 3]
//     hint: (..., m, k) times (..., k, n) gives (..., m, n)
//     at: eager.cc:...
#include <systolic/systolic.h>

#include <iostream>

using namespace systolic;

int main() {
  // [values]
  const Tensor a = constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor b = constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}});
  const Tensor c = matmul(a, b);
  std::cout << "c = " << c << "\n";
  // [values]

  // [slices]
  const Tensor second_row = c[1];
  const Tensor last_column = c[{all, -1}];
  const Tensor row_sums = sum(c, {.axis = 1});
  std::cout << "second row: " << second_row.numpy() << "\n"
            << "last column doubled: " << (last_column * 2).numpy() << "\n"
            << "row sums: " << row_sums.numpy()
            << ", as one number: " << sum(row_sums).item<float>() << "\n";
  // [slices]

  // [gradient]
  Variable w(constant({1.0, 1.0}), {.name = "w"});
  const Tensor x = constant({{1.0, 2.0}});
  GradientTape tape;
  const Tensor loss = sum(square(matmul(x, w))) * (2.f / 3);
  const Tensor gradient = tape.gradient(loss, w);
  std::cout << "d/dw 2/3 (x w)^2 = " << gradient.numpy() << "\n";
  w.assign_sub(gradient * 0.25f);
  std::cout << "after a step of 0.25: w = " << w.numpy() << "\n";
  // [gradient]

  // [mistake]
  try {
    matmul(a, a);
  } catch (const ShapeError& error) {
    std::cout << "a mistake: " << error.what() << "\n";
  }
  // [mistake]
}
