// Tested by: systolic/distribute/run_platform_test.cc
#include "systolic/distribute/replica_run.h"

#include <atomic>
#include <optional>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/distribute/strategy.h"
#include "systolic/graph/device.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/step.h"

namespace systolic::distribute::detail {

using internal::Message;
using internal::distribute::BatchRowsPtr;
namespace graph = internal::graph;

namespace {

// Takes the values of a tree to where the step runs.
class Binder {
 public:
  Binder(std::string_view who, const graph::Placement* placement)
      : who_(who), placement_(placement) {}

  void bind(DistributedValues& values) {
    for (DistributedValues& item : values.items()) bind(item);
    if (values.kind() == DistributedValues::Kind::value) {
      bind_value(values.value());
    }
  }

  const BatchRowsPtr& rows() const { return rows_; }

 private:
  void bind_value(PerReplica& value) {
    const bool is_own =
        value.num_replicas() == 1 || value.placement() == placement_;
    if (!is_own) {
      Message(std::string(who_))
          .rule("an argument was made by another strategy")
          .detail("argument", value.num_replicas(), " times ", value.spec())
          .detail("this strategy", internal::graph::describe(*placement_))
          .detail("the other", internal::graph::describe(*value.placement()))
          .hint("use one strategy, or strategy.gather(value) of the other's")
          .raise<ValueError>();
    }
    take_rows(value);
    // A leaf: what it was computed from is no part of the step.
    const Tensor& whole = value.whole();
    value = PerReplica(
        graph::step_input(graph::storage_of(whole.ref()), whole.spec()),
        placement_, value.rows());
  }

  void take_rows(const PerReplica& value) {
    if (value.rows() == nullptr || value.num_replicas() == 0) return;
    if (rows_ != nullptr && !(*rows_ == *value.rows())) {
      Message(std::string(who_))
          .expected("arguments of one batch")
          .got("parts of batches of ", rows_->total(), " and ",
               value.rows()->total(), " rows")
          .raise<ValueError>();
    }
    rows_ = value.rows();
  }

  std::string_view who_;
  const graph::Placement* placement_;
  BatchRowsPtr rows_;
};

void require_outside(std::string_view who) {
  const graph::Context* step = graph::step_around();
  if (step == nullptr) return;
  Message(std::string(who))
      .rule("it is called inside ", step->step_name)
      .hint(
          "a step is what each replica does: call the function itself there, "
          "and get_replica_context() for sums over the replicas")
      .raise<ValueError>();
}

// Says once in a program what a loop has to know.
void tell_of_padding(const internal::distribute::BatchRows& rows) {
  static std::atomic<bool> told{false};
  if (told.exchange(true)) return;
  log(LogLevel::info,
      internal::concatenate_text(
          "strategy.run: a batch of ", rows.total(), " rows was filled up to ",
          rows.share * static_cast<int64_t>(rows.real.size()),
          ": losses, metrics and nn::compute_average_loss leave the filling "
          "out; in place of a mean or sum of your own take nn::masked_mean"));
}

}  // namespace

std::span<const DistributedValues> spread(
    std::span<const DistributedValues> arguments, size_t count) {
  using Kind = DistributedValues::Kind;
  if (arguments.size() == 1 && arguments[0].kind() == Kind::tuple) {
    const auto& items = arguments[0].items();
    // The one parameter of the one argument decides itself what it takes.
    if (count != 1) arguments = items;
  }
  if (arguments.size() != count) {
    Message("strategy.run")
        .expected("a function of ", arguments.size(),
                  arguments.size() == 1 ? " parameter" : " parameters")
        .got("one of ", count)
        .hint("each argument, or each item of the one tuple, is a parameter")
        .raise<TypeError>();
  }
  return arguments;
}

struct ReplicaRun::State {
  State(const Strategy& strategy, std::string_view name,
        std::vector<DistributedValues> values)
      : who(name),
        scope(strategy.scope()),
        placement(strategy.base().placement()),
        arguments(std::move(values)),
        rows(bind()) {
    if (rows != nullptr && rows->is_padded()) tell_of_padding(*rows);
    before.placement = placement;
    before.in_step = true;
    before.step_name = who;
    inside.emplace(before);
  }

  BatchRowsPtr bind() {
    Binder binder(who, placement);
    for (DistributedValues& argument : arguments) binder.bind(argument);
    return binder.rows();
  }

  // What a step is told of its batch; `valid_rows` as the step sees it.
  void prepare(graph::Context& context, const Tensor& valid_rows) const {
    context.replicas_differ = true;
    if (rows == nullptr) return;
    context.valid_rows = valid_rows;
    context.batch_rows = rows->share;
  }

  std::string_view who;
  StrategyScope scope;
  const graph::Placement* placement;
  std::vector<DistributedValues> arguments;
  BatchRowsPtr rows;
  // Until the step begins the arguments are looked at as inside of it.
  graph::Context before;
  std::optional<graph::ContextGuard> inside;
  std::optional<graph::Step> step;
};

ReplicaRun::ReplicaRun(const Strategy& strategy, std::string_view who,
                       std::vector<DistributedValues> arguments) {
  require_outside(who);
  state_ = std::make_unique<State>(strategy, who, std::move(arguments));
}

ReplicaRun::~ReplicaRun() = default;

const std::vector<DistributedValues>& ReplicaRun::arguments() const {
  return state_->arguments;
}

void ReplicaRun::begin() {
  state_->inside.reset();
  graph::Step& step = state_->step.emplace(state_->placement, state_->who);
  state_->prepare(step.context(), state_->rows == nullptr
                                      ? Tensor()
                                      : state_->rows->valid_rows);
}

std::vector<PerReplica> ReplicaRun::commit(std::span<const Tensor> results) {
  std::vector<Tensor> defined;
  for (const Tensor& result : results) {
    if (result.is_defined()) defined.push_back(result);
  }
  state_->step->commit(defined);
  return wrapped(results);
}

std::vector<PerReplica> ReplicaRun::call(
    graph::FunctionTraces& traces, graph::Signature signature,
    const graph::FunctionTraces::Body& body, std::shared_ptr<void>& skeleton) {
  state_->inside.reset();
  const State& state = *state_;
  const BatchRowsPtr& rows = state.rows;
  // A number in the program, as far as it is known there.
  signature.next_argument();
  signature(rows == nullptr ? int64_t{-1} : rows->share);
  const graph::FunctionPlace place{
      .placement = state.placement,
      .step_name = state.who,
      .prepare =
          [&](graph::Context& context, std::span<const Tensor> beside) {
            state.prepare(context, beside[0]);
          },
      .beside = {rows == nullptr ? Tensor() : rows->valid_rows}};
  return wrapped(traces.call(std::move(signature), body, skeleton, place));
}

std::vector<PerReplica> ReplicaRun::wrapped(
    std::span<const Tensor> results) const {
  std::vector<PerReplica> values;
  for (const Tensor& result : results) {
    values.push_back(result.is_defined()
                         ? PerReplica(graph::as_data(result), state_->placement,
                                      state_->rows)
                         : PerReplica());
  }
  return values;
}

}  // namespace systolic::distribute::detail
