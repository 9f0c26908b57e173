#include "systolic/graph/evaluate.h"

#include <algorithm>
#include <map>

#include "systolic/base/trace.h"
#include "systolic/graph/context.h"
#include "systolic/graph/op.h"
#include "systolic/graph/planning.h"
#include "systolic/graph/program_cache.h"

namespace systolic::internal::graph {

namespace {

using Arguments = std::vector<std::vector<runtime::BufferPtr>>;

// Nodes whose values are all there let their inputs go, unless a tape needs
// them to walk back.
void release(const std::vector<Node*>& order) {
  const DropScope scope;  // keeps the nodes of the list alive
  std::vector<Node*> again;
  for (Node* node : order) {
    if (node->taped != 0) continue;
    if (node->is_finished()) {
      node->let_go();
    } else if (node->num_outputs > 1) {
      again.push_back(node);
    }
  }
  // An output without a value counts until its consumers have let it go.
  for (auto it = again.rbegin(); it != again.rend(); ++it) {
    if ((*it)->is_finished()) (*it)->let_go();
  }
}

void check_alive(const Ref& ref) {
  const Output& output = ref.node->output(ref.output);
  if (output.storage->is_donated()) {
    Message("Tensor")
        .rule("its memory was taken by a later launch")
        .detail("value", ref.spec())
        .hint("this is a fault of the graph; please report it")
        .raise<InternalError>();
  }
}

// What is special about the launch of a step.
struct StepLaunch {
  LaunchRecord* record;  // may be null
};

class Launch {
 public:
  explicit Launch(const Program& program)
      : program_(program),
        placement_(program.placement()),
        takes_(program.arguments().size(), Takes::no) {
    for (const Program::Donation& donation : program.donations()) {
      takes_[donation.argument] =
          is_alone(donation) ? Takes::yes : Takes::refused;
    }
  }

  // For a step that is its whole, else null: what there is to note of it.
  void run(const StepLaunch* step) {
    if (step != nullptr && step->record != nullptr && step->record->inspect) {
      step->record->inspect(program_);
    }
    if (Planning* planning = Planning::current()) {
      if (planning->take(program_)) {
        release(program_.order());
        return;
      }
    }
    TraceScope looking("look up");
    const Compiled& compiled = ProgramCache::instance().find(program_);
    looking.end();
    TraceScope gathering("arguments");
    gather(compiled);
    gathering.end();
    runtime::LaunchOptions options;
    if (step != nullptr) {
      options.most_in_flight = kMostStepsInFlight;
      options.name = context().step_name;
    }
    for (size_t i = 0; i < takes_.size(); ++i) {
      if (takes_[i] == Takes::refused) {
        options.non_donatable.push_back(static_cast<int64_t>(i));
      }
    }
    const runtime::Device& device = placement_->devices().front();
    if (!placement_->is_replicated()) options.execute_device = &device;
    const auto results = runtime::launch(*compiled.executable, arguments_,
                                         compiled.outputs, options);
    for (size_t i = 0; i < program_.outputs().size(); ++i) {
      const Ref& ref = program_.outputs()[i];
      if (!ref.node->is_pending(ref.output)) continue;
      std::vector<runtime::BufferPtr> buffers;
      buffers.reserve(results.size());
      for (const auto& replica : results) buffers.push_back(replica[i]);
      ref.node->set_value(ref.output, std::make_shared<Storage>(
                                          placement_, std::move(buffers)));
    }
    if (step != nullptr && step->record != nullptr) {
      note(compiled, *step->record);
    }
    release(program_.order());
  }

 private:
  void note(const Compiled& compiled, LaunchRecord& record) const {
    record.compiled = &compiled;
    record.placement = placement_;
    record.arguments = program_.arguments();
    for (int index : compiled.generic) record.scalars.push_back(scalar(index));
    for (const Program::Donation& donation : program_.donations()) {
      record.donated.push_back(donation.argument);
    }
    record.outputs = program_.outputs();
  }

  // The value of a literal that is an argument.
  Array scalar(int index) const {
    return literal_array(program_.literal_dtype(index),
                         program_.literals()[index]);
  }

  // Whether the program takes an argument's memory.
  enum class Takes : uint8_t { no, yes, refused };

  // Nobody but this program and the step's own list may hold it: no handle,
  // no other pending node, no tape, no other leaf of the same value.
  bool is_alone(const Program::Donation& donation) const {
    const Ref& ref = program_.arguments()[donation.argument];
    const Output& output = ref.node->output(ref.output);
    const auto own = program_.uses(donation.argument) + donation.held;
    return output.handles.load() == 0 && ref.node.use_count() <= own &&
           output.storage.use_count() == 1;
  }

