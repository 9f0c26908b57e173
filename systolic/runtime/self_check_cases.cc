// Tested by: systolic/runtime/self_check_platform_test.cc
#include "systolic/runtime/self_check_cases.h"

#include <algorithm>
#include <array>

#include "systolic/array/cast.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::runtime {
namespace {

using stablehlo::Combine;
using stablehlo::Emitter;
using stablehlo::Value;
using Sizes = std::vector<int64_t>;

constexpr std::array kNumbers{DType::float32, DType::float64, DType::bfloat16,
                              DType::float16, DType::int32};
constexpr std::array kFloats{DType::float32, DType::float64, DType::bfloat16,
                             DType::float16};
constexpr std::array kFloat32{DType::float32};

// x[batch, rows, inner] times y[batch, inner, columns].
std::vector<double> multiply(const std::vector<double>& x,
                             const std::vector<double>& y, size_t batch,
                             size_t rows, size_t inner, size_t columns) {
  std::vector<double> z(batch * rows * columns);
  for (size_t b = 0; b < batch; ++b) {
    for (size_t i = 0; i < rows; ++i) {
      for (size_t k = 0; k < inner; ++k) {
        for (size_t j = 0; j < columns; ++j) {
          z[(b * rows + i) * columns + j] +=
              x[(b * rows + i) * inner + k] * y[(b * inner + k) * columns + j];
        }
      }
    }
  }
  return z;
}

// The sizes of x[batch, rows, inner] and y[batch, inner, columns].
struct Product {
  int64_t batch, rows, inner, columns;
};

// Odd sizes, a vector, a batch, and one that is large enough for a library.
constexpr Product kProducts[] = {
    {1, 17, 33, 9}, {1, 1, 65, 12}, {3, 5, 7, 4}, {1, 96, 64, 80}};

CheckCase matmul_case(DType dtype, int) {
  CheckCase made;
  made.inputs.resize(1);
  Emitter e("main");
  std::vector<Value> results;
  uint32_t seed = 1;
  for (const Product& p : kProducts) {
    const TensorSpec x{dtype, {p.batch, p.rows, p.inner}};
    const TensorSpec y{dtype, {p.batch, p.inner, p.columns}};
    const auto x_values = test_values(x.shape, seed++, dtype);
    const auto y_values = test_values(y.shape, seed++, dtype);
    made.inputs[0].push_back(test_array(x_values, x));
    made.inputs[0].push_back(test_array(y_values, y));
    const Value a = e.argument(x), b = e.argument(y);
    results.push_back(
        e.dot_general(a, b, Sizes{0}, Sizes{0}, Sizes{2}, Sizes{1}, dtype));
    const TensorSpec z{dtype, {p.batch, p.rows, p.columns}};
    made.outputs.push_back(
        {z, multiply(x_values, y_values, static_cast<size_t>(p.batch),
                     static_cast<size_t>(p.rows), static_cast<size_t>(p.inner),
                     static_cast<size_t>(p.columns))});
    // The same product from transposed matrices.
    const int64_t swapped[] = {0, 2, 1};
    results.push_back(e.dot_general(e.transpose(a, swapped),
                                    e.transpose(b, swapped), Sizes{0}, Sizes{0},
                                    Sizes{1}, Sizes{2}, dtype));
    made.outputs.push_back(made.outputs.back());
  }
  e.finish(results);
  made.program = e.module();
  return made;
}

// x[outer, middle, inner] combined over some of its axes.
std::vector<double> combine(Combine how, const std::vector<double>& x,
                            const Shape& shape, const Sizes& axes) {
  Shape kept = shape;
  for (int64_t axis : axes) kept.set(static_cast<int>(axis), 1);
  std::vector<double> y(static_cast<size_t>(kept.elements()));
  std::vector<bool> is_begun(y.size());
  for (size_t i = 0; i < x.size(); ++i) {
    auto rest = static_cast<int64_t>(i);
    int64_t at = 0, stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      if (kept[axis] != 1) at += rest % shape[axis] * stride;
      stride *= kept[axis];
      rest /= shape[axis];
    }
    const auto k = static_cast<size_t>(at);
    y[k] = !is_begun[k]              ? x[i]
           : how == Combine::add     ? y[k] + x[i]
           : how == Combine::maximum ? std::max(y[k], x[i])
                                     : std::min(y[k], x[i]);
    is_begun[k] = true;
  }
  return y;
}

CheckCase reductions_case(Combine how, DType dtype,
                          const std::vector<Sizes>& all_axes) {
  CheckCase made;
  made.inputs.resize(1);
  Emitter e("main");
  const TensorSpec spec{dtype, {5, 7, 66}};
  const auto values = test_values(spec.shape, 1, dtype);
  made.inputs[0].push_back(test_array(values, spec));
  const Value x = e.argument(spec);
  std::vector<Value> results;
  for (const Sizes& axes : all_axes) {
    results.push_back(e.reduce(how, x, axes));
    made.outputs.push_back(
        {results.back().spec, combine(how, values, spec.shape, axes)});
  }
  e.finish(results);
  made.program = e.module();
  return made;
}

