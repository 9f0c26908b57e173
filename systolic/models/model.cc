#include "systolic/models/model.h"

#include "systolic/models/batches.h"
#include "systolic/models/model_base.h"
#include "systolic/models/trainer.h"

namespace systolic::models {

using internal::models::element_of;
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

MetricValues on_batch(const Model& model, StepRunner::Kind kind,
                      std::string_view who, const Array& x, const Array& y,
                      const Array& sample_weight) {
  model.base().require_compiled(who);
  const data::Element batch = element_of(x, y, sample_weight, who);
  model.reset_metrics();
  StepRunner(model, kind)
      .run(single_chunk(unpack(batch, who), *model.base().placement()));
  return internal::models::metric_values(model.base());
}

}  // namespace

MetricValues Model::train_on_batch(const Array& x, const Array& y,
                                   const Array& sample_weight) const {
  return on_batch(*this, StepRunner::Kind::train, "train_on_batch", x, y,
                  sample_weight);
}

MetricValues Model::test_on_batch(const Array& x, const Array& y,
                                  const Array& sample_weight) const {
  return on_batch(*this, StepRunner::Kind::test, "test_on_batch", x, y,
                  sample_weight);
}

Array Model::predict_on_batch(const Array& x) const {
  PredictRunner runner(*this);
  runner.run(single_chunk(unpack_inputs(data::Element(x), "predict_on_batch"),
                          *base().placement()));
  return runner.finish();
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
  return base().compiled_loss();
}

bool Model::stop_training() const { return base().stop_training(); }

void Model::set_stop_training(bool stop) const {
  base().set_stop_training(stop);
}

}  // namespace systolic::models
