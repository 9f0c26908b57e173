// Op: the one definition of an operation: shape rule, lowering, gradient.
//
//   constexpr Op<ReduceOptions> kSum{
//       .name = "sum",
//       .infer = [](Infer& in, const ReduceOptions& o) -> Specs {...},
//       .lower = [](Lower& l, const ReduceOptions& o) -> Values {...},
//       .vjp = [](Vjp& v, const ReduceOptions& o) -> Grads {...}};
//   Tensor sum(Arg x, ReduceOptions o) { return record<kSum>({x}, o,
//   x.where()); }
//
// An op without a gradient says so: `.vjp = not_differentiable("integers")`.
#pragma once

#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/graph/key.h"
#include "systolic/graph/node.h"
#include "systolic/graph/sizes.h"
#include "systolic/graph/tensor.h"
#include "systolic/platforms/capability.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::graph {

/// What an op without options has for options.
struct NoOptions {
  template <class V>
  void visit(V&&) const {}
};

/// The specs of an op's results; mostly one.
class Specs {
 public:
  Specs(const TensorSpec& spec) : first_(spec), count_(1) {}
  Specs(std::vector<TensorSpec> specs)
      : count_(static_cast<int>(specs.size())), all_(std::move(specs)) {}
  int size() const { return count_; }
  const TensorSpec& operator[](int i) const {
    return all_.empty() ? first_ : all_[i];
  }

 private:
  TensorSpec first_;
  int count_;
  std::vector<TensorSpec> all_;
};

/// What a shape rule sees.
class Infer {
 public:
  Infer(std::string_view op, std::span<const Ref> inputs,
        const SourceLocation& where)
      : op_(op), inputs_(inputs), where_(where) {}

  int size() const { return static_cast<int>(inputs_.size()); }
  const TensorSpec& operator[](int i) const { return inputs_[i].spec(); }
  const Shape& shape(int i) const { return inputs_[i].spec().shape; }
  DType dtype(int i) const { return inputs_[i].spec().dtype; }
  /// The same without the first `count` inputs.
  Infer rest(int count) const {
    return Infer(op_, inputs_.subspan(count), where_);
  }
  /// The start of an error message: the op's name and the user's line.
  Message error() const;

 private:
  std::string_view op_;
  std::span<const Ref> inputs_;
  const SourceLocation& where_;
};

using Values = std::vector<stablehlo::Value>;

/// What a lowering sees.
class Lower {
 public:
  Lower(stablehlo::Emitter& emitter, const Placement& placement,
        const Node& node, std::span<const stablehlo::Value> inputs)
      : e(emitter), placement(placement), node(node), inputs_(inputs) {}

  stablehlo::Emitter& e;
  const Placement& placement;
  const Node& node;

  const stablehlo::Value& operator[](int i) const { return inputs_[i]; }
  std::span<const stablehlo::Value> inputs() const { return inputs_; }
  const TensorSpec& result(int i = 0) const { return node.output(i).spec; }
  /// Whether input i is a C++ scalar that is written into the program; then
  /// `value` is set.
  bool is_literal(int i, int64_t& value) const;
  bool has(platforms::Capability capability) const;
  bool has_kernel(std::string_view name) const;
  /// Whether a scalar became an argument because it changed between launches.
  std::function<bool(const Node&)> literal_is_argument;
  /// Writes the values of a region (a loop body) here.
  std::function<Values(const Region&, std::span<const stablehlo::Value>)>
      write_region;

 private:
  std::span<const stablehlo::Value> inputs_;
};

using Grads = std::vector<Tensor>;

class Substitution;

/// What a gradient rule sees. It is written with public ops.
class Vjp {
 public:
  /// Of node `i` of the nodes of a walk, which may add to them meanwhile.
  Vjp(const std::vector<NodePtr>& nodes, size_t i,
      std::span<const Tensor* const> gradients, Substitution* values)
      : nodes_(nodes),
        index_(i),
        node_(*nodes[i]),
        gradients_(gradients),
        values_(values) {}

