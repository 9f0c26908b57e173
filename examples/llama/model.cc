#include "examples/llama/model.h"

#include <cmath>
#include <vector>

namespace examples {

namespace {

using namespace systolic;

layers::Layer dense(int64_t units, const char* activation = "linear") {
  return layers::Dense(units, {.activation = activation, .use_bias = false});
}

// [attention]
// Turns the pairs (i, i + size / 2) of each head by angles that grow with the
// position. Shapes: (batch, length, heads, size) -> same.
Tensor rotary(Tensor x) {
  const int64_t length = x.shape()[1], size = x.shape()[3];
  Tensor frequency = pow(5e5, arange(size / 2, DType::float32) * (-2.0 / size));
  Tensor angle = reshape(arange(length, DType::float32), {length, 1, 1}) *
                 reshape(frequency, {1, size / 2});
  Tensor c = cast(cos(angle), x.dtype()), s = cast(sin(angle), x.dtype());
  const std::vector<Tensor> halves = split(x, 2, -1);
  return concatenate(
      {halves[0] * c - halves[1] * s, halves[1] * c + halves[0] * s});
}

// Each position as a mean of those before it; several heads of the query share
// a head of key and value.
struct Attention : layers::LayerBase {
  explicit Attention(const LlamaOptions& o)
      : size_(o.width / o.heads),
        kv_heads_(o.kv_heads),
        query_(track("query", dense(o.width))),
        key_(track("key", dense(o.kv_heads * size_))),
        value_(track("value", dense(o.kv_heads * size_))),
        output_(track("output", dense(o.width))) {}

  Tensor call(Tensor x, layers::CallContext) override {
    const Shape shape = x.shape();  // (batch, length, width)
    const int64_t batch = shape[0], length = shape[1];
    Tensor q = rotary(reshape(query_(x), {batch, length, -1, size_}));
    Tensor k = rotary(reshape(key_(x), {batch, length, kv_heads_, size_}));
    Tensor v = reshape(value_(x), {batch, length, kv_heads_, size_});
    q = reshape(q, {batch, length, kv_heads_, -1, size_});
    Tensor scores =
        einsum("btkgd,bskd->bkgts", {q * (1 / std::sqrt(size_)), k});
    Tensor place = arange(length);
    Tensor is_before = expand_dims(place, -1) >= place;
    scores = where(is_before, cast(scores, DType::float32), -1e30);
    Tensor share = cast(nn::softmax(scores), x.dtype());
    return output_(reshape(einsum("bkgts,bskd->btkgd", {share, v}), shape));
  }

  int64_t size_, kv_heads_;
  layers::Layer query_, key_, value_, output_;
};
// [attention]

// [block]
struct Block : layers::LayerBase {
  explicit Block(const LlamaOptions& o)
      : norm_1_(track("norm_1", layers::RMSNormalization({.epsilon = 1e-5}))),
        norm_2_(track("norm_2", layers::RMSNormalization({.epsilon = 1e-5}))),
        attention_(track("attention", layers::make<Attention>(o))),
        gate_(track("gate", dense(o.mlp, "silu"))),
        up_(track("up", dense(o.mlp))),
        down_(track("down", dense(o.width))) {}

  Tensor call(Tensor x, layers::CallContext) override {
    x = x + attention_(norm_1_(x));
    Tensor y = norm_2_(x);
    return x + down_(gate_(y) * up_(y));
  }

  layers::Layer norm_1_, norm_2_, attention_, gate_, up_, down_;
};
// [block]

// [model]
struct Llama : models::ModelBase {
  explicit Llama(const LlamaOptions& o)
      : recompute_(o.recompute),
        words_(track("words", layers::Embedding(o.vocabulary, o.width))),
        norm_(track("norm", layers::RMSNormalization({.epsilon = 1e-5}))),
        logits_(track("logits", dense(o.vocabulary))) {
    for (int64_t i = 0; i < o.layers; ++i) {
      blocks_.push_back(
          track("block_" + std::to_string(i), layers::make<Block>(o)));
    }
  }

  Tensor call(Tensor tokens, layers::CallContext) override {
    Tensor x = words_(tokens);
    for (const layers::Layer& block : blocks_) {
      block.build(x.shape());
      // Of each block only what goes in is kept for the gradient.
      x = recompute_ ? recompute_grad([&](Tensor y) { return block(y); })(x)
                     : block(x);
    }
    return logits_(norm_(x));
  }

  bool recompute_;
  layers::Layer words_, norm_, logits_;
  std::vector<layers::Layer> blocks_;
};
// [model]

}  // namespace

systolic::models::Model make_llama(const LlamaOptions& options) {
  return models::make<Llama>(options);
}

}  // namespace examples
