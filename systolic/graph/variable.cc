#include "systolic/graph/variable.h"

#include <ostream>

#include "systolic/base/message.h"
#include "systolic/base/null.h"
#include "systolic/graph/aggregate.h"
#include "systolic/graph/context.h"
#include "systolic/graph/device.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/intrinsics.h"
#include "systolic/graph/planning.h"
#include "systolic/graph/tape_state.h"

namespace systolic {

using internal::Message;
namespace graph = internal::graph;

namespace {

std::shared_ptr<graph::VariableState> make_state(Tensor initial,
                                                 VariableOptions options) {
  auto state = graph::make_variable_state();
  state->spec = initial.spec();
  state->name = options.name.empty() ? "variable" : std::move(options.name);
  state->path = state->name;
  state->trainable = options.trainable;
  state->synchronization = options.synchronization;
  state->aggregation = options.aggregation;
  state->placement = graph::variable_placement();
  if (auto* planning = graph::Planning::current()) {
    if (planning->stands_in(state, initial)) return state;
  }
  initial = graph::brought_home(*state, graph::without_tape(initial));
  // State is an argument of programs, whatever its first value was.
  if (initial.ref().node->kind == graph::NodeKind::literal) {
    initial = graph::as_data(initial);
  } else if (initial.ref().node->kind == graph::NodeKind::data) {
    // A leaf of its own: a step tells variables apart by their leaves.
    const auto& [node, output] = initial.ref();
    initial = Tensor(graph::Ref{
        graph::make_data(node->output(output).storage, state->spec), 0});
  }
  state->current = std::move(initial);
  return state;
}

}  // namespace

Variable::Variable(Arg initial, VariableOptions options) {
  const graph::Context& here = graph::context();
  const Tensor value = initial.tensor();
  const auto& node = *value.ref().node;
  if (here.in_step && node.in_step && node.is_pending(value.ref().output)) {
    Message("Variable \"" + options.name + "\"")
        .rule("its first value is computed inside ", here.step_name,
              ", but state is made before the step runs")
        .hint(
            "make it before the step, or give a function that makes the "
            "first value from constants")
        .at(initial.where())
        .raise<ValueError>();
  }
  state_ = make_state(value, std::move(options));
}

Variable::Variable(const std::function<Tensor()>& initializer,
                   VariableOptions options) {
  internal::require_function(initializer, "Variable \"" + options.name + "\"");
  const graph::OutsideSteps outside;
  state_ = make_state(initializer(), std::move(options));
}

const TensorSpec& Variable::spec() const {
  if (state_ == nullptr) {
    Message("Variable")
        .expected("a Variable that holds state")
        .got("an undefined one (Variable())")
        .hint("build the layer first, or give it an input shape")
        .raise<ValueError>();
  }
  return state_->spec;
}

const std::string& Variable::name() const { return spec(), state_->name; }
const std::string& Variable::path() const { return spec(), state_->path; }
void Variable::set_path(std::string path) {
  spec();
  state_->path = std::move(path);
}
bool Variable::trainable() const { return spec(), state_->trainable; }
void Variable::set_trainable(bool trainable) {
  spec();
  state_->trainable = trainable;
}
VariableSynchronization Variable::synchronization() const {
  return spec(), state_->synchronization;
}
VariableAggregation Variable::aggregation() const {
  return spec(), state_->aggregation;
}

std::string Variable::device() const {
  spec();
  return graph::device_name(state_->placement->devices().front());
}

Tensor Variable::value(SourceLocation where) const {
  spec();
  return graph::read_variable(state_, where);
}

namespace {

// The value in the variable's dtype. Throws ShapeError for another shape.
Tensor fitted(const Variable& variable, const Arg& value) {
  const TensorSpec& wanted = variable.spec();
  graph::require_alive(*variable.state(), value.where());
  Tensor taken = value.tensor(wanted.dtype);
  if (taken.shape() != wanted.shape) {
    Message("Variable \"" + variable.path() + "\"")
        .expected("a value of shape ", wanted.shape)
        .got(taken.shape())
        .detail("variable", wanted)
        .detail("value", taken.spec())
        .at(value.where())
        .raise<ShapeError>();
  }
  if (taken.dtype() != wanted.dtype) {
    taken = graph::convert(Arg(taken, value.where()), wanted.dtype);
  }
  return taken;
}

// The variable plus, or minus, what the replicas together assign.
void move_by(const Variable& variable, const Arg& delta,
             Tensor (*apply)(const Arg&, const Arg&)) {
  const SourceLocation& where = delta.where();
  const Arg old(variable.value(where), where);
  const auto& state = variable.state();
  const graph::AtHome home(*state);
  Tensor moved;
  if (graph::is_aggregated(*state)) {
    const Tensor all =
        graph::aggregated(*state, delta.tensor(variable.dtype()), where);
    moved = apply(old, Arg(all, where));
  } else {
    moved = apply(old, delta);
  }
  graph::write_variable(state, fitted(variable, Arg(moved, where)), where);
}

}  // namespace

void Variable::assign(Arg value) {
  Tensor taken = fitted(*this, value);
  if (graph::is_aggregated(*state_)) {
    taken = graph::aggregated(*state_, taken, value.where());
  }
  graph::write_variable(state_, std::move(taken), value.where());
}

void Variable::assign_add(Arg delta) { move_by(*this, delta, graph::add); }

void Variable::assign_sub(Arg delta) { move_by(*this, delta, graph::subtract); }

namespace {

void check_readable(const Variable& variable, const SourceLocation& where) {
  const graph::Context& here = graph::context();
  if (!here.in_step) return;
  Message("Variable \"" + variable.path() + "\"")
      .rule("its value can not be read inside ", here.step_name,
            ": code there runs when it is recorded, the value exists when it "
            "is launched")
      .hint("use the Variable itself in ops, or read it after the step")
      .at(where)
      .raise<ValueError>();
}

}  // namespace

Array Variable::numpy(SourceLocation where) const {
  spec();
  check_readable(*this, where);
  return graph::read_variable(state_, where).numpy(where);
}

std::vector<Array> Variable::replica_values(SourceLocation where) const {
  spec();
  check_readable(*this, where);
  graph::require_alive(*state_, where);
  const auto storage = graph::storage_of(state_->current.ref());
  if (storage->is_stand_in()) graph::refuse_read(where);
  std::vector<Array> values = storage->replicas();
  // State that no step has used yet is one value: the same for all, or what
  // the parts must add up to.
  const bool is_sum = synchronization() == VariableSynchronization::on_read &&
                      aggregation() == VariableAggregation::sum;
  const Array other = is_sum ? Array::zeros(shape(), dtype()) : values.front();
  while (values.size() <
         static_cast<size_t>(state_->placement->num_replicas())) {
    values.push_back(other);
  }
  return values;
}

std::ostream& operator<<(std::ostream& out, const PrintedVariable& printed) {
  const Variable& variable = printed.variable;
  const std::string value = variable.numpy(printed.where).to_string();
  return out << "<Variable path=" << variable.path()
             << ", shape=" << variable.shape().to_string()
             << ", dtype=" << name(variable.dtype()) << ", value=" << value
             << ">";
}

}  // namespace systolic
