// Optimizers by name.
//
//   optimizers::Optimizer optimizer = optimizers::get("adam");
//   optimizers::get(optimizers::Adam(1e-3));   // taken as it is
//
// Names are Keras's class names, in any case.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/null.h"
#include "systolic/optimizers/optimizer.h"

namespace systolic::optimizers {

/// An optimizer given as a name or an object.
class Identifier {
 public:
  Identifier(const char* name)
      : name_(internal::name_text(name, "optimizer")) {}
  Identifier(std::string name) : name_(std::move(name)) {}
  Identifier(Optimizer optimizer) : optimizer_(std::move(optimizer)) {}

  /// Empty unless it is given as a name.
  const std::string& name() const { return name_; }
  /// Undefined unless it is given as an object.
  const Optimizer& optimizer() const { return optimizer_; }

 private:
  std::string name_;
  Optimizer optimizer_;
};

/// The optimizer; one made from a name has the class's defaults.
/// Throws: ValueError that lists the names.
Optimizer get(const Identifier& identifier);

/// What `get` knows, in small letters.
std::vector<std::string_view> names();

}  // namespace systolic::optimizers
