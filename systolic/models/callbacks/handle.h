// Callback: a handle on what happens at the stages of fit; see callback.h.
#pragma once

#include <memory>
#include <utility>

namespace systolic::callbacks {

class CallbackBase;

/// A handle on a callback; copies share the object.
class Callback {
 public:
  Callback() = default;
  explicit Callback(std::shared_ptr<CallbackBase> base)
      : base_(std::move(base)) {}
  bool is_defined() const { return base_ != nullptr; }
  CallbackBase& base() const { return *base_; }
  const std::shared_ptr<CallbackBase>& pointer() const { return base_; }

 private:
  std::shared_ptr<CallbackBase> base_;
};

}  // namespace systolic::callbacks
