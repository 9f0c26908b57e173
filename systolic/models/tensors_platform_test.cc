#include <gtest/gtest.h>

#include "systolic/models/tensors.h"
#include "systolic/ops/manipulation.h"
#include "systolic/testing/error_text.h"

namespace systolic::models {
namespace {

using internal::text_of;

TEST(Tensors, OneTensorIsItself) {
  const Tensor x = zeros({2, 3});
  const Tensors one(x);
  EXPECT_EQ(one.size(), 1);
  const Tensor& only = one;
  EXPECT_EQ(only.shape(), Shape({2, 3}));
  EXPECT_FALSE(Tensors(Tensor()).is_defined());
  EXPECT_FALSE(Tensors().single().is_defined());
}

TEST(Tensors, SeveralAreFoundByPlaceAndName) {
  const Tensors pair{zeros({1}), zeros({2})};
  EXPECT_EQ(pair[1].shape(), Shape({2}));
  const Tensors named({{"a", zeros({1})}, {"b", zeros({2})}});
  EXPECT_EQ(named["b"].shape(), Shape({2}));
  EXPECT_EQ(named.like({zeros({3}), zeros({4})})["a"].shape(), Shape({3}));
}

TEST(Tensors, MistakesAreNamed) {
  const Tensors named({{"a", zeros({1})}, {"b", zeros({2})}});
  EXPECT_EQ(text_of<ValueError>([&] { named.single(); }),
            "Tensors: expected one Tensor, got 2\n"
            "  a: float32[1]\n  b: float32[2]\n"
            "  hint: take one: [0] or [\"name\"]");
  EXPECT_EQ(text_of<NotFoundError>([&] { named["c"]; }),
            "Tensors: expected one of: a, b, got \"c\"");
  EXPECT_EQ(text_of<OutOfRangeError>([&] { named[2]; }),
            "Tensors: expected a place below 2, got 2");
  EXPECT_EQ(text_of<ValueError>([] {
              Tensors({{"a", zeros({1})}, {"a", zeros({2})}});
            }),
            "Tensors: expected different names, got \"a\" twice");
}

}  // namespace
}  // namespace systolic::models
