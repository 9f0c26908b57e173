// Convolution: the op, and the op of its gradients. On a platform with our
// kernels each is one call; elsewhere StableHLO.
#include "systolic/ops/conv.h"

#include <algorithm>
#include <numeric>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/pooling.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/windows.h"
#include "systolic/stablehlo/convolution_gradient.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using internal::ops::channels_last;
using internal::ops::check_images;
using internal::ops::conv_error;
using internal::ops::ConvWindow;
using internal::ops::in_format;
using internal::ops::widen;
using internal::ops::widened;
using internal::ops::WindowAxis;

namespace {

// One convolution as a program has it: explicit padding.
struct ConvAttributes {
  ConvWindow window;
  int64_t groups = 1;
  bool relu = false;
  bool bias = false;
  template <class V>
  void visit(V&& v) const {
    window.visit(v);
    v("groups", groups);
    v("relu", relu);
    v("bias", bias);
  }
};

// Which gradients of a convolution an op computes. Its inputs are dy, and then
// what is needed: y with a relu or a pooling, x for the filter's, the filter
// for the input's. Its outputs are those of input, filter and bias that are
// wanted.
struct ConvGradientAttributes {
  ConvAttributes conv;  // `bias`: that gradient is wanted
  bool input = false;
  bool filter = false;
  bool pooled = false;  // dy is the gradient of y's max pooling by `pool`
  internal::ops::PoolAttributes pool = {};
  Shape input_shape, filter_shape;

  int x() const { return conv.relu || pooled ? 2 : 1; }
  int w() const { return x() + int{filter}; }
  int dw() const { return int{input}; }
  int db() const { return dw() + int{filter}; }

