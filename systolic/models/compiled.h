// What compile set, as the steps of a model use it: losses and metrics of its
// outputs. Inside of the room models.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "systolic/losses/loss.h"
#include "systolic/metrics/metric.h"
#include "systolic/models/compile_options.h"
#include "systolic/models/tensors.h"

namespace systolic::internal::models {

using systolic::models::MetricSet;
using systolic::models::PerOutput;
using systolic::models::Tensors;

/// The labels or weights of a model's outputs in the outputs' order. Throws
/// ValueError, as `who`, where they are others.
std::vector<Tensor> in_order(const Tensors& given,
                             const std::vector<std::string>& names,
                             size_t count, std::string_view who,
                             std::string_view what);

/// The losses of a model's outputs.
class CompiledLoss {
 public:
  /// The loss of one output.
  struct One {
    size_t output = 0;
    losses::Identifier identifier = {};
    losses::Loss loss = {};  // undefined until the shapes are known
    std::optional<double> weight = {};
    /// Keras's `<output>_loss`; undefined where there is one loss only.
    metrics::Metric tracker = {};
  };

  CompiledLoss() = default;
  /// Throws ValueError for unknown names.
  CompiledLoss(PerOutput<losses::Identifier> losses, PerOutput<double> weights);

  /// Whether there is any.
  bool is_set() const { return losses_.is_set(); }
  /// As compile got them.
  const std::vector<losses::Identifier>& identifiers() const {
    return losses_.values();
  }
  /// Whether one of them adds up the rows of a batch.
  bool has_sum() const;
  /// Finds which output has which, once. `names` may be empty. Throws
  /// ValueError where they do not go together.
  void build(size_t outputs, const std::vector<std::string>& names);
  bool built() const { return built_; }
  const std::vector<One>& all() const { return all_; }

  /// The weighted sum over the outputs; `rows` is what each batch weighs in
  /// the trackers. Throws ValueError for a loss that gives no single number.
  Tensor operator()(const std::vector<Tensor>& y, const Tensors& y_pred,
                    const std::vector<Tensor>& sample_weight,
                    const Tensor& rows);

 private:
  double weight_of(size_t place, const std::string& name) const;

  PerOutput<losses::Identifier> losses_;
  PerOutput<double> weights_;
  std::vector<One> all_;
  bool built_ = false;
};

/// The metrics of a model's outputs.
class CompiledMetrics {
 public:
  /// One metric of one output.
  struct One {
    size_t output = 0;
    /// Goes before its name in logs, with "_"; empty: none.
    std::string output_name = {};
    metrics::Identifier identifier;
    metrics::Metric metric = {};  // undefined until the shapes are known
    /// Whether it takes the sample weights.
    bool weighted = false;
  };

  CompiledMetrics() = default;
  /// Throws ValueError for unknown names, TypeError for metrics of values.
  CompiledMetrics(MetricSet metrics, MetricSet weighted);

  /// See CompiledLoss.
  void build(size_t outputs, const std::vector<std::string>& names);
  bool built() const { return built_; }
  const std::vector<One>& all() const { return all_; }

  /// Takes a batch in.
  void update(const std::vector<Tensor>& y, const Tensors& y_pred,
              const std::vector<Tensor>& sample_weight);

 private:
  void add(const MetricSet& set, bool weighted, size_t outputs,
           const std::vector<std::string>& names);

  MetricSet metrics_, weighted_;
  std::vector<One> all_;
  bool built_ = false;
};

}  // namespace systolic::internal::models
