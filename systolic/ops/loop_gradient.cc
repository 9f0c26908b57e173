// The gradient of a loop: a loop the other way round, over what each turn had.
// Tested by: systolic/ops/control_flow_gradient_platform_test.cc
#include <algorithm>

#include "systolic/graph/intrinsics.h"
#include "systolic/graph/region.h"
#include "systolic/graph/reverse.h"
#include "systolic/graph/substitution.h"
#include "systolic/ops/loop.h"
#include "systolic/ops/loop_options.h"

namespace systolic::internal::ops {

using namespace graph;

namespace {

void check_differentiable(const Vjp& v, const LoopOptions& o) {
  if (o.length < 0) {
    Message("while_loop")
        .rule("its gradient needs a bound on the number of turns")
        .hint(
            "give while_loop .maximum_iterations, or use scan or fori_loop; or "
            "take the gradient inside the body")
        .at(v.where())
        .raise<ValueError>();
  }
  if (!o.keeps_residuals) {
    Message(o.has_condition() ? "while_loop" : "scan")
        .rule("no tape was recording when it was called")
        .hint("call it while the tape records")
        .at(v.where())
        .raise<ValueError>();
  }
}

class LoopGradient {
 public:
  LoopGradient(Vjp& v, const LoopOptions& o)
      : v_(v), o_(o), body_(*o.regions[0]), nodes_(operations_of(body_)) {
    find_sources();
    take_values();
  }

  Grads run() {
    Loop loop{.name = "scan",
              .body = [this](const LoopValues& turn) { return step(turn); },
              .length = o_.length,
              .reverse = !o_.reverse,
              .where = v_.where()};
    for (const int i : carried_) loop.carried.push_back(v_.gradient(i));
    for (const Constant& c : constants_) {
      loop.carried.push_back(zeros_of(v_.input_spec(c.input)));
    }
    for (const auto& [ref, stack] : stacks_) loop.sequences.push_back(stack);
    for (const auto& [ref, stack] : outer_) loop.sequences.push_back(stack);
    if (o_.gives_turns()) {
      loop.count = v_.output(o_.turns_output());
    } else if (o_.has_count) {
      loop.count = v_.input(o_.count_input());
    }
    const LoopValues result = run_loop(loop);
    Grads grads(v_.num_inputs());
    size_t next = 0;
    for (const int i : carried_) grads[i] = result.carried[next++];
    for (const Constant& c : constants_) {
      grads[c.input] = result.carried[next++];
    }
    for (size_t i = 0; i < rows_.size(); ++i) {
      grads[o_.carried + rows_[i]] = result.stacked[i];
    }
    return grads;
  }

 private:
  // A value that is the same in each turn, or a variable, whose gradient is
  // the sum over the turns: all that was read of it.
  struct Constant {
    int input;
    std::vector<Ref> refs;
  };

  Ref parameter(int i) const { return Ref{body_.parameters[i], 0}; }

  bool is_wanted(int input) const {
    return v_.needs(input) && is_inexact(v_.input_spec(input).dtype);
  }

  // Which inputs get a gradient: those that are asked for, and what is
  // carried and comes to depend on them.
  void find_sources() {
    for (int i = 0; i < o_.own(); ++i) {
      if (is_wanted(i)) carried_.push_back(i);
    }
    for (int i = 0; i < o_.sequences; ++i) {
      if (is_wanted(o_.carried + i)) rows_.push_back(i);
    }
    const int first = o_.own() + o_.sequences;
    for (int i = 0; i < o_.variables + o_.body_reads; ++i) {
      const int input =
          i < o_.variables ? o_.own() + i : o_.first_read() + i - o_.variables;
      if (!is_wanted(input)) continue;
      Constant constant{input, {parameter(first + i)}};
      for (const auto& [number, ref] : body_.reads) {
        if (number == first + i) constant.refs.push_back(ref);
      }
      constants_.push_back(std::move(constant));
    }
    for (int i = 0; i < o_.captures; ++i) {
      const Ref& ref = body_.captures[i];
      const auto begin = body_.captures.begin();
      // A copy of a body may have a value twice.
      const bool is_new = std::find(begin, begin + i, ref) == begin + i;
      const int input = o_.first_capture() + i;
      if (is_new && is_wanted(input)) constants_.push_back({input, {ref}});
    }
    while (find_more_carried()) {
    }
  }

