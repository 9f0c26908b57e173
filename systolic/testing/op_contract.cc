#include "systolic/testing/op_contract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "systolic/array/arrays.h"
#include "systolic/graph/evaluate.h"
#include "systolic/graph/step.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/contract_numbers.h"
#include "systolic/testing/contract_samples.h"

namespace systolic::contracts {

using internal::graph::OpDef;
using internal::graph::Placement;
using internal::graph::Ref;

namespace {

constexpr double kStep = 1e-4;  // of the finite differences, in float64
constexpr int kReplicas = 8;

// A sample's recorded results, then their values: of each replica, if there
// are several.
struct Outcome {
  const OpSample* sample = nullptr;
  Tensors results;
  std::vector<Arrays> values = {};
};

// Compares what the plugin says of a buffer with what was inferred.
void check_spec(const OpSample& sample, const Tensor& result) {
  const auto storage = internal::graph::storage_of(result.ref());
  if (storage->placement() == nullptr) return;
  const auto buffer = storage->on(storage->placement())[0];
  const std::vector<int64_t> dims = buffer->pjrt().dims();
  const TensorSpec real{buffer->pjrt().dtype(),
                        Shape(std::span<const int64_t>(dims))};
  EXPECT_EQ(real, result.spec())
      << title(sample) << ": the device has " << real.to_string()
      << " where the shape rule says " << result.spec().to_string();
}

void read(Outcome& outcome) {
  outcome.values.assign(1, {});
  for (const Tensor& result : outcome.results) {
    check_spec(*outcome.sample, result);
    outcome.values[0].push_back(result.numpy());
  }
}

// Computes all outcomes in one launch; those that fail, by themselves, so
// that the failure has a name.
void evaluate(std::vector<Outcome>& outcomes) {
  std::vector<Ref> refs;
  for (const Outcome& outcome : outcomes) {
    for (const Tensor& result : outcome.results) refs.push_back(result.ref());
  }
  try {
    internal::graph::evaluate(refs);
  } catch (const std::exception&) {
    // Told below, sample by sample.
  }
  std::erase_if(outcomes, [](Outcome& outcome) {
    try {
      read(outcome);
      return false;
    } catch (const std::exception& error) {
      ADD_FAILURE() << title(*outcome.sample)
                    << " does not run: " << error.what();
      return true;
    }
  });
}

Tensors to_tensors(const Arrays& inputs) {
  Tensors tensors;
  for (const Array& input : inputs) tensors.push_back(constant(input));
  return tensors;
}

// The sum of all results, weighted, plus that of the sources: so it depends
// on every source, whether the results do or not.
Tensor weighted_sum(const Tensors& results, int salt) {
  Tensor total;
  for (const Tensor& result : results) {
    if (!result.is_defined() || !is_inexact(result.dtype())) continue;
    const Tensor part = weighted(result, salt++);
    total = total.is_defined() ? total + part : part;
  }
  return total;
}

Tensors sources_of(const OpSample& sample, const Tensors& inputs) {
  Tensors sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_source(sample, static_cast<int>(i))) sources.push_back(inputs[i]);
  }
  return sources;
}

// A target that every source takes part in.
Tensor target_of(const Tensors& results, const Tensors& sources, int salt) {
  Tensor total = weighted_sum(sources, salt + 1000);
  const Tensor part = weighted_sum(results, salt);
  return part.is_defined() ? total + part : total;
}

// The same on the host.
double host_target(const Arrays& results, const Arrays& sources, int salt) {
  double total = 0;
  int source_salt = salt + 1000;
  for (const Array& source : sources) {
    total += inner(source, weights(source.spec(), source_salt++));
  }
  for (const Array& result : results) {
    if (!is_inexact(result.dtype())) continue;
    total += inner(result, weights(result.spec(), salt++));
  }
  return total;
}

// What is differentiated: the call itself, or its first gradients.
enum class Order { value, gradient, second };

constexpr int salt_of(Order order) { return order == Order::value ? 1 : 100; }

Tensors gradients(const OpSample& sample, const Tensors& inputs) {
  const Tensors sources = sources_of(sample, inputs);
  GradientTape tape;
  for (const Tensor& source : sources) tape.watch(source);
  const Tensors results = sample.call(inputs);
  return tape.gradient(target_of(results, sources, salt_of(Order::value)),
                       sources);
}

