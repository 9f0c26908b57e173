// Initializer: how the first value of a weight is made.
//
//   layers::Dense(64, {.kernel_initializer = "he_normal"});
//   layers::Dense(64, {.kernel_initializer = initializers::HeNormal()});
//
// A cheap handle: copies share the object. A name makes a new object, with a
// seed of its own, for every weight.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "systolic/array/array.h"
#include "systolic/graph/tensor.h"

namespace systolic::initializers {

// What an initializer is, behind its handles. Derive from it to write one.
class InitializerBase {
 public:
  virtual ~InitializerBase() = default;

  // Keras's name of the class, such as "GlorotUniform".
  virtual std::string_view class_name() const = 0;

  // The first value of a weight of that shape and dtype; called once per
  // weight, and each time with the same result.
  virtual Tensor call(const Shape& shape, DType dtype) const = 0;
};

class Initializer;

// A function from shape and dtype to a Tensor, and no Initializer itself.
template <class F>
concept InitializerFunction =
    std::is_invocable_r_v<Tensor, const F&, const Shape&, DType> &&
    !std::derived_from<F, Initializer>;

// A handle on an initializer; default-made it is unset.
class Initializer {
 public:
  Initializer() = default;

  // By Keras's name, "GlorotUniform" or "glorot_uniform".
  // Throws: ValueError that lists the names.
  Initializer(const char* name,
              SourceLocation where = SourceLocation::current());
  Initializer(const std::string& name,
              SourceLocation where = SourceLocation::current());

  // The value itself, for weights of exactly that shape.
  Initializer(const Array& value);

  // A function (shape, dtype) -> Tensor.
  template <InitializerFunction F>
  Initializer(F function) : Initializer(from_function(std::move(function))) {}

  explicit Initializer(std::shared_ptr<const InitializerBase> base)
      : base_(std::move(base)) {}

  // False for a default-made handle.
  bool is_set() const { return base_ != nullptr || make_ != nullptr; }

  // Keras's name of the class; empty when unset.
  std::string_view class_name() const;

  // The value for a weight. Throws ValueError when unset, and ShapeError
  // where a function or Array gives another shape.
  Tensor operator()(const Shape& shape, DType dtype = DType::float32) const;

  // This initializer with its seed drawn, if a name stands for it: from then
  // on it gives the same values each time (keras.initializers.get).
  Initializer resolved() const;

 private:
  static Initializer from_function(
      std::function<Tensor(const Shape&, DType)> function);

  std::shared_ptr<const InitializerBase> base_;
  Initializer (*make_)() = nullptr;  // of the catalogue, if named
};

// The initializer with that name (keras.initializers.get).
// Throws: ValueError that lists the names.
Initializer get(const Initializer& identifier);

}  // namespace systolic::initializers
