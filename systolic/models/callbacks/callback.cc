#include "systolic/models/callbacks/callback.h"

#include "systolic/base/message.h"

namespace systolic::callbacks {

struct Logs::State {
  std::function<Items()> fetch;
  std::optional<Items> items;
};

Logs::Logs(Items items) : state_(std::make_shared<State>()) {
  state_->items = std::move(items);
}

Logs::Logs(std::function<Items()> fetch) : state_(std::make_shared<State>()) {
  state_->fetch = std::move(fetch);
}

const Logs::Items& Logs::items() const {
  static const Items none;
  if (state_ == nullptr) return none;
  if (!state_->items) state_->items = state_->fetch();
  return *state_->items;
}

void Logs::set(std::string_view name, double value) const {
  if (state_ == nullptr) return;
  items();
  for (auto& [known, old] : *state_->items) {
    if (known == name) {
      old = value;
      return;
    }
  }
  state_->items->emplace_back(name, value);
}

void Logs::close() const {
  if (state_ == nullptr || state_->items) return;
  state_->fetch = []() -> Items {
    internal::Message("logs")
        .rule("the values of a batch are gone when its hook has returned")
        .hint("look at them inside of the hook, and keep the numbers")
        .raise<ValueError>();
  };
}

bool Logs::contains(std::string_view name) const {
  for (const auto& [known, value] : items()) {
    if (known == name) return true;
  }
  return false;
}

double Logs::at(std::string_view name) const {
  std::string names;
  for (const auto& [known, value] : items()) {
    if (known == name) return value;
    names += (names.empty() ? "" : ", ") + known;
  }
  internal::Message("logs")
      .expected("one of: ", names.empty() ? "(nothing is logged)" : names)
      .got("\"", name, "\"")
      .raise<NotFoundError>();
}

CallbackBase::~CallbackBase() = default;

models::Model CallbackBase::model() const {
  if (!model_.is_defined()) {
    internal::Message("Callback.model")
        .rule(
            "a callback has a model only while fit, evaluate or predict "
            "runs")
        .raise<ValueError>();
  }
  return model_;
}

CallbackList::CallbackList(std::vector<Callback> callbacks,
                           const models::Model& model, const Params& params)
    : callbacks_(std::move(callbacks)) {
  for (const Callback& callback : callbacks_) {
    if (callback.is_defined()) continue;
    internal::Message("callbacks")
        .expected("callbacks")
        .got("an undefined one (Callback())")
        .hint("make it with callbacks::make<YourCallback>()")
        .raise<ValueError>();
  }
  for (const Callback& callback : callbacks_) {
    callback.base().set_model(model);
    callback.base().set_params(params);
  }
}

}  // namespace systolic::callbacks
