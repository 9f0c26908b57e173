// A stranger's test of a layer of their own, with the library's contract.
#include <gtest/gtest.h>
#include <systolic/systolic.h>
#include <systolic/testing/layer_contract.h>

namespace {

using namespace systolic;

struct Twice : layers::LayerBase {
  explicit Twice(layers::DTypePolicy dtype) : LayerBase({.dtype = dtype}) {}
  Tensor call(Tensor x, layers::CallContext) override { return x * 2; }
};

TEST(Twice, KeepsTheContract) {
  contracts::check_layer(
      {.make =
           [](layers::DTypePolicy dtype) { return layers::make<Twice>(dtype); },
       .input_shape = {3},
       .output_shape = {3}});
}

}  // namespace
