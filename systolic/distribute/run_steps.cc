// Strategy::run_steps: the loop on the devices.
// Tested by: systolic/distribute/run_steps_platform_test.cc
// Tested by: tests/fake_plugin/distribute_test.cc
#include <algorithm>
#include <bit>
#include <exception>
#include <iterator>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/rethrow.h"
#include "systolic/distribute/iterator_state.h"
#include "systolic/distribute/strategy.h"
#include "systolic/graph/device.h"
#include "systolic/ops/control_flow.h"
#include "systolic/ops/manipulation.h"

namespace systolic::distribute {

using internal::Message;
using internal::distribute::HostStep;

namespace {

constexpr std::string_view kWho = "strategy.run_steps";

// From here on launches cost little beside the steps, and a stack of this
// room serves any number of steps.
constexpr int64_t kEnough = 16;

// Room of the next stack: a power of two, since it is part of the program;
// what it was before where that will do.
int64_t capacity_for(const HostStep& step, int64_t steps,
                     std::atomic<int64_t>& known) {
  if (!step.has_rows()) return 1;
  const auto wanted =
      static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(steps)));
  int64_t room = known.load();
  if (room < kEnough) {
    room = std::max(room, internal::distribute::stack_capacity(1, wanted));
    known = room;
  }
  const int64_t fits =
      internal::distribute::stack_capacity(step.nbytes(), room);
  return static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(fits)));
}

// Batch i of a stack, in the same tree.
DistributedValues batch_of(const DistributedValues& stack, const Tensor& i) {
  if (stack.kind() == DistributedValues::Kind::value) {
    const PerReplica& all = stack.value();
    return PerReplica(dynamic_index(all.whole(), i), all.placement(),
                      all.rows());
  }
  DistributedValues batch = stack;
  for (DistributedValues& item : batch.items()) item = batch_of(item, i);
  return batch;
}

// Reads and launches the steps of one call.
class Loop {
 public:
  using Body = std::function<void(const DistributedValues&)>;

  Loop(const Strategy& strategy, DistributedIterator::State& state,
       int64_t steps, const Body& body)
      : strategy_(strategy), state_(state), left_(steps), body_(body) {}

  int64_t run() {
    while (left_ > 0 && read()) {
      launch();
      done_ += static_cast<int64_t>(batches_.size());
      left_ -= static_cast<int64_t>(batches_.size());
      if (failure_ != nullptr) break;
    }
    if (failure_ != nullptr) throw_failure();
    return done_;
  }

 private:
  // The batches of the next launch; false at the end. What the data throw is
  // kept: the batches before it are as good as in launches of their own.
  bool read() {
    batches_.clear();
    capacity_ = 1;
    while (static_cast<int64_t>(batches_.size()) < std::min(capacity_, left_)) {
      try {
        std::optional<HostStep> next = state_.read();
        if (!next) break;
        if (batches_.empty()) {
          capacity_ = capacity_for(*next, left_, state_.source->stack_capacity);
        } else if (!next->fits(batches_.front())) {
          state_.kept.push_front(*std::move(next));
          break;
        }
        batches_.push_back(*std::move(next));
      } catch (...) {
        failure_ = std::current_exception();
        break;
      }
    }
    return !batches_.empty();
  }

  // The step behind those that were run has no batch.
  [[noreturn]] void throw_failure() const {
    try {
      std::rethrow_exception(failure_);
    } catch (...) {
      rethrow_in(1);
    }
  }

  // Throws what is being handled; it says in which of the steps to come that
  // was.
  [[noreturn]] void rethrow_in(size_t steps) const {
    const int64_t last = done_ + static_cast<int64_t>(steps);
    internal::rethrow_with(internal::concatenate_text(
        "  in: ", kWho, internal::steps_text(done_ + 1, last)));
  }

  void launch() {
    const size_t steps = batches_.size();
    bool sent = false;
    try {
      detail::ReplicaRun run(strategy_, kWho, send_batches());
      sent = true;
      run.begin();
      run_bodies(run.arguments());
      run.commit({});
    } catch (...) {
      // Whoever reads on gets the batches that no step had, and is told of the
      // failure.
      if (!sent) {
        state_.kept.insert(state_.kept.begin(),
                           std::make_move_iterator(batches_.begin()),
                           std::make_move_iterator(batches_.end()));
      }
      if (failure_ != nullptr) state_.failure = std::move(failure_);
      rethrow_in(steps);
    }
  }

  std::vector<DistributedValues> send_batches() const {
    const auto& placement = *state_.source->placement;
    if (capacity_ == 1) {
      return {internal::distribute::send(batches_.front(), placement)};
    }
    const auto count = static_cast<int32_t>(batches_.size());
    return {internal::distribute::send(batches_, capacity_, placement),
            Array::scalar(count)};
  }

  void run_bodies(const std::vector<DistributedValues>& arguments) const {
    if (capacity_ == 1) {
      body_(arguments.front());
      return;
    }
    for_loop(detail::tensor_of(arguments[1]),
             [&](const Tensor& i) { body_(batch_of(arguments[0], i)); });
  }

  const Strategy& strategy_;
  DistributedIterator::State& state_;
  int64_t left_;
  const Body& body_;
  int64_t done_ = 0;
  int64_t capacity_ = 1;
  std::vector<HostStep> batches_;
  std::exception_ptr failure_;
};

}  // namespace

int64_t Strategy::run_loop(
    DistributedIterator& iterator, int64_t steps,
    const std::function<void(const DistributedValues&)>& body) const {
  if (steps < 0) {
    Message(std::string(kWho))
        .expected("a number of steps of at least 0")
        .got(steps)
        .raise<ValueError>();
  }
  DistributedIterator::State& state = iterator.state();
  if (state.source->placement != base().placement()) {
    Message(std::string(kWho))
        .rule("the data set was distributed by another strategy")
        .detail("this strategy", internal::graph::describe(*base().placement()))
        .detail("the other",
                internal::graph::describe(*state.source->placement))
        .raise<ValueError>();
  }
  return Loop(*this, state, steps, body).run();
}

}  // namespace systolic::distribute
