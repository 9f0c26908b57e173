// Max pooling and its gradient, and what the poolings share.
#include "systolic/ops/pooling.h"

#include <algorithm>

#include "systolic/graph/elementwise.h"
#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/windows.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using internal::Message;
using internal::ops::PoolAttributes;
using internal::ops::window_axis;
using internal::ops::WindowAxis;

namespace {

constexpr Op<PoolAttributes> kMaxPoolGradient{
    .name = "max_pool_gradient",
    .infer = [](Infer& in, const PoolAttributes&) { return Specs(in[0]); },
    .lower =
        [](Lower& l, const PoolAttributes& o) {
          constexpr std::string_view kKernel = "systolic_max_pool2d_gradient";
          if (internal::ops::has_pool_kernel(l, kKernel)) {
            return internal::ops::call_pool_kernel(l, o, kKernel);
          }
          return Values{l.e.select_and_scatter(l[0], l[1], o.stablehlo())};
        },
    .vjp = not_differentiable(internal::ops::kNoPoolGradient),
    .residuals = {0, 0}};

constexpr Op<PoolAttributes> kMaxPool{
    .name = "max_pool",
    .infer =
        [](Infer& in, const PoolAttributes& o) {
          refuse_complex(in);
          refuse_float8(in);
          return Specs(TensorSpec{in.dtype(0),
                                  internal::ops::pooled_shape(o, in.shape(0))});
        },
    .lower =
        [](Lower& l, const PoolAttributes& o) {
          constexpr std::string_view kKernel = "systolic_max_pool2d_forward";
          if (internal::ops::has_pool_kernel(l, kKernel)) {
            return internal::ops::call_pool_kernel(l, o, kKernel);
          }
          return Values{l.e.reduce_window(stablehlo::Combine::maximum, l[0],
                                          o.stablehlo())};
        },
    .vjp =
        [](Vjp& v, const PoolAttributes& o) {
          return Grads{
              record<kMaxPoolGradient>({v.input(0).ref(), v.gradient().ref()},
                                       o, SourceLocation::current())};
        },
    .residuals = {1, 0}};

constexpr const OpDef* kCatalog[] = {&kDefinition<kMaxPool>,
                                     &kDefinition<kMaxPoolGradient>};

// The window over `axis` of an image.
WindowAxis pool_axis(const Tensor& x, int axis, const nn::PoolOptions& options,
                     std::string_view op, const SourceLocation& where) {
  const int i = axis - 1;
  const int64_t elements = x.shape()[axis];
  const int64_t size = options.pool_size[i];
  const int64_t stride = options.strides[i] == 0 ? size : options.strides[i];
  const WindowAxis window =
      window_axis(elements, size, stride, 1, options.padding, op, where);
  if (window.outputs(elements, size) < 1) {
    Message(std::string(op))
        .expected("an image at least as large as the window")
        .got("size ", elements, ", window ", size, " along axis ", axis)
        .detail("input", x.spec())
        .hint("use padding \"same\", or a smaller window")
        .at(where)
        .raise<ShapeError>();
  }
  return window;
}

}  // namespace

std::span<const OpDef* const> internal::ops::pooling_catalog() {
  return kCatalog;
}

stablehlo::Window PoolAttributes::stablehlo() const {
  stablehlo::Window full;
  full.size = {1};
  full.strides = {1};
  full.padding = {{0, 0}};
  for (size_t i = 0; i < size.size(); ++i) {
    full.size.push_back(size[i]);
    full.strides.push_back(window.strides[i]);
    full.padding.push_back({window.low[i], window.high[i]});
  }
  full.size.push_back(1);
  full.strides.push_back(1);
  full.padding.push_back({0, 0});
  return full;
}

Shape internal::ops::pooled_shape(const PoolAttributes& o, const Shape& x) {
  Shape shape = x;
  for (int i = 0; i < shape.rank() - 2; ++i) {
    const int64_t size = o.size[static_cast<size_t>(i)];
    shape.set(i + 1, o.window.axis(i).outputs(shape[i + 1], size));
  }
  return shape;
}

