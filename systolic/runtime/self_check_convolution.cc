// The cases of convolutions.
// Tested by: systolic/runtime/self_check_platform_test.cc
#include <algorithm>
#include <array>

#include "systolic/runtime/self_check_cases.h"
#include "systolic/stablehlo/convolution_gradient.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::runtime {
namespace {

using stablehlo::Convolution;
using stablehlo::Emitter;
using stablehlo::Value;

// A convolution with the padding that the gradients read off dy's shape.
struct Window {
  Convolution c;
  std::vector<int64_t> high{0, 0};

  Shape output() const {
    Shape shape = c.input;
    for (int i = 0; i < 2; ++i) {
      const auto axis = static_cast<size_t>(i);
      const int64_t reach = (c.filter[i] - 1) * c.dilation[axis] + 1;
      const int64_t padded = c.input[i + 1] + c.low[axis] + high[axis];
      shape.set(i + 1, (padded - reach) / c.strides[axis] + 1);
    }
    shape.set(3, c.filter[3]);
    return shape;
  }
  stablehlo::Window stablehlo() const {
    stablehlo::Window window;
    window.strides = c.strides;
    window.window_dilation = c.dilation;
    window.padding = {{c.low[0], high[0]}, {c.low[1], high[1]}};
    return window;
  }
};

// Plain, strided with groups, depthwise, dilated, and one of one channel.
std::array<Window, 5> windows() {
  const std::vector<int64_t> one{1, 1}, two{2, 2};
  return {{{{.input = {2, 9, 8, 3}, .filter = {3, 3, 3, 5}, .low = one}, one},
           {{.input = {2, 11, 10, 4},
             .filter = {5, 3, 2, 6},
             .strides = {2, 1},
             .low = {2, 0},
             .groups = 2},
            {1, 1}},
           {{.input = {1, 8, 8, 4}, .filter = {3, 3, 1, 8}, .groups = 4}},
           {{.input = {1, 10, 10, 2},
             .filter = {3, 3, 2, 4},
             .dilation = two,
             .low = two},
            two},
           {{.input = {3, 14, 14, 1}, .filter = {3, 3, 1, 32}}}}};
}

// Calls visit(x's element, w's element, y's element) for each product.
template <class Visit>
void visit_products(const Window& window, const Visit& visit) {
  const Convolution& c = window.c;
  const Shape y = window.output();
  const int64_t in = c.filter[2], per_group = c.filter[3] / c.groups;
  const Shape places{y[0], y[1], y[2], y[3], c.filter[0], c.filter[1], in};
  for (int64_t i = 0; i < places.elements(); ++i) {
    std::array<int64_t, 7> at{};
    int64_t rest = i;
    for (int axis = 6; axis >= 0; --axis) {
      at[static_cast<size_t>(axis)] = rest % places[axis];
      rest /= places[axis];
    }
    const auto [n, row, column, f, ky, kx, channel] = at;
    const int64_t iy = row * c.strides[0] + ky * c.dilation[0] - c.low[0];
    const int64_t ix = column * c.strides[1] + kx * c.dilation[1] - c.low[1];
    if (iy < 0 || iy >= c.input[1] || ix < 0 || ix >= c.input[2]) continue;
    const int64_t source = f / per_group * in + channel;
    visit(static_cast<size_t>(
              ((n * c.input[1] + iy) * c.input[2] + ix) * c.input[3] + source),
          static_cast<size_t>(
              ((ky * c.filter[1] + kx) * in + channel) * c.filter[3] + f),
          static_cast<size_t>(((n * y[1] + row) * y[2] + column) * y[3] + f));
  }
}

// One convolution's values, and what the host makes of them.
struct Problem {
  Problem(const Window& window, DType dtype, uint32_t seed)
      : window(window),
        x_spec{dtype, window.c.input},
        w_spec{dtype, window.c.filter},
        y_spec{dtype, window.output()},
        x(test_values(x_spec.shape, seed, dtype)),
        w(test_values(w_spec.shape, seed + 100, dtype)),
        dy(test_values(y_spec.shape, seed + 200, dtype, 1)) {}

  ExpectedOutput output() const {
    std::vector<double> y(dy.size());
    visit_products(window,
                   [&](size_t i, size_t k, size_t o) { y[o] += x[i] * w[k]; });
    return {y_spec, y};
  }
  ExpectedOutput input_gradient() const {
    std::vector<double> dx(x.size());
    visit_products(
        window, [&](size_t i, size_t k, size_t o) { dx[i] += dy[o] * w[k]; });
    return {x_spec, dx};
  }
  ExpectedOutput filter_gradient() const {
    std::vector<double> dw(w.size());
    visit_products(
        window, [&](size_t i, size_t k, size_t o) { dw[k] += dy[o] * x[i]; });
    return {w_spec, dw};
  }

  Window window;
  TensorSpec x_spec, w_spec, y_spec;
  std::vector<double> x, w, dy;
};

// Makes a case of all windows: `write` adds inputs, outputs and results.
class CaseWriter {
 public:
  Value input(const std::vector<double>& values, const TensorSpec& spec) {
    made_.inputs.resize(1);
    made_.inputs[0].push_back(test_array(values, spec));
    return e.argument(spec);
  }
  void output(const Value& value, ExpectedOutput expected) {
    results_.push_back(value);
    made_.outputs.push_back(std::move(expected));
  }
  CheckCase finish() {
    e.finish(results_);
    made_.program = e.module();
    return std::move(made_);
  }

