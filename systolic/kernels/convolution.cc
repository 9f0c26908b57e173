#include <cstring>

#include "systolic/kernels/attributes.h"
#include "systolic/kernels/convolve.h"
#include "systolic/kernels/convolve_gradient.h"
#include "systolic/kernels/kernels.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::FfiBuffer;
using pjrt::FfiCall;
using pjrt::FfiError;
using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;

constexpr auto kFloat = ElementType::float32;

void expect_count(const char* kind, int count, int least, int most) {
  if (count >= least && count <= most) return;
  std::string wanted = std::to_string(least);
  if (most != least) wanted += " or " + std::to_string(most);
  throw FfiError(
      ErrorCode::invalid_argument,
      "expected " + wanted + " " + kind + ", got " + std::to_string(count));
}

// The bias has one element per output channel.
FfiBuffer checked_bias(const FfiBuffer& bias, const FfiBuffer& destination) {
  if (bias.dimensions[0] == destination.dimensions[3]) return bias;
  throw FfiError(ErrorCode::invalid_argument,
                 "expected a bias for the channels of " +
                     destination.to_string() + ", got " + bias.to_string());
}

ConvolutionProblem problem_of(const FfiCall& call, ConvolutionKind kind,
                              const FfiBuffer& source, const FfiBuffer& filter,
                              const FfiBuffer& destination) {
  ConvolutionProblem problem;
  problem.kind = kind;
  problem.source = dimensions4(source);
  problem.filter = dimensions4(filter);
  problem.destination = dimensions4(destination);
  problem.strides = pair_attribute(call, "strides", 1, 1);
  problem.padding_low = pair_attribute(call, "padding_low", 0, 0);
  problem.padding_high = pair_attribute(call, "padding_high", 0, 0);
  problem.dilation = pair_attribute(call, "dilation", 1, 1);
  if (call.has("groups")) problem.groups = call.int64("groups");
  if (problem.groups < 1 || problem.filter[3] % problem.groups != 0 ||
      problem.source[3] != problem.filter[2] * problem.groups) {
    throw FfiError(
        ErrorCode::invalid_argument,
        "the groups do not divide the channels\n  " + problem.to_string());
  }
  return problem;
}

void expect_one_batch(const ConvolutionProblem& problem) {
  if (problem.source[0] == problem.destination[0]) return;
  throw FfiError(ErrorCode::invalid_argument,
                 "the batches differ\n  " + problem.to_string());
}

void forward(const FfiCall& call) {
  expect_count("arguments", call.argument_count(), 2, 3);
  expect_count("results", call.result_count(), 1, 1);
  FfiBuffer x = call.argument(0, kFloat, 4);
  FfiBuffer w = call.argument(1, kFloat, 4);
  FfiBuffer y = call.result(0, kFloat, 4);
  ConvolutionProblem problem =
      problem_of(call, ConvolutionKind::forward, x, w, y);
  problem.bias = call.argument_count() == 3;
  problem.relu = flag(call, "relu");
  void* bias = nullptr;
  if (problem.bias) bias = checked_bias(call.argument(2, kFloat, 1), y).data;
  if (y.elements() == 0) return;
  expect_one_batch(problem);
  convolve(problem, threads_of(call), {x.data, w.data, bias, y.data});
}

// The operands and results of a gradient call, whose flags say which of them
// there are; the others have no data.
struct GradientBuffers {
  explicit GradientBuffers(const FfiCall& call) {
    const bool input = flag(call, "input");
    const bool filter = flag(call, "filter");
    const bool bias = flag(call, "bias");
    const bool result = flag(call, "relu") || call.has("pool_window");
    const int arguments = 1 + result + filter + input;
    const int results = input + filter + bias;
    expect_count("arguments", call.argument_count(), arguments, arguments);
    expect_count("results", call.result_count(), results, results);
    int next = 0;
    dy = call.argument(next++, kFloat, 4);
    if (result) y = call.argument(next++, kFloat, 4);
    if (filter) x = call.argument(next++, kFloat, 4);
    if (input) w = call.argument(next++, kFloat, 4);
    next = 0;
    if (input) dx = call.result(next++, kFloat, 4);
    if (filter) dw = call.result(next++, kFloat, 4);
    if (bias) db = checked_bias(call.result(next++, kFloat, 1), dy);
  }

  // Gives every result the value 0.
  void clear() const {
    for (const FfiBuffer* result : {&dx, &dw, &db}) {
      if (result->data == nullptr || result->elements() == 0) continue;
      std::memset(result->data, 0, sizeof(float) * result->elements());
    }
  }

  FfiBuffer dy, y, x, w, dx, dw, db;
};

void expect_alike(const char* what, const FfiBuffer& buffer,
                  const FfiBuffer& like) {
  if (dimensions4(buffer) == dimensions4(like)) return;
  throw FfiError(ErrorCode::invalid_argument,
                 std::string("expected ") + what + " like " + like.to_string() +
                     ", got " + buffer.to_string());
}

void gradient(const FfiCall& call) {
  const GradientBuffers b(call);
  const bool input = flag(call, "input"), filter = flag(call, "filter");
  if (!input && !filter) {
    throw FfiError(ErrorCode::invalid_argument,
                   "expected attribute \"input\" or \"filter\" to be true");
  }
  const bool pooled = call.has("pool_window");
  const ConvolutionProblem problem =
      problem_of(call,
                 input ? ConvolutionKind::input_gradient
                       : ConvolutionKind::filter_gradient,
                 input ? b.dx : b.x, input ? b.w : b.dw, pooled ? b.y : b.dy);
  if (input && filter) {
    expect_alike("an input", b.x, b.dx);
    expect_alike("a filter", b.dw, b.w);
  }
  const bool relu = flag(call, "relu");
  Pooling pooling;
  if (pooled) {
    pooling = pooling_of(call, "pool_", b.y, b.dy);
  } else if (relu) {
    expect_alike("a result", b.y, b.dy);
  }
  expect_one_batch(problem);
  // Gradients of a convolution that has no output, or no input, are zero.
  const bool empty =
      b.dy.elements() == 0 || (input ? b.dx : b.x).elements() == 0;
  if (empty) {
    b.clear();
    return;
  }
  convolve_gradient(problem, threads_of(call),
                    {.gradient = static_cast<const float*>(b.dy.data),
                     .result = static_cast<const float*>(b.y.data),
                     .input = static_cast<const float*>(b.x.data),
                     .filter = static_cast<const float*>(b.w.data),
                     .input_gradient = static_cast<float*>(b.dx.data),
                     .filter_gradient = static_cast<float*>(b.dw.data),
                     .bias_gradient = static_cast<float*>(b.db.data),
                     .relu = relu,
                     .pooling = pooled ? &pooling : nullptr});
}

}  // namespace

pjrt::ffi_abi::Error* systolic_conv2d_forward(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_conv2d_forward", &forward);
}

pjrt::ffi_abi::Error* systolic_conv2d_gradient(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_conv2d_gradient", &gradient);
}

}  // namespace systolic::internal::kernels
