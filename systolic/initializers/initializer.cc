#include "systolic/initializers/initializer.h"

#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/initializers/catalog.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::initializers {

using internal::Message;

namespace {

class FromFunction final : public InitializerBase {
 public:
  explicit FromFunction(std::function<Tensor(const Shape&, DType)> function)
      : function_(std::move(function)) {}
  std::string_view class_name() const override { return "function"; }
  Tensor call(const Shape& shape, DType dtype) const override {
    return function_(shape, dtype);
  }

 private:
  std::function<Tensor(const Shape&, DType)> function_;
};

class FromArray final : public InitializerBase {
 public:
  explicit FromArray(Array value) : value_(std::move(value)) {}
  std::string_view class_name() const override { return "array"; }
  Tensor call(const Shape&, DType dtype) const override {
    return constant(systolic::cast(value_, dtype));
  }

 private:
  Array value_;
};

}  // namespace

Initializer::Initializer(const char* name, SourceLocation where)
    : make_(find(internal::name_text(name, "initializer", where), where)) {}

Initializer::Initializer(const std::string& name, SourceLocation where)
    : make_(find(name, where)) {}

Initializer::Initializer(const Array& value)
    : base_(std::make_shared<FromArray>(value)) {}

Initializer Initializer::from_function(
    std::function<Tensor(const Shape&, DType)> function) {
  internal::require_function(function, "initializer");
  return Initializer(std::make_shared<FromFunction>(std::move(function)));
}

Initializer Initializer::resolved() const {
  return make_ != nullptr ? make_() : *this;
}

std::string_view Initializer::class_name() const {
  if (make_ != nullptr) return name_of(make_);
  return base_ != nullptr ? base_->class_name() : std::string_view();
}

Tensor Initializer::operator()(const Shape& shape, DType dtype) const {
  if (make_ != nullptr) return make_()(shape, dtype);
  if (base_ == nullptr) {
    Message("Initializer")
        .expected("an initializer")
        .got("an unset one (Initializer())")
        .hint("name one, such as \"glorot_uniform\" or \"zeros\"")
        .raise<ValueError>();
  }
  Tensor value = base_->call(shape, dtype);
  if (value.shape() != shape) {
    Message("Initializer " + std::string(base_->class_name()))
        .expected("a value of the weight's shape ", shape)
        .got(value.shape())
        .raise<ShapeError>();
  }
  if (value.dtype() != dtype) value = cast(value, dtype);
  return value;
}

Initializer get(const Initializer& identifier) { return identifier.resolved(); }

}  // namespace systolic::initializers