  template <class V>
  void visit(V&& v) const {
    conv.visit(v);
    v("input", input);
    v("filter", filter);
    v("pooled", pooled);
    pool.visit(v);
    v("input_shape", input_shape);
    v("filter_shape", filter_shape);
  }
};

bool use_kernel(const Lower& l, const ConvAttributes& o,
                std::string_view kernel) {
  const auto negative = [](int64_t x) { return x < 0; };
  return l.result().dtype == DType::float32 && o.window.strides.size() == 2 &&
         l.has_kernel(kernel) &&
         std::none_of(o.window.low.begin(), o.window.low.end(), negative) &&
         std::none_of(o.window.high.begin(), o.window.high.end(), negative) &&
         l.result().shape.elements() > 0;
}

std::string kernel_attributes(const Lower& l, const ConvAttributes& o) {
  return o.window.kernel_attributes() +
         ", dilation = " + stablehlo::i64_array(o.window.dilation) +
         ", groups = " + std::to_string(o.groups) +
         " : i64, replicas = " + std::to_string(l.placement.num_replicas()) +
         " : i64";
}

Specs infer_conv(Infer& in, const ConvAttributes& o) {
  refuse_complex(in);
  refuse_float8(in);
  const Shape& x = in.shape(0);
  const Shape& w = in.shape(1);
  Shape y = x;
  for (int i = 0; i < x.rank() - 2; ++i) {
    y.set(i + 1, o.window.axis(i).outputs(x[i + 1], w[i]));
  }
  y.set(-1, w[-1]);
  return TensorSpec{in.dtype(0), y};
}

Values lower_conv(Lower& l, const ConvAttributes& o) {
  if (use_kernel(l, o, "systolic_conv2d_forward")) {
    std::string attributes = kernel_attributes(l, o);
    if (o.relu) attributes += ", relu = true";
    return l.e.custom_call("systolic_conv2d_forward", l.inputs(),
                           std::span(&l.result(), 1), attributes);
  }
  auto y = l.e.convolution(l[0], l[1], o.window.stablehlo(), l.result().shape,
                           o.groups);
  if (o.bias) {
    const int64_t last[] = {l.result().shape.rank() - 1};
    y = l.e.binary("add", y,
                   l.e.broadcast_in_dim(l[2], l.result().shape, last));
  }
  if (o.relu) y = l.e.binary("maximum", y, l.e.splat(l.result(), 0));
  return {y};
}

std::vector<Tensor> conv_gradients(const std::vector<Ref>& inputs,
                                   ConvGradientAttributes o);
Tensor convolve(const Tensor& x, const Tensor& w, ConvAttributes o);

Grads conv_gradient(Vjp& v, const ConvAttributes& o) {
  ConvGradientAttributes wanted{.conv = o,
                                .input = v.needs(0),
                                .input_shape = v.input_spec(0).shape,
                                .filter_shape = v.input_spec(1).shape};
  wanted.conv.bias = o.bias && v.needs(2);
  wanted.filter = v.needs(1) || wanted.conv.bias;
  std::vector<Ref> inputs{v.gradient().ref()};
  // What a pooling of the result, if nothing else uses it, hands down is not
  // written out: the kernel spreads it image by image.
  if (const Node* pool =
          internal::ops::max_pool_gradient_of(v.output().ref(), inputs[0])) {
    wanted.pooled = true;
    wanted.pool = internal::ops::pool_attributes(*pool);
    inputs[0] = pool->inputs[1];
  }
  if (o.relu || wanted.pooled) inputs.push_back(v.output().ref());
  if (wanted.filter) inputs.push_back(v.input(0).ref());
  if (wanted.input) inputs.push_back(v.input(1).ref());
  const std::vector<Tensor> all = conv_gradients(inputs, wanted);
  Grads grads(v.num_inputs());
  if (wanted.input) grads[0] = all[0];
  if (wanted.filter) grads[1] = all[wanted.dw()];
  if (wanted.conv.bias) grads[2] = all[wanted.db()];
  return grads;
}

constexpr Op<ConvAttributes> kConv{.name = "conv",
                                   .infer = infer_conv,
                                   .lower = lower_conv,
                                   .vjp = conv_gradient,
                                   .residuals = {3, 1}};

stablehlo::Convolution problem_of(const ConvGradientAttributes& o) {
  const ConvWindow& w = o.conv.window;
  return {.input = o.input_shape,
          .filter = o.filter_shape,
          .strides = w.strides,
          .dilation = w.dilation,
          .low = w.low,
          .groups = o.conv.groups};
}

Values lower_conv_gradient(Lower& l, const ConvGradientAttributes& o) {
  std::vector<TensorSpec> results;
  for (int i = 0; i < l.node.num_outputs; ++i) results.push_back(l.result(i));
  if (use_kernel(l, o.conv, "systolic_conv2d_gradient") &&
      l[0].spec.shape.elements() > 0) {
    std::string attributes = kernel_attributes(l, o.conv);
    if (o.conv.relu) attributes += ", relu = true";
    if (o.pooled) {
      const auto add = [&](const char* name, const std::vector<int64_t>& pair) {
        attributes += name + stablehlo::i64_array(pair);
      };
      add(", pool_window = ", o.pool.size);
      add(", pool_strides = ", o.pool.window.strides);
      add(", pool_padding_low = ", o.pool.window.low);
      add(", pool_padding_high = ", o.pool.window.high);
    }
    if (o.input) attributes += ", input = true";
    if (o.filter) attributes += ", filter = true";
    if (o.conv.bias) attributes += ", bias = true";
    return l.e.custom_call("systolic_conv2d_gradient", l.inputs(), results,
                           attributes);
  }
  stablehlo::Value dy = l[0];
  if (o.pooled) dy = l.e.select_and_scatter(l[1], dy, o.pool.stablehlo());
  if (o.conv.relu) {
    const auto zero = l.e.splat(dy.spec, 0);
    dy = l.e.select(l.e.compare("GT", l[1], zero), dy, zero);
  }
  Values values;
  const stablehlo::Convolution c = problem_of(o);
  if (o.input) {
    values.push_back(
        stablehlo::convolution_input_gradient(l.e, c, dy, l[o.w()]));
  }
  if (o.filter) {
    values.push_back(
        stablehlo::convolution_filter_gradient(l.e, c, dy, l[o.x()]));
  }
  if (o.conv.bias) {
    std::vector<int64_t> axes(dy.spec.shape.rank() - 1);
    std::iota(axes.begin(), axes.end(), 0);
    values.push_back(l.e.reduce(stablehlo::Combine::add, dy, axes));
  }
  return values;
}

// dx, dw and db are linear in dy, which with x or w gives them.
Grads second_gradient(Vjp& v, const ConvGradientAttributes& o) {
  if (o.pooled) {
    internal::Message("max_pool_gradient")
        .rule("it has no gradient: ", internal::ops::kNoPoolGradient)
        .hint("wrap what should be constant in stop_gradient")
        .raise<ValueError>();
  }
  Grads grads(v.num_inputs());
  const auto linear = [&](const Tensor& g) {
    return o.conv.relu ? where(v.input(1) > 0, g, 0) : g;
  };
  if (v.needs(0)) {
    Tensor g;
    if (o.input) g = convolve(v.gradient(0), v.input(o.w()), o.conv);
    if (o.filter) {
      const Tensor y = convolve(v.input(o.x()), v.gradient(o.dw()), o.conv);
      g = o.input ? g + y : y;
    }
    if (o.conv.bias) g = g + v.gradient(o.db());
    grads[0] = linear(g);
  }
  ConvGradientAttributes one{.conv = o.conv,
                             .input_shape = o.input_shape,
                             .filter_shape = o.filter_shape};
  one.conv.relu = one.conv.bias = false;
  const Ref dy = linear(v.input(0)).ref();
  if (o.filter && v.needs(o.x())) {
    one.input = true;
    grads[o.x()] = conv_gradients({dy, v.gradient(o.dw()).ref()}, one)[0];
  }
  if (o.input && v.needs(o.w())) {
    one.input = false;
    one.filter = true;
    grads[o.w()] = conv_gradients({dy, v.gradient(0).ref()}, one)[0];
  }
  return grads;
}

constexpr Op<ConvGradientAttributes> kConvGradient{
    .name = "conv_gradient",
    .infer =
        [](Infer& in, const ConvGradientAttributes& o) {
          std::vector<TensorSpec> specs;
          if (o.input) specs.push_back({in.dtype(0), o.input_shape});
          if (o.filter) specs.push_back({in.dtype(0), o.filter_shape});
          if (o.conv.bias) {
            specs.push_back({in.dtype(0), Shape{o.filter_shape[-1]}});
          }
          return Specs(std::move(specs));
        },
    .lower = lower_conv_gradient,
    .vjp = second_gradient,
    .residuals = {15, 0}};

// Without bias and activation.
Tensor convolve(const Tensor& x, const Tensor& w, ConvAttributes o) {
  o.relu = o.bias = false;
  return record<kConv>({x.ref(), w.ref()}, std::move(o),
                       SourceLocation::current());
}

std::vector<Tensor> conv_gradients(const std::vector<Ref>& inputs,
                                   ConvGradientAttributes o) {
  return record_all<kConvGradient>(inputs, std::move(o),
                                   SourceLocation::current());
}

constexpr const OpDef* kCatalog[] = {&kDefinition<kConv>,
                                     &kDefinition<kConvGradient>};

ConvAttributes check_conv(const Tensor& x, const Tensor& w,
                          const nn::ConvOptions& options,
                          const SourceLocation& where) {
  check_images("conv", x, w, options.strides, options.dilation_rate, where);
  const int64_t groups = options.groups;
  if (groups < 1 || w.shape()[-1] % groups != 0 ||
      x.shape()[-1] != w.shape()[-2] * groups) {
    conv_error("conv", x, w, where)
        .expected("input channels = kernel channels x groups, and filters ",
                  "a multiple of groups")
        .got(x.shape()[-1], " channels, ", w.shape()[-2], " x ", groups, ", ",
             w.shape()[-1], " filters")
        .raise<ShapeError>();
  }
  ConvAttributes result;
  result.groups = groups;
  result.relu = options.activation == nn::FusedActivation::relu;
  for (int i = 0; i < x.rank() - 2; ++i) {
    const int64_t size = x.shape()[i + 1];
    const WindowAxis axis = internal::ops::window_axis(
        size, w.shape()[i], options.strides[i], options.dilation_rate[i],
        options.padding, "conv", where);
    if (axis.outputs(size, w.shape()[i]) < 1) {
      conv_error("conv", x, w, where)
          .expected("an image at least as large as the kernel")
          .got("size ", size, ", kernel ", w.shape()[i], " along axis ", i + 1)
          .hint("use padding \"same\", or a smaller kernel")
          .raise<ShapeError>();
    }
    result.window.push_back(axis);
  }
  return result;
}

Tensor convolve(const Arg& x, const Arg& kernel, const Arg* bias,
                const nn::ConvOptions& options) {
  auto [in, w] = promote_operands(x, kernel);
  const SourceLocation& where = x.where();
  in = channels_last(in, options.data_format, where);
  ConvAttributes attributes = check_conv(in, w, options, where);
  widen(attributes.window);
  const bool is_line = in.rank() == 3;
  std::vector<Ref> inputs{widened(in, 1, where).ref(),
                          widened(w, 0, where).ref()};
  if (bias != nullptr) {
    const Tensor b = cast(*bias, in.dtype());
    if (b.shape() != Shape{w.shape()[-1]}) {
      conv_error("conv", in, w, where)
          .expected("a bias of shape ", Shape{w.shape()[-1]})
          .got(b.shape())
          .raise<ShapeError>();
    }
    attributes.bias = true;
    inputs.push_back(b.ref());
  }
  Tensor y =
      record_all<kConv>(std::move(inputs), std::move(attributes), where)[0];
  if (is_line) y = squeeze(Arg(y, where), 1);
  return in_format(y, options.data_format, where);
}

}  // namespace

std::span<const OpDef* const> internal::ops::conv_catalog() { return kCatalog; }

Tensor internal::ops::convolve_transposed(const Tensor& y, const Tensor& kernel,
                                          const ConvWindow& window,
                                          const Shape& shape,
                                          const SourceLocation& where) {
  ConvGradientAttributes o{.conv = {.window = window},
                           .input = true,
                           .input_shape = shape,
                           .filter_shape = kernel.shape()};
  return record_all<kConvGradient>({y.ref(), kernel.ref()}, std::move(o),
                                   where)[0];
}

Tensor nn::conv(const Arg& x, const Arg& kernel, const ConvOptions& options) {
  return convolve(x, kernel, nullptr, options);
}

Tensor nn::conv(const Arg& x, const Arg& kernel, const Arg& bias,
                const ConvOptions& options) {
  return convolve(x, kernel, &bias, options);
}

}  // namespace systolic