bool internal::ops::has_pool_kernel(const Lower& l, std::string_view kernel) {
  return l.result().dtype == DType::float32 && l.result().shape.rank() == 4 &&
         l.has_kernel(kernel) && l.result().shape.elements() > 0 &&
         std::ranges::all_of(l.inputs(), [](const stablehlo::Value& input) {
           return input.spec.shape.elements() > 0;
         });
}

Values internal::ops::call_pool_kernel(Lower& l, const PoolAttributes& o,
                                       std::string_view kernel) {
  return l.e.custom_call(
      kernel, l.inputs(), std::span(&l.result(), 1),
      o.window.kernel_attributes() +
          ", window = " + stablehlo::i64_array(o.size) + ", replicas = " +
          std::to_string(l.placement.num_replicas()) + " : i64");
}

const Node* internal::ops::max_pool_gradient_of(const Ref& input,
                                                const Ref& gradient) {
  const Node& node = *gradient.node;
  const bool is_one = node.op == &kDefinition<kMaxPoolGradient> &&
                      node.inputs.size() == 2 && node.inputs[0] == input;
  return is_one ? &node : nullptr;
}

const PoolAttributes& internal::ops::pool_attributes(const Node& node) {
  return options_of<PoolAttributes>(node.options.get());
}

std::string_view name(Padding padding) {
  return padding == Padding::same ? "same" : "valid";
}

Padding padding_from_name(std::string_view text) {
  if (text == "valid") return Padding::valid;
  if (text == "same") return Padding::same;
  Message("padding")
      .expected("\"valid\" or \"same\"")
      .got("\"", text, "\"")
      .raise<ValueError>();
}

Tensor internal::ops::pool_input(const Tensor& x,
                                 const nn::PoolOptions& options,
                                 std::string_view op,
                                 const SourceLocation& where) {
  const int axes = x.rank() - 2;
  if (axes < 1 || axes > 3) {
    Message(std::string(op))
        .expected("an input of rank 3, 4 or 5")
        .got("rank ", x.rank())
        .detail("input", x.spec())
        .hint("images are (batch, height, width, channels)")
        .at(where)
        .raise<ShapeError>();
  }
  if (!options.pool_size.fits(axes) || !options.strides.fits(axes)) {
    Message(std::string(op))
        .expected("one pool_size and one stride, or one for each of ", axes,
                  " axes")
        .got(options.pool_size.size(), " and ", options.strides.size())
        .detail("input", x.spec())
        .at(where)
        .raise<ValueError>();
  }
  return options.data_format == DataFormat::channels_last
             ? x
             : moveaxis(Arg(x, where), 1, -1);
}

Tensor internal::ops::pool_output(const Tensor& y,
                                  const nn::PoolOptions& options) {
  return options.data_format == DataFormat::channels_last ? y
                                                          : moveaxis(y, -1, 1);
}

Tensor internal::ops::pool(
    const Tensor& x, const nn::PoolOptions& options, std::string_view op,
    const SourceLocation& where,
    const std::function<Tensor(const Tensor&, PoolAttributes)>& record) {
  const Tensor in = pool_input(x, options, op, where);
  PoolAttributes attributes;
  const bool is_line = in.rank() == 3;
  if (is_line) {
    attributes.window.push_back(WindowAxis{});
    attributes.size.push_back(1);
  }
  for (int i = 0; i < in.rank() - 2; ++i) {
    attributes.window.push_back(pool_axis(in, i + 1, options, op, where));
    attributes.size.push_back(options.pool_size[i]);
  }
  const Tensor images = is_line ? expand_dims(Arg(in, where), 1) : in;
  const Tensor y = record(images, std::move(attributes));
  return pool_output(is_line ? squeeze(y, 1) : y, options);
}

Tensor nn::max_pool(const Arg& x, const PoolOptions& options) {
  const SourceLocation& where = x.where();
  return internal::ops::pool(
      x.tensor(), options, "max_pool", where,
      [&](const Tensor& images, PoolAttributes attributes) {
        return record<kMaxPool>({images.ref()}, std::move(attributes), where);
      });
}

}  // namespace systolic
