#include "systolic/graph/program.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "systolic/base/message.h"
#include "systolic/graph/name_scope.h"
#include "systolic/graph/op.h"
#include "systolic/graph/tape_state.h"

namespace systolic::internal::graph {

namespace {

// Tags that begin the words of each thing in a key.
enum Tag : uint64_t { kArgument = 1, kLiteral, kParameter, kBody, kOutputs };

}  // namespace

Program::Program(std::span<const Root> roots, const Placement* placement)
    : placement_(placement), visit_(next_visit()) {
  key_.reserve(2048);
  // A program for one device runs on every device of the client.
  if (placement != nullptr) {
    key_.push_back(placement->is_replicated()
                       ? reinterpret_cast<uintptr_t>(placement)
                       : reinterpret_cast<uintptr_t>(&placement->client()));
  }
  in_step_ = roots.empty() || roots[0].ref.node->in_step;
  walk_roots(roots);
  if (!foreign_.empty()) return;

  structure_size_ = key_.size();
  collect_outputs(roots);
  pair_donations(roots);
  key_.push_back(kOutputs);
  for (const Ref& ref : outputs_) key_.push_back(number(ref));
  for (const Donation& donation : donations_) {
    key_.push_back(static_cast<uint64_t>(donation.argument) << 32 |
                   static_cast<uint64_t>(donation.output));
  }
  for (const Ref& ref : outputs_) ref.node->output(ref.output).slot = -1;
}

namespace {

// Whether operations that are not in the program, but pending too, are made of
// a value of it. It is kept for them: they would else compute it again, each
// time in a larger program, as what a loop assigns to a Variable that it never
// looks at. What a tape holds is the tape's to say.
bool is_needed_later(const Ref& ref) {
  const Output& output = ref.node->output(ref.output);
  if (ref.node->num_outputs > 1) return output.consumers.load() > output.uses;
  return ref.node.use_count() > output.uses + 1;  // and the list of candidates
}

}  // namespace

void Program::collect_outputs(std::span<const Root> roots) {
  for (const Root& root : roots) add_output(root.ref);
  for (const auto& [ref, is_sure] : looked_at_) {
    if (is_sure || is_needed_later(ref)) add_output(ref);
  }
  looked_at_.clear();
}

// What somebody may ask for after the launch.
void Program::note_outputs(const NodePtr& node) {
  for (int i = 0; i < node->num_outputs; ++i) {
    const Output& output = node->output(i);
    if (output.storage != nullptr) continue;
    const bool is_sure = output.handles.load(std::memory_order_relaxed) > 0 ||
                         output.wanted_by_tape;
    if (is_sure || (!in_step_ && node->taped == 0)) {
      looked_at_.push_back({Ref{node, i}, is_sure});
    }
  }
}

void Program::walk_roots(std::span<const Root> roots) {
  // The tapes are this thread's: they have no nodes of other recorders.
  std::optional<WantedByTapes> wanted;
  if (!roots.empty() && roots[0].ref.node->recorder == &Recorder::current()) {
    wanted.emplace();
  }
  for (const Root& root : roots) walk(root.ref, order_, false);
}

void Program::add_output(const Ref& ref) {
  int32_t& slot = ref.node->output(ref.output).slot;
  if (slot >= 0) return;
  slot = static_cast<int32_t>(outputs_.size());
  outputs_.push_back(ref);
}

int Program::argument_of(const Ref& ref) const {
  if (ref.node == nullptr) return -1;
  const DataEntry* found = data_.find(ref);
  return found == nullptr ? -1 : found->argument;
}

void Program::pair_donations(std::span<const Root> roots) {
  std::vector<int> held(arguments_.size(), 0);
  std::vector<bool> taken(outputs_.size(), false);
  for (const Root& root : roots) {
    const int argument = argument_of(root.replaces);
    if (argument < 0 || held[argument]++ > 0) continue;
    const int output = root.ref.node->output(root.ref.output).slot;
    if (taken[output] || root.replaces == root.ref ||
        root.replaces.spec() != root.ref.spec()) {
      continue;
    }
    taken[output] = true;
    donations_.push_back({argument, output});
  }
  for (Donation& donation : donations_) {
    donation.held = held[donation.argument];
  }
}

namespace {

bool is_data(const Ref& ref) {
  const NodeKind kind = ref.node->kind;
  return kind == NodeKind::data ||
         (kind == NodeKind::operation && !ref.node->is_pending(ref.output));
}

}  // namespace

// The number of a value: its node's, and which output of it.
uint64_t Program::number(const Ref& ref) const {
  if (is_data(ref)) {
    return static_cast<uint64_t>(data_.find(ref)->number) << 32;
  }
  return static_cast<uint64_t>(ref.node->number) << 32 |
         static_cast<uint64_t>(ref.output);
}

void Program::visit_data(const Ref& ref) {
  const auto [entry, is_new] = data_.insert(ref.node.get(), ref.output);
  if (!is_new) return;
  *entry = {count_, static_cast<int>(arguments_.size())};
  key_.push_back(kArgument);
  KeyWriter(key_).add(ref.spec());
  arguments_.push_back(ref);
  uses_.push_back(1);
  ++count_;
}

void Program::number_leaf(const NodePtr& node) {
  if (node->kind == NodeKind::literal) {
    literal_nodes_.push_back(node.get());
    literals_.push_back(node->literal_bits);
    literal_dtypes_.push_back(node->first.spec.dtype);
    key_.push_back(kLiteral);
    key_.push_back(static_cast<uint64_t>(node->first.spec.dtype));
  } else {
    key_.push_back(kParameter);
    KeyWriter(key_).add(node->first.spec);
  }
  node->number = count_++;
}

void Program::count_uses(std::span<const Ref> refs) {
  for (const Ref& ref : refs) {
    if (!is_data(ref)) {
      if (ref.node->kind != NodeKind::operation) continue;
      ++ref.node->output(ref.output).uses;
    } else if (const DataEntry* found = data_.find(ref)) {
      ++uses_[found->argument];
    }
  }
}

void Program::walk(const Ref& root, std::vector<Node*>& order, bool in_region) {
  struct Frame {
    const NodePtr* node;
    size_t next;
  };
  std::vector<Frame> stack;
  const auto visit = [&](const Ref& ref) {
    Node* node = ref.node.get();
    if (is_data(ref)) return visit_data(ref);
    if (node->visit == visit_) return;
    if (node->kind == NodeKind::literal) {
      node->visit = visit_;
      number_leaf(ref.node);
      return;
    }
    if (node->kind == NodeKind::parameter) {
      if (in_region) {
        // Parameters of the body were numbered before it was walked, so
        // this one belongs to a loop that is not being written.
        Message("loop body")
            .rule("a value of one loop body is used in another")
            .hint("return the value from the loop, or assign it to a Variable")
            .raise<ValueError>();
      }
      Message("Tensor")
          .expected("a value that can be computed")
          .got("a symbolic one, made by Input or inside a loop body")
          .hint("call the model with data, or read the value after the loop")
          .raise<ValueError>();
    }
    if (node->placement != placement_ || (in_step_ && !node->in_step)) {
      foreign_.push_back(ref);
      return;
    }
    node->visit = visit_;
    for (int i = 0; i < node->num_outputs; ++i) node->output(i).uses = 0;
    stack.push_back({&ref.node, 0});
  };
  visit(root);
  while (!stack.empty()) {
    Frame& frame = stack.back();
    const NodePtr& node = *frame.node;
    if (frame.next < node->inputs.size()) {
      visit(node->inputs[frame.next++]);
      continue;
    }
    stack.pop_back();
    enter(node.get(), order);
    if (!in_region) note_outputs(node);
  }
}

void Program::enter(Node* node, std::vector<Node*>& order) {
  // Addresses have 48 bits: the number of inputs fits above.
  key_.push_back(reinterpret_cast<uintptr_t>(node->op) |
                 static_cast<uint64_t>(node->inputs.size()) << 48);
  for (const Ref& input : node->inputs) key_.push_back(number(input));
  KeyWriter writer(key_);
  node->op->write_key(node->options.get(), writer);
  node->number = count_++;
  if (node->op->regions != nullptr) {
    for (const auto& region : node->op->regions(node->options.get())) {
      enter_region(*region);
    }
  }
  order.push_back(node);
  count_uses(std::span(node->inputs.data(), node->inputs.size()));
}

void Program::enter_region(const Region& region) {
  key_.push_back(kBody);
  key_.push_back(region.parameters.size() << 32 | region.results.size());
  for (const NodePtr& parameter : region.parameters) {
    parameter->visit = visit_;
    number_leaf(parameter);
  }
  std::vector<Node*> body;
  for (const Ref& result : region.results) walk(result, body, true);
  for (const Ref& result : region.results) key_.push_back(number(result));
  count_uses(region.results);
  count_uses(region.captures);
  bodies_[&region] = std::move(body);
}

// Writes a Program's text.
class ProgramWriter {
 public:
  ProgramWriter(const Program& program, std::span<const int> generic,
                bool with_places = false)
      : program_(program),
        with_places_(with_places),
        e_("main", program.placement_->num_replicas()),
        values_(program.count_) {
    std::vector<int> alias(program.arguments_.size(), -1);
    for (const Program::Donation& donation : program.donations_) {
      alias[donation.argument] = donation.output;
    }
    for (size_t i = 0; i < program.arguments_.size(); ++i) {
      const Ref& ref = program.arguments_[i];
      values_[program.number(ref) >> 32] = {e_.argument(ref.spec(), alias[i])};
    }
    for (int index : generic) {
      const Node* node = program.literal_nodes_[index];
      generic_[node] = e_.argument(node->first.spec);
    }
  }

