// GradientTape: remembers what is computed, to differentiate it.
//
//   GradientTape tape;
//   Tensor loss = sum(square(matmul(x, w)));
//   auto gradients = tape.gradient(loss, {w});
//
// It records from its construction to the first gradient(), or to its end if
// persistent. Trainable Variables are watched by themselves.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "systolic/graph/tensor.h"
#include "systolic/graph/variable.h"

namespace systolic {

/// What a target is differentiated with respect to.
class Source {
 public:
  Source(const Tensor& tensor) : tensor_(tensor) {}
  Source(const Variable& variable) : variable_(variable) {}
  const Tensor& tensor() const { return tensor_; }
  const Variable& variable() const { return variable_; }
  bool is_variable() const { return variable_.is_defined(); }
  TensorSpec spec() const {
    return is_variable() ? variable_.spec() : tensor_.spec();
  }

 private:
  Tensor tensor_;
  Variable variable_;
};

/// A list of sources: `{w, b}`, a vector of Variables or of Tensors.
class Sources {
 public:
  Sources(std::initializer_list<Source> sources) : sources_(sources) {}
  Sources(const Tensor& tensor) : sources_{tensor} {}
  Sources(const Variable& variable) : sources_{variable} {}
  Sources(const std::vector<Variable>& variables)
      : sources_(variables.begin(), variables.end()) {}
  Sources(const std::vector<Tensor>& tensors)
      : sources_(tensors.begin(), tensors.end()) {}
  auto begin() const { return sources_.begin(); }
  auto end() const { return sources_.end(); }
  size_t size() const { return sources_.size(); }

 private:
  std::vector<Source> sources_;
};

struct GradientTapeOptions {
  bool persistent = false;
  bool watch_accessed_variables = true;
};

namespace internal::graph {
class TapeState;
}

class GradientTape {
 public:
  explicit GradientTape(GradientTapeOptions options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  /// Makes the tape follow a Tensor that is not a trainable Variable.
  void watch(const Tensor& tensor);
  void watch(const Variable& variable);

  /// The gradient of `target` (summed if not scalar) with respect to each
  /// source; an undefined Tensor where the target does not depend on it.
  /// Throws ValueError naming why when it depends on none of them, and when
  /// the tape has been used up.
  std::vector<Tensor> gradient(
      const Tensor& target, const Sources& sources,
      SourceLocation where = SourceLocation::current());

 private:
  // Null once the tape is used up.
  std::unique_ptr<internal::graph::TapeState> state_;
};

}  // namespace systolic