Tensors second_gradients(const OpSample& sample, const Tensors& inputs) {
  const Tensors sources = sources_of(sample, inputs);
  GradientTape tape;
  for (const Tensor& source : sources) tape.watch(source);
  const Tensors first = gradients(sample, inputs);
  return tape.gradient(target_of(first, sources, salt_of(Order::gradient)),
                       sources);
}

Tensors record(const OpSample& sample, Order order, const Tensors& inputs) {
  switch (order) {
    case Order::value:
      return sample.call(inputs);
    case Order::gradient:
      return gradients(sample, inputs);
    default:
      return second_gradients(sample, inputs);
  }
}

const char* words(Order order) {
  constexpr const char* kWords[] = {"value", "gradient", "second gradient"};
  return kWords[static_cast<int>(order)];
}

bool takes_part(const OpSample& sample, Order order) {
  // What is only for integers has no exact run in float64.
  if (order == Order::value) return claims(sample, exact_dtype(sample));
  bool any = false;
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    any |= is_source(sample, static_cast<int>(i));
  }
  return any && sample.gradient &&
         (order == Order::gradient || sample.second_gradient);
}

// The sample's inputs, with input `moved` moved along its direction.
Arrays moved_inputs(const OpSample& sample, int moved, double distance) {
  Arrays inputs = sample.inputs;
  if (moved < 0 || moved >= static_cast<int>(inputs.size()) ||
      !is_source(sample, moved)) {
    return inputs;
  }
  Array& input = inputs[static_cast<size_t>(moved)];
  input = input + weights(input.spec(), 7 + moved) * distance;
  return inputs;
}

// Runs samples with one input moved and gives the outcomes.
using Run = std::function<std::vector<Outcome>(Order, int, double)>;

std::vector<Outcome> run_on_one(std::span<const OpSample> samples, Order order,
                                int moved, double distance) {
  std::vector<Outcome> outcomes;
  for (const OpSample& sample : samples) {
    if (!takes_part(sample, order)) continue;
    try {
      const Tensors inputs = to_tensors(moved_inputs(sample, moved, distance));
      outcomes.push_back({&sample, record(sample, order, inputs)});
    } catch (const std::exception& error) {
      if (moved < 0) {
        ADD_FAILURE() << title(sample) << ", " << words(order) << ": "
                      << error.what();
      }
    }
  }
  evaluate(outcomes);
  return outcomes;
}

// The same by eight replicas, each with its own multiple of the inputs.
std::vector<Outcome> run_on_replicas(std::span<const OpSample> samples,
                                     Order order, int moved, double distance) {
  std::vector<Outcome> outcomes;
  Tensors all;
  internal::graph::Step step(
      Placement::replicas(internal::runtime::Client::open(
                              {.platform = "cpu", .device_count = kReplicas})
                              .devices()),
      "op_contract");
  for (const OpSample& sample : samples) {
    if (!sample.replicated || !takes_part(sample, order)) continue;
    Tensors inputs = to_tensors(moved_inputs(sample, moved, distance));
    for (Tensor& input : inputs) {
      if (!is_typed(input.dtype())) continue;
      const Tensor place = cast(replica_id_in_sync_group(), DType::float64);
      // Not linear, so that no two replicas are alike in any op.
      input = input + place * 0.25 + sin(place);
    }
    outcomes.push_back({&sample, record(sample, order, inputs)});
    for (const Tensor& result : outcomes.back().results) all.push_back(result);
  }
  if (all.empty()) return {};
  step.commit(all);
  for (Outcome& outcome : outcomes) {
    outcome.values.resize(kReplicas);
    for (const Tensor& result : outcome.results) {
      const auto replicas =
          internal::graph::storage_of(result.ref())->replicas();
      for (size_t r = 0; r < replicas.size(); ++r) {
        outcome.values[r].push_back(replicas[r]);
      }
    }
  }
  return outcomes;
}

// What the target is, all replicas together.
double total(const Outcome& outcome, Order order, int moved, double distance) {
  const OpSample& sample = *outcome.sample;
  Arrays sources;
  const Arrays inputs = moved_inputs(sample, moved, distance);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_source(sample, static_cast<int>(i))) sources.push_back(inputs[i]);
  }
  double result = 0;
  for (const Arrays& values : outcome.values) {
    result += host_target(values, sources, salt_of(order));
  }
  return result;
}

