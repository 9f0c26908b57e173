#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/layers/layers.h"
#include "systolic/layers/test_options.h"
#include "systolic/ops/ops.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/layer_contract.h"

namespace systolic::layers {
namespace {

using internal::text_of;

TEST(MergeGolden, ValuesAndGradientsAreKeras) {
  contracts::check_golden_layers("layers_merge", [](const golden::Value& o) {
    const std::string name = o.at("class_name").text();
    const DTypePolicy policy = dtype(o);
    if (name == "Add") return Layer(Add({.dtype = policy}));
    if (name == "Subtract") return Layer(Subtract({.dtype = policy}));
    if (name == "Multiply") return Layer(Multiply({.dtype = policy}));
    if (name == "Average") return Layer(Average({.dtype = policy}));
    if (name == "Maximum") return Layer(Maximum({.dtype = policy}));
    if (name == "Minimum") return Layer(Minimum({.dtype = policy}));
    if (name == "Concatenate") {
      return Layer(Concatenate(
          {.axis = static_cast<int>(o.get("axis", -1)), .dtype = policy}));
    }
    const std::vector<int> both = axes(o, "axes", {});
    return Layer(
        Dot(both.size() == 1 ? DotAxes(both[0]) : DotAxes(both[0], both[1]),
            {.normalize = o.get("normalize", false)}));
  });
}

TEST(Merge, UnknownSizesStayUnknown) {
  EXPECT_EQ(Add().compute_output_shapes({{-1, 3, 4}, {2, -1, 4}})[0],
            (Shape{2, -1, 4}));
  EXPECT_EQ(Concatenate({.axis = 1})
                .compute_output_shapes({{-1, 3, 4}, {-1, -1, 4}})[0],
            (Shape{-1, -1, 4}));
  EXPECT_EQ(Add().compute_output_shapes({{-1, 3}})[0], (Shape{-1, 3}));
}

TEST(Merge, MistakesAreNamed) {
  const Add sum({.name = "sum"});
  EXPECT_TRUE(text_of<ShapeError>([&] {
                sum.compute_output_shapes({{2, 3}, {2, 4}});
              })
                  .starts_with("Add \"sum\": expected inputs whose shapes "
                               "broadcast, got 3 and 4 "
                               "along axis 1\n"
                               "  input 0: (2, 3)\n"
                               "  input 1: (2, 4)"));
  EXPECT_TRUE(
      text_of<ShapeError>([&] {
        sum({zeros({2, 3}), zeros({1, 3})});
      })
          .starts_with("Add \"sum\": expected inputs of one batch size, "
                       "got 2 and 1 along axis 0\n"));
  EXPECT_TRUE(
      text_of<ValueError>([&] {
        Subtract({.name = "less"})(
            {zeros({2, 3}), zeros({2, 3}), zeros({2, 3})});
      }).starts_with("Subtract \"less\": expected exactly 2 inputs, got 3"));
  EXPECT_TRUE(
      text_of<ShapeError>([&] {
        Concatenate({.name = "join"})({zeros({2, 3}), zeros({3, 3})});
      })
          .starts_with("Concatenate \"join\": expected inputs with "
                       "matching shapes except for axis -1, got others\n"
                       "  input 0: (2, 3)\n"));
  EXPECT_TRUE(
      text_of<ValueError>([] { Dot(0); })
          .starts_with("Dot: expected axes other than 0, the batch, got "
                       "(0, 0)"));
  EXPECT_TRUE(
      text_of<ShapeError>([] {
        Dot(1, {.name = "dot"})({zeros({2, 3}), zeros({2, 4})});
      })
          .starts_with("Dot \"dot\": expected equal sizes along axes (1, "
                       "1), got 3 and 4\n"));
}

}  // namespace
}  // namespace systolic::layers
