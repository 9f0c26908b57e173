#include "systolic/distribute/strategy.h"

#include "systolic/base/message.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/graph/device.h"

namespace systolic::distribute {

using internal::Message;
using internal::graph::Placement;

namespace {

thread_local const Strategy* current = nullptr;

// One device: the one where eager operations go.
class DefaultStrategyBase : public StrategyBase {
 public:
  DefaultStrategyBase() : StrategyBase(nullptr) {}
  std::string_view class_name() const override { return "DefaultStrategy"; }
  const Placement* placement() const override {
    return Placement::current_default();
  }
};

class TPUStrategyBase : public StrategyBase {
 public:
  explicit TPUStrategyBase(const Placement* placement)
      : StrategyBase(placement) {
    internal::graph::name_placement(placement, "TPUStrategy");
  }
  std::string_view class_name() const override { return "TPUStrategy"; }
};

const Placement* placement_of(const TPUClusterResolver& resolver) {
  if (!resolver.state()->initialised) {
    Message("TPUStrategy")
        .rule("the TPU system \"", resolver.master(), "\" is not initialised")
        .hint("call distribute::initialize_tpu_system(resolver) first")
        .raise<ValueError>();
  }
  return Placement::replicas(resolver.state()->client->devices());
}

}  // namespace

StrategyBase::~StrategyBase() = default;

StrategyScope Strategy::scope() const { return StrategyScope(*this); }

int Strategy::num_replicas_in_sync() const {
  return base_->placement()->num_replicas();
}

StrategyScope::StrategyScope(Strategy strategy)
    : strategy_(std::move(strategy)),
      outer_(current),
      guard_(strategy_.base().placement()) {
  current = &strategy_;
}

StrategyScope::~StrategyScope() { current = outer_; }

TPUStrategy::TPUStrategy(const TPUClusterResolver& resolver)
    : Strategy(std::make_shared<TPUStrategyBase>(placement_of(resolver))) {}

Strategy get_strategy() {
  if (current != nullptr) return *current;
  static const auto* standard =
      new Strategy(std::make_shared<DefaultStrategyBase>());
  return *standard;
}

bool has_strategy() { return current != nullptr; }

}  // namespace systolic::distribute