// The change of the target along the direction, as the gradient has it.
double slope(const Outcome& gradient, int moved) {
  const OpSample& sample = *gradient.sample;
  int place = 0;
  for (int i = 0; i < moved; ++i) place += is_source(sample, i) ? 1 : 0;
  double result = 0;
  for (const Arrays& values : gradient.values) {
    const Array& value = values[static_cast<size_t>(place)];
    result += inner(value, weights(value.spec(), 7 + moved));
  }
  return result;
}

// Compares the next order's gradients with differences of this order.
void check_differences(const Run& run, Order order) {
  const Order next = order == Order::value ? Order::gradient : Order::second;
  const std::vector<Outcome> exact = run(next, -1, 0);
  size_t most = 0;
  for (const Outcome& outcome : exact) {
    most = std::max(most, outcome.sample->inputs.size());
  }
  const auto find = [](const std::vector<Outcome>& outcomes,
                       const OpSample* sample) {
    for (const Outcome& outcome : outcomes) {
      if (outcome.sample == sample) return &outcome;
    }
    return static_cast<const Outcome*>(nullptr);
  };
  for (int moved = 0; moved < static_cast<int>(most); ++moved) {
    const auto above = run(order, moved, kStep);
    const auto below = run(order, moved, -kStep);
    for (const Outcome& outcome : exact) {
      const OpSample& sample = *outcome.sample;
      if (moved >= static_cast<int>(sample.inputs.size()) ||
          !is_source(sample, moved)) {
        continue;
      }
      const Outcome* high = find(above, &sample);
      const Outcome* low = find(below, &sample);
      if (high == nullptr || low == nullptr) continue;
      const double wanted = (total(*high, order, moved, kStep) -
                             total(*low, order, moved, -kStep)) /
                            (2 * kStep);
      const double got = slope(outcome, moved);
      EXPECT_NEAR(got, wanted, 1e-5 * sample.error * (1 + std::abs(wanted)))
          << title(sample) << ": the " << words(next) << " of input " << moved
          << " is not the finite difference's";
    }
  }
}

// How far a dtype's values may be from float64's, of the largest.
double usual_error(DType dtype) {
  switch (dtype) {
    case DType::bfloat16:
      return 3e-2;
    case DType::float16:
      return 4e-3;
    case DType::float32:
    case DType::complex64:
      return 1e-5;
    default:
      return 1e-12;
  }
}

void check_values(const Outcome& outcome, const Outcome& exact, DType dtype) {
  const OpSample& sample = *outcome.sample;
  for (size_t i = 0; i < outcome.results.size(); ++i) {
    const Array got = widest(outcome.values[0][i]);
    const Array wanted = widest(exact.values[0][i]);
    ASSERT_EQ(got.shape(), wanted.shape()) << title(sample);
    if (got.size() == 0) continue;
    const double largest = max(abs(wanted)).item<double>();
    const double most = max(abs(got - wanted)).item<double>();
    EXPECT_LE(most, usual_error(dtype) * sample.error * largest)
        << title(sample) << ": result " << i << " in " << name(dtype)
        << " is far from " << name(exact_dtype(sample)) << "'s\n"
        << got << "\n"
        << wanted;
  }
}

// Runs the samples in one dtype.
std::vector<Outcome> run_dtype(std::span<const OpSample> samples, DType dtype) {
  std::vector<Outcome> outcomes;
  for (const OpSample& sample : samples) {
    if (!claims(sample, dtype)) continue;
    if (is_complex(dtype) != is_complex_sample(sample)) continue;
    try {
      const Arrays inputs = inputs_as(sample, dtype);
      outcomes.push_back({&sample, sample.call(to_tensors(inputs))});
    } catch (const std::exception& error) {
      ADD_FAILURE() << title(sample) << " in " << name(dtype) << ": "
                    << error.what();
    }
  }
  evaluate(outcomes);
  return outcomes;
}

void check_dtypes(std::span<const OpSample> samples) {
  std::map<const OpSample*, Outcome> exact;
  for (Outcome& outcome : run_on_one(samples, Order::value, -1, 0)) {
    exact[outcome.sample] = std::move(outcome);
  }
  std::set<DType> all;
  for (const OpSample& sample : samples) {
    all.insert(sample.dtypes.begin(), sample.dtypes.end());
  }
  all.erase(DType::float64);  // those were the exact runs
  all.erase(DType::complex128);
  for (DType dtype : all) {
    for (const Outcome& outcome : run_dtype(samples, dtype)) {
      if (!is_inexact(dtype) || !exact.count(outcome.sample)) continue;
      check_values(outcome, exact[outcome.sample], dtype);
    }
  }
}

