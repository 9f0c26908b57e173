#include "systolic/layers/reshaping/borders.h"

#include <array>

#include "systolic/base/suggest.h"
#include "systolic/layers/window.h"
#include "systolic/ops/image.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/slicing.h"

namespace systolic::layers {

namespace {

using Sizes = std::vector<Border>;

// What the classes of this file share: axes between batch and channels, each
// with a border.
class BordersBase : public LayerBase {
 public:
  BordersBase(std::string_view class_name, Sizes sizes,
              const Borders1DOptions& options)
      : LayerBase(layer_options(options)),
        name_of_class_(class_name),
        sizes_(std::move(sizes)),
        first_(options.data_format == DataFormat::channels_last ? 1 : 2) {
    set_input_spec({.rank = static_cast<int>(sizes_.size()) + 2});
  }

  std::string_view class_name() const final { return name_of_class_; }

 protected:
  void require_at_least(int64_t least, std::string_view what,
                        const SourceLocation& where) const {
    for (const Border& border : sizes_) {
      if (border.low >= least && border.high >= least) continue;
      error()
          .expected(what, " of at least ", least)
          .got(std::min(border.low, border.high))
          .at(where)
          .raise<ValueError>();
    }
  }

  std::string_view name_of_class_;
  Sizes sizes_;
  int first_;
};

class PaddingBase final : public BordersBase {
 public:
  PaddingBase(std::string_view class_name, Sizes sizes,
              const Borders1DOptions& options, const SourceLocation& where)
      : BordersBase(class_name, std::move(sizes), options) {
    require_at_least(0, "padding", where);
  }

  Tensor call(Tensor x, CallContext) override {
    PadWidth width(static_cast<size_t>(x.rank()), {0, 0});
    for (size_t i = 0; i < sizes_.size(); ++i) {
      width[i + static_cast<size_t>(first_)] = {sizes_[i].low, sizes_[i].high};
    }
    return pad(x, width);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape out = input_shape;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const int axis = first_ + static_cast<int>(i);
      if (out[axis] < 0) continue;
      out.set(axis, out[axis] + sizes_[i].low + sizes_[i].high);
    }
    return out;
  }
};

class CroppingBase final : public BordersBase {
 public:
  CroppingBase(std::string_view class_name, Sizes sizes,
               const Borders1DOptions& options, const SourceLocation& where)
      : BordersBase(class_name, std::move(sizes), options) {
    require_at_least(0, "cropping", where);
  }

  Tensor call(Tensor x, CallContext) override {
    compute_output_shape(x.shape());  // throws where nothing is left
    std::vector<Index> part(static_cast<size_t>(first_), all);
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const int64_t size = x.shape()[first_ + static_cast<int>(i)];
      part.push_back(Slice(sizes_[i].low, size - sizes_[i].high));
    }
    return slice(x, std::span<const Index>(part));
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape out = input_shape;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const int axis = first_ + static_cast<int>(i);
      if (out[axis] < 0) continue;
      const int64_t left = out[axis] - sizes_[i].low - sizes_[i].high;
      if (left <= 0) {
        error()
            .expected("an input larger than what is cut off, ",
                      sizes_[i].low + sizes_[i].high, " along axis ", axis)
            .got(input_shape)
            .at(call_site())
            .raise<ShapeError>();
      }
      out.set(axis, left);
    }
    return out;
  }
};

constexpr std::array kInterpolations{
    std::string_view("nearest"), std::string_view("bilinear"),
    std::string_view("bicubic"), std::string_view("lanczos3"),
    std::string_view("lanczos5")};

// Each border holds the factor of its axis, twice.
class UpSamplingBase final : public BordersBase {
 public:
  UpSamplingBase(std::string_view class_name, Sizes sizes,
                 const Borders1DOptions& options, const SourceLocation& where,
                 std::string interpolation = "nearest")
      : BordersBase(class_name, std::move(sizes), options),
        interpolation_(std::move(interpolation)) {
    require_at_least(1, "size", where);
    if (std::ranges::count(kInterpolations, interpolation_) > 0) return;
    error()
        .expected("interpolation ", internal::list_names(kInterpolations))
        .got("'", interpolation_, "'")
        .at(where)
        .raise<ValueError>();
  }