  std::vector<Ref> sources() const {
    std::vector<Ref> all;
    for (const int i : carried_) all.push_back(parameter(i));
    for (const int i : rows_) all.push_back(parameter(o_.own() + i));
    for (const Constant& constant : constants_) {
      all.insert(all.end(), constant.refs.begin(), constant.refs.end());
    }
    return all;
  }

  bool find_more_carried() {
    ReverseWalk walk(nodes_);
    walk.mark(sources());
    bool found = false;
    for (int i = 0; i < o_.own(); ++i) {
      const Ref& end = body_.results[i];
      if (!is_inexact(end.spec().dtype) || !walk.depends(end)) continue;
      if (std::ranges::find(carried_, i) != carried_.end()) continue;
      carried_.push_back(i);
      found = true;
    }
    return found;
  }

  // What the turns had, and what comes from the loop's results. All of it is
  // taken here: inside the new body it would be recorded there.
  void take_values() {
    for (int i = 0; i < o_.sequences; ++i) {
      stacks_.emplace_back(parameter(o_.own() + i), v_.input(o_.carried + i));
    }
    for (int i = o_.first_residual(); i < o_.carried + o_.stacked; ++i) {
      stacks_.emplace_back(body_.results[i], v_.output(i));
    }
    for (int i = o_.carried; i < o_.carried + o_.stacked; ++i) {
      if (!v_.has_gradient(i)) continue;
      if (!is_inexact(v_.output_spec(i).dtype)) continue;
      outer_.emplace_back(body_.results[i], v_.gradient(i));
    }
    const int first = o_.own() + o_.sequences + o_.variables;
    for (int i = 0; i < o_.body_reads; ++i) {
      given_.emplace_back(parameter(first + i), v_.input(o_.first_read() + i));
    }
    for (int i = 0; i < o_.captures; ++i) {
      given_.emplace_back(body_.captures[i], v_.input(o_.first_capture() + i));
    }
  }

  LoopValues step(const LoopValues& turn) {
    Substitution values(body_);
    for (const auto& [ref, value] : given_) values.set(ref, value);
    size_t row = 0;
    for (const auto& [ref, stack] : stacks_) {
      values.set(ref, turn.stacked[row++]);
    }
    ReverseWalk walk(nodes_, &values);
    walk.mark(sources());
    const auto seed = [&](const Ref& ref, const Tensor& gradient) {
      if (walk.depends(ref)) walk.add(ref, gradient);
    };
    for (size_t i = 0; i < carried_.size(); ++i) {
      seed(body_.results[carried_[i]], turn.carried[i]);
    }
    for (const auto& [ref, stack] : outer_) seed(ref, turn.stacked[row++]);
    walk.run();
    LoopValues next;
    for (const int i : carried_) {
      const Tensor found = walk.gradient(parameter(i));
      next.carried.push_back(
          found.is_defined() ? found : zeros_of(parameter(i).spec()));
    }
    for (const Constant& constant : constants_) {
      Tensor sum = turn.carried[next.carried.size()];
      for (const Ref& ref : constant.refs) {
        const Tensor found = walk.gradient(ref);
        if (found.is_defined()) sum = add(sum, found);
      }
      next.carried.push_back(sum);
    }
    for (const int i : rows_) {
      const Ref ref = parameter(o_.own() + i);
      const Tensor found = walk.gradient(ref);
      next.stacked.push_back(found.is_defined() ? found : zeros_of(ref.spec()));
    }
    return next;
  }

  using Values = std::vector<std::pair<Ref, Tensor>>;

  Vjp& v_;
  const LoopOptions& o_;
  const Region& body_;
  const std::vector<NodePtr> nodes_;
  /// What is carried and the sequences, by number, that get a gradient.
  std::vector<int> carried_, rows_;
  std::vector<Constant> constants_;
  /// Values of each turn; gradients of each turn; values of all turns.
  Values stacks_, outer_, given_;
};

}  // namespace

Grads loop_gradient(Vjp& v, const LoopOptions& o) {
  check_differentiable(v, o);
  return LoopGradient(v, o).run();
}

}  // namespace systolic::internal::ops