// The names of the ops that some pending values are made of.
std::set<std::string_view> ops_of(const Tensors& results) {
  std::set<std::string_view> names;
  std::set<const internal::graph::Node*> seen;
  std::vector<const internal::graph::Node*> stack;
  for (const Tensor& result : results) stack.push_back(result.ref().node.get());
  while (!stack.empty()) {
    const internal::graph::Node* node = stack.back();
    stack.pop_back();
    if (!seen.insert(node).second) continue;
    if (node->op != nullptr) names.insert(node->op->name);
    for (const Ref& input : node->inputs) stack.push_back(input.node.get());
  }
  return names;
}

void check_coverage(std::span<const OpSample> samples,
                    std::span<const OpDef* const> catalog,
                    std::span<const OpDef* const> others) {
  std::set<std::string_view> known, sampled, with_gradient;
  for (const OpDef* op : catalog) {
    EXPECT_TRUE(known.insert(op->name).second)
        << "the catalogue has two ops called " << op->name;
  }
  for (const OpDef* op : others) known.insert(op->name);
  for (const OpSample& sample : samples) {
    if (sample.op.empty()) continue;
    EXPECT_TRUE(known.count(sample.op))
        << title(sample) << ": there is no such op in the catalogue";
    sampled.insert(sample.op);
    if (takes_part(sample, Order::gradient)) with_gradient.insert(sample.op);
    try {
      const DType exact = exact_dtype(sample);
      const DType dtype = claims(sample, exact) ? exact : sample.dtypes.at(0);
      const Tensors inputs = to_tensors(inputs_as(sample, dtype));
      EXPECT_TRUE(ops_of(sample.call(inputs)).count(sample.op))
          << title(sample) << ": the call does not record its op";
    } catch (const std::exception&) {
      // Told when it is run.
    }
  }
  for (const OpDef* op : catalog) {
    EXPECT_TRUE(sampled.count(op->name))
        << "op " << op->name << " has no sample";
    EXPECT_TRUE(op->vjp == nullptr || !sampled.count(op->name) ||
                with_gradient.count(op->name))
        << "op " << op->name << " has a gradient rule, but no sample of it";
  }
}

// What is not claimed of complex numbers is refused, and where it is called.
void check_refused(const OpSample& twin) {
  try {
    (void)twin.call(to_tensors(twin.inputs));
    ADD_FAILURE() << title(twin) << ": claimed nowhere, but not refused";
  } catch (const TypeError&) {
    // As it should be.
  } catch (const std::exception& error) {
    ADD_FAILURE() << title(twin) << ": expected a TypeError, got "
                  << error.what();
  }
}

// What a sample is of: its op, or the function that it has the name of.
const std::string& subject(const OpSample& sample) {
  return sample.op.empty() ? sample.name : sample.op;
}

// The samples with their complex twins.
std::vector<OpSample> with_twins(std::span<const OpSample> given) {
  std::vector<OpSample> all(given.begin(), given.end());
  std::set<std::string> complex_ops;
  for (const OpSample& sample : given) {
    if (claims(sample, DType::complex128)) complex_ops.insert(subject(sample));
  }
  for (const OpSample& sample : given) {
    std::optional<OpSample> twin = complex_twin(sample);
    if (!twin) continue;
    if (claims(*twin, DType::complex128)) {
      all.push_back(std::move(*twin));
    } else if (complex_ops.count(subject(sample)) == 0) {
      check_refused(*twin);
    }
  }
  return all;
}

}  // namespace

void check_ops(std::span<const OpSample> given,
               std::span<const OpDef* const> catalog,
               std::span<const OpDef* const> others) {
  const std::vector<OpSample> samples = with_twins(given);
  check_coverage(samples, catalog, others);
  check_dtypes(samples);
  const Run alone = [&](Order order, int moved, double distance) {
    return run_on_one(samples, order, moved, distance);
  };
  check_differences(alone, Order::value);
  check_differences(alone, Order::gradient);
  const Run replicated = [&](Order order, int moved, double distance) {
    return run_on_replicas(samples, order, moved, distance);
  };
  check_differences(replicated, Order::value);
  check_differences(replicated, Order::gradient);
}

}  // namespace systolic::contracts
