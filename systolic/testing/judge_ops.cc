#include "systolic/testing/judge_ops.h"

// Tested by: systolic/testing/judge_ops_platform_test.cc

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "systolic/graph/judge.h"
#include "systolic/graph/step.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/contract_samples.h"

namespace systolic::contracts {

namespace {

using internal::graph::Placement;
using internal::graph::Ref;

constexpr int kReplicas = 8;
// Samples a program: the compiler's time grows faster than its programs.
constexpr size_t kSamplesAProgram = 16;

enum class Order { value, gradient, second };

bool takes_part(const OpSample& sample, Order order, DType dtype) {
  if (!claims(sample, dtype)) return false;
  if (is_complex(dtype) != is_complex_sample(sample)) return false;
  bool any = false;
  for (size_t i = 0; i < sample.inputs.size(); ++i) {
    any |= is_source(sample, static_cast<int>(i));
  }
  return order == Order::value ||
         (any && sample.gradient &&
          (order == Order::gradient || sample.second_gradient));
}

Tensors to_tensors(const Arrays& inputs) {
  Tensors tensors;
  for (const Array& input : inputs) tensors.push_back(constant(input));
  return tensors;
}

// The values of some results that have gradients.
Tensors differentiable(const Tensors& results) {
  Tensors floats;
  for (const Tensor& result : results) {
    if (result.is_defined() && is_inexact(result.dtype())) {
      floats.push_back(result);
    }
  }
  return floats;
}

// The gradients arrive as arguments, so that none is folded away.
Tensors gradients_of(GradientTape& tape, const Tensors& results,
                     const Tensors& sources) {
  Tensors targets = differentiable(results);
  // So that there is a gradient whether the results depend on it or not.
  targets.insert(targets.end(), sources.begin(), sources.end());
  Tensors arriving;
  for (const Tensor& target : targets) {
    arriving.push_back(
        constant(cast(Array::ones(target.shape()), target.dtype())));
  }
  return differentiable(
      tape.gradient(targets, sources, {.output_gradients = arriving}));
}

Tensors record(const OpSample& sample, Order order, const Tensors& inputs) {
  if (order == Order::value) return sample.call(inputs);
  Tensors sources;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_source(sample, static_cast<int>(i))) sources.push_back(inputs[i]);
  }
  const Order before = order == Order::second ? Order::gradient : Order::value;
  GradientTape tape;
  for (const Tensor& source : sources) tape.watch(source);
  return gradients_of(tape, record(sample, before, inputs), sources);
}

std::vector<Ref> refs_of(const Tensors& results) {
  std::vector<Ref> refs;
  for (const Tensor& result : results) refs.push_back(result.ref());
  return refs;
}

// Whether some results, or what they are made of, are float64 or complex128.
bool has_float64(const Tensors& results) {
  std::set<const internal::graph::Node*> seen;
  std::vector<Ref> stack;
  for (const Tensor& result : results) stack.push_back(result.ref());
  while (!stack.empty()) {
    const Ref ref = std::move(stack.back());
    stack.pop_back();
    if (real_dtype(ref.spec().dtype) == DType::float64) return true;
    if (!seen.insert(ref.node.get()).second) continue;
    for (const Ref& input : ref.node->inputs) stack.push_back(input);
  }
  return false;
}

Tensors record_all(std::span<const OpSample> samples, Order order,
                   DType dtype) {
  Tensors all;
  for (const OpSample& sample : samples) {
    if (!takes_part(sample, order, dtype)) continue;
    Tensors results =
        record(sample, order, to_tensors(inputs_as(sample, dtype)));
    // It would keep the others from being judged.
    if (has_float64(results)) continue;
    all.insert(all.end(), results.begin(), results.end());
  }
  return all;
}

// The samples in one program; if it is refused, by themselves, so that the
// failure has a name.
void judge_group(std::span<const OpSample> samples, Order order, DType dtype) {
  try {
    internal::graph::judge_values(refs_of(record_all(samples, order, dtype)));
    return;
  } catch (const PlatformError&) {
    // Told below.
  }
  for (const OpSample& sample : samples) {
    try {
      internal::graph::judge_values(
          refs_of(record_all(std::span(&sample, 1), order, dtype)));
    } catch (const PlatformError& error) {
      ADD_FAILURE() << sample.op << " " << sample.name << " in " << name(dtype)
                    << ": " << error.what();
    }
  }
}

void judge_order(std::span<const OpSample> samples, Order order, DType dtype) {
  for (size_t first = 0; first < samples.size(); first += kSamplesAProgram) {
    const size_t count = std::min(kSamplesAProgram, samples.size() - first);
    judge_group(samples.subspan(first, count), order, dtype);
  }
}

void judge_in_replicas(std::span<const OpSample> samples) {
  const internal::graph::Step step(
      Placement::replicas(
          internal::runtime::Client::open({.device_count = kReplicas})
              .devices()),
      "op_contract");
  std::vector<OpSample> replicated;
  std::ranges::copy_if(samples, std::back_inserter(replicated),
                       &OpSample::replicated);
  Tensors all = record_all(replicated, Order::value, DType::float32);
  for (Tensor& result :
       record_all(replicated, Order::gradient, DType::float32)) {
    all.push_back(std::move(result));
  }
  try {
    internal::graph::judge_values(refs_of(all));
  } catch (const PlatformError& error) {
    ADD_FAILURE() << "in replicas: " << error.what();
  }
}

}  // namespace

void judge_ops(std::span<const OpSample> given) {
  if (internal::runtime::TpuJudge::chosen() == nullptr) return;
  std::vector<OpSample> samples(given.begin(), given.end());
  for (const OpSample& sample : given) {
    if (!claims(sample, DType::complex64)) continue;
    if (auto twin = complex_twin(sample)) samples.push_back(std::move(*twin));
  }
  for (const DType dtype : any_dtype()) {
    if (real_dtype(dtype) == DType::float64) continue;
    judge_order(samples, Order::value, dtype);
  }
  judge_order(samples, Order::gradient, DType::float32);
  judge_order(samples, Order::gradient, DType::bfloat16);
  judge_order(samples, Order::gradient, DType::complex64);
  judge_order(samples, Order::second, DType::float32);
  judge_in_replicas(samples);
}

}  // namespace systolic::contracts
