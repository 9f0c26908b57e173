// Convolution: the op, and the two ops that its gradient is made of. On a
// platform with our kernels each is one call; elsewhere StableHLO.
#include <algorithm>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/windows.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using internal::ops::ConvWindow;
using internal::ops::WindowAxis;

namespace {

using Pair = std::vector<int64_t>;

// One convolution as a program has it: explicit padding; `shape` is what a
// gradient op gives (the input's or the filter's shape).
struct ConvAttributes {
  ConvWindow window;
  int64_t groups = 1;
  bool relu = false;
  bool bias = false;
  Shape shape;
  template <class V>
  void visit(V&& v) const {
    window.visit(v);
    v("groups", groups);
    v("relu", relu);
    v("bias", bias);
    v("shape", shape);
  }
};

bool use_kernel(const Lower& l, const ConvAttributes& o,
                std::string_view kernel) {
  const auto negative = [](int64_t x) { return x < 0; };
  return l.result().dtype == DType::float32 && l.has_kernel(kernel) &&
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
  const Shape& x = in.shape(0);
  const Shape& w = in.shape(1);
  return TensorSpec{in.dtype(0),
                    {x[0], o.window.axis(0).outputs(x[1], w[0]),
                     o.window.axis(1).outputs(x[2], w[1]), w[3]}};
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
    const int64_t last[] = {3};
    y = l.e.binary("add", y,
                   l.e.broadcast_in_dim(l[2], l.result().shape, last));
  }
  if (o.relu) y = l.e.binary("maximum", y, l.e.splat(l.result(), 0));
  return {y};
}

Tensor input_gradient(const Tensor& dy, const Tensor& w, ConvAttributes o,
                      const Shape& shape);
std::vector<Tensor> filter_gradient(const Tensor& x, const Tensor& dy,
                                    ConvAttributes o, const Shape& shape,
                                    bool bias);
Tensor convolve(const Tensor& x, const Tensor& w, ConvAttributes o);

Grads conv_gradient(Vjp& v, const ConvAttributes& o) {
  Tensor dy = v.gradient();
  if (o.relu) dy = where(v.output() > 0, dy, 0);
  Grads grads(v.num_inputs());
  if (v.needs(0)) {
    grads[0] = input_gradient(dy, v.input(1), o, v.input_spec(0).shape);
  }
  const bool bias = o.bias && v.needs(2);
  if (v.needs(1) || bias) {
    const auto both =
        filter_gradient(v.input(0), dy, o, v.input_spec(1).shape, bias);
    grads[1] = both[0];
    if (bias) grads[2] = both[1];
  }
  return grads;
}

constexpr Op<ConvAttributes> kConv{.name = "conv",
                                   .infer = infer_conv,
                                   .lower = lower_conv,
                                   .vjp = conv_gradient,
                                   .residuals = {3, 1}};

// dx = convolution of dy, spread by the strides, with the filter turned
// round and its channel axes exchanged.
Values lower_input_gradient(Lower& l, const ConvAttributes& o) {
  if (use_kernel(l, o, "systolic_conv2d_input_gradient")) {
    return l.e.custom_call("systolic_conv2d_input_gradient", l.inputs(),
                           std::span(&l.result(), 1), kernel_attributes(l, o));
  }
  const Shape& w = l[1].spec.shape;
  const int64_t g = o.groups, in = w[2], out = w[3] / g;
  const int64_t spatial[] = {0, 1};
  auto filter = l.e.reverse(l[1], spatial);
  filter = l.e.reshape(filter, {w[0], w[1], in, g, out});
  const int64_t exchange[] = {0, 1, 4, 3, 2};
  filter = l.e.transpose(filter, exchange);
  filter = l.e.reshape(filter, {w[0], w[1], out, g * in});
  stablehlo::Window window;
  window.strides = {1, 1};
  window.base_dilation = o.window.strides;
  window.window_dilation = o.window.dilation;
  for (int i = 0; i < 2; ++i) {
    const WindowAxis axis = o.window.axis(i);
    const int64_t reach = (w[i] - 1) * axis.dilation;
    const int64_t low = reach - axis.low;
    const int64_t spread = (l[0].spec.shape[i + 1] - 1) * axis.stride + 1;
    const int64_t high = o.shape[i + 1] - spread - low + reach;
    window.padding.push_back({low, high});
  }
  return {l.e.convolution(l[0], filter, window, o.shape, g)};
}