  Emitter e{"main"};

 private:
  CheckCase made_;
  std::vector<Value> results_;
};

template <class Write>
CheckCase make_case(DType dtype, const Write& write) {
  CaseWriter writer;
  uint32_t seed = 1;
  for (const Window& window : windows()) {
    write(writer, Problem(window, dtype, seed++));
  }
  return writer.finish();
}

std::string kernel_attributes(const Window& window) {
  const auto pair = [](const char* name, const std::vector<int64_t>& value) {
    return std::string(name) + " = " + stablehlo::i64_array(value) + ", ";
  };
  return pair("strides", window.c.strides) + pair("padding_low", window.c.low) +
         pair("padding_high", window.high) +
         pair("dilation", window.c.dilation) +
         "groups = " + std::to_string(window.c.groups) + " : i64";
}

}  // namespace

CheckCase convolution_case(DType dtype, int) {
  return make_case(dtype, [](CaseWriter& to, const Problem& p) {
    const Value x = to.input(p.x, p.x_spec), w = to.input(p.w, p.w_spec);
    to.output(to.e.convolution(x, w, p.window.stablehlo(), p.y_spec.shape,
                               p.window.c.groups),
              p.output());
  });
}

CheckCase convolution_input_gradient_case(DType dtype, int) {
  return make_case(dtype, [](CaseWriter& to, const Problem& p) {
    const Value dy = to.input(p.dy, p.y_spec), w = to.input(p.w, p.w_spec);
    to.output(convolution_input_gradient(to.e, p.window.c, dy, w),
              p.input_gradient());
  });
}

CheckCase convolution_filter_gradient_case(DType dtype, int) {
  return make_case(dtype, [](CaseWriter& to, const Problem& p) {
    const Value dy = to.input(p.dy, p.y_spec), x = to.input(p.x, p.x_spec);
    to.output(convolution_filter_gradient(to.e, p.window.c, dy, x),
              p.filter_gradient());
  });
}

// y = y + convolution(x), x = x + 1, as often as an argument says. Compilers
// have another convolution for the inside of a loop.
CheckCase convolution_in_loop_case(DType dtype, int) {
  constexpr int kSteps = 3;
  Problem p(windows()[0], dtype, 1);
  CaseWriter to;
  const TensorSpec index{DType::int32, Shape::scalar()};
  const Value initial[] = {to.input({kSteps}, index),
                           to.e.splat_integer(index, 0),
                           to.input(p.x, p.x_spec), to.input(p.w, p.w_spec),
                           to.e.splat(p.y_spec, 0)};
  const auto results = to.e.while_loop(
      initial,
      [&](std::span<const Value> v) {
        return std::vector{to.e.compare("LT", v[1], v[0])};
      },
      [&](std::span<const Value> v) {
        const Value y =
            to.e.convolution(v[2], v[3], p.window.stablehlo(), p.y_spec.shape);
        return std::vector{
            v[0], to.e.binary("add", v[1], to.e.splat_integer(index, 1)),
            to.e.binary("add", v[2], to.e.splat(p.x_spec, 1)), v[3],
            to.e.binary("add", v[4], y)};
      });
  ExpectedOutput sum = p.output();
  for (int step = 1; step < kSteps; ++step) {
    for (double& value : p.x) value += 1;
    const ExpectedOutput y = p.output();
    for (size_t i = 0; i < y.values.size(); ++i) sum.values[i] += y.values[i];
  }
  to.output(results[4], sum);
  return to.finish();
}

CheckCase kernel_convolution_case(DType dtype, int) {
  return make_case(dtype, [dtype](CaseWriter& to, const Problem& p) {
    const TensorSpec bias_spec{dtype, {p.window.c.filter[3]}};
    const auto bias = test_values(bias_spec.shape, 300, dtype);
    const Value operands[] = {to.input(p.x, p.x_spec), to.input(p.w, p.w_spec),
                              to.input(bias, bias_spec)};
    const std::string attributes = kernel_attributes(p.window);
    ExpectedOutput y = p.output();
    to.output(
        to.e.custom_call("systolic_conv2d_forward", std::span(operands, 2),
                         {&p.y_spec, 1}, attributes)[0],
        y);
    for (size_t i = 0; i < y.values.size(); ++i) {
      y.values[i] = std::max(0.0, y.values[i] + bias[i % bias.size()]);
    }
    to.output(to.e.custom_call("systolic_conv2d_forward", operands,
                               {&p.y_spec, 1}, attributes + ", relu = true")[0],
              y);
  });
}

CheckCase kernel_convolution_gradient_case(DType dtype, int) {
  return make_case(dtype, [](CaseWriter& to, const Problem& p) {
    const Value operands[] = {to.input(p.dy, p.y_spec), to.input(p.x, p.x_spec),
                              to.input(p.w, p.w_spec)};
    const TensorSpec results[] = {p.x_spec, p.w_spec};
    const auto gradients = to.e.custom_call(
        "systolic_conv2d_gradient", operands, results,
        kernel_attributes(p.window) + ", input = true, filter = true");
    to.output(gradients[0], p.input_gradient());
    to.output(gradients[1], p.filter_gradient());
  });
}

}  // namespace systolic::internal::runtime
