// Step: a stretch of recording that is launched as a whole, or not at all.
//
//   Step step(placement, "train_step");
//   ... ops, assignments ...
//   step.commit({loss});               // launched; assignments take effect
//
// Leaving it without commit (an exception) drops what it recorded.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "systolic/graph/context.h"
#include "systolic/graph/evaluate.h"

namespace systolic::internal::graph {

class Step {
 public:
  /// Starts recording for the replicas of `placement`.
  Step(const Placement* placement, std::string_view name);
  ~Step();
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  Context& context() { return context_; }

  /// Launches what the results and the assigned variables need. The results
  /// hold their values afterwards. On failure all variables are as before; only
  /// a program that fails while it runs has taken their memory, and the error
  /// names those that are lost.
  void commit(std::span<const Tensor> results);

 private:
  void roll_back();

  Context context_;
  ContextGuard guard_;
};

}  // namespace systolic::internal::graph
