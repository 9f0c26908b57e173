// Tested by: systolic/ops/control_flow_platform_test.cc
#include "systolic/ops/loop.h"

#include <algorithm>

#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/graph/region.h"
#include "systolic/graph/tape_state.h"
#include "systolic/ops/catalog.h"
#include "systolic/ops/loop_options.h"

namespace systolic::internal::ops {

using namespace graph;

namespace {

Message complain(const Loop& loop) { return Message(std::string(loop.name)); }

void check_carried(const Loop& loop, const std::vector<Tensor>& after) {
  const std::vector<Tensor>& before = loop.carried;
  if (before.size() != after.size()) {
    complain(loop)
        .expected("the body to return ", before.size(), " values")
        .got(after.size())
        .at(loop.where)
        .raise<ValueError>();
  }
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].spec() == after[i].spec()) continue;
    complain(loop)
        .expected("value ", i, " to keep its spec ", before[i].spec())
        .got(after[i].spec(), " from the body")
        .hint(
            "shapes and dtypes are fixed on the device; cast or reshape "
            "the value in the body")
        .at(loop.where)
        .raise<ShapeError>();
  }
}

// Puts the loop together: which variables it carries, which it only reads.
class LoopBuilder {
 public:
  explicit LoopBuilder(const Loop& loop) : loop_(loop) {
    record_body();
    if (loop.condition != nullptr) record_condition();
  }

  LoopValues build() {
    if (loop_.length == 0) return without_turns();
    for (const Tensor& value : loop_.carried) inputs_.push_back(value.ref());
    add_carried_variables();
    options_.carried = static_cast<int>(inputs_.size());
    options_.variables =
        options_.carried - static_cast<int>(loop_.carried.size());
    for (const Tensor& rows : loop_.sequences) inputs_.push_back(rows.ref());
    options_.sequences = static_cast<int>(loop_.sequences.size());
    options_.body_reads = add_reads(body_);
    if (has_condition()) options_.condition_reads = add_reads(condition_);
    options_.has_count = loop_.count.is_defined();
    if (options_.has_count) inputs_.push_back(loop_.count.ref());
    close();
    options_.length = loop_.length;
    options_.reverse = loop_.reverse;
    return record();
  }

 private:
  bool has_condition() const { return condition_.region != nullptr; }

  void record_body() {
    std::vector<TensorSpec> specs;
    for (const Tensor& value : loop_.carried) specs.push_back(value.spec());
    for (const Tensor& rows : loop_.sequences) {
      specs.push_back({rows.dtype(), row_shape(rows.shape())});
    }
    const size_t carried = loop_.carried.size();
    body_ = record_region(
        specs, "a loop body", [&](const std::vector<Tensor>& values) {
          const auto middle = values.begin() + carried;
          LoopValues given =
              loop_.body({{values.begin(), middle}, {middle, values.end()}});
          check_carried(loop_, given.carried);
          num_stacked_ = given.stacked.size();
          std::vector<Tensor> all = std::move(given.carried);
          all.insert(all.end(), given.stacked.begin(), given.stacked.end());
          return all;
        });
  }

  void record_condition() {
    std::vector<TensorSpec> specs;
    for (const Tensor& value : loop_.carried) specs.push_back(value.spec());
    condition_ = record_region(specs, "a loop condition",
                               [&](const std::vector<Tensor>& values) {
                                 return std::vector{loop_.condition(values)};
                               });
    const TensorSpec& answer = condition_.results[0].spec();
    if (answer != TensorSpec{DType::boolean, Shape::scalar()}) {
      complain(loop_)
          .expected("a condition that gives one bool")
          .got(answer)
          .at(loop_.where)
          .raise<TypeError>();
    }
    for (const RegionVariable& variable : condition_.variables) {
      if (!variable.assigned) continue;
      complain(loop_)
          .rule("its condition assigns Variable \"", variable.state->path, "\"")
          .hint("assign it in the body")
          .at(loop_.where)
          .raise<ValueError>();
    }
  }

  void add_carried_variables() {
    for (const RegionVariable& variable : body_.variables) {
      if (variable.assigned) carried_.push_back(variable.state);
    }
    for (const VariablePtr& state : carried_) {
      inputs_.push_back(read_variable(state).ref());
      ends_.push_back(body_.add_parameter(state));
      if (has_condition()) condition_.add_parameter(state);
    }
  }

