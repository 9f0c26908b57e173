// Layers that add, cut or repeat elements around and between: zero padding,
// cropping, up-sampling.
//
//   layers::ZeroPadding2D({{3, 3}, {3, 3}});
//   layers::UpSampling2D(2);
#pragma once

#include "systolic/base/dim.h"
#include "systolic/layers/layer_base.h"
#include "systolic/layers/options.h"

namespace systolic::layers {

// Elements before and after an axis: one number for both, or {1, 2}.
struct Border {
  template <std::integral T>
  constexpr Border(T both) : low(static_cast<int64_t>(both)), high(low) {}
  template <std::integral T, std::integral U>
  constexpr Border(T before, U after)
      : low(static_cast<int64_t>(before)), high(static_cast<int64_t>(after)) {}
  int64_t low, high;
};

// Borders of height and width: 1 for all; {1, 2} of each; or
// {{top, bottom}, {left, right}}.
struct Borders2D {
  template <std::integral T>
  constexpr Borders2D(T all) : height(all), width(all) {}
  constexpr Borders2D(Border of_height, Border of_width)
      : height(of_height), width(of_width) {}
  Border height, width;
};

// Borders of depth, height and width: 1 for all; or {{1, 2}, 0, {0, 3}}.
struct Borders3D {
  template <std::integral T>
  constexpr Borders3D(T all) : depth(all), height(all), width(all) {}
  constexpr Borders3D(Border of_depth, Border of_height, Border of_width)
      : depth(of_depth), height(of_height), width(of_width) {}
  Border depth, height, width;
};

// What padding and cropping along one axis can be told.
struct Borders1DOptions {
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "zero_padding1d".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("data_format", data_format.name());
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// What padding and cropping of images and volumes can be told.
using Borders2DOptions = Borders1DOptions;
using Borders3DOptions = Borders1DOptions;

// What UpSampling2D can be told.
struct UpSampling2DOptions {
  // Where the channels are: last or axis 1.
  Choice<DataFormat> data_format = DataFormat::channels_last;
  // "nearest", "bilinear", "bicubic", "lanczos3" or "lanczos5".
  std::string interpolation = "nearest";
  // Shape of one input, without the batch; unset: known at the first call.
  Shape input_shape = {};
  // Kept as in Keras; the layer has no weights to train.
  bool trainable = true;
  // Dtypes of computation and weights; unset: the program's policy.
  DTypePolicy dtype = {};
  // The layer's name, without "/"; empty: Keras's, such as "up_sampling2d".
  std::string name = {};

  // Calls v(name, value) for each option of Keras's config.
  template <class V>
  void visit(V&& v) const {
    v("data_format", data_format.name());
    v("interpolation", interpolation);
    v("trainable", trainable);
    v("dtype", dtype);
    v("name", name);
  }
};

// Zeros around the steps. Shapes: (batch, steps, channels) -> (batch, low +
// steps + high, channels).
class ZeroPadding1D : public Layer {
 public:
  // Throws: ValueError for a negative number.
  explicit ZeroPadding1D(Border padding = 1, Borders1DOptions options = {},
                         SourceLocation where = SourceLocation::current());
};

// Zeros around an image. Shapes: (batch, height, width, channels) -> (batch,
// height + top + bottom, width + left + right, channels).
class ZeroPadding2D : public Layer {
 public:
  // Throws: ValueError for a negative number.
  explicit ZeroPadding2D(Borders2D padding = 1, Borders2DOptions options = {},
                         SourceLocation where = SourceLocation::current());
};

// Steps cut off at both ends. Shapes: as ZeroPadding1D, less in place of more.
class Cropping1D : public Layer {
 public:
  // Throws: ValueError for a negative number; the call ShapeError where
  // nothing is left.
  explicit Cropping1D(Border cropping = 1, Borders1DOptions options = {},
                      SourceLocation where = SourceLocation::current());
};

// Edges of an image cut off. Shapes: as ZeroPadding2D, less in place of more.
class Cropping2D : public Layer {
 public:
  // Throws: ValueError for a negative number; the call ShapeError where
  // nothing is left.
  explicit Cropping2D(Borders2D cropping = 0, Borders2DOptions options = {},
                      SourceLocation where = SourceLocation::current());
};

// Each step `size` times. Shapes: (batch, steps, channels) -> (batch, steps *
// size, channels).
class UpSampling1D : public Layer {
 public:
  // Throws: ValueError unless size > 0.
  explicit UpSampling1D(Dim size = 2, Borders1DOptions options = {},
                        SourceLocation where = SourceLocation::current());
};

// Each pixel as a block of `size`, or what lies between pixels. Shapes: (batch,
// height, width, channels) -> (batch, height * h, width * w, channels).
class UpSampling2D : public Layer {
 public:
  // Throws: ValueError unless both sizes are above 0, and for an
  // interpolation that there is not.
  explicit UpSampling2D(Extent2D size = 2, UpSampling2DOptions options = {},
                        SourceLocation where = SourceLocation::current());
};

// As ZeroPadding2D, Cropping2D and UpSampling2D (nearest), for volumes: (batch,
// depth, height, width, channels).
class ZeroPadding3D : public Layer {
 public:
  // Throws: ValueError for a negative number.
  explicit ZeroPadding3D(Borders3D padding = 1, Borders3DOptions options = {},
                         SourceLocation where = SourceLocation::current());
};

class Cropping3D : public Layer {
 public:
  // Throws: ValueError for a negative number; the call ShapeError where
  // nothing is left.
  explicit Cropping3D(Borders3D cropping = 1, Borders3DOptions options = {},
                      SourceLocation where = SourceLocation::current());
};

class UpSampling3D : public Layer {
 public:
  // Throws: ValueError unless all sizes are above 0.
  explicit UpSampling3D(Extent3D size = 2, Borders3DOptions options = {},
                        SourceLocation where = SourceLocation::current());
};

static_assert(sizeof(ZeroPadding2D) == sizeof(Layer));

}  // namespace systolic::layers
