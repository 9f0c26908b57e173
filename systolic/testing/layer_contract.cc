#include "systolic/testing/layer_contract.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "systolic/array/arrays.h"
#include "systolic/base/seed.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/ops.h"

namespace systolic::contracts {

using layers::Layer;

namespace {

Shape batched(int64_t batch, const Shape& shape) {
  Shape out = shape;
  out.insert(0, batch);
  return out;
}

// Values without pattern, the same on every machine.
Array sample(const Shape& shape, DType dtype) {
  std::mt19937 random(static_cast<unsigned>(shape.hash()));
  std::vector<float> values(static_cast<size_t>(shape.elements()));
  for (float& value : values) {
    value = static_cast<float>(random() % 2001) / 500.f - 2.f;
  }
  return cast(Array::from(values, shape), dtype);
}

bool same(const Array& a, const Array& b) {
  return a.spec() == b.spec() && array_equal(a, b);
}

bool all_finite(const Array& values) {
  const Array real = cast(values, DType::float32);
  for (const float value : real.span<float>()) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

bool any_nonzero(const Array& values) {
  const Array real = cast(values, DType::float32);
  for (const float value : real.span<float>()) {
    if (value != 0) return true;
  }
  return false;
}

class Contract {
 public:
  Contract(const LayerCase& layer_case, const layers::DTypePolicy& policy)
      : case_(layer_case), policy_(policy) {}

  void run() const {
    check_weights();
    check_shapes();
    check_training();
    check_gradients();
    check_seed();
    check_exchange();
    check_freezing();
  }

 private:
  Layer make() const { return case_.make(policy_); }

  Layer built() const {
    Layer layer = make();
    layer.build(batched(-1, case_.input_shape));
    return layer;
  }

  Tensor input(int64_t batch) const {
    return constant(
        sample(batched(batch, case_.input_shape), policy_.compute_dtype()));
  }

  void check_weights() const {
    const Layer layer = make();
    EXPECT_EQ(layer.dtype(), policy_.variable_dtype());
    EXPECT_EQ(layer.compute_dtype(), policy_.compute_dtype());
    EXPECT_TRUE(layer.weights().empty()) << "weights before it is built";
    layer.build(batched(-1, case_.input_shape));
    layer.build(batched(-1, case_.input_shape));  // does nothing
    EXPECT_TRUE(layer.built());
    EXPECT_EQ(layer.path(), layer.name());
    const std::vector<Variable> weights = layer.weights();
    ASSERT_EQ(weights.size(), case_.weights.size());
    int64_t count = 0;
    size_t trainable = 0;
    for (size_t i = 0; i < weights.size(); ++i) {
      const ExpectedWeight& expected = case_.weights[i];
      EXPECT_EQ(weights[i].name(), expected.name);
      EXPECT_EQ(weights[i].path(), layer.name() + "/" + expected.name);
      EXPECT_EQ(weights[i].shape(), expected.shape) << expected.name;
      EXPECT_EQ(weights[i].dtype(), policy_.variable_dtype()) << expected.name;
      EXPECT_EQ(weights[i].trainable(), expected.trainable) << expected.name;
      count += expected.shape.elements();
      trainable += expected.trainable ? 1 : 0;
    }
    EXPECT_EQ(layer.count_params(), count);
    EXPECT_EQ(layer.trainable_weights().size(), trainable);
    EXPECT_EQ(layer.non_trainable_weights().size(), weights.size() - trainable);
    // A layer that is called first makes the same weights.
    const Layer called = make();
    called(input(2));
    ASSERT_EQ(called.weights().size(), weights.size());
    for (size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(called.weights()[i].spec(), weights[i].spec());
    }
  }

  void check_shapes() const {
    const Layer layer = make();
    EXPECT_EQ(layer.compute_output_shape(batched(-1, case_.input_shape)),
              batched(-1, case_.output_shape));
    for (const int64_t batch : {1, 7, 8}) {
      const Shape expected = batched(batch, case_.output_shape);
      EXPECT_EQ(layer.compute_output_shape(batched(batch, case_.input_shape)),
                expected);
      for (const bool training : {false, true}) {
        const Tensor y = layer(input(batch), {.training = training});
        EXPECT_EQ(y.shape(), expected);
        EXPECT_EQ(y.dtype(), policy_.compute_dtype());
        const Array values = y.numpy();
        EXPECT_EQ(values.spec(), y.spec());
        EXPECT_TRUE(all_finite(values)) << values;
      }
    }
  }

  void check_training() const {
    const Layer layer = built();
    const Tensor x = input(8);
    const Array inference = layer(x).numpy();
    EXPECT_TRUE(same(layer(x, {.training = false}).numpy(), inference))
        << "two calls in inference differ";
    const Array training = layer(x, {.training = true}).numpy();
    const Array again = layer(x, {.training = true}).numpy();
    if (case_.random_in_training) {
      EXPECT_FALSE(same(training, inference)) << "training changes nothing";
      EXPECT_FALSE(same(training, again)) << "two draws are the same";
    } else if (case_.differs_in_training) {
      EXPECT_FALSE(same(training, inference)) << "training changes nothing";
      // To the last digits only: what training moves may be part of it.
      EXPECT_EQ(golden::difference(again, training), "");
    } else {
      EXPECT_TRUE(same(training, inference)) << "training changes the result";
    }
  }

  void check_gradients() const {
    const Layer layer = built();
    const std::vector<Variable> weights = layer.trainable_weights();
    const Tensor x = input(7);
    std::vector<Source> sources(weights.begin(), weights.end());
    if (case_.differentiable) sources.emplace_back(x);
    if (sources.empty()) return;
    GradientTape tape({.persistent = true});
    tape.watch(x);
    const Tensor y = layer(x, {.training = true});
    const Tensor weighted =
        cast(y, DType::float32) * constant(sample(y.shape(), DType::float32));
    const Tensor loss = sum(weighted);
    for (const Source& source : sources) {
      const std::string name =
          source.is_variable() ? source.variable().path() : "input";
      const Tensor gradient = gradient_of(tape, loss, source);
      ASSERT_TRUE(gradient.is_defined()) << "no gradient to " << name;
      EXPECT_EQ(gradient.spec(), source.spec()) << name;
      const Array values = gradient.numpy();
      EXPECT_TRUE(all_finite(values)) << name;
      EXPECT_TRUE(any_nonzero(values))
          << "all of the gradient to " << name << " is 0";
    }
  }

  // Undefined where the loss does not depend on the source.
  static Tensor gradient_of(GradientTape& tape, const Tensor& loss,
                            const Source& source) {
    try {
      return source.is_variable()
                 ? tape.gradient(loss, Sources(source.variable()))[0]
                 : tape.gradient(loss, Sources(source.tensor()))[0];
    } catch (const ValueError&) {
      return Tensor();
    }
  }

  void check_seed() const {
    set_random_seed(7);
    const Layer first = built();
    const Array a = first(input(7), {.training = true}).numpy();
    set_random_seed(7);
    const Layer second = built();
    const Array b = second(input(7), {.training = true}).numpy();
    EXPECT_TRUE(same(a, b)) << "the same seed gives other results";
  }

  void check_exchange() const {
    const Layer from = built();
    const Layer to = built();
    const std::vector<Array> values = from.get_weights();
    to.set_weights(values);
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_TRUE(same(to.weights()[i].numpy(), values[i]));
    }
    const Tensor x = input(7);
    EXPECT_TRUE(same(from(x).numpy(), to(x).numpy()))
        << "layers with the same weights differ";
    std::vector<Array> more = values;
    more.push_back(Array::scalar(1.f));
    EXPECT_THROW(to.set_weights(more), ValueError);
  }

  void check_freezing() const {
    const Layer layer = built();
    layer.set_trainable(false);
    EXPECT_TRUE(layer.trainable_weights().empty());
    EXPECT_EQ(layer.non_trainable_weights().size(), layer.weights().size());
    layer.set_trainable(true);
    size_t trainable = 0;
    for (const ExpectedWeight& expected : case_.weights) {
      trainable += expected.trainable ? 1 : 0;
    }
    EXPECT_EQ(layer.trainable_weights().size(), trainable);
  }

  const LayerCase& case_;
  layers::DTypePolicy policy_;
};

// A weight's path without its layer's name: kernel, query/kernel.
std::string weight_name(const Layer& layer, const Variable& weight) {
  return weight.path().substr(layer.path().size() + 1);
}

// Keras's bfloat16 gradients are sums that it rounds on the way.
golden::Tolerance gradient_tolerance(const Layer& layer,
                                     const GoldenLayerOptions& options) {
  if (layer.compute_dtype() == DType::bfloat16) return {2e-2, 8e-2};
  return options.gradients;
}

// Outputs that are rounded on the way, in another order than Keras's.
golden::Tolerance half_tolerance(const Layer& layer,
                                 const golden::Tolerance& wanted) {
  if (layer.compute_dtype() == DType::bfloat16) return {1e-2, 2e-2};
  return wanted;
}

// What a case has recorded under a name.
struct RecordedValue {
  Tensor value;
  std::string name;
  golden::Tolerance near;
};
using Values = std::vector<RecordedValue>;

void expect_recorded(const golden::Case& c, const Values& values) {
  // One program for all of them.
  std::vector<internal::graph::Ref> refs;
  for (const RecordedValue& v : values) {
    ASSERT_TRUE(v.value.is_defined()) << v.name;
    refs.push_back(v.value.ref());
  }
  internal::graph::evaluate(refs);
  for (const RecordedValue& v : values) {
    EXPECT_EQ(golden::difference(v.value.numpy(), c.array(v.name), v.near), "")
        << v.name;
  }
}

// One input is "input", several are "inputs/0" and so on.
std::vector<Tensor> recorded_inputs(const golden::Case& c) {
  if (c.has_array("input")) return {constant(c.array("input"))};
  std::vector<Tensor> inputs;
  for (int i = 0; c.has_array("inputs/" + std::to_string(i)); ++i) {
    inputs.push_back(constant(c.array("inputs/" + std::to_string(i))));
  }
  return inputs;
}

void check_golden(const golden::Case& c, const Layer& layer,
                  const GoldenLayerOptions& options) {
  const std::vector<Tensor> inputs = recorded_inputs(c);
  std::vector<Shape> shapes;
  for (const Tensor& x : inputs) shapes.push_back(x.shape());
  layer.build_all(shapes);
  const std::vector<Variable> weights = layer.weights();
  EXPECT_EQ(weights.size(), c.group("weights").size());
  for (Variable weight : weights) {
    weight.assign(c.array("weights/" + weight_name(layer, weight)));
  }
  GradientTape tape({.persistent = true});
  for (const Tensor& x : inputs) tape.watch(x);
  const bool training = c.options().get("training", false);
  const Tensor y = options.call
                       ? options.call(layer, inputs, c)
                       : layer.call_all(inputs, {.training = training})[0];
  Values values{{y, "output", half_tolerance(layer, options.output)}};
  std::vector<int64_t> shape = c.expected().at("output_shape").integers();
  EXPECT_EQ(layer.compute_output_shapes(shapes)[0],
            Shape(std::span<const int64_t>(shape)));
  const Tensor loss = sum(y * constant(c.array("output_gradient")));
  const golden::Tolerance near = gradient_tolerance(layer, options);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string name = inputs.size() == 1
                                 ? "input_gradient"
                                 : "input_gradients/" + std::to_string(i);
    if (!c.has_array(name)) continue;
    values.push_back({tape.gradient(loss, Sources(inputs[i]))[0], name, near});
  }
  for (const Variable& weight : weights) {
    const std::string name = weight_name(layer, weight);
    if (weight.trainable()) {
      values.push_back({tape.gradient(loss, Sources(weight))[0],
                        "weight_gradients/" + name, near});
    } else {
      values.push_back({weight.value(), "after/" + name, options.output});
    }
  }
  expect_recorded(c, values);
}

}  // namespace

void check_layer(const LayerCase& layer_case, SourceLocation where) {
  for (const layers::DTypePolicy& policy : layer_case.policies) {
    const ::testing::ScopedTrace trace(where.file_name(),
                                       static_cast<int>(where.line()),
                                       "dtype policy " + policy.name());
    Contract(layer_case, policy).run();
  }
}

void check_golden_layers(
    std::string_view family,
    const std::function<Layer(const golden::Value& options)>& make,
    const GoldenLayerOptions& options) {
  for (const golden::Case& c : golden::load(family)) {
    if (recorded_inputs(c).empty()) continue;  // random: its test has its own
    SCOPED_TRACE(std::string(family) + ": " + c.name());
    check_golden(c, make(c.options()), options);
  }
}

}  // namespace systolic::contracts
