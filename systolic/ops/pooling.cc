// Max pooling and its gradient.
#include "systolic/ops/pooling.h"

#include "systolic/graph/op.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/windows.h"

namespace systolic {

using namespace internal::graph;
namespace stablehlo = internal::stablehlo;
using internal::ops::PoolAttributes;
using internal::ops::WindowAxis;

namespace {

bool use_kernel(const Lower& l, std::string_view kernel) {
  return l.result().dtype == DType::float32 && l.has_kernel(kernel) &&
         l.result().shape.elements() > 0;
}

std::string kernel_attributes(const Lower& l, const PoolAttributes& o) {
  return o.window.kernel_attributes() +
         ", window = " + stablehlo::i64_array(o.size) +
         ", replicas = " + std::to_string(l.placement.num_replicas()) +
         " : i64";
}

constexpr Op<PoolAttributes> kMaxPoolGradient{
    .name = "max_pool_gradient",
    .infer = [](Infer& in, const PoolAttributes&) { return Specs(in[0]); },
    .lower =
        [](Lower& l, const PoolAttributes& o) {
          if (use_kernel(l, "systolic_max_pool2d_gradient") &&
              l[1].spec.shape.elements() > 0) {
            return l.e.custom_call("systolic_max_pool2d_gradient", l.inputs(),
                                   std::span(&l.result(), 1),
                                   kernel_attributes(l, o));
          }
          return Values{l.e.select_and_scatter(l[0], l[1], o.stablehlo())};
        },
    .vjp = not_differentiable(internal::ops::kNoPoolGradient),
    .residuals = {0, 0}};

constexpr Op<PoolAttributes> kMaxPool{
    .name = "max_pool",
    .infer =
        [](Infer& in, const PoolAttributes& o) {
          const Shape& x = in.shape(0);
          return Specs(
              TensorSpec{in.dtype(0),
                         {x[0], o.window.axis(0).outputs(x[1], o.size[0]),
                          o.window.axis(1).outputs(x[2], o.size[1]), x[3]}});
        },
    .lower =
        [](Lower& l, const PoolAttributes& o) {
          if (use_kernel(l, "systolic_max_pool2d_forward")) {
            return l.e.custom_call("systolic_max_pool2d_forward", l.inputs(),
                                   std::span(&l.result(), 1),
                                   kernel_attributes(l, o));
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

}  // namespace

std::span<const OpDef* const> internal::ops::pooling_catalog() {
  return kCatalog;
}

stablehlo::Window PoolAttributes::stablehlo() const {
  stablehlo::Window full;
  full.size = {1, size[0], size[1], 1};
  full.strides = {1, window.strides[0], window.strides[1], 1};
  full.padding = {{0, 0},
                  {window.low[0], window.high[0]},
                  {window.low[1], window.high[1]},
                  {0, 0}};
  return full;
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
  internal::Message("padding")
      .expected("\"valid\" or \"same\"")
      .got("\"", text, "\"")
      .raise<ValueError>();
}

void internal::ops::require_image(const Tensor& x, std::string_view op,
                                  const SourceLocation& where) {
  if (x.rank() == 4) return;
  Message(std::string(op))
      .expected("an input of rank 4")
      .got("rank ", x.rank())
      .detail("input", x.spec())
      .hint("images are (batch, height, width, channels)")
      .at(where)
      .raise<ShapeError>();
}

WindowAxis internal::ops::pool_axis(const Tensor& x, int axis,
                                    const nn::PoolOptions& options,
                                    std::string_view op,
                                    const SourceLocation& where) {
  const auto i = static_cast<size_t>(axis - 1);
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

Tensor nn::max_pool(const Arg& x, const PoolOptions& options) {
  const Tensor in = x.tensor();
  internal::ops::require_image(in, "max_pool", x.where());
  PoolAttributes attributes;
  for (int i = 0; i < 2; ++i) {
    attributes.window.push_back(
        internal::ops::pool_axis(in, i + 1, options, "max_pool", x.where()));
    attributes.size.push_back(options.pool_size[i]);
  }
  return record<kMaxPool>({in.ref()}, std::move(attributes), x.where());
}

}  // namespace systolic
