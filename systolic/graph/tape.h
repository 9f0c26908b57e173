// GradientTape: remembers what is computed, to differentiate it.
//
//   GradientTape tape;
//   Tensor loss = sum(square(matmul(x, w) + b));
//   Tensor dw = tape.gradient(loss, w);       // or {w, b}: a list of both
//
// It records from its construction to the first gradient(), or to its end if
// persistent. Trainable Variables are watched by themselves.
#pragma once

#include <concepts>
#include <initializer_list>
#include <memory>
#include <optional>
#include <utility>
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

/// What is differentiated: a Tensor, or several whose gradients are added.
class Targets {
 public:
  Targets(std::initializer_list<Tensor> targets) : targets_(targets) {}
  Targets(const Tensor& target) : targets_{target} {}
  Targets(const std::vector<Tensor>& targets) : targets_(targets) {}
  auto begin() const { return targets_.begin(); }
  auto end() const { return targets_.end(); }
  size_t size() const { return targets_.size(); }

 private:
  std::vector<Tensor> targets_;
};

/// One source, whose gradient is one Tensor.
template <class S>
concept OneSource = std::same_as<S, Tensor> || std::same_as<S, Variable>;

struct GradientTapeOptions {
  /// Whether gradient() may be called again.
  bool persistent = false;
  /// Whether trainable Variables are watched when they are read.
  bool watch_accessed_variables = true;
};

/// What a source gets that the target does not depend on.
enum class UnconnectedGradients : uint8_t { none, zero };

struct GradientOptions {
  /// For each target, what its elements' gradients are multiplied with;
  /// shape and dtype are the target's. Empty, or undefined Tensors: ones.
  std::vector<Tensor> output_gradients = {};
  /// none: an undefined Tensor; zero: zeros like the source. Unset: as none,
  /// but a target that depends on none of the sources is an error.
  std::optional<UnconnectedGradients> unconnected_gradients = {};
};

namespace internal::graph {
class TapeState;
class TapeUse;
}  // namespace internal::graph

/// Keeps a tape from recording until it goes.
class [[nodiscard]] StopRecording {
 public:
  explicit StopRecording(std::shared_ptr<internal::graph::TapeState> state);
  ~StopRecording();
  StopRecording(const StopRecording&) = delete;
  StopRecording& operator=(const StopRecording&) = delete;

 private:
  std::shared_ptr<internal::graph::TapeState> state_;
};

class GradientTape {
 public:
  explicit GradientTape(GradientTapeOptions options = {});
  ~GradientTape();
  GradientTape(const GradientTape&) = delete;
  GradientTape& operator=(const GradientTape&) = delete;

  /// Makes the tape follow a Tensor that is not a trainable Variable.
  void watch(const Tensor& tensor);
  void watch(const Variable& variable);

  /// Records nothing until what it returns goes.
  StopRecording stop_recording();

  /// Forgets all that was recorded and watched, and starts anew.
  void reset();

  /// The Variables that it has seen so far, in the order of the first read.
  /// Throws ValueError when the tape has been used up.
  std::vector<Variable> watched_variables(
      SourceLocation where = SourceLocation::current()) const;

  /// The gradient of the targets (summed if not scalar) with respect to each
  /// source, of the source's shape; an undefined Tensor where they do not
  /// depend on it. Throws ValueError naming why when they depend on none of
  /// them, and when the tape has been used up.
  std::vector<Tensor> gradient(
      const Targets& targets, const Sources& sources,
      const GradientOptions& options = {},
      SourceLocation where = SourceLocation::current());

  /// The same with respect to one source.
  template <OneSource S>
  Tensor gradient(const Targets& targets, const S& source,
                  const GradientOptions& options = {},
                  SourceLocation where = SourceLocation::current()) {
    return gradient(targets, Sources(source), options, where)[0];
  }

  /// The derivative of each element of `target` with respect to each element
  /// of a source: shape of the target, then that of the source. The rows are
  /// computed in a loop on the device. Throws as gradient().
  std::vector<Tensor> jacobian(
      const Tensor& target, const Sources& sources,
      const GradientOptions& options = {},
      SourceLocation where = SourceLocation::current());

  /// The same with respect to one source.
  template <OneSource S>
  Tensor jacobian(const Tensor& target, const S& source,
                  const GradientOptions& options = {},
                  SourceLocation where = SourceLocation::current()) {
    return jacobian(target, Sources(source), options, where)[0];
  }

  /// The Jacobian of each row of a batch: target (b, m...), source (b, n...),
  /// result (b, m..., n...). Row i of the target must depend on row i of the
  /// source only. Throws as gradient(), and ShapeError where the first sizes
  /// differ.
  Tensor batch_jacobian(const Tensor& target, const Tensor& source,
                        const GradientOptions& options = {},
                        SourceLocation where = SourceLocation::current());

 private:
  internal::graph::TapeUse use(const char* method, const SourceLocation& where);

  GradientTapeOptions options_;
  // Null once the tape is used up.
  std::shared_ptr<internal::graph::TapeState> state_;
};

}  // namespace systolic
