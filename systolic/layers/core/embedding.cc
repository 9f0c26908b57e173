#include "systolic/layers/core/embedding.h"

#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"

namespace systolic::layers {

namespace {

class EmbeddingBase final : public LayerBase {
 public:
  EmbeddingBase(int64_t input_dim, int64_t output_dim, EmbeddingOptions options,
                const SourceLocation& where)
      : LayerBase(layer_options(options)),
        input_dim_(input_dim),
        output_dim_(output_dim),
        options_(std::move(options)) {
    for (const auto& [name, size] :
         {std::pair("input_dim", input_dim), {"output_dim", output_dim}}) {
      if (size > 0) continue;
      error().expected(name, " > 0").got(size).at(where).raise<ValueError>();
    }
  }

  std::string_view class_name() const override { return "Embedding"; }
  bool supports_masking() const override { return options_.mask_zero; }

  Tensor compute_mask(const std::vector<Tensor>& inputs,
                      const std::vector<Tensor>&) const override {
    return not_equal(inputs[0], 0);
  }

  void build(const Shape&) override {
    embeddings_ = add_weight({.name = "embeddings",
                              .shape = {input_dim_, output_dim_},
                              .initializer = options_.embeddings_initializer,
                              .regularizer = options_.embeddings_regularizer,
                              .constraint = options_.embeddings_constraint});
  }

  Tensor call(Tensor x, CallContext) override {
    if (x.dtype() != DType::int32 && x.dtype() != DType::int64) {
      x = cast(x, DType::int32);
    }
    return take(value(embeddings_), x);
  }

  Shape compute_output_shape(const Shape& input_shape) const override {
    Shape out = input_shape;
    out.push_back(output_dim_);
    return out;
  }

  const Variable& embeddings() const { return embeddings_; }

 private:
  int64_t input_dim_;
  int64_t output_dim_;
  EmbeddingOptions options_;
  Variable embeddings_;
};

}  // namespace

Embedding::Embedding(Dim input_dim, Dim output_dim, EmbeddingOptions options,
                     SourceLocation where)
    : Layer(std::make_shared<EmbeddingBase>(input_dim, output_dim,
                                            std::move(options), where)) {}

Variable Embedding::embeddings() const {
  return static_cast<const EmbeddingBase&>(base()).embeddings();
}

}  // namespace systolic::layers