constexpr Op<ConvAttributes> kConvInputGradient{
    .name = "conv_input_gradient",
    .infer =
        [](Infer& in, const ConvAttributes& o) {
          return Specs(TensorSpec{in.dtype(0), o.shape});
        },
    .lower = lower_input_gradient,
    .vjp =
        [](Vjp& v, const ConvAttributes& o) {
          // Linear in both operands.
          const Tensor g = v.gradient();
          Grads grads(2);
          if (v.needs(0)) grads[0] = convolve(g, v.input(1), o);
          if (v.needs(1)) {
            grads[1] = filter_gradient(g, v.input(0), o, v.input_spec(1).shape,
                                       false)[0];
          }
          return grads;
        },
    .residuals = {3, 0}};

// dw = convolution of x with dy as the filter: channels take the place of
// the batch, the batch that of the channels.
Values lower_filter_gradient(Lower& l, const ConvAttributes& o) {
  std::vector<TensorSpec> results;
  for (int i = 0; i < l.node.num_outputs; ++i) results.push_back(l.result(i));
  if (use_kernel(l, o, "systolic_conv2d_filter_gradient") &&
      l[0].spec.shape.elements() > 0) {
    return l.e.custom_call("systolic_conv2d_filter_gradient", l.inputs(),
                           results, kernel_attributes(l, o));
  }
  const int64_t x_order[] = {3, 1, 2, 0}, dy_order[] = {1, 2, 0, 3};
  const auto x = l.e.transpose(l[0], x_order);
  const auto dy = l.e.transpose(l[1], dy_order);
  stablehlo::Window window;
  window.strides = o.window.dilation;
  window.window_dilation = o.window.strides;
  for (int i = 0; i < 2; ++i) {
    const WindowAxis axis = o.window.axis(i);
    const int64_t reach = (l[1].spec.shape[i + 1] - 1) * axis.stride + 1;
    const int64_t high = (o.shape[i] - 1) * axis.dilation + reach -
                         l[0].spec.shape[i + 1] - axis.low;
    window.padding.push_back({axis.low, high});
  }
  const Shape turned{o.shape[2], o.shape[0], o.shape[1], o.shape[3]};
  const auto dw = l.e.convolution(x, dy, window, turned, 1, o.groups);
  const int64_t order[] = {1, 2, 0, 3};
  Values values{l.e.transpose(dw, order)};
  if (o.bias) {
    const int64_t axes[] = {0, 1, 2};
    values.push_back(l.e.reduce(stablehlo::Combine::add, l[1], axes));
  }
  return values;
}

constexpr Op<ConvAttributes> kConvFilterGradient{
    .name = "conv_filter_gradient",
    .infer =
        [](Infer& in, const ConvAttributes& o) {
          std::vector<TensorSpec> specs{{in.dtype(0), o.shape}};
          if (o.bias) specs.push_back({in.dtype(0), {o.shape[3]}});
          return Specs(std::move(specs));
        },
    .lower = lower_filter_gradient,
    .vjp =
        [](Vjp& v, const ConvAttributes& o) {
          const Tensor g = v.gradient();
          Grads grads(2);
          if (v.needs(0)) {
            grads[0] = input_gradient(v.input(1), g, o, v.input_spec(0).shape);
          }
          if (v.needs(1)) {
            grads[1] = convolve(v.input(0), g, o);
            if (o.bias) grads[1] = grads[1] + v.gradient(1);
          }
          return grads;
        },
    .residuals = {3, 0}};

// The plain convolution with the window of `o`, without bias and activation.
ConvAttributes plain(ConvAttributes o, const Shape& shape, bool bias) {
  o.relu = false;
  o.bias = bias;
  o.shape = shape;
  return o;
}