  int add_reads(Recorded& recorded) {
    int count = 0;
    for (const RegionVariable& variable : recorded.variables) {
      if (std::ranges::find(carried_, variable.state) != carried_.end()) {
        continue;
      }
      inputs_.push_back(read_variable(variable.state).ref());
      recorded.add_parameter(variable.state);
      ++count;
    }
    return count;
  }

  // Results of the body: what is carried, variables last; then the rows.
  void close() {
    std::vector<Ref> results;
    const size_t carried = loop_.carried.size();
    for (size_t i = 0; i < carried; ++i) {
      results.push_back(body_.results[i].ref());
    }
    results.insert(results.end(), ends_.begin(), ends_.end());
    for (size_t i = carried; i < body_.results.size(); ++i) {
      results.push_back(body_.results[i].ref());
    }
    close_region(*body_.region, std::move(results));
    options_.regions.push_back(body_.region);
    if (has_condition()) {
      close_region(*condition_.region, {condition_.results[0].ref()});
      options_.regions.push_back(condition_.region);
    }
    options_.captures = static_cast<int>(body_.region->captures.size());
    for (const auto& region : options_.regions) {
      inputs_.insert(inputs_.end(), region->captures.begin(),
                     region->captures.end());
    }
    options_.stacked = static_cast<int>(num_stacked_);
    if (loop_.length >= 0 && is_differentiated(inputs_)) keep_residuals();
    // The handles of the recording must not keep body values alive.
    body_.results.clear();
    body_.variables.clear();
    condition_.results.clear();
    condition_.variables.clear();
  }

  // What the gradient will read of each turn comes out as more stacks.
  void keep_residuals() {
    const auto& parameters = body_.region->parameters;
    std::vector<Varies> varies(parameters.size(), Varies::never);
    const size_t carried = loop_.carried.size();
    const size_t rows = carried + options_.sequences;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (i < carried || (i >= rows && i < rows + options_.variables)) {
        varies[i] = Varies::unknown;
      } else if (i < rows) {
        varies[i] = Varies::known;
      }
    }
    const auto kept = residuals_of(*body_.region, varies, Varies::never);
    body_.region->results.insert(body_.region->results.end(), kept.begin(),
                                 kept.end());
    options_.residuals = static_cast<int>(kept.size());
    options_.stacked += options_.residuals;
    options_.keeps_residuals = true;
  }

  // A stack of no rows can not be written to, and there is nothing to do.
  LoopValues without_turns() const {
    LoopValues values{loop_.carried, {}};
    for (size_t i = 0; i < num_stacked_; ++i) {
      const TensorSpec& row = body_.results[loop_.carried.size() + i].spec();
      values.stacked.push_back(
          zeros_of({row.dtype, stack_shape(0, row.shape)}));
    }
    return values;
  }

  LoopValues record() {
    const std::vector<Tensor> outputs = record_loop(
        std::move(inputs_), std::move(options_), has_condition(), loop_.where);
    LoopValues values;
    const auto first = outputs.begin();
    const auto variables = first + loop_.carried.size();
    const auto stacks = variables + carried_.size();
    for (size_t i = 0; i < carried_.size(); ++i) {
      write_variable(carried_[i], variables[i]);
    }
    values.carried.assign(first, variables);
    values.stacked.assign(stacks, stacks + num_stacked_);
    return values;
  }

  const Loop& loop_;
  Recorded condition_, body_;
  size_t num_stacked_ = 0;
  // The variables that the body assigns, and their values at its end.
  std::vector<VariablePtr> carried_;
  std::vector<Ref> ends_;
  std::vector<Ref> inputs_;
  LoopOptions options_;
};

}  // namespace

Shape row_shape(const Shape& stack) {
  Shape row = Shape::scalar();
  for (int i = 1; i < stack.rank(); ++i) row.push_back(stack[i]);
  return row;
}

Shape stack_shape(int64_t rows, const Shape& row) {
  Shape stack{rows};
  for (const int64_t size : row) stack.push_back(size);
  return stack;
}

LoopValues run_loop(const Loop& loop) { return LoopBuilder(loop).build(); }

}  // namespace systolic::internal::ops
