#include "systolic/models/model.h"

#include "systolic/base/message.h"
#include "systolic/base/rethrow.h"
#include "systolic/models/batches.h"
#include "systolic/models/class_weight.h"
#include "systolic/models/model_base.h"
#include "systolic/models/trainer.h"

namespace systolic::models {

using internal::called_at;
using internal::Message;
using internal::models::Chunk;
using internal::models::class_weights;
using internal::models::element_of;
using internal::models::HostBatch;
using internal::models::PredictRunner;
using internal::models::single_chunk;
using internal::models::StepRunner;
using internal::models::unpack;
using internal::models::unpack_inputs;

Model::Model(std::shared_ptr<ModelBase> base)
    : layers::Layer(std::static_pointer_cast<layers::LayerBase>(base)) {
  base->self_ = base;
}

ModelBase& Model::base() const {
  return static_cast<ModelBase&>(layers::Layer::base());
}

void Model::compile(const CompileOptions& options) const {
  base().compile(options);
}

namespace {

// Runs a step; what it throws says inside of which call.
template <class Runner>
void run_in(std::string_view who, Runner&& runner, const Chunk& chunk) {
  try {
    runner.run(chunk);
  } catch (...) {
    internal::rethrow_with("  in: " + std::string(who));
  }
}

MetricValues on_batch(const Model& model, StepRunner::Kind kind,
                      std::string_view who, const DataSource& data,
                      const ClassWeight& class_weight) {
  model.base().require_compiled(who);
  HostBatch batch =
      unpack(element_of(data.x(), data.y(), data.sample_weight(), who), who);
  if (const auto change = class_weights(model.base(), class_weight, who)) {
    change(batch);
  }
  model.reset_metrics();
  run_in(who, StepRunner(model, kind),
         single_chunk(batch, *model.base().placement()));
  return internal::models::metric_values(model.base());
}

}  // namespace

MetricValues Model::train_on_batch(const Arrays& x, const Arrays& y,
                                   const Arrays& sample_weight,
                                   const ClassWeight& class_weight,
                                   Site where) const {
  return called_at(where, [&] {
    return on_batch(*this, StepRunner::Kind::train, "train_on_batch",
                    {x, y, sample_weight}, class_weight);
  });
}

MetricValues Model::test_on_batch(const Arrays& x, const Arrays& y,
                                  const Arrays& sample_weight,
                                  Site where) const {
  return called_at(where, [&] {
    return on_batch(*this, StepRunner::Kind::test, "test_on_batch",
                    {x, y, sample_weight}, {});
  });
}

Array Model::predict_on_batch(const Arrays& x, Site where) const {
  return called_at(where, [&] {
    PredictRunner runner(*this);
    const data::Element batch = element_of(x, {}, {}, "predict_on_batch");
    run_in("predict_on_batch", runner,
           single_chunk(unpack_inputs(batch, "predict_on_batch"),
                        *base().placement()));
    return runner.finish().single();
  });
}

std::vector<std::string> Model::metrics_names() const {
  std::vector<std::string> names;
  for (const auto& [name, metric] : base().named_metrics()) {
    names.push_back(name);
  }
  return names;
}

std::vector<metrics::Metric> Model::metrics() const { return base().metrics(); }

void Model::reset_metrics() const { base().reset_metrics(); }

optimizers::Optimizer Model::optimizer() const {
  base().require_compiled("Model.optimizer");
  return base().optimizer();
}

losses::Loss Model::loss() const {
  base().require_compiled("Model.loss");
  const auto& all = base().compiled_loss().all();
  return all.empty() ? losses::Loss() : all.front().loss;
}

bool Model::stop_training() const { return base().stop_training(); }

void Model::set_stop_training(bool stop) const {
  base().set_stop_training(stop);
}

Array Model::predict(const DataSource& data, const PredictOptions& options,
                     Site where) const {
  const Arrays all = predict_all(data, options, where);
  if (all.size() == 1) return all[0];
  Message("predict")
      .expected("a model with one output")
      .got(all.size())
      .hint("predict_all returns all of them")
      .at(where.where())
      .raise<ValueError>();
}

}  // namespace systolic::models