Tensor convolve(const Tensor& x, const Tensor& w, ConvAttributes o) {
  return record<kConv>({x.ref(), w.ref()}, plain(std::move(o), {}, false),
                       SourceLocation::current());
}

Tensor input_gradient(const Tensor& dy, const Tensor& w, ConvAttributes o,
                      const Shape& shape) {
  return record<kConvInputGradient>({dy.ref(), w.ref()},
                                    plain(std::move(o), shape, false),
                                    SourceLocation::current());
}

std::vector<Tensor> filter_gradient(const Tensor& x, const Tensor& dy,
                                    ConvAttributes o, const Shape& shape,
                                    bool bias) {
  return record_all<kConvFilterGradient>({x.ref(), dy.ref()},
                                         plain(std::move(o), shape, bias),
                                         SourceLocation::current());
}

constexpr const OpDef* kCatalog[] = {&kDefinition<kConv>,
                                     &kDefinition<kConvInputGradient>,
                                     &kDefinition<kConvFilterGradient>};

internal::Message conv_error(const Tensor& x, const Tensor& w,
                             const SourceLocation& where) {
  internal::Message message("conv");
  message.detail("input", x.spec()).detail("kernel", w.spec()).at(where);
  return message;
}

ConvAttributes check_conv(const Tensor& x, const Tensor& w,
                          const nn::ConvOptions& options,
                          const SourceLocation& where) {
  if (x.rank() != 4 || w.rank() != 4) {
    conv_error(x, w, where)
        .expected("an input and a kernel of rank 4")
        .got("ranks ", x.rank(), " and ", w.rank())
        .hint(
            "images are (batch, height, width, channels); kernels (height, "
            "width, channels in, channels out)")
        .raise<ShapeError>();
  }
  if (!is_floating(x.dtype())) {
    conv_error(x, w, where)
        .expected("floating-point images")
        .got(x.dtype())
        .hint("cast<float>(x) / 255.f")
        .raise<TypeError>();
  }
  const int64_t groups = options.groups;
  if (groups < 1 || w.shape()[3] % groups != 0 ||
      x.shape()[3] != w.shape()[2] * groups) {
    conv_error(x, w, where)
        .expected("input channels = kernel channels x groups, and filters ",
                  "a multiple of groups")
        .got(x.shape()[3], " channels, ", w.shape()[2], " x ", groups, ", ",
             w.shape()[3], " filters")
        .raise<ShapeError>();
  }
  ConvAttributes result;
  result.groups = groups;
  result.relu = options.activation == nn::FusedActivation::relu;
  for (int i = 0; i < 2; ++i) {
    const int64_t size = x.shape()[i + 1];
    const WindowAxis axis = internal::ops::window_axis(
        size, w.shape()[i], options.strides[i], options.dilation_rate[i],
        options.padding, "conv", where);
    if (axis.outputs(size, w.shape()[i]) < 1) {
      conv_error(x, w, where)
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
  ConvAttributes attributes = check_conv(in, w, options, x.where());
  if (bias == nullptr) {
    return record<kConv>({in.ref(), w.ref()}, std::move(attributes), x.where());
  }
  const Tensor b = cast(*bias, in.dtype());
  if (b.shape() != Shape{w.shape()[3]}) {
    conv_error(in, w, x.where())
        .expected("a bias of shape ", Shape{w.shape()[3]})
        .got(b.shape())
        .raise<ShapeError>();
  }
  attributes.bias = true;
  return record<kConv>({in.ref(), w.ref(), b.ref()}, std::move(attributes),
                       x.where());
}

}  // namespace

std::span<const OpDef* const> internal::ops::conv_catalog() { return kCatalog; }

Tensor nn::conv(const Arg& x, const Arg& kernel, const ConvOptions& options) {
  return convolve(x, kernel, nullptr, options);
}

Tensor nn::conv(const Arg& x, const Arg& kernel, const Arg& bias,
                const ConvOptions& options) {
  return convolve(x, kernel, &bias, options);
}

}  // namespace systolic
