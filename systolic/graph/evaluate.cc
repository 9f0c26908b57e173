#include "systolic/graph/evaluate.h"

#include <algorithm>
#include <bit>
#include <map>

#include "systolic/graph/op.h"
#include "systolic/graph/program_cache.h"

namespace systolic::internal::graph {

namespace {

using Arguments = std::vector<std::vector<runtime::BufferPtr>>;

Array literal_array(DType dtype, uint64_t bits) {
  if (is_floating(dtype)) {
    return Array::full(Shape::scalar(), std::bit_cast<double>(bits), dtype);
  }
  Array array = Array::uninitialized({dtype, Shape::scalar()});
  // Little-endian: the low bytes of the integer are the narrow integer.
  std::copy_n(reinterpret_cast<const std::byte*>(&bits), size_of(dtype),
              array.mutable_data());
  return array;
}

// Nodes whose values are all there let their inputs go, unless a tape needs
// them to walk back.
void release(const std::vector<Node*>& order) {
  for (Node* node : order) {
    if (node->taped == 0 && node->is_evaluated()) node->inputs.clear();
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

class Launch {
 public:
  Launch(const Program& program, std::span<const Root> roots)
      : program_(program), placement_(program.placement()) {
    for (const auto& [argument, output] : program.donations()) {
      const Ref& ref = program.arguments()[argument];
      const auto held =
          std::count_if(roots.begin(), roots.end(),
                        [&](const Root& root) { return root.replaces == ref; });
      // Nobody but this program and the step's own list may hold it: no
      // handle, no other pending node, no tape.
      const bool alone = ref.node->output(ref.output).handles.load() == 0 &&
                         ref.node.use_count() <= program.uses(argument) + held;
      if (!alone) {
        non_donatable_.push_back(argument);
      }
      donated_.push_back({argument, alone});
    }
    std::sort(non_donatable_.begin(), non_donatable_.end());
  }

  void run() {
    const Compiled& compiled = ProgramCache::instance().find(program_);
    gather(compiled);
    runtime::LaunchOptions options;
    options.non_donatable = non_donatable_;
    const runtime::Device& device = placement_->devices().front();
    if (!placement_->is_replicated()) options.execute_device = &device;
    const auto results = runtime::launch(*compiled.executable, arguments_,
                                         compiled.outputs, options);
    for (size_t i = 0; i < program_.outputs().size(); ++i) {
      std::vector<runtime::BufferPtr> buffers;
      buffers.reserve(results.size());
      for (const auto& replica : results) buffers.push_back(replica[i]);
      const Ref& ref = program_.outputs()[i];
      ref.node->output(ref.output).storage =
          std::make_shared<Storage>(placement_, std::move(buffers));
    }
    release(program_.order());
  }

 private:
  void gather(const Compiled& compiled) {
    const size_t count = program_.arguments().size();
    arguments_.resize(placement_->devices().size());
    for (auto& list : arguments_) list.reserve(count + compiled.generic.size());
    for (size_t i = 0; i < count; ++i) {
      const Ref& ref = program_.arguments()[i];
      check_alive(ref);
      Storage& storage = *ref.node->output(ref.output).storage;
      for (const auto& [argument, alone] : donated_) {
        if (argument != static_cast<int>(i)) continue;
        // State moves to where it is used, so that its memory can be taken.
        if (alone) storage.move_to(placement_);
        if (!storage.is_only_on(placement_) && alone) {
          non_donatable_.push_back(argument);
          std::sort(non_donatable_.begin(), non_donatable_.end());
        }
      }
      const auto buffers = storage.on(placement_);
      for (size_t r = 0; r < buffers.size(); ++r) {
        arguments_[r].push_back(buffers[r]);
      }
    }
    for (int index : compiled.generic) {
      const DType dtype = program_.literal_dtype(index);
      const Array value = literal_array(dtype, program_.literals()[index]);
      for (size_t r = 0; r < arguments_.size(); ++r) {
        arguments_[r].push_back(
            runtime::to_device(value, placement_->devices()[r]));
      }
    }
  }

  const Program& program_;
  const Placement* placement_;
  Arguments arguments_;
  std::vector<int64_t> non_donatable_;
  std::vector<std::pair<int, bool>> donated_;
};

void evaluate_roots(std::span<const Root> roots, const Placement* placement);

void evaluate_foreign(const std::vector<Ref>& refs) {
  std::map<const Placement*, std::vector<Root>> groups;
  for (const Ref& ref : refs) {
    groups[ref.node->placement].push_back({ref, {}});
  }
  for (const auto& [placement, roots] : groups) {
    evaluate_roots(roots, placement);
  }
}

void evaluate_roots(std::span<const Root> roots, const Placement* placement) {
  for (;;) {
    const Program program(roots, placement);
    if (!program.foreign().empty()) {
      evaluate_foreign(program.foreign());
      continue;
    }
    Launch(program, roots).run();
    return;
  }
}

// A literal as data: the only leaf whose value is not in a buffer yet.
void make_readable(Node& node) {
  if (node.kind == NodeKind::literal && node.first.storage == nullptr) {
    node.first.storage = std::make_shared<Storage>(
        literal_array(node.first.spec.dtype, node.literal_bits));
  }
}

}  // namespace

void evaluate(const Ref& ref) { evaluate(std::span(&ref, 1)); }

void evaluate(std::span<const Ref> refs) {
  std::vector<Ref> pending;
  Recorder* recorder = nullptr;
  for (const Ref& ref : refs) {
    make_readable(*ref.node);
    if (ref.node->kind == NodeKind::parameter ||
        ref.node->is_pending(ref.output)) {
      pending.push_back(ref);
      recorder = ref.node->recorder;
    }
  }
  if (pending.empty()) return;
  const std::lock_guard lock(recorder->mutex());
  if (pending[0].node->kind == NodeKind::parameter) {
    const Root root{pending[0], {}};
    Program(std::span(&root, 1), nullptr);  // throws: it is symbolic
  }
  evaluate_foreign(pending);
}

void launch_step(std::vector<Root>& roots, const Placement* placement) {
  const auto end =
      std::stable_partition(roots.begin(), roots.end(), [](const Root& root) {
        make_readable(*root.ref.node);
        return root.ref.node->is_pending(root.ref.output);
      });
  if (end == roots.begin()) return;
  const std::lock_guard lock(roots[0].ref.node->recorder->mutex());
  evaluate_roots(std::span(roots.begin(), end), placement);
}

StoragePtr storage_of(const Ref& ref) {
  evaluate(ref);
  return ref.node->output(ref.output).storage;
}

}  // namespace systolic::internal::graph