  std::string write() {
    write_nodes(program_.order_);
    std::vector<stablehlo::Value> results;
    for (const Ref& ref : program_.outputs_) results.push_back(value(ref));
    e_.finish(results);
    return e_.module();
  }

 private:
  stablehlo::Value value(const Ref& ref) {
    const Node& node = *ref.node;
    if (node.kind == NodeKind::literal) {
      const auto found = generic_.find(&node);
      if (found != generic_.end()) return found->second;
      if (node.literal_is_float) {
        return e_.splat(node.first.spec,
                        std::bit_cast<double>(node.literal_bits));
      }
      return e_.splat_integer(node.first.spec,
                              static_cast<int64_t>(node.literal_bits));
    }
    const uint64_t number = program_.number(ref);
    const Values& values = values_[number >> 32];
    return values[values.size() == 1 ? 0 : number & 0xffffffff];
  }

  void write_nodes(const std::vector<Node*>& order) {
    for (Node* node : order) {
      std::vector<stablehlo::Value> inputs;
      inputs.reserve(node->inputs.size());
      for (const Ref& input : node->inputs) inputs.push_back(value(input));
      Lower lower(e_, *program_.placement_, *node, inputs);
      lower.literal_is_argument = [this](const Node& literal) {
        return generic_.count(&literal) != 0;
      };
      lower.write_region = [this, node](
                               const Region& region,
                               std::span<const stablehlo::Value> given) {
        for (size_t i = 0; i < region.parameters.size(); ++i) {
          values_[region.parameters[i]->number] = {given[i]};
        }
        write_nodes(program_.bodies_.at(&region));
        Values results;
        for (const Ref& result : region.results) {
          results.push_back(value(result));
        }
        if (with_places_) set_place(*node);  // that of its body no longer
        return results;
      };
      if (with_places_) set_place(*node);
      Values results = node->op->lower(lower, node->options.get());
      check(*node, results);
      values_[node->number] = std::move(results);
    }
  }

