// Tested by: systolic/initializers/initializer_platform_test.cc
#include "systolic/initializers/constant.h"

#include <algorithm>

#include "systolic/array/elementwise.h"
#include "systolic/base/message.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::initializers {

namespace {

class Filled final : public InitializerBase {
 public:
  Filled(std::string_view class_name, double value)
      : class_name_(class_name), value_(value) {}
  std::string_view class_name() const override { return class_name_; }
  Tensor call(const Shape& shape, DType dtype) const override {
    if (value_ == 0) return zeros(shape, dtype);
    if (value_ == 1) return ones(shape, dtype);
    return full(shape, constant(Array::full(Shape::scalar(), value_, dtype)));
  }

 private:
  std::string_view class_name_;
  double value_;
};

class Diagonal final : public InitializerBase {
 public:
  explicit Diagonal(double gain) : gain_(gain) {}
  std::string_view class_name() const override { return "Identity"; }
  Tensor call(const Shape& shape, DType dtype) const override {
    if (shape.rank() != 2) {
      internal::Message("Initializer Identity")
          .expected("a weight with 2 axes")
          .got("shape ", shape)
          .raise<ShapeError>();
    }
    Array eye = Array::zeros(shape, DType::float32);
    auto values = eye.mutable_span<float>();
    for (int64_t i = 0; i < std::min(shape[0], shape[1]); ++i) {
      values[static_cast<size_t>(i * shape[1] + i)] = 1;
    }
    return constant(cast(eye, dtype) *
                    Array::full(Shape::scalar(), gain_, dtype));
  }

 private:
  double gain_;
};

}  // namespace

Zeros::Zeros() : Initializer(std::make_shared<Filled>("Zeros", 0.0)) {}
Ones::Ones() : Initializer(std::make_shared<Filled>("Ones", 1.0)) {}
Constant::Constant(double value)
    : Initializer(std::make_shared<Filled>("Constant", value)) {}
Identity::Identity(double gain)
    : Initializer(std::make_shared<Diagonal>(gain)) {}

}  // namespace systolic::initializers
