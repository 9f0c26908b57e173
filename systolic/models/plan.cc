// Model::plan: a training step for a TPU that need not be there.
#include <algorithm>
#include <string>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/base/rethrow.h"
#include "systolic/graph/planned_run.h"
#include "systolic/graph/planning.h"
#include "systolic/graph/step.h"
#include "systolic/models/model_base.h"
#include "systolic/models/trainer.h"
#include "systolic/optimizers/optimizer_base.h"
#include "systolic/platforms/tpu_topology.h"
#include "systolic/runtime/client.h"

namespace systolic::models {

using internal::Message;
using internal::graph::Placement;
using internal::graph::Planning;
using internal::models::Chunk;
using internal::models::StepRunner;
using internal::platforms::TpuSlice;

namespace {

constexpr int64_t kRowsPerReplica = 128;
constexpr std::string_view kPlanStep = "plan";

// Has a model's steps be for other devices until it goes.
class MovedSteps {
 public:
  MovedSteps(ModelBase& base, const Placement* to)
      : base_(base), before_(base.exchange_placement(to)) {}
  ~MovedSteps() { base_.exchange_placement(before_); }
  MovedSteps(const MovedSteps&) = delete;
  MovedSteps& operator=(const MovedSteps&) = delete;

  const Placement* before() const { return before_; }

 private:
  ModelBase& base_;
  const Placement* before_;
};

// As many virtual devices as the slice has; they compute nothing.
const Placement* devices_of(const TpuSlice& slice) {
  auto& client = internal::runtime::Client::open(
      {.platform = "cpu", .device_count = slice.devices});
  return Placement::replicas(client.devices());
}

int64_t batch_size_of(const PlanOptions& options, const TpuSlice& slice) {
  const int64_t replicas = slice.devices;
  const int64_t rows = options.batch_size.value_or(kRowsPerReplica * replicas);
  if (rows > 0 && rows % replicas == 0) return rows;
  const int64_t below = std::max<int64_t>(rows / replicas, 1) * replicas;
  Message("plan")
      .expected("a batch_size that ", replicas, " replicas of ", slice.name(),
                " can divide")
      .got(rows)
      .hint("for example ", below, " or ", below + replicas)
      .raise<ValueError>();
}

TensorSpec with_rows(TensorSpec spec, int64_t rows) {
  spec.shape.insert(0, rows);
  return spec;
}

// The inputs without their batch.
std::vector<TensorSpec> inputs_of(const Model& model,
                                  const PlanOptions& options) {
  if (!options.x.empty()) return options.x;
  if (model.base().graph() == nullptr) {
    Message("plan")
        .expected("a model that knows the shapes of its inputs")
        .got("\"", model.name(), "\", which is told them by its data")
        .hint(
            "give them without the batch: plan({.x = {{DType::float32, "
            "Shape{224, 224, 3}}}})")
        .raise<ValueError>();
  }
  std::vector<TensorSpec> specs;
  for (const Tensor& input : model.inputs()) {
    const Shape& shape = input.shape();
    specs.push_back({input.dtype(), {}});
    for (int i = 1; i < shape.rank(); ++i) {
      specs.back().shape.push_back(shape[i]);
    }
  }
  for (const TensorSpec& spec : specs) {
    if (spec.shape.is_known()) continue;
    Message("plan")
        .expected("inputs of known sizes")
        .got(spec)
        .hint("give them without the batch as .x")
        .raise<ShapeError>();
  }
  return specs;
}

// A training step as it is planned.
class PlannedStep {
 public:
  PlannedStep(const Model& model, const PlanOptions& options,
              const TpuSlice& slice)
      : model_(model),
        base_(model.base()),
        options_(options),
        inputs_(inputs_of(model, options)),
        rows_(batch_size_of(options, slice) / slice.devices) {}

  void run(const Placement& placement) {
    Chunk chunk;
    chunk.rows = rows_ * placement.num_replicas();
    chunk.steps = 1;
    chunk.sent.x = inputs(placement, inputs_);
    chunk.sent.y = labels(placement, chunk.sent.x);
    StepRunner(model_, StepRunner::Kind::train).run(chunk);
  }

 private:
  Tensors inputs(const Placement& placement,
                 const std::vector<TensorSpec>& specs) const {
    std::vector<Tensor> leaves;
    for (const TensorSpec& spec : specs) {
      leaves.push_back(
          internal::graph::planned_input(placement, with_rows(spec, rows_)));
    }
    return leaves;
  }

  Tensors labels(const Placement& placement, const Tensors& x) {
    if (!options_.y.empty()) return inputs(placement, options_.y);
    if (!base_.compiled_loss().is_set()) return {};
    {
      // Recorded and dropped: the labels are like the outputs.
      const internal::graph::Step step(&placement, kPlanStep);
      const internal::graph::VariablePlacementGuard here(&placement);
      base_.outputs(x, true);
      model_.clear_losses();
    }
    std::vector<Tensor> leaves;
    const auto& losses = base_.compiled_loss().all();
    const auto& outputs = base_.output_specs();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto one = std::ranges::find_if(
          losses, [&](const auto& loss) { return loss.output == i; });
      TensorSpec spec = outputs[i];
      if (one != losses.end() && one->loss.is_defined() &&
          !one->loss.base().casts_labels()) {
        spec = class_numbers(spec);
      }
      leaves.push_back(internal::graph::planned_input(placement, spec));
    }
    return leaves;
  }

  static TensorSpec class_numbers(const TensorSpec& output) {
    Shape shape;
    for (int i = 0; i + 1 < output.shape.rank(); ++i) {
      shape.push_back(output.shape[i]);
    }
    return {DType::int32, shape};
  }

  const Model& model_;
  ModelBase& base_;
  const PlanOptions& options_;
  std::vector<TensorSpec> inputs_;
  int64_t rows_;
};

plan::Plan make_plan(const Model& model, const PlanOptions& options,
                     const SourceLocation& where) {
  ModelBase& base = model.base();
  base.require_compiled("plan");
  const TpuSlice slice =
      internal::platforms::parse_tpu_topology(options.topology);
  PlannedStep step(model, options, slice);
  const Placement* placement = devices_of(slice);
  std::optional<plan::Plan> plan;
  {
    const MovedSteps moved(base, placement);
    Planning planning(slice, [&](const internal::graph::Program& program) {
      if (plan) return;
      plan = internal::graph::plan_program(*Planning::current(), program);
    });
    planning.facts() = {
        .what = "fit of " + base.name(),
        .where = where,
        .batch_size = batch_size_of(options, slice),
        .steps_per_execution =
            options.steps_per_execution.value_or(base.steps_per_execution())};
    planning.move(moved.before(), placement);
    step.run(*placement);
  }
  if (plan) return *plan;
  Message("plan")
      .rule("a step of model \"", base.name(),
            "\" neither reads nor writes a trainable variable")
      .hint("set_trainable(true) for what is to be trained")
      .raise<ValueError>();
}

}  // namespace

plan::Plan Model::plan(const PlanOptions& options, Site where) const {
  return internal::called_at(
      where, [&] { return make_plan(*this, options, where.where()); });
}

}  // namespace systolic::models
