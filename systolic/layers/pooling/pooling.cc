// Tested by: systolic/layers/pooling/pooling_platform_test.cc
#include "systolic/layers/pooling/pooling.h"

#include <algorithm>

#include "systolic/layers/window.h"

namespace systolic::layers {

namespace {

// What its axes are called, and what has them.
struct Words {
  std::string_view thing, axes, format_last, format_first;
};

constexpr Words kWords[] = {
    {"input", "steps", "inputs are (batch, steps, channels)",
     "inputs are (batch, channels, steps)"},
    {"image", "height and width", "images are (batch, height, width, channels)",
     "images are (batch, channels, height, width)"},
    {"volume", "sizes", "volumes are (batch, depth, height, width, channels)",
     "volumes are (batch, channels, depth, height, width)"}};

class PoolingBase final : public LayerBase {
 public:
  PoolingBase(std::string_view class_name, LayerOptions options,
              PoolWindow window, PoolFunction function,
              const SourceLocation& where)
      : LayerBase(std::move(options)),
        name_of_class_(class_name),
        function_(function),
        window_(std::move(window)),
        words_(kWords[window_.pool_size.size() - 1]) {
    if (window_.strides.empty()) window_.strides = window_.pool_size;
    require_positive("pool_size", window_.pool_size, where);
    require_positive("strides", window_.strides, where);
    set_input_spec({.rank = static_cast<int>(window_.pool_size.size()) + 2,
                    .hint = std::string(is_last() ? words_.format_last
                                                  : words_.format_first)});
  }

  std::string_view class_name() const override { return name_of_class_; }

  Tensor call(Tensor x, CallContext) override {
    compute_output_shape(x.shape());  // throws where no window fits
    return function_(x, {.pool_size = window_.pool_size,
                         .strides = window_.strides,
                         .padding = window_.padding,
                         .data_format = window_.data_format});
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    const int first = is_last() ? 1 : 2;
    Shape out = input_shape;
    Shape sizes = Shape::scalar();
    bool fits = true;
    for (size_t i = 0; i < window_.pool_size.size(); ++i) {
      const int axis = first + static_cast<int>(i);
      sizes.push_back(input_shape[axis]);
      out.set(axis, window_output(input_shape[axis], window_.pool_size[i],
                                  window_.strides[i], window_.padding));
      fits = fits && out[axis] != 0;
    }
    if (fits) return out;
    error()
        .expected("an ", words_.thing, " no smaller than the pool ",
                  Shape(std::span<const int64_t>(window_.pool_size)))
        .got(words_.axes, " ", sizes)
        .detail("input", input_shape)
        .hint(
            "use padding = \"same\", a smaller pool or fewer pooling layers "
            "before it")
        .at(call_site())
        .raise<ShapeError>();
  }

 private:
  bool is_last() const {
    return window_.data_format == DataFormat::channels_last;
  }

  void require_positive(std::string_view name,
                        const std::vector<int64_t>& sizes,
                        const SourceLocation& where) const {
    if (std::ranges::all_of(sizes, [](int64_t size) { return size > 0; })) {
      return;
    }
    error()
        .expected(name, " > 0 along ", words_.axes)
        .got(Shape(std::span<const int64_t>(sizes)))
        .at(where)
        .raise<ValueError>();
  }

  std::string_view name_of_class_;
  PoolFunction function_;
  PoolWindow window_;
  const Words& words_;
};

}  // namespace

std::shared_ptr<LayerBase> make_pooling(std::string_view class_name,
                                        LayerOptions options, PoolWindow window,
                                        PoolFunction function,
                                        const SourceLocation& where) {
  return std::make_shared<PoolingBase>(class_name, std::move(options),
                                       std::move(window), function, where);
}

}  // namespace systolic::layers
