// What TensorFlow gives is what the functions of Tensors give.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "systolic/image/test_calls.h"
#include "systolic/ops/ops.h"

namespace systolic::image {
namespace {

using golden::Case;

Calls<Tensor> calls() {
  Calls<Tensor> all = calls_of_places<Tensor>();
  all.merge(calls_of_colors<Tensor>());
  return all;
}

// The recorded input on a device, in the dtype that it was recorded in.
Tensor on_device(const Array& x) {
  const Tensor tensor = constant(x);
  EXPECT_EQ(tensor.dtype(), x.dtype());
  return tensor;
}

TEST(Tensors, GiveTensorFlowsNumbers) {
  const Calls<Tensor> all = calls();
  std::map<std::string, int> found;
  for (const Case& c : golden::load("image_ops")) {
    const std::string function = c.options()["function"].text();
    if (function == "adjust_jpeg_quality") continue;  // the host's
    SCOPED_TRACE(c.name());
    ASSERT_TRUE(all.contains(function)) << function;
    ++found[function];
    const Array& wanted = c.array("output");
    golden::Tolerance tolerance = tolerance_of(wanted);
    // Sums of products in another order.
    if (function.starts_with("resize")) tolerance.absolute = 5e-4;
    EXPECT_EQ(golden::difference(
                  all.at(function)(c, on_device(c.array("input"))).numpy(),
                  wanted, tolerance),
              "");
  }
  EXPECT_EQ(found.size(), all.size());
}

// The seed as numbers, and as a value of the program.
TEST(Tensors, SeedsGiveTensorFlowsPictures) {
  const auto all = random_calls<Tensor, SeedArg>();
  std::map<std::string, int> found;
  for (const Case& c : golden::load("image_random")) {
    const std::string function = c.options()["function"].text();
    if (!all.contains(function)) {
      EXPECT_TRUE(function.ends_with("jpeg_quality") ||
                  function.ends_with("bounding_box"))
          << function;
      continue;
    }
    SCOPED_TRACE(c.name());
    ++found[function];
    const auto seed = c.options()["seed"].integers();
    const Array& wanted = c.array("output");
    for (const SeedArg& form :
         {SeedArg(seed[0], seed[1]), SeedArg(Array::from(seed)),
          SeedArg(on_device(Array::from(seed)))}) {
      const Tensor got =
          all.at(function)(on_device(c.array("input")), c.options(), form);
      EXPECT_EQ(golden::difference(got.numpy(), wanted, tolerance_of(wanted)),
                "");
    }
  }
  EXPECT_EQ(found.size(), all.size());
}

// What a recorded gradient is of, and with respect to.
struct Recorded {
  Tensor input;
  Tensor boxes;
  Tensor output;
};

Recorded recorded_call(const Case& c, GradientTape& tape) {
  Recorded r{.input = on_device(c.array("input")), .boxes = {}, .output = {}};
  tape.watch(r.input);
  const golden::Value& o = c.options();
  const std::string function = o["function"].text();
  if (function == "crop_and_resize") {
    r.boxes = on_device(c.array("boxes"));
    tape.watch(r.boxes);
    r.output = crop_and_resize(r.input, r.boxes, c.array("box_indices"),
                               size_of(o["crop_size"]),
                               {.method = o.get("method", "bilinear")});
  } else if (o.has("seed")) {
    const auto seed = o["seed"].integers();
    r.output = random_calls<Tensor, SeedArg>().at(function)(r.input, o,
                                                            {seed[0], seed[1]});
  } else {
    r.output = calls().at(function)(c, r.input);
  }
  return r;
}

TEST(Tensors, GradientsAreTensorFlows) {
  for (const Case& c : golden::load("image_gradients")) {
    SCOPED_TRACE(c.name());
    GradientTape tape({.persistent = true});
    const Recorded r = recorded_call(c, tape);
    EXPECT_EQ(golden::difference(r.output.numpy(), c.array("output"),
                                 tolerance_of(c.array("output"))),
              "");
    const Tensor target = sum(r.output * on_device(c.array("output_gradient")));
    const Array& wanted = c.array("input_gradient");
    EXPECT_EQ(golden::difference(tape.gradient(target, r.input).numpy(), wanted,
                                 tolerance_of(wanted)),
              "");
    if (!c.has_array("boxes_gradient")) continue;
    EXPECT_EQ(golden::difference(tape.gradient(target, r.boxes).numpy(),
                                 c.array("boxes_gradient"),
                                 tolerance_of(c.array("boxes_gradient"))),
              "");
  }
}

}  // namespace
}  // namespace systolic::image