  Tensor input(int i) const;
  Tensor output(int i = 0) const;
  int num_inputs() const { return static_cast<int>(node_.inputs.size()); }
  const TensorSpec& input_spec(int i) const { return node_.inputs[i].spec(); }
  const TensorSpec& output_spec(int i = 0) const {
    return node_.output(i).spec;
  }
  /// The gradient of the target with respect to output i; zeros if unused.
  Tensor gradient(int i = 0) const;
  /// Whether the target depends on output i.
  bool has_gradient(int i) const { return gradients_[i] != nullptr; }
  /// Whether somebody asks for the gradient of input i.
  bool needs(int i) const { return needed_[i]; }
  /// Where the op was called.
  const SourceLocation& where() const { return node_.where; }

 private:
  friend class ReverseWalk;
  const std::vector<NodePtr>& nodes_;
  size_t index_;
  const Node& node_;
  std::span<const Tensor* const> gradients_;
  Substitution* values_;
  std::vector<bool> needed_;
};

/// A function that may be left out. That it is there is a constant of its own:
/// under -fsanitize=undefined an address is none.
template <class F>
struct OptionalFunction {
  constexpr OptionalFunction() = default;
  template <class G>
  requires std::convertible_to<G, F>
  constexpr OptionalFunction(G g) : function(g), is_given(true) {}
  F function = nullptr;
  bool is_given = false;
};

/// The gradient rule of an op, or why it has none.
template <class Options>
struct VjpRule : OptionalFunction<Grads (*)(Vjp&, const Options&)> {
  using OptionalFunction<Grads (*)(Vjp&, const Options&)>::OptionalFunction;
  std::string_view reason = {};
};

struct NotDifferentiable {
  std::string_view reason;
  template <class Options>
  constexpr operator VjpRule<Options>() const {
    VjpRule<Options> rule;
    rule.reason = reason;
    return rule;
  }
};

/// Says that an op has no gradient, and why.
constexpr NotDifferentiable not_differentiable(std::string_view reason) {
  return {reason};
}

/// Which values a gradient rule reads (bit i: input or output i): only these
/// are kept when a launch happens between the forward pass and the gradient.
struct Residuals {
  uint32_t inputs = ~0u;
  uint32_t outputs = ~0u;
};

/// An input or an output of an op.
enum class Side : uint8_t { input, output };

/// Bodies in place of those that an op's options hold.
using Regions = std::vector<std::shared_ptr<const Region>>;

template <class Options = NoOptions>
struct Op {
  std::string_view name;
  Specs (*infer)(Infer&, const Options&);
  Values (*lower)(Lower&, const Options&);
  VjpRule<Options> vjp;
  Residuals residuals = {};
  /// The bodies of a control-flow op, which its options hold.
  Regions Options::*regions = nullptr;
  /// In place of residuals, where the options decide what the rule reads.
  OptionalFunction<bool (*)(const Options&, Side side, int i)> reads = {};
};

/// An op with the type of its options erased.
struct OpDef {
  std::string_view name;
  Specs (*infer)(Infer&, const void*);
  Values (*lower)(Lower&, const void*);
  Grads (*vjp)(Vjp&, const void*);
  std::string_view not_differentiable;
  Residuals residuals;
  void (*write_key)(const void*, KeyWriter&);
  /// The options with other sizes in place of those that stand for them.
  std::shared_ptr<const void> (*with_sizes)(const void*, const Sizes&);
  const Regions& (*regions)(const void*);
  bool (*reads)(const void*, Side, int);
  /// The options with other bodies.
  std::shared_ptr<const void> (*with_regions)(const void*, Regions);
};

