// Strategy: how a model is spread over devices.
//
//   distribute::TPUStrategy strategy(resolver);
//   auto scope = strategy.scope();         // models made now are spread
//   int n = strategy.num_replicas_in_sync();
//
// A handle; copies share the object. Without a scope the default strategy
// holds: one device.
#pragma once

#include <memory>
#include <string_view>

#include "systolic/distribute/tpu_cluster_resolver.h"
#include "systolic/graph/context.h"
#include "systolic/graph/placement.h"

namespace systolic::distribute {

class StrategyBase {
 public:
  explicit StrategyBase(const internal::graph::Placement* placement)
      : placement_(placement) {}
  virtual ~StrategyBase();
  virtual std::string_view class_name() const = 0;
  virtual const internal::graph::Placement* placement() const {
    return placement_;
  }

 private:
  const internal::graph::Placement* placement_;
};

class StrategyScope;

class Strategy {
 public:
  explicit Strategy(std::shared_ptr<StrategyBase> base)
      : base_(std::move(base)) {}

  /// Makes the strategy current on this thread until the guard goes.
  StrategyScope scope() const;

  /// Copies of the model that train in step.
  int num_replicas_in_sync() const;

  std::string_view class_name() const { return base_->class_name(); }
  bool operator==(const Strategy&) const = default;

  StrategyBase& base() const { return *base_; }

 private:
  std::shared_ptr<StrategyBase> base_;
};

/// Keeps a strategy current; scopes end in the reverse of their order.
class [[nodiscard]] StrategyScope {
 public:
  explicit StrategyScope(Strategy strategy);
  ~StrategyScope();
  StrategyScope(const StrategyScope&) = delete;
  StrategyScope& operator=(const StrategyScope&) = delete;

 private:
  Strategy strategy_;
  const Strategy* outer_;
  internal::graph::VariablePlacementGuard guard_;
};

/// One replica per core of a TPU (or of a virtual one).
class TPUStrategy : public Strategy {
 public:
  /// Throws ValueError unless the resolver's system is initialised.
  explicit TPUStrategy(const TPUClusterResolver& resolver);
};
static_assert(sizeof(TPUStrategy) == sizeof(Strategy));

/// The strategy whose scope this thread is in, else the default one.
Strategy get_strategy();

/// Whether this thread is in a strategy's scope.
bool has_strategy();

}  // namespace systolic::distribute