  void set_place(const Node& node) {
    const ScopeName& scope = NameScope::of(node.scope);
    std::string name = scope.name.empty() ? "" : scope.name + "/";
    name += node.op->name;
    const bool is_users = !place_text(node.where).empty();
    const SourceLocation& where = is_users ? node.where : scope.where;
    const std::string place = place_text(where);
    const std::string file = place.substr(0, place.rfind(':'));
    e_.set_place(name, file, where.line());
  }

  // The op contract in production: a lowering that disagrees with its shape
  // rule would else show as a compile error far from its cause.
  static void check(const Node& node, const Values& results) {
    for (int i = 0; i < node.num_outputs; ++i) {
      if (i < static_cast<int>(results.size()) &&
          results[i].spec == node.output(i).spec) {
        continue;
      }
      Message(std::string(node.op->name))
          .rule("the lowering gives ",
                i < static_cast<int>(results.size())
                    ? results[i].spec.to_string()
                    : std::string("nothing"),
                " where the shape rule says ", node.output(i).spec)
          .hint("this is a fault of the op's definition; please report it")
          .at(node.where)
          .raise<InternalError>();
    }
  }

  const Program& program_;
  bool with_places_;
  stablehlo::Emitter e_;
  std::vector<Values> values_;
  std::unordered_map<const Node*, stablehlo::Value> generic_;
};

std::string Program::emit(std::span<const int> generic) const {
  return ProgramWriter(*this, generic).write();
}

std::string Program::emit_with_places() const {
  return ProgramWriter(*this, {}, true).write();
}

}  // namespace systolic::internal::graph
