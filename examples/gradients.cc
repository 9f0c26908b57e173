// Gradients: a tape, several at once, second order, Jacobians, gradients of
// one's own, through branches and loops on the device.
//
//   build/bin/gradients
//
// Expected:
//   dy/dx of x^2 at 3: 6
//   with respect to w: [[ 4.  9. 14.]], b: [2. 4. 6.]
//   d2y/dx2 of x^3 at 1: 6
//   Jacobian of [x0 x1, x1^2]: [[2. 3.]
//    [0. 4.]]
//   value 14, gradient [2. 4. 6.]
//   log(1 + e^x) at 100: 1
//   |x| by cond at -2: -1
//   sqrt(2) by Newton: 1.41421, derivative 0.353553
//   a cumulative product: [1. 2. 6.], its sum's gradient: [9. 4. 2.]
//   kept less, the same gradient: -0.989992
#include <systolic/systolic.h>

#include <iostream>
#include <utility>

using namespace systolic;

int main() {
  // [tape]
  const Variable x(3.0);
  GradientTape tape;
  const Tensor y = x * x;
  std::cout << "dy/dx of x^2 at 3: " << tape.gradient(y, x).item<float>()
            << "\n";
  // [tape]

  // [several]
  const Variable w(constant({{1.0, 1.0, 1.0}}), {.name = "w"});
  const Variable b(constant({0.0, 1.0, 2.0}), {.name = "b"});
  const Tensor input = constant({{1.0}, {2.0}, {3.0}});
  const Tensor weight =
      constant({{1.0, 1.0, 1.0}, {0.0, 1.0, 2.0}, {1.0, 2.0, 3.0}});
  GradientTape both;
  const Tensor loss = sum((matmul(input, w) + b) * weight);
  const auto gradients = both.gradient(loss, {w, b});
  std::cout << "with respect to w: " << gradients[0].numpy()
            << ", b: " << gradients[1].numpy() << "\n";
  // [several]

  // [second]
  const Variable z(1.0);
  GradientTape outer;
  GradientTape inner;
  const Tensor first = inner.gradient(z * z * z, z);
  std::cout << "d2y/dx2 of x^3 at 1: " << outer.gradient(first, z).item<float>()
            << "\n";
  // [second]

  // [jacobian]
  const Tensor point = constant({3.0, 2.0});
  GradientTape rows;
  rows.watch(point);
  const Tensor pair = stack({point[0] * point[1], point[1] * point[1]});
  std::cout << "Jacobian of [x0 x1, x1^2]: "
            << rows.jacobian(pair, point).numpy() << "\n";
  // [jacobian]

  // [value_and_grad]
  const auto squares = [](const Tensor& v) { return sum(v * v); };
  const auto [value, gradient] =
      value_and_grad(squares)(constant({1.0, 2.0, 3.0}));
  std::cout << "value " << value.item<float>() << ", gradient "
            << gradient.numpy() << "\n";
  // [value_and_grad]

  // [custom_gradient]
  const auto log1pexp = custom_gradient([](const Tensor& v) {
    const Tensor e = exp(v);
    return std::pair(log(1 + e), [=](const Tensor& upstream) {
      return upstream * (1 - 1 / (1 + e));
    });
  });
  std::cout << "log(1 + e^x) at 100: " << grad(log1pexp)(100.0).item<float>()
            << "\n";
  // [custom_gradient]

  // [cond]
  const auto magnitude = [](const Tensor& v) {
    return cond(
        v > 0, [&] { return v; }, [&] { return -v; });
  };
  std::cout << "|x| by cond at -2: " << grad(magnitude)(-2.0).item<float>()
            << "\n";
  // [cond]

  // [while_loop]
  const auto root = [](const Tensor& a) {
    return while_loop([&](const Tensor& v) { return abs(v * v - a) > 1e-6; },
                      [&](const Tensor& v) { return (v + a / v) / 2; }, a,
                      {.maximum_iterations = 20});
  };
  const auto [sqrt2, slope] = value_and_grad(root)(2.0);
  std::cout << "sqrt(2) by Newton: " << sqrt2.item<float>() << ", derivative "
            << slope.item<float>() << "\n";
  // [while_loop]

  // [scan]
  const Tensor factors = constant({1.0, 2.0, 3.0});
  GradientTape through;
  through.watch(factors);
  const auto [last, products] = scan(
      [](const Tensor& carry, const Tensor& factor) {
        const Tensor next = carry * factor;
        return std::pair(next, next);
      },
      constant(1.0), factors);
  std::cout << "a cumulative product: " << products.numpy()
            << ", its sum's gradient: "
            << through.gradient(sum(products), factors).numpy() << "\n";
  // [scan]

  // [recompute_grad]
  const auto block = recompute_grad([](const Tensor& v) { return sin(v); });
  std::cout << "kept less, the same gradient: "
            << grad(block)(3.0).item<float>() << "\n";
  // [recompute_grad]
}
