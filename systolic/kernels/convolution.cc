#include <cstring>

#include "systolic/kernels/attributes.h"
#include "systolic/kernels/convolve.h"
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

void run(const FfiCall& call, const ConvolutionProblem& problem,
         const FfiBuffer& source, const FfiBuffer& filter, void* bias,
         const FfiBuffer& destination) {
  if (problem.source[0] != problem.destination[0]) {
    throw FfiError(ErrorCode::invalid_argument,
                   "the batches differ\n  " + problem.to_string());
  }
  convolve(problem, threads_of(call),
           {source.data, filter.data, bias, destination.data});
}

// Gradients of a convolution that has no output, or no input, are zero.
bool fill_if_empty(const FfiBuffer& activations, const FfiBuffer& result) {
  if (activations.elements() != 0 && result.elements() != 0) return false;
  if (result.elements() != 0) {
    std::memset(result.data, 0, sizeof(float) * result.elements());
  }
  return true;
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
  problem.relu = call.has("relu") && call.boolean("relu");
  void* bias = nullptr;
  if (problem.bias) bias = checked_bias(call.argument(2, kFloat, 1), y).data;
  if (y.elements() == 0) return;
  run(call, problem, x, w, bias, y);
}

void input_gradient(const FfiCall& call) {
  expect_count("arguments", call.argument_count(), 2, 2);
  expect_count("results", call.result_count(), 1, 1);
  FfiBuffer dy = call.argument(0, kFloat, 4);
  FfiBuffer w = call.argument(1, kFloat, 4);
  FfiBuffer dx = call.result(0, kFloat, 4);
  ConvolutionProblem problem =
      problem_of(call, ConvolutionKind::input_gradient, dx, w, dy);
  if (fill_if_empty(dy, dx)) return;
  run(call, problem, dx, w, nullptr, dy);
}

void filter_gradient(const FfiCall& call) {
  expect_count("arguments", call.argument_count(), 2, 2);
  expect_count("results", call.result_count(), 1, 2);
  FfiBuffer x = call.argument(0, kFloat, 4);
  FfiBuffer dy = call.argument(1, kFloat, 4);
  FfiBuffer dw = call.result(0, kFloat, 4);
  ConvolutionProblem problem =
      problem_of(call, ConvolutionKind::filter_gradient, x, dw, dy);
  problem.bias = call.result_count() == 2;
  void* db = nullptr;
  if (problem.bias) {
    FfiBuffer bias = checked_bias(call.result(1, kFloat, 1), dy);
    db = bias.data;
    if (dy.elements() == 0) fill_if_empty(dy, bias);
  }
  if (fill_if_empty(dy, dw)) return;
  run(call, problem, x, dw, db, dy);
}

}  // namespace

pjrt::ffi_abi::Error* systolic_conv2d_forward(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_conv2d_forward", &forward);
}

pjrt::ffi_abi::Error* systolic_conv2d_input_gradient(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_conv2d_input_gradient",
                              &input_gradient);
}

pjrt::ffi_abi::Error* systolic_conv2d_filter_gradient(
    pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_conv2d_filter_gradient",
                              &filter_gradient);
}

}  // namespace systolic::internal::kernels
