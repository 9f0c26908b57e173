#include "systolic/models/model.h"

#include "systolic/base/message.h"
#include "systolic/models/model_base.h"
#include "systolic/models/trainer.h"

namespace systolic::models {

using internal::Message;
using internal::models::PredictRunner;
using internal::models::StepRunner;
using internal::models::unpack;

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

data::Element as_element(const Array& x, const Array& y,
                         const Array& sample_weight) {
  std::vector<data::Element> items{x};
  if (y.is_set()) items.emplace_back(y);
  if (sample_weight.is_set()) items.emplace_back(sample_weight);
  return data::Element::tuple(std::move(items));
}

void require_compiled(const ModelBase& base, std::string_view who) {
  if (base.compiled()) return;
  Message(std::string(who))
      .rule("the model is not compiled")
      .hint("call model.compile({.optimizer = ..., .loss = ...}) first")
      .raise<ValueError>();
}

MetricValues on_batch(const Model& model, StepRunner::Kind kind,
                      std::string_view who, const Array& x, const Array& y,
                      const Array& sample_weight) {
  require_compiled(model.base(), who);
  StepRunner(model, kind).run(unpack(as_element(x, y, sample_weight), who));
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
  runner.run(unpack(data::Element(x), "predict_on_batch"));
  return runner.finish();
}

std::vector<std::string> Model::metrics_names() const {
  std::vector<std::string> names;
  for (const metrics::Metric& metric : metrics()) {
    names.push_back(metric.name());
  }
  return names;
}

std::vector<metrics::Metric> Model::metrics() const { return base().metrics(); }

void Model::reset_metrics() const { base().reset_metrics(); }

optimizers::Optimizer Model::optimizer() const {
  require_compiled(base(), "Model.optimizer");
  return base().optimizer();
}

losses::Loss Model::loss() const {
  require_compiled(base(), "Model.loss");
  return base().compiled_loss();
}

bool Model::stop_training() const { return base().stop_training(); }

void Model::set_stop_training(bool stop) const {
  base().set_stop_training(stop);
}

}  // namespace systolic::models
