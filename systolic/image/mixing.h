// Pictures mixed and changed batch by batch, as Keras's layers of these names
// do it, for Dataset::map() after batch():
//   dataset.batch(64).map(image::MixUp({.alpha = 0.2}));
//   images.batch(64).map(image::RandAugment({.num_ops = 2}));
// They draw as image::random_* do (random.h). In a train step mix() does the
// same with Tensors, and draws as random::uniform does:
//   const auto [x, y] = mixup.mix(images, labels, generator);
#pragma once

#include <utility>

#include "systolic/array/array.h"
#include "systolic/graph/arg.h"
#include "systolic/image/random.h"
#include "systolic/ops/random.h"

namespace systolic::image {

struct MixUpOptions {
  // Of the Beta distribution that weights are drawn from.
  double alpha = 0.2;
};
// Each image and its label mixed with those of another one of the batch.
class MixUp {
 public:
  // Throws: ValueError unless alpha is above 0.
  explicit MixUp(const MixUpOptions& options = {});

  // Images (n, h, w, c) of any dtype, labels (n, classes) of floating-point
  // numbers: one-hot, or mixed before. Throws: ShapeError, TypeError.
  std::pair<Array, Array> operator()(const Array& images,
                                     const Array& labels) const;
  // The same of Tensors. A replica mixes what it has of the batch: real rows
  // with real ones, and what fills it up (valid_rows()) with itself.
  std::pair<Tensor, Tensor> mix(const Arg& images, const Arg& labels,
                                const random::Seed& seed = {}) const;

 private:
  MixUpOptions options_;
};

struct CutMixOptions {
  // Of the Beta distribution that the parts' areas are drawn from.
  double factor = 1;
};
// A box of each image is another's of the batch; labels are mixed by area.
class CutMix {
 public:
  // Throws: ValueError unless factor is above 0.
  explicit CutMix(const CutMixOptions& options = {});

  // As MixUp's.
  std::pair<Array, Array> operator()(const Array& images,
                                     const Array& labels) const;
  std::pair<Tensor, Tensor> mix(const Arg& images, const Arg& labels,
                                const random::Seed& seed = {}) const;

 private:
  CutMixOptions options_;
};

struct RandAugmentOptions {
  // How many changes an image gets.
  int num_ops = 2;
  // How strong they are, from 0 to 1.
  double factor = 0.5;
  // The least and the largest value of images of floating-point numbers.
  Range value_range = {0, 255};
};
// Each image changed by some of: autocontrast, equalize, rotate, solarize,
// color, posterize, contrast, brightness, sharpness, shear, translate, or
// nothing (Cubuk et al. 2019, "RandAugment"). What moves into the image is
// black.
class RandAugment {
 public:
  // Throws: ValueError for a negative num_ops, a factor outside of 0 ... 1, or
  // a value_range that does not rise.
  explicit RandAugment(const RandAugmentOptions& options = {});

  // Images (h, w, 3) or (n, h, w, 3) of uint8, or of floating-point numbers in
  // value_range, which are rounded to one of 256 steps of it. Throws:
  // ShapeError, TypeError.
  Array operator()(const Array& images) const;

 private:
  RandAugmentOptions options_;
};

}  // namespace systolic::image
