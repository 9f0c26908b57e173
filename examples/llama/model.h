// What the example can be told, and the model that it trains.
#pragma once

#include <systolic/systolic.h>

#include <string>

namespace examples {

// Sizes and names; the defaults are learned in seconds.
struct LlamaOptions {
  std::string tpu = "virtual:v3-2", dtype_policy = "float32";
  int64_t vocabulary = 128, width = 64, layers = 2, heads = 4, kv_heads = 2;
  int64_t mlp = 192, length = 64, batch_size = 16;
  int64_t epochs = 3, steps_per_epoch = 50, steps_per_execution = 50;
  // Whether the gradient keeps only what goes into each block.
  bool recompute = false;
};

// The decoder. Shapes: tokens (batch, length) -> logits (batch, length,
// vocabulary).
systolic::models::Model make_llama(const LlamaOptions& options);

}  // namespace examples