CheckCase sum_case(DType dtype, int) {
  return reductions_case(Combine::add, dtype, {{0}, {1}, {2}, {0, 1}});
}
CheckCase max_case(DType dtype, int) {
  return reductions_case(Combine::maximum, dtype,
                         {{0}, {2}, {1, 2}, {0, 1, 2}});
}
CheckCase min_case(DType dtype, int) {
  return reductions_case(Combine::minimum, dtype, {{1}, {0, 2}, {0, 1, 2}});
}

CheckCase all_reduce_case(DType dtype, int replicas) {
  CheckCase made;
  Emitter e("main", replicas);
  const TensorSpec spec{dtype, {3, 37}};
  const auto count = static_cast<size_t>(spec.shape.elements());
  std::vector<double> all;
  for (int replica = 0; replica < replicas; ++replica) {
    const auto values =
        test_values(spec.shape, static_cast<uint32_t>(replica), dtype);
    made.inputs.push_back({test_array(values, spec)});
    all.insert(all.end(), values.begin(), values.end());
  }
  const Value x = e.argument(spec);
  std::vector<Value> results;
  const Shape stacked{replicas, static_cast<int64_t>(count)};
  for (Combine how : {Combine::add, Combine::maximum}) {
    results.push_back(e.all_reduce(how, {&x, 1}, replicas)[0]);
    made.outputs.push_back({spec, combine(how, all, stacked, {0})});
  }
  e.finish(results);
  made.program = e.module();
  return made;
}

// x = x * w + i, as often as an argument says.
CheckCase while_case(DType dtype, int) {
  constexpr int kSteps = 5;
  CheckCase made;
  made.inputs.resize(1);
  Emitter e("main");
  const TensorSpec index{DType::int32, Shape::scalar()};
  const TensorSpec x{dtype, {4, 6}}, w{dtype, {6, 6}};
  auto state = test_values(x.shape, 1, dtype);
  std::vector<double> turn(36);  // moves each column to the next
  for (size_t i = 0; i < 6; ++i) turn[i * 6 + (i + 1) % 6] = 1;
  made.inputs[0] = {Array::scalar(int32_t{kSteps}), test_array(state, x),
                    test_array(turn, w)};
  const Value initial[] = {e.argument(index), e.splat_integer(index, 0),
                           e.argument(x), e.argument(w)};
  const auto results = e.while_loop(
      initial,
      [&](std::span<const Value> v) {
        return std::vector{e.compare("LT", v[1], v[0])};
      },
      [&](std::span<const Value> v) {
        const Value product =
            e.dot_general(v[2], v[3], {}, {}, Sizes{1}, Sizes{0}, dtype);
        const Value step = e.broadcast(e.convert(v[1], dtype), x.shape);
        return std::vector{v[0],
                           e.binary("add", v[1], e.splat_integer(index, 1)),
                           e.binary("add", product, step), v[3]};
      });
  for (int step = 0; step < kSteps; ++step) {
    state = multiply(state, turn, 1, 4, 6, 6);
    for (double& value : state) value += step;
  }
  e.finish(std::array{results[1], results[2]});
  made.outputs = {{index, {kSteps}}, {x, state}};
  made.program = e.module();
  return made;
}

constexpr SelfCheck kChecks[] = {
    {"matmul", kNumbers, &matmul_case},
    {"convolution", kFloats, &convolution_case},
    {"convolution gradient of the input", kFloats,
     &convolution_input_gradient_case},
    {"convolution gradient of the filter", kFloats,
     &convolution_filter_gradient_case},
    {"sum", kNumbers, &sum_case},
    {"max", kNumbers, &max_case},
    {"min", kNumbers, &min_case},
    {"all_reduce", kNumbers, &all_reduce_case, true},
    {"while", kNumbers, &while_case},
    {"convolution in while", kFloats, &convolution_in_loop_case},
    {"kernel convolution", kFloat32, &kernel_convolution_case, false,
     "systolic_conv2d_forward"},
    {"kernel convolution gradient", kFloat32, &kernel_convolution_gradient_case,
     false, "systolic_conv2d_gradient"},
};

}  // namespace

std::span<const SelfCheck> self_checks() { return kChecks; }

std::vector<double> test_values(const Shape& shape, uint32_t seed, DType dtype,
                                int most) {
  const auto range = static_cast<uint32_t>(2 * most + 1);
  std::vector<double> values(static_cast<size_t>(shape.elements()));
  uint32_t state = seed * 2654435761U + 12345U;
  for (double& value : values) {
    state = state * 1664525U + 1013904223U;
    value = static_cast<double>((state >> 16) % range) - most;
    if (is_floating(dtype)) value /= 4;
  }
  return values;
}

Array test_array(const std::vector<double>& values, const TensorSpec& spec) {
  return cast(Array::from(values, spec.shape), spec.dtype);
}

}  // namespace systolic::internal::runtime