/// Whether the gradient rule of a node reads its input or output i.
inline bool rule_reads(const OpDef& op, const void* options, Side side,
                       size_t i) {
  if (op.reads != nullptr) {
    return op.reads(options, side, static_cast<int>(i));
  }
  // The last bit stands for all that have none of their own.
  const uint32_t mask =
      side == Side::input ? op.residuals.inputs : op.residuals.outputs;
  return (mask >> (i < 31 ? i : 31) & 1u) != 0;
}

template <class Options>
const Options& options_of(const void* options) {
  return *static_cast<const Options*>(options);
}

template <class T>
struct OptionsOf;
template <class O>
struct OptionsOf<const Op<O>> {
  using type = O;
};

template <const auto& op>
constexpr OpDef erase() {
  using Options =
      typename OptionsOf<std::remove_reference_t<decltype(op)>>::type;
  static_assert(op.vjp.is_given || !op.vjp.reason.empty(),
                "an op needs .vjp: a gradient rule, or "
                "not_differentiable(\"why\")");
  OpDef def{
      .name = op.name,
      .infer =
          [](Infer& in, const void* o) {
            return op.infer(in, options_of<Options>(o));
          },
      .lower =
          [](Lower& l, const void* o) {
            return op.lower(l, options_of<Options>(o));
          },
      .vjp = nullptr,
      .not_differentiable = op.vjp.reason,
      .residuals = op.residuals,
      .write_key = [](const void* o,
                      KeyWriter& key) { options_of<Options>(o).visit(key); },
      .with_sizes = [](const void* o,
                       const Sizes& sizes) -> std::shared_ptr<const void> {
        auto copy = std::make_shared<Options>(options_of<Options>(o));
        copy->visit(SizeWriter(sizes));
        return copy;
      },
      .regions = nullptr,
      .reads = nullptr,
      .with_regions = nullptr};
  if constexpr (op.vjp.is_given) {
    def.vjp = [](Vjp& v, const void* o) {
      return op.vjp.function(v, options_of<Options>(o));
    };
  }
  if constexpr (op.regions != nullptr) {
    def.regions = [](const void* o) -> const Regions& {
      return options_of<Options>(o).*op.regions;
    };
    def.with_regions = [](const void* o,
                          Regions regions) -> std::shared_ptr<const void> {
      auto copy = std::make_shared<Options>(options_of<Options>(o));
      (*copy).*op.regions = std::move(regions);
      return copy;
    };
  }
  if constexpr (op.reads.is_given) {
    def.reads = [](const void* o, Side side, int i) {
      return op.reads.function(options_of<Options>(o), side, i);
    };
  }
  return def;
}

/// The erased definition of an op: its identity.
template <const auto& op>
inline constexpr OpDef kDefinition = erase<op>();

/// Appends a node to the graph; checks shapes and dtypes.
NodePtr record(const OpDef& op, Refs inputs,
               std::shared_ptr<const void> options,
               const SourceLocation& where);

template <class Options>
std::shared_ptr<const void> share_options(Options&& options) {
  using Plain = std::remove_cvref_t<Options>;
  if constexpr (std::is_empty_v<Plain>) {
    static const auto none = std::make_shared<const Plain>();
    return none;
  } else {
    return std::make_shared<const Plain>(std::forward<Options>(options));
  }
}

/// Records an op with one result.
template <const auto& op, class Options = NoOptions>
Tensor record(std::initializer_list<RefView> inputs, Options options,
              const SourceLocation& where) {
  return Tensor(Ref{record(kDefinition<op>, Refs(inputs),
                           share_options(std::move(options)), where),
                    0});
}

/// Records an op with several results, or inputs in a vector.
template <const auto& op, class Options = NoOptions>
std::vector<Tensor> record_all(std::vector<Ref> inputs, Options options,
                               const SourceLocation& where) {
  const NodePtr node = record(kDefinition<op>, std::move(inputs),
                              share_options(std::move(options)), where);
  std::vector<Tensor> results;
  for (int i = 0; i < node->num_outputs; ++i) {
    results.push_back(Tensor(Ref{node, i}));
  }
  return results;
}

}  // namespace systolic::internal::graph
