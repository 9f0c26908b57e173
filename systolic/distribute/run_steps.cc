// Strategy::run_steps: the loop on the devices.
// Tested by: systolic/distribute/run_steps_platform_test.cc
#include <algorithm>
#include <bit>
#include <exception>
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
    if (failure_ != nullptr) std::rethrow_exception(failure_);
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
          state_.kept = std::move(next);
          break;
        }
        batches_.push_back(*std::move(next));
      } catch (...) {
        keep_failure();
        break;
      }
    }
    return !batches_.empty();
  }

  void keep_failure() {
    const int64_t step = done_ + static_cast<int64_t>(batches_.size()) + 1;
    try {
      rethrow_in(step, step);
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  // Throws what is being handled; it says in which steps that was.
  [[noreturn]] static void rethrow_in(int64_t first, int64_t last) {
    internal::rethrow_with(internal::concatenate_text(
        "  in: ", kWho, internal::steps_text(first, last)));
  }

  void launch() {
    try {
      launch_batches();
    } catch (...) {
      // Said when somebody reads on.
      state_.failure = std::exchange(failure_, nullptr);
      rethrow_in(done_ + 1, done_ + static_cast<int64_t>(batches_.size()));
    }
  }

  void launch_batches() {
    const auto& placement = *state_.source->placement;
    if (capacity_ == 1) {
      run_body({internal::distribute::send(batches_.front(), placement)}, {});
      return;
    }
    const auto count = static_cast<int32_t>(batches_.size());
    run_body({internal::distribute::send(batches_, capacity_, placement),
              Array::scalar(count)},
             [&](const std::vector<DistributedValues>& arguments) {
               for_loop(detail::tensor_of(arguments[1]), [&](const Tensor& i) {
                 body_(batch_of(arguments[0], i));
               });
             });
  }

  void run_body(
      std::vector<DistributedValues> arguments,
      const std::function<void(const std::vector<DistributedValues>&)>& loop) {
    detail::ReplicaRun run(strategy_, kWho, std::move(arguments));
    run.begin();
    if (loop) {
      loop(run.arguments());
    } else {
      body_(run.arguments().front());
    }
    run.commit({});
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
