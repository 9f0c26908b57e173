#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/ops/bitwise.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;

std::vector<OpSample> internal::ops::bitwise_samples() {
  const Array x = Array::from({12., 10., 7., 1.}, {2, 2});
  const Array y = Array::from({3., 6.});
  struct Row {
    const char* op;
    Tensor (*f)(const Arg&, const Arg&);
  };
  std::vector<OpSample> samples;
  for (const Row& row :
       {Row{"bitwise_and", bitwise_and}, Row{"bitwise_or", bitwise_or},
        Row{"bitwise_xor", bitwise_xor},
        Row{"bitwise_left_shift", bitwise_left_shift},
        Row{"bitwise_right_shift", bitwise_right_shift}}) {
    samples.push_back(
        {.op = row.op,
         .call = [f = row.f](
                     const Tensors& in) { return Tensors{f(in[0], in[1])}; },
         .inputs = {x, y},
         .dtypes = contracts::kIntegers,
         .gradient = false});
  }
  struct UnaryRow {
    const char* op;
    Tensor (*f)(const Arg&);
  };
  for (const UnaryRow& row :
       {UnaryRow{"bitwise_not", bitwise_not},
        UnaryRow{"population_count", population_count},
        UnaryRow{"count_leading_zeros", count_leading_zeros}}) {
    samples.push_back(
        {.op = row.op,
         .call = [f = row.f](const Tensors& in) { return Tensors{f(in[0])}; },
         .inputs = {x},
         .dtypes = contracts::kIntegers,
         .gradient = false});
  }
  return samples;
}

namespace {

using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Bitwise, ValuesAreNumPys) {
  const Tensor x = constant(Array::from({12, -7, 255}));
  const Tensor y = constant(Array::from({10, 3, -256}));
  const Tensor bytes = constant(Array::from(std::vector<uint8_t>{0, 7, 255}));
  Comparisons all;
  all.add("and", bitwise_and(x, y), Array::from({8, 1, 0}));
  all.add("or", bitwise_or(x, y), Array::from({14, -5, -1}));
  all.add("xor", bitwise_xor(x, y), Array::from({6, -6, -1}));
  all.add("not", bitwise_not(x), Array::from({-13, 6, -256}));
  all.add("invert", bitwise_invert(x), Array::from({-13, 6, -256}));
  all.add("left", left_shift(x, 2), Array::from({48, -28, 1020}));
  all.add("right", right_shift(x, 1), Array::from({6, -4, 127}));
  all.add("unsigned right", right_shift(bytes, 4),
          Array::from(std::vector<uint8_t>{0, 0, 15}));
  all.add("ones", population_count(x),
          Array::from(std::vector<uint8_t>{2, 30, 8}));
  all.add("zeros", count_leading_zeros(bytes),
          Array::from(std::vector<uint8_t>{8, 5, 0}));
  all.add("of bools", bitwise_xor(constant(Array::from({true, false})), true),
          Array::from({false, true}));
}

TEST(Bitwise, FloatsHaveNoBits) {
  const std::string text = message_of<TypeError>(
      [] { (void)bitwise_and(constant(1.5f), constant(2.5f)); });
  EXPECT_NE(text.find("integers or bool"), std::string::npos) << text;
  EXPECT_NE(message_of<TypeError>(
                [] { (void)left_shift(constant(true), constant(true)); }),
            "");
}

}  // namespace
}  // namespace systolic