  Tensor call(Tensor x, CallContext) override {
    if (interpolation_ != "nearest") return resized(x);
    const Shape output = compute_output_shape(x.shape());
    Shape split = Shape::scalar(), repeated = Shape::scalar();
    for (int axis = 0; axis < x.rank(); ++axis) {
      split.push_back(x.shape()[axis]);
      repeated.push_back(x.shape()[axis]);
      if (axis < first_ || axis >= first_ + static_cast<int>(sizes_.size())) {
        continue;
      }
      split.push_back(1);
      repeated.push_back(sizes_[static_cast<size_t>(axis - first_)].low);
    }
    return reshape(broadcast_to(reshape(x, split), repeated), output);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape out = input_shape;
    for (size_t i = 0; i < sizes_.size(); ++i) {
      const int axis = first_ + static_cast<int>(i);
      if (out[axis] >= 0) out.set(axis, out[axis] * sizes_[i].low);
    }
    return out;
  }

 private:
  Tensor resized(const Tensor& x) const {
    const DataFormat format =
        first_ == 1 ? DataFormat::channels_last : DataFormat::channels_first;
    const Tensor image = to_channels_last(x, format);
    const image::Size size{image.shape()[1] * sizes_[0].low,
                           image.shape()[2] * sizes_[1].low};
    const Tensor y = image::resize(image, size, {.method = interpolation_});
    return from_channels_last(y.dtype() == x.dtype() ? y : cast(y, x.dtype()),
                              format);
  }

  std::string interpolation_;
};

}  // namespace

ZeroPadding1D::ZeroPadding1D(Border padding, Borders1DOptions options,
                             SourceLocation where)
    : Layer(std::make_shared<PaddingBase>("ZeroPadding1D", Sizes{padding},
                                          options, where)) {}

ZeroPadding2D::ZeroPadding2D(Borders2D padding, Borders2DOptions options,
                             SourceLocation where)
    : Layer(std::make_shared<PaddingBase>("ZeroPadding2D",
                                          Sizes{padding.height, padding.width},
                                          options, where)) {}

Cropping1D::Cropping1D(Border cropping, Borders1DOptions options,
                       SourceLocation where)
    : Layer(std::make_shared<CroppingBase>("Cropping1D", Sizes{cropping},
                                           options, where)) {}

Cropping2D::Cropping2D(Borders2D cropping, Borders2DOptions options,
                       SourceLocation where)
    : Layer(std::make_shared<CroppingBase>(
          "Cropping2D", Sizes{cropping.height, cropping.width}, options,
          where)) {}

UpSampling1D::UpSampling1D(Dim size, Borders1DOptions options,
                           SourceLocation where)
    : Layer(std::make_shared<UpSamplingBase>(
          "UpSampling1D", Sizes{int64_t{size}}, options, where)) {}

UpSampling2D::UpSampling2D(Extent2D size, UpSampling2DOptions options,
                           SourceLocation where)
    : Layer(std::make_shared<UpSamplingBase>(
          "UpSampling2D", Sizes{size.height(), size.width()},
          Borders1DOptions{.data_format = options.data_format,
                           .input_shape = options.input_shape,
                           .trainable = options.trainable,
                           .dtype = options.dtype,
                           .name = options.name},
          where, options.interpolation)) {}

ZeroPadding3D::ZeroPadding3D(Borders3D padding, Borders3DOptions options,
                             SourceLocation where)
    : Layer(std::make_shared<PaddingBase>(
          "ZeroPadding3D", Sizes{padding.depth, padding.height, padding.width},
          options, where)) {}

Cropping3D::Cropping3D(Borders3D cropping, Borders3DOptions options,
                       SourceLocation where)
    : Layer(std::make_shared<CroppingBase>(
          "Cropping3D", Sizes{cropping.depth, cropping.height, cropping.width},
          options, where)) {}

UpSampling3D::UpSampling3D(Extent3D size, Borders3DOptions options,
                           SourceLocation where)
    : Layer(std::make_shared<UpSamplingBase>(
          "UpSampling3D",
          Sizes{size.sizes()[0], size.sizes()[1], size.sizes()[2]}, options,
          where)) {}

}  // namespace systolic::layers
