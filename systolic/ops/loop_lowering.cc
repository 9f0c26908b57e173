// Tested by: systolic/ops/control_flow_platform_test.cc
#include "systolic/ops/catalog.h"
#include "systolic/ops/loop_options.h"

namespace systolic::internal::ops {

using namespace graph;

namespace {

using stablehlo::Value;

const TensorSpec kIndex{DType::int32, Shape::scalar()};

// Writes a loop. What the `while` carries: the number of turns so far (unless
// only a condition ends it), what the loop carries, the stacks.
class LoopWriter {
 public:
  LoopWriter(Lower& l, const LoopOptions& o) : l_(l), o_(o), e_(l.e) {
    counts_ = !o.has_condition() || o.length >= 0;
    if (!counts_) return;
    if (o.has_count) {
      count_ = l[o.count_input()];
    } else {
      count_ = e_.splat_integer(kIndex, o.length);
    }
  }

  Values write() {
    Values initial;
    if (counts_) initial.push_back(e_.splat_integer(kIndex, 0));
    append(initial, 0, o_.carried);
    for (int i = 0; i < o_.stacked; ++i) {
      initial.push_back(e_.splat(l_.result(o_.carried + i), 0));
    }
    Values last = e_.while_loop(
        initial, [this](auto now) { return condition(now); },
        [this](auto now) { return body(now); },
        o_.has_condition() || o_.has_count ? -1 : o_.length);
    if (!counts_) return last;
    Values results(last.begin() + 1, last.end());
    if (o_.gives_turns()) results.push_back(last[0]);
    return results;
  }

 private:
  void append(Values& values, int first, int count) const {
    const auto more = l_.inputs().subspan(first, count);
    values.insert(values.end(), more.begin(), more.end());
  }

  std::span<const Value> carried(std::span<const Value> now) const {
    return now.subspan(counts_ ? 1 : 0, o_.carried);
  }

  Values condition(std::span<const Value> now) {
    Value go_on;
    if (counts_) go_on = e_.compare("LT", now[0], count_);
    if (!o_.has_condition()) return {go_on};
    const auto values = carried(now);
    Values given(values.begin(), values.end());
    append(given, o_.first_read() + o_.body_reads, o_.condition_reads);
    Values answer = l_.write_region(*o_.regions[1], given);
    if (counts_) answer[0] = e_.binary("and", go_on, answer[0]);
    return answer;
  }

  Values body(std::span<const Value> now) {
    Value row;
    if (counts_) row = now[0];
    if (o_.reverse) {
      const Value last =
          e_.binary("subtract", count_, e_.splat_integer(kIndex, 1));
      row = e_.binary("subtract", last, row);
    }
    const auto values = carried(now);
    Values given(values.begin(), values.begin() + o_.own());
    for (int i = 0; i < o_.sequences; ++i) {
      given.push_back(take_row(l_[o_.carried + i], row));
    }
    given.insert(given.end(), values.begin() + o_.own(), values.end());
    append(given, o_.first_read(), o_.body_reads);
    Values results = l_.write_region(*o_.regions[0], given);
    Values next;
    if (counts_) {
      next.push_back(e_.binary("add", now[0], e_.splat_integer(kIndex, 1)));
    }
    next.insert(next.end(), results.begin(), results.begin() + o_.carried);
    for (int i = 0; i < o_.stacked; ++i) {
      const Value& stack = now[1 + o_.carried + i];
      next.push_back(put_row(stack, results[o_.carried + i], row));
    }
    return next;
  }

  std::vector<Value> starts(const Value& stack, const Value& row) {
    std::vector<Value> all(stack.spec.shape.rank(),
                           e_.splat_integer(kIndex, 0));
    all[0] = row;
    return all;
  }

  Value take_row(const Value& stack, const Value& row) {
    const Shape& shape = stack.spec.shape;
    std::vector<int64_t> sizes(shape.begin(), shape.end());
    sizes[0] = 1;
    return e_.reshape(e_.dynamic_slice(stack, starts(stack, row), sizes),
                      row_shape(shape));
  }

  Value put_row(const Value& stack, const Value& value, const Value& row) {
    const Value one = e_.reshape(value, stack_shape(1, value.spec.shape));
    return e_.dynamic_update_slice(stack, one, starts(stack, row));
  }

  Lower& l_;
  const LoopOptions& o_;
  stablehlo::Emitter& e_;
  bool counts_;
  Value count_;
};

Specs infer_loop(Infer& in, const LoopOptions& o) {
  std::vector<TensorSpec> specs;
  for (int i = 0; i < o.carried; ++i) specs.push_back(in[i]);
  const auto& results = o.regions[0]->results;
  for (int i = 0; i < o.stacked; ++i) {
    const TensorSpec& row = results[o.carried + i].spec();
    specs.push_back({row.dtype, stack_shape(o.length, row.shape)});
  }
  if (o.gives_turns()) specs.push_back(kIndex);
  return Specs(std::move(specs));
}

// The gradient runs the body's rules on what each turn had; the first values
// of what is carried are among the residuals where they are read.
bool loop_reads(const LoopOptions& o, Side side, int i) {
  if (side == Side::output) return i >= o.first_residual();
  const bool is_of_condition =
      i >= o.first_read() + o.body_reads &&
      i < o.first_read() + o.body_reads + o.condition_reads;
  return i >= o.carried && !is_of_condition &&
         i < o.first_capture() + o.captures;
}

template <bool is_while>
constexpr Op<LoopOptions> kLoop{
    .name = is_while ? "while_loop" : "scan",
    .infer = infer_loop,
    .lower = [](Lower& l,
                const LoopOptions& o) { return LoopWriter(l, o).write(); },
    .vjp = loop_gradient,
    .regions = &LoopOptions::regions,
    .reads = loop_reads};

}  // namespace

std::vector<Tensor> record_loop(std::vector<Ref> inputs, LoopOptions options,
                                bool is_while, const SourceLocation& where) {
  return is_while ? record_all<kLoop<true>>(std::move(inputs),
                                            std::move(options), where)
                  : record_all<kLoop<false>>(std::move(inputs),
                                             std::move(options), where);
}

std::span<const OpDef* const> loop_catalog() {
  static constexpr const OpDef* kCatalog[] = {&kDefinition<kLoop<true>>,
                                              &kDefinition<kLoop<false>>};
  return kCatalog;
}

}  // namespace systolic::internal::ops
