// Tested by: systolic/graph/function_platform_test.cc
#include "systolic/graph/function_traces.h"

#include <algorithm>
#include <cstdlib>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/op.h"
#include "systolic/graph/tape_state.h"

namespace systolic::internal::graph {

namespace {

// Recordings for other plain values before the user is told, once.
constexpr int kManyRecordings = 5;

std::string text_of_plain(const Signature::Plain& value) {
  struct Text {
    std::string operator()(int64_t v) const { return concatenate_text(v); }
    std::string operator()(double v) const { return concatenate_text(v); }
    std::string operator()(const std::string& v) const {
      return "\"" + v + "\"";
    }
    std::string operator()(const VariablePtr& v) const {
      return v == nullptr ? "no Variable" : "Variable \"" + v->path + "\"";
    }
  };
  return std::visit(Text(), value);
}

std::string text_of_spec(const TensorSpec& spec) {
  return spec.shape.is_set() ? spec.to_string() : "no Tensor";
}

bool is_of(const TensorSpec& spec, const TensorSpec& wanted) {
  if (spec.dtype != wanted.dtype) return false;
  if (!wanted.shape.is_set()) return true;
  if (spec.shape.rank() != wanted.shape.rank()) return false;
  return std::ranges::equal(
      spec.shape, wanted.shape,
      [](int64_t size, int64_t want) { return want < 0 || size == want; });
}

// A value of the program's own, so that a launch of it alone gives it.
Tensor as_result(const Tensor& value) {
  const Ref& ref = value.ref();
  const Node& node = *ref.node;
  const bool is_own = node.kind == NodeKind::operation && node.in_step &&
                      node.is_pending(ref.output);
  return is_own ? value : identity(value);
}

// A leaf of this call's own: a value of elsewhere would be a constant of the
// program.
Tensor input_leaf(const Tensor& input) {
  if (!input.is_defined()) return Tensor();
  return step_input(storage_of(input.ref()), input.spec());
}

// The values at the places that hold one.
std::vector<Tensor> spread(std::vector<Tensor> values,
                           const std::vector<bool>& defined) {
  if (values.size() == defined.size()) return values;
  std::vector<Tensor> all;
  size_t next = 0;
  for (const bool is_defined : defined) {
    all.push_back(is_defined ? std::move(values[next++]) : Tensor());
  }
  return all;
}

}  // namespace

void Signature::operator()(const Tensor& tensor) {
  tensors_.push_back(
      {argument_, tensor.is_defined() ? tensor.spec() : TensorSpec()});
  inputs_.push_back(tensor);
}

bool Signature::fits(const Signature& other) const {
  return tensors_ == other.tensors_ && parts_ == other.parts_;
}

std::string Signature::difference(const Signature& before) const {
  for (size_t i = 0; i < std::min(parts_.size(), before.parts_.size()); ++i) {
    if (parts_[i] == before.parts_[i]) continue;
    return concatenate_text("argument ", parts_[i].argument + 1, " is ",
                            text_of_plain(parts_[i].value), " that was ",
                            text_of_plain(before.parts_[i].value));
  }
  const size_t shared = std::min(tensors_.size(), before.tensors_.size());
  for (size_t i = 0; i < shared; ++i) {
    if (tensors_[i] == before.tensors_[i]) continue;
    return concatenate_text("argument ", tensors_[i].argument + 1, " is ",
                            text_of_spec(tensors_[i].spec), " that was ",
                            text_of_spec(before.tensors_[i].spec));
  }
  return "the arguments hold another number of Tensors";
}

void Signature::check(std::string_view name,
                      std::span<const TensorSpec> wanted) const {
  if (wanted.empty()) return;
  const std::string who = "function \"" + std::string(name) + "\"";
  if (wanted.size() != tensors_.size()) {
    Message(who)
        .expected("the ", wanted.size(), " Tensors of its input_signature")
        .got(tensors_.size())
        .raise<TypeError>();
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto& [argument, spec] = tensors_[i];
    if (is_of(spec, wanted[i])) continue;
    Message message(who);
    message.expected("argument ", argument + 1, " to be ", wanted[i])
        .got(text_of_spec(spec))
        .hint("cast or reshape it, or change the input_signature");
    if (spec.dtype != wanted[i].dtype) message.raise<TypeError>();
    message.raise<ShapeError>();
  }
}

bool checks_functions() {
  const char* value = std::getenv("SYSTOLIC_CHECK_FUNCTIONS");
  return value != nullptr && std::string_view(value) == "1";
}

bool FunctionTraces::is_inline() { return context().in_step || is_taped(); }

void FunctionTraces::note(Signature signature) {
  signature.check(options_.name, options_.input_signature);
  signature.take_inputs();
  const std::lock_guard lock(mutex_);
  const auto fits = [&](const Signature& known) {
    return known.fits(signature);
  };
  const bool is_known = std::ranges::any_of(inline_signatures_, fits) ||
                        std::ranges::any_of(traces_, [&](const auto& trace) {
                          return fits(trace->signature);
                        });
  if (is_known) return;
  inline_signatures_.push_back(std::move(signature));
  ++count_;
}

FunctionTrace* FunctionTraces::find(const Signature& signature,
                                    const Placement* placement) {
  const std::lock_guard lock(mutex_);
  for (const auto& trace : traces_) {
    if (trace->placement == placement && trace->signature.fits(signature)) {
      return trace.get();
    }
  }
  return nullptr;
}

std::shared_ptr<const FunctionProgram> FunctionTraces::program_of(
    const Signature& signature, const Placement* placement) const {
  const std::lock_guard lock(mutex_);
  for (const auto& trace : traces_) {
    if (trace->placement == placement && trace->signature.fits(signature)) {
      return trace->program;
    }
  }
  return nullptr;
}

void FunctionTraces::tell_reason(const Signature& signature) {
  if (traces_.empty()) return;
  const std::string reason = signature.difference(traces_.back()->signature);
  log(LogLevel::debug,
      "function \"" + options_.name + "\": recorded again: " + reason);
  if (has_warned_ || count_ < kManyRecordings) return;
  has_warned_ = true;
  log(LogLevel::warning,
      "function \"" + options_.name + "\": recorded " +
          std::to_string(count_ + 1) +
          " times, each time compiled; the last time because " + reason +
          "; a number that changes can be given as a Tensor, and sizes can be "
          "kept the same");
}

FunctionTrace& FunctionTraces::add(Signature signature,
                                   const Placement* placement) {
  const std::lock_guard lock(mutex_);
  const auto noted = std::ranges::find_if(
      inline_signatures_,
      [&](const Signature& known) { return known.fits(signature); });
  const bool is_counted = noted != inline_signatures_.end() ||
                          std::ranges::any_of(traces_, [&](const auto& trace) {
                            return trace->signature.fits(signature);
                          });
  if (!is_counted) {
    tell_reason(signature);
    ++count_;
  }
  traces_.push_back(std::make_unique<FunctionTrace>());
  FunctionTrace& trace = *traces_.back();
  trace.signature = std::move(signature);
  trace.placement = placement;
  return trace;
}

std::vector<Tensor> FunctionTraces::call(Signature signature, const Body& body,
                                         std::shared_ptr<void>& skeleton) {
  return call(std::move(signature), body, skeleton,
              {.placement = Placement::current_default()});
}

std::vector<Tensor> FunctionTraces::call(Signature signature, const Body& body,
                                         std::shared_ptr<void>& skeleton,
                                         const FunctionPlace& place) {
  signature.check(options_.name, options_.input_signature);
  signature.next_argument();
  for (const Tensor& tensor : place.beside) signature(tensor);
  const std::vector<Tensor> given = signature.take_inputs();
  const auto launch = [&]() -> std::optional<std::vector<Tensor>> {
    if (checks_functions()) return std::nullopt;
    const auto program = program_of(signature, place.placement);
    if (program == nullptr) return std::nullopt;
    skeleton = program->skeleton;
    return spread(program->plan.launch(given), program->defined);
  };
  if (auto results = launch()) return *std::move(results);
  const std::lock_guard lock(recording_);
  // Another thread has recorded it meanwhile.
  if (auto results = launch()) return *std::move(results);
  FunctionTrace* trace = find(signature, place.placement);
  std::vector<Tensor> inputs;
  for (const Tensor& input : given) inputs.push_back(input_leaf(input));
  if (trace == nullptr) trace = &add(std::move(signature), place.placement);
  return record(*trace, inputs, body, skeleton, place);
}

void FunctionTraces::inspect(Step& step, FunctionTrace& trace,
                             const std::vector<Tensor>& inputs) const {
  const bool is_check = trace.program != nullptr && !trace.listing.is_empty();
  step.inspect_with(
      [this, &step, &trace, &inputs, is_check](const Program& program) {
        ProgramListing now(program, step.context().notes->reads, inputs);
        const std::string difference =
            is_check ? now.difference(trace.listing) : "";
        if (!difference.empty()) {
          Message("function \"" + options_.name + "\"")
              .rule("recorded again, its program is another one: ", difference)
              .hint(
                  "what changes from call to call has to be an argument or a "
                  "Variable; the check is SYSTOLIC_CHECK_FUNCTIONS=1")
              .raise<ValueError>();
        }
        trace.listing = std::move(now);
      });
}

std::vector<Tensor> FunctionTraces::record(FunctionTrace& trace,
                                           const std::vector<Tensor>& inputs,
                                           const Body& body,
                                           std::shared_ptr<void>& skeleton,
                                           const FunctionPlace& place) {
  Step step(trace.placement,
            place.step_name.empty() ? options_.name : place.step_name,
            Step::Keep::plan);
  step.context().function_state = &trace.state;
  const auto arguments =
      std::span(inputs).first(inputs.size() - place.beside.size());
  if (place.prepare != nullptr) {
    place.prepare(step.context(), std::span(inputs).subspan(arguments.size()));
  }
  if (checks_functions()) inspect(step, trace, inputs);
  std::vector<Tensor> results;
  std::vector<bool> defined;
  for (const Tensor& value : body(arguments, skeleton)) {
    defined.push_back(value.is_defined());
    if (value.is_defined()) results.push_back(as_result(value));
  }
  step.commit(results);
  if (trace.program == nullptr) {
    if (auto plan = step.plan(inputs)) {
      const auto program = std::make_shared<const FunctionProgram>(
          FunctionProgram{*std::move(plan), skeleton, defined});
      const std::lock_guard lock(mutex_);
      trace.program = program;
    } else {
      tell_kept(step);
    }
  }
  return spread(std::move(results), defined);
}

void FunctionTraces::tell_kept(const Step& step) const {
  if (const NodePtr kept = step.escaped()) {
    const std::string_view file = kept->where.file_name();
    log(LogLevel::warning,
        "function \"" + options_.name + "\": the value of " +
            std::string(kept->op->name) + " at " +
            std::string(file.substr(file.rfind('/') + 1)) + ":" +
            std::to_string(kept->where.line()) +
            " was kept outside of it, so it is recorded at each call; return "
            "the value");
  }
}

int FunctionTraces::tracing_count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

}  // namespace systolic::internal::graph