  void gather(const Compiled& compiled) {
    const size_t count = program_.arguments().size();
    arguments_.resize(placement_->devices().size());
    for (auto& list : arguments_) list.reserve(count + compiled.generic.size());
    for (size_t i = 0; i < count; ++i) {
      const Ref& ref = program_.arguments()[i];
      check_alive(ref);
      Storage& storage = *ref.node->output(ref.output).storage;
      if (takes_[i] == Takes::yes) {
        // State moves to where it is used, so that its memory can be taken.
        storage.move_to(placement_);
      }
      const auto buffers = storage.on(placement_);
      for (size_t r = 0; r < buffers.size(); ++r) {
        arguments_[r].push_back(buffers[r]);
      }
    }
    for (int index : compiled.generic) {
      const Array value = scalar(index);
      for (size_t r = 0; r < arguments_.size(); ++r) {
        arguments_[r].push_back(
            runtime::to_device(value, placement_->devices()[r]));
      }
    }
  }

  const Program& program_;
  const Placement* placement_;
  Arguments arguments_;
  std::vector<Takes> takes_;
};

void evaluate_roots(std::span<const Root> roots, const Placement* placement,
                    const StepLaunch* step = nullptr);

void evaluate_foreign(const std::vector<Ref>& refs) {
  std::map<const Placement*, std::vector<Root>> groups;
  for (const Ref& ref : refs) {
    groups[ref.node->placement].push_back({ref, {}});
  }
  for (const auto& [placement, roots] : groups) {
    evaluate_roots(roots, placement);
  }
}

void evaluate_roots(std::span<const Root> roots, const Placement* placement,
                    const StepLaunch* step) {
  for (;;) {
    TraceScope scope("key");
    const Program program(roots, placement);
    scope.end();
    if (!program.foreign().empty()) {
      evaluate_foreign(program.foreign());
      continue;
    }
    Launch(program).run(step);
    return;
  }
}

}  // namespace

void evaluate(const Ref& ref) { evaluate(std::span(&ref, 1)); }

void evaluate(std::span<const Ref> refs) {
  std::map<Recorder*, std::vector<Ref>> groups;
  for (const Ref& ref : refs) {
    Node& node = *ref.node;
    if (node.kind == NodeKind::literal) make_readable(node);
    if (node.kind == NodeKind::parameter) {
      const Root root{ref, {}};
      Program(std::span(&root, 1), nullptr);  // throws: it is symbolic
    }
    if (node.is_pending(ref.output)) groups[node.recorder].push_back(ref);
  }
  for (auto& [recorder, group] : groups) {
    const std::lock_guard lock(recorder->mutex());
    // Another thread may have been here while this one waited.
    std::erase_if(group, [](const Ref& ref) {
      return !ref.node->is_pending(ref.output);
    });
    evaluate_foreign(group);
  }
}

Tensor as_data(const Tensor& value) {
  const Ref& ref = value.ref();
  if (ref.node->kind == NodeKind::data) return value;
  return Tensor(Ref{make_data(storage_of(ref), ref.spec()), 0});
}

void launch_step(std::vector<Root>& roots, const Placement* placement,
                 LaunchRecord* record) {
  Recorder& recorder = Recorder::current();
  for (const Root& root : roots) {
    const Node& node = *root.ref.node;
    const bool is_own =
        node.kind == NodeKind::operation && node.recorder == &recorder;
    if (!is_own) evaluate(root.ref);
  }
  // Moved, not copied: a second holder of an old value would keep it.
  const auto end =
      std::stable_partition(roots.begin(), roots.end(), [](const Root& root) {
        return root.ref.node->is_pending(root.ref.output);
      });
  if (end == roots.begin()) return;
  const std::lock_guard lock(recorder.mutex());
  const StepLaunch step{record};
  evaluate_roots(std::span(roots.begin(), end), placement, &step);
  if (record != nullptr) record->is_whole = end == roots.end();
}

std::optional<Array> known_value(const Tensor& value) {
  const Node& node = *value.ref().node;
  if (node.kind == NodeKind::literal) {
    return literal_array(value.dtype(), node.literal_bits);
  }
  if (node.kind != NodeKind::data || context().in_step) return std::nullopt;
  const StoragePtr& storage = node.output(value.ref().output).storage;
  if (storage == nullptr || storage->placement() != nullptr) {
    return std::nullopt;
  }
  return storage->host();
}

StoragePtr storage_of(const Ref& ref) {
  evaluate(ref);
  return ref.node->output(ref.output).storage;
}

}  // namespace systolic::internal::graph
