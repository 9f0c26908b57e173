// Strategy: how a model is spread over devices.
//
//   distribute::TPUStrategy strategy(resolver);
//   auto scope = strategy.scope();         // models made now are spread
//   PerReplica z = strategy.run([](Tensor x) { return x * 2; }, a);
//   Tensor total = strategy.reduce(ReduceOp::sum, z);
//
// A handle; copies share the object. Without a scope the default strategy
// holds: one device.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/base/optional_int.h"
#include "systolic/distribute/distributed_dataset.h"
#include "systolic/distribute/replica_run.h"
#include "systolic/distribute/tpu_cluster_resolver.h"
#include "systolic/graph/context.h"
#include "systolic/graph/placement.h"
#include "systolic/ops/collective.h"

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

  /// Runs `function` once on each replica, as one launch. Its parameters are
  /// Tensors, or pairs, tuples, vectors and maps of them. A Tensor, Array or
  /// number goes to every replica; of a PerReplica, or of a batch of a
  /// distributed data set, each gets its own; the items of one tuple fill
  /// several parameters. What it returns comes back in the same structure,
  /// with a PerReplica for each Tensor. The code is recorded at each call and
  /// compiled where it differs from those before; what function() gave is
  /// recorded once per signature.
  /// Throws ValueError inside of a step, and for values of another strategy;
  /// TypeError where arguments and parameters do not fit.
  template <class F, class... Args>
  auto run(F&& function, Args&&... arguments) const {
    using Parameters =
        typename detail::ParametersOf<std::decay_t<F>,
                                      std::decay_t<Args>...>::Type;
    std::vector<DistributedValues> values;
    values.reserve(sizeof...(Args));
    (values.emplace_back(std::forward<Args>(arguments)), ...);
    return detail::run_step<Parameters>(*this, function, std::move(values));
  }

  /// Runs `function` on the next `steps` batches in a loop on the devices,
  /// several of them a launch; gives how many there were before the data
  /// ended. Another number of steps compiles nothing once a call had nine or
  /// more. What the function returns is dropped. What the data throw is
  /// thrown after the steps before it have run.
  template <class F>
  int64_t run_steps(F&& function, DistributedIterator& iterator,
                    int64_t steps) const {
    static_assert(detail::kIsTyped<std::decay_t<F>>,
                  "the function has no typed parameters: write them, for "
                  "example [](Tensor images, Tensor labels) {...}");
    using Parameters = typename detail::ParametersOf<std::decay_t<F>>::Type;
    return run_loop(iterator, steps, [&](const DistributedValues& batch) {
      detail::call_step<Parameters>(function, {&batch, 1});
    });
  }

  /// The replicas' values combined, element by element; with `axis` also
  /// along that axis of each, without filling. Throws ValueError for the sum
  /// of a Tensor that is no PerReplica where there are several replicas.
  Tensor reduce(ReduceOp op, const PerReplica& value,
                OptionalInt axis = {}) const;
  Tensor reduce(ReduceOp op, const Tensor& value, OptionalInt axis = {}) const;

  /// The replicas' values one after the other along `axis`, without filling.
  Tensor gather(const PerReplica& value, int axis = 0) const;

  /// Each replica's value, without filling.
  std::vector<Tensor> local_results(const PerReplica& value) const;
  /// TensorFlow's old name of local_results.
  std::vector<Tensor> experimental_local_results(
      const PerReplica& value) const {
    return local_results(value);
  }

  /// The data set with each batch's rows split over the replicas, in order.
  /// Several hosts would share it out by its options' auto_shard_policy.
  DistributedDataset distribute_dataset(const data::Dataset& dataset) const;
  /// TensorFlow's name of distribute_dataset.
  DistributedDataset experimental_distribute_dataset(
      const data::Dataset& dataset) const {
    return distribute_dataset(dataset);
  }

  /// What `function` makes; each replica takes the next batch of it in turn.
  /// Throws ValueError for no function.
  DistributedDataset distribute_datasets_from_function(
      const std::function<data::Dataset(const InputContext&)>& function) const;
  /// TensorFlow's old name of distribute_datasets_from_function.
  DistributedDataset experimental_distribute_datasets_from_function(
      const std::function<data::Dataset(const InputContext&)>& function) const {
    return distribute_datasets_from_function(function);
  }

  /// What `function` gives for each replica. Throws ShapeError, TypeError
  /// where the values' specs differ.
  PerReplica distribute_values_from_function(
      const std::function<Tensor(const ValueContext&)>& function) const;
  /// TensorFlow's name of distribute_values_from_function.
  PerReplica experimental_distribute_values_from_function(
      const std::function<Tensor(const ValueContext&)>& function) const {
    return distribute_values_from_function(function);
  }

  std::string_view class_name() const { return base_->class_name(); }
  bool operator==(const Strategy&) const = default;

  StrategyBase& base() const { return *base_; }

 private:
  int64_t run_loop(
      DistributedIterator& iterator, int64_t steps,
      const std::function<void(const DistributedValues&)>& body) const;

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
