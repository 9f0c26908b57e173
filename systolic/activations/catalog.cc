// Tested by: systolic/activations/activation_test.cc
#include "systolic/activations/catalog.h"

#include <algorithm>
#include <array>

#include "systolic/activations/functions.h"

namespace systolic::activations {

namespace {

struct Row {
  std::string_view name;
  Function function;
};

constexpr std::array kRows{
    Row{"linear", [](const Tensor& x) { return x; }},
    Row{"relu", [](const Tensor& x) { return relu(x); }},
    Row{"leaky_relu", [](const Tensor& x) { return leaky_relu(x); }},
    Row{"relu6", [](const Tensor& x) { return relu6(x); }},
    Row{"softmax", [](const Tensor& x) { return softmax(x); }},
    Row{"celu", [](const Tensor& x) { return celu(x); }},
    Row{"elu", [](const Tensor& x) { return elu(x); }},
    Row{"selu", [](const Tensor& x) { return selu(x); }},
    Row{"softplus", [](const Tensor& x) { return softplus(x); }},
    Row{"softsign", [](const Tensor& x) { return softsign(x); }},
    Row{"squareplus", [](const Tensor& x) { return squareplus(x); }},
    Row{"soft_shrink", [](const Tensor& x) { return soft_shrink(x); }},
    Row{"silu", [](const Tensor& x) { return silu(x); }},
    Row{"swish", [](const Tensor& x) { return silu(x); }},
    Row{"gelu", [](const Tensor& x) { return gelu(x); }},
    Row{"tanh", [](const Tensor& x) { return tanh(x); }},
    Row{"tanh_shrink", [](const Tensor& x) { return tanh_shrink(x); }},
    Row{"sigmoid", [](const Tensor& x) { return sigmoid(x); }},
    Row{"exponential", [](const Tensor& x) { return exponential(x); }},
    Row{"hard_sigmoid", [](const Tensor& x) { return hard_sigmoid(x); }},
    Row{"hard_silu", [](const Tensor& x) { return hard_silu(x); }},
    Row{"hard_swish", [](const Tensor& x) { return hard_silu(x); }},
    Row{"hard_tanh", [](const Tensor& x) { return hard_tanh(x); }},
    Row{"hard_shrink", [](const Tensor& x) { return hard_shrink(x); }},
    Row{"mish", [](const Tensor& x) { return mish(x); }},
    Row{"log_softmax", [](const Tensor& x) { return log_softmax(x); }},
    Row{"log_sigmoid", [](const Tensor& x) { return log_sigmoid(x); }},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kRows.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kRows[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> names() { return kNames; }

Function find(std::string_view name) {
  const auto row = std::ranges::find(kRows, name, &Row::name);
  return row == kRows.end() ? nullptr : row->function;
}

}  // namespace systolic::activations
