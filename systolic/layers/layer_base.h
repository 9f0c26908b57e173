// LayerBase: what a layer is. Derive from it to write one.
//
//   struct Residual : layers::LayerBase {
//     explicit Residual(int64_t units)
//         : dense_(track("dense", layers::Dense(units))) {}
//     Tensor call(Tensor x, layers::CallContext context) override { ... }
//     layers::Layer dense_;
//   };
//   auto block = layers::make<Residual>(64);   // a Layer
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/graph/variable.h"
#include "systolic/layers/input_spec.h"
#include "systolic/layers/layer.h"
#include "systolic/layers/layer_options.h"
#include "systolic/ops/random.h"

namespace systolic::internal::graph {
struct Node;
}  // namespace systolic::internal::graph

namespace systolic::layers {

// The object behind Layer handles; it is not copied.
class LayerBase : public std::enable_shared_from_this<LayerBase> {
 public:
  // From the layer's options. Throws: ValueError where its name has "/".
  explicit LayerBase(LayerOptions options = {});
  virtual ~LayerBase();
  LayerBase(const LayerBase&) = delete;
  LayerBase& operator=(const LayerBase&) = delete;

  // The class's own name, without namespaces.
  virtual std::string_view class_name() const;

  // Makes the weights for inputs of that shape (batch included, -1 unknown).
  // Called once, before the first call.
  virtual void build(const Shape& input_shape);

  // The layer's value. x has the compute dtype and satisfies the input spec.
  // Throws ValueError unless overridden, or call_all is.
  virtual Tensor call(Tensor x, CallContext context);

  // The shape of the result. Unless overridden, `call` is recorded with two
  // stand-ins for each unknown size, and what it recorded is dropped.
  virtual Shape compute_output_shape(const Shape& input_shape) const;

  // The same for several inputs or results. Unless overridden, build gets the
  // first input's shape, and call the only input there may be.
  virtual void build_all(const std::vector<Shape>& input_shapes);
  virtual std::vector<Tensor> call_all(std::vector<Tensor> inputs,
                                       CallContext context);
  virtual std::vector<Shape> compute_output_shapes(
      const std::vector<Shape>& input_shapes) const;

  // Whether masks go on to the first result, else a warning says that not.
  virtual bool supports_masking() const { return false; }
  // The mask that then goes on; unless overridden the first input's.
  virtual Tensor compute_mask(const std::vector<Tensor>& inputs,
                              const std::vector<Tensor>& masks) const;

  // These are as the handle has them (layer.h).
  const std::string& name() const;
  const std::string& path() const { return path_; }
  bool built() const { return built_; }
  bool trainable() const { return trainable_; }
  void set_trainable(bool trainable);
  const Shape& batch_input_shape() const { return batch_input_shape_; }
  const DTypePolicy& dtype_policy() const { return policy_; }

  // Weights and states of random generators, sub-layers included.
  std::vector<Variable> variables() const;
  // The weights, sub-layers included; trainable ones first in each layer.
  std::vector<Variable> weights() const;
  // Scalars: penalties of regularizers and what the last call added.
  std::vector<Tensor> losses() const;
  void clear_losses();
  // What the layer that runs now was called with; default-made outside.
  static CallContext current_context();
  static std::shared_ptr<const CallArguments> current_arguments();
  // Tracked layers under the names given to track().
  const std::vector<std::pair<std::string, Layer>>& tracked() const {
    return tracked_;
  }

 protected:
  // Makes a weight, `<path>/<name>`, before or in build(). Throws ShapeError
  // for unknown sizes, ValueError for a name that is there or a built layer.
  Variable add_weight(const WeightOptions& options);

  // A stream of random states that belongs to the layer.
  random::SeedGenerator add_seed_generator(
      std::optional<int64_t> seed = std::nullopt);

  // Takes a sub-layer in: its weights become part of this layer's. Returns
  // it. The name is the one that saved files use.
  template <class L>
  L track(std::string name, L layer) {
    track_layer(std::move(name), layer);
    return layer;
  }
  // Lets a sub-layer go.
  void untrack(const Layer& layer);

  // Adds a scalar to the loss of the step that this call belongs to. Throws
  // ShapeError for anything else.
  void add_loss(Tensor loss);

  // What inputs must satisfy from now on; checked before build and call.
  void set_input_spec(InputSpec spec) { input_spec_ = std::move(spec); }
  // The input shape to report, batch included.
  void set_batch_input_shape(Shape shape) { batch_input_shape_ = shape; }
  // Whether inputs become the compute dtype; models leave them as they are.
  void set_casts_inputs(bool casts) { casts_inputs_ = casts; }
  // The dtypes of inputs and results, and of weights.
  DType compute_dtype() const { return policy_.compute_dtype(); }
  DType variable_dtype() const { return policy_.variable_dtype(); }

  // A weight as the layer computes with it: in the compute dtype.
  Tensor value(const Variable& weight) const;

  // A message that begins with this layer's class and name.
  internal::Message error() const;
  // Where the user called or built the layer that runs now. A layer that
  // calls others for the user passes it on: `layer(Arg(x, call_site()))`.
  static SourceLocation call_site();

 private:
  friend class Layer;
  struct Weight {
    Variable variable;
    regularizers::Regularizer regularizer;
    bool may_train = true;  // as add_weight said
  };

  std::string who() const;
  Tensor require_result(Tensor result) const;
  void require_new_weight(const std::string& name) const;
  std::string full_path() const;
  void track_layer(std::string name, const Layer& layer);
  bool owns(const LayerBase& layer) const;
  void require_owned_by_caller() const;
  void require_inputs(size_t count) const;
  void require_one_input(size_t count) const;
  Tensor only(const std::vector<Tensor>& results,
              const SourceLocation& where) const;
  Tensor run(const Arg& x, const CallContext* context);
  std::vector<Tensor> run_all(const std::vector<Tensor>& inputs,
                              const CallContext* context,
                              CallArgumentsPtr arguments,
                              const SourceLocation& where);
  std::vector<Tensor> run_symbolic(const std::vector<Tensor>& inputs,
                                   const CallContext& context,
                                   bool is_context_given,
                                   const SourceLocation& where);
  std::vector<Tensor> run_inputs(std::vector<Tensor> inputs,
                                 const CallContext& context);
  void pass_mask_on(const std::vector<Tensor>& inputs, const Tensor& result,
                    const CallContext& context);
  void check_shapes(const std::vector<Shape>& input_shapes,
                    const SourceLocation& where) const;
  void ensure_built(const std::vector<Shape>& input_shapes);
  bool has_unbuilt() const;
  std::vector<Shape> record_call(const std::vector<Shape>& input_shapes) const;

  DTypePolicy policy_;
  mutable std::string name_;
  mutable std::string class_name_;
  std::string path_;
  Shape batch_input_shape_;
  InputSpec input_spec_;
  regularizers::Regularizer activity_regularizer_;
  std::vector<Weight> weights_;
  std::vector<Variable> seed_states_;
  std::vector<std::pair<std::string, Layer>> tracked_;
  std::vector<Tensor> losses_;
  // Its first call on symbolic Tensors, which whoever uses them keeps.
  std::weak_ptr<internal::graph::Node> symbolic_call_;
  int symbolic_calls_ = 0;
  bool trainable_ = true;
  bool built_ = false;
  bool casts_inputs_ = true;
  bool warned_of_mask_ = false;
};

// A handle on a new T, made from the arguments.
template <class T, class... Args>
Layer make(Args&&... args) {
  return Layer(std::make_shared<T>(std::forward<Args>(args)...));
}

}  // namespace systolic::layers
