// Convolution: float32 by our kernels where the platform has them, the other
// dtypes by StableHLO; both against a plain loop.
#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/graph/program.h"
#include "systolic/graph/step.h"
#include "systolic/graph/tape.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/nn.h"
#include "systolic/ops/rearrange.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/test_ops.h"

namespace systolic {

using contracts::OpSample;
using contracts::Tensors;
using nn::ConvOptions;

namespace {

Array some(const Shape& shape, int start) {
  Array x = Array::uninitialized({DType::float64, shape});
  int i = start;
  for (double& value : x.mutable_span<double>()) {
    value = (i++ * 7 % 31 - 15) * 0.125;
  }
  return x;
}

struct Case {
  const char* name;
  Shape x, kernel;
  ConvOptions options;
};

// Every option, and shapes where the border matters.
std::vector<Case> cases() {
  return {
      {"plain", {2, 4, 5, 2}, {3, 2, 2, 3}, {}},
      {"same", {1, 4, 5, 2}, {3, 2, 2, 3}, {.padding = Padding::same}},
      {"strides", {1, 6, 5, 1}, {2, 3, 1, 2}, {.strides = {2, 3}}},
      {"same, strides",
       {1, 5, 6, 2},
       {3, 3, 2, 2},
       {.strides = {2, 2}, .padding = Padding::same}},
      {"dilation",
       {1, 6, 6, 1},
       {3, 2, 1, 2},
       {.padding = Padding::same, .dilation_rate = {2, 3}}},
      {"groups", {1, 4, 4, 4}, {2, 2, 2, 6}, {.groups = 2}},
      {"one by one, strides", {1, 5, 5, 2}, {1, 1, 2, 3}, {.strides = {2, 3}}},
      {"depthwise",
       {1, 4, 4, 3},
       {3, 3, 1, 3},
       {.padding = Padding::same, .groups = 3}},
  };
}

// The gradients as the tape finds them: of the input, and of the filter.
Tensors input_gradient(const ConvOptions& options, const Tensors& in) {
  GradientTape tape;
  tape.watch(in[0]);
  const Tensor y = nn::conv(in[0], in[1], options);
  return {tape.gradient(sum(y * in[2]), in[0])};
}

Tensors filter_gradient(const ConvOptions& options, const Tensors& in) {
  GradientTape tape;
  tape.watch(in[1]);
  tape.watch(in[3]);
  const Tensor y = nn::conv(in[0], in[1], in[3], options);
  return tape.gradient(sum(y * in[2]), Sources{in[1], in[3]});
}

// The convolution as its formula has it.
Array plain_loop(const Array& x, const Array& w, const ConvOptions& o) {
  std::array<int64_t, 2> out{}, low{};
  for (int i = 0; i < 2; ++i) {
    const int64_t size = x.shape()[i + 1];
    const int64_t reach = (w.shape()[i] - 1) * o.dilation_rate[i] + 1;
    if (o.padding == Padding::same) {
      out[i] = (size + o.strides[i] - 1) / o.strides[i];
      low[i] =
          std::max<int64_t>((out[i] - 1) * o.strides[i] + reach - size, 0) / 2;
    } else {
      out[i] = (size - reach) / o.strides[i] + 1;
    }
  }
  const Shape &xs = x.shape(), &ws = w.shape();
  const auto xv = x.span<double>(), wv = w.span<double>();
  Array y = Array::zeros({xs[0], out[0], out[1], ws[3]}, DType::float64);
  double* to = y.mutable_span<double>().data();
  const int64_t filters = ws[3] / o.groups;
  for (int64_t n = 0; n < xs[0]; ++n)
    for (int64_t r = 0; r < out[0]; ++r)
      for (int64_t c = 0; c < out[1]; ++c)
        for (int64_t f = 0; f < ws[3]; ++f, ++to)
          for (int64_t i = 0; i < ws[0]; ++i)
            for (int64_t j = 0; j < ws[1]; ++j)
              for (int64_t k = 0; k < ws[2]; ++k) {
                const int64_t row =
                    r * o.strides[0] + i * o.dilation_rate[0] - low[0];
                const int64_t column =
                    c * o.strides[1] + j * o.dilation_rate[1] - low[1];
                if (row < 0 || row >= xs[1] || column < 0 || column >= xs[2]) {
                  continue;
                }
                const int64_t channel = f / filters * ws[2] + k;
                *to += xv[static_cast<size_t>(
                           ((n * xs[1] + row) * xs[2] + column) * xs[3] +
                           channel)] *
                       wv[static_cast<size_t>(
                           ((i * ws[1] + j) * ws[2] + k) * ws[3] + f)];
              }
  return y;
}

}  // namespace

std::vector<OpSample> internal::ops::conv_samples() {
  std::vector<OpSample> samples;
  for (const Case& c : cases()) {
    const Array x = some(c.x, 0), w = some(c.kernel, 3);
    const Array dy = some(plain_loop(x, w, c.options).shape(), 11);
    const Array bias = some({c.kernel[3]}, 2);
    const ConvOptions options = c.options;
    samples.push_back({.op = "conv",
                       .name = c.name,
                       .call =
                           [options](const Tensors& in) {
                             return Tensors{nn::conv(in[0], in[1], options)};
                           },
                       .inputs = {x, w},
                       .error = 2});
    samples.push_back(
        {.op = "conv_gradient",
         .name = c.name,
         .call = [options](
                     const Tensors& in) { return input_gradient(options, in); },
         .inputs = {x, w, dy},
         .second_gradient = false,
         .error = 2});
    samples.push_back({.op = "conv_gradient",
                       .name = c.name,
                       .call =
                           [options](const Tensors& in) {
                             return filter_gradient(options, in);
                           },
                       .inputs = {x, w, dy, bias},
                       .second_gradient = false,
                       .error = 3});
  }
  // Along one axis, along three, and transposed.
  samples.push_back({.op = "conv",
                     .name = "1d",
                     .call =
                         [](const Tensors& in) {
                           return Tensors{
                               nn::conv(in[0], in[1], {.strides = 2})};
                         },
                     .inputs = {some({2, 6, 2}, 0), some({3, 2, 2}, 3)},
                     .error = 2});
  samples.push_back(
      {.op = "conv",
       .name = "3d",
       .call =
           [](const Tensors& in) {
             return Tensors{nn::conv(in[0], in[1],
                                     {.strides = {1, 2, 1},
                                      .padding = Padding::same,
                                      .groups = 2})};
           },
       .inputs = {some({1, 2, 3, 3, 2}, 0), some({2, 2, 1, 1, 2}, 3)},
       .error = 2});
  samples.push_back(
      {.op = "conv_gradient",
       .name = "as conv_transpose",
       .call =
           [](const Tensors& in) {
             return Tensors{
                 nn::conv_transpose(in[0], in[1], {.strides = 2}),
                 nn::conv_transpose(in[0], in[1],
                                    {.strides = 2, .padding = Padding::same})};
           },
       .inputs = {some({1, 2, 3, 2}, 0), some({3, 2, 1, 2}, 3)},
       .error = 2});
  samples.push_back(
      {.op = "conv",
       .name = "with bias and relu",
       .call =
           [](const Tensors& in) {
             return Tensors{
                 nn::conv(in[0], in[1], in[2],
                          {.padding = Padding::same,
                           .activation = nn::FusedActivation::relu})};
           },
       .inputs = {some({1, 3, 4, 2}, 0), some({3, 3, 2, 3}, 3) + 0.03125,
                  Array::from({0.5, -0.25, 1.})},
       .error = 2});
  return samples;
}

namespace {

using internal::ops::begins;
using internal::ops::Comparisons;
using internal::ops::message_of;

TEST(Conv, IsItsFormula) {
  Comparisons list;
  for (const Case& c : cases()) {
    const Array x = some(c.x, 1), w = some(c.kernel, 4);
    const Array wanted = plain_loop(x, w, c.options);
    list.add(c.name, nn::conv(constant(x), constant(w), c.options), wanted);
    list.add(
        std::string(c.name) + " in float32",
        nn::conv(constant(cast<float>(x)), constant(cast<float>(w)), c.options),
        cast<float>(wanted));
  }
}

TEST(Conv, FormsAreKerass) {
  const auto conv = [](ConvOptions o) {
    return
        [o](const Tensors& in) { return Tensors{nn::conv(in[0], in[1], o)}; };
  };
  const auto depthwise = [](nn::DepthwiseConvOptions o) {
    return [o](const Tensors& in) {
      return Tensors{nn::depthwise_conv(in[0], in[1], o)};
    };
  };
  const auto separable = [](nn::DepthwiseConvOptions o) {
    return [o](const Tensors& in) {
      return Tensors{nn::separable_conv(in[0], in[1], in[2], o)};
    };
  };
  const auto transpose = [](nn::ConvTransposeOptions o) {
    return [o](const Tensors& in) {
      return Tensors{nn::conv_transpose(in[0], in[1], o)};
    };
  };
  constexpr Padding kSame = Padding::same;
  internal::ops::compare_with_goldens(
      "ops_windows", "conv",
      internal::ops::Calls{
          {"conv 1d", conv({})},
          {"conv 1d same, strides", conv({.strides = 2, .padding = kSame})},
          {"conv 1d dilated", conv({.dilation_rate = 2})},
          {"conv 3d", conv({.strides = {1, 2, 1}, .padding = kSame})},
          {"depthwise", depthwise({.strides = 2, .padding = kSame})},
          {"depthwise 1d", depthwise({})},
          {"separable", separable({.padding = kSame})},
          {"separable 1d", separable({})},
          {"transpose", transpose({.strides = 2})},
          {"transpose same", transpose({.strides = {2, 3}, .padding = kSame})},
          {"transpose output_padding",
           transpose({.strides = 2, .padding = kSame, .output_padding = 1})},
          {"transpose small window", transpose({.strides = 3})},
          {"transpose 1d", transpose({.strides = 2})},
          {"transpose 3d", transpose({.strides = 2, .padding = kSame})}});
}

TEST(Conv, ChannelsMayBeFirst) {
  const Tensor x = constant(some({2, 4, 5, 2}, 0));
  const Tensor w = constant(some({2, 3, 2, 2}, 3));
  const Tensor first = moveaxis(x, -1, 1);
  constexpr DataFormat kFirst = DataFormat::channels_first;
  Comparisons list;
  const auto add = [&](const char* name, const Tensor& got,
                       const Tensor& wanted) {
    list.add(name, moveaxis(got, 1, -1), wanted.numpy());
  };
  add("conv", nn::conv(first, w, {.data_format = kFirst}), nn::conv(x, w));
  add("depthwise", nn::depthwise_conv(first, w, {.data_format = kFirst}),
      nn::depthwise_conv(x, w));
  add("transpose", nn::conv_transpose(first, w, {.data_format = kFirst}),
      nn::conv_transpose(x, w));
  add("max_pool", nn::max_pool(first, {.data_format = kFirst}),
      nn::max_pool(x));
  add("average_pool", nn::average_pool(first, {.data_format = kFirst}),
      nn::average_pool(x));
}

TEST(Conv, BiasAndActivation) {
  const Array x = some({2, 3, 4, 2}, 0), w = some({2, 2, 2, 3}, 3);
  const Array bias = Array::from({0.5, -0.25, 100.});
  const Array wanted = relu(plain_loop(x, w, {}) + bias);
  Comparisons list;
  for (DType dtype : {DType::float32, DType::float64}) {
    list.add(
        "conv",
        nn::conv(cast(constant(x), dtype), cast(constant(w), dtype),
                 constant(bias), {.activation = nn::FusedActivation::relu}),
        cast(wanted, dtype));
  }
}

TEST(Conv, PromotesItsOperands) {
  const Tensor x = constant(Array::zeros({1, 3, 3, 1}, DType::bfloat16));
  const Tensor w = constant(Array::zeros({2, 2, 1, 1}));
  EXPECT_EQ(nn::conv(x, w).spec(), (TensorSpec{DType::float32, {1, 2, 2, 1}}));
}

TEST(Conv, NoImagesGiveNoImages) {
  const Tensor x = constant(Array::zeros({0, 4, 4, 2}));
  const Tensor w = constant(Array::zeros({3, 3, 2, 5}));
  GradientTape tape;
  tape.watch(w);
  const Tensor y = nn::conv(x, w);
  EXPECT_EQ(y.numpy().shape(), (Shape{0, 2, 2, 5}));
  const Tensor gradient = tape.gradient(sum(y), w);
  EXPECT_EQ(max(abs(gradient)).item<float>(), 0);
}

// Where the platform has our kernel, float32 goes through it.
TEST(Conv, KernelsAreUsedWhereTheyAre) {
  using namespace internal::graph;
  const Placement* placement = Placement::current_default();
  const auto text = [&](DType dtype) {
    const Tensor y = nn::conv(constant(Array::zeros({1, 3, 3, 1}, dtype)),
                              constant(Array::zeros({2, 2, 1, 1}, dtype)));
    const Root root{y.ref(), {}};
    return Program(std::span(&root, 1), placement).emit({});
  };
  const bool kernel = placement->client().has_kernel("systolic_conv2d_forward");
  EXPECT_EQ(text(DType::float32).find("custom_call") != std::string::npos,
            kernel);
  EXPECT_NE(text(DType::float64).find("stablehlo.convolution"),
            std::string::npos);
}

int count(const std::string& text, std::string_view word) {
  int found = 0;
  for (size_t at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1)) {
    ++found;
  }
  return found;
}

// A layer with bias and relu is one call forward and one backward; the calls
// know how many replicas share the processor.
TEST(Conv, ALayerIsOneCallForwardAndOneBackward) {
  using namespace internal::graph;
  const Placement* one = Placement::current_default();
  if (!one->client().has_kernel("systolic_conv2d_gradient")) {
    GTEST_SKIP() << "this platform has no kernels";
  }
  const Placement* eight = Placement::replicas(
      internal::runtime::Client::open({.device_count = 8}).devices());
  const auto program = [](const Placement* placement, bool pooled) {
    Step step(placement, "test");
    const Tensor x = constant(Array::ones({2, 6, 6, 1}));
    const Tensor w = constant(Array::ones({3, 3, 1, 2}));
    const Tensor b = constant(Array::ones({2}));
    GradientTape tape;
    for (const Tensor& t : {x, w, b}) tape.watch(t);
    Tensor y = nn::conv(x, w, b, {.activation = nn::FusedActivation::relu});
    if (pooled) y = nn::max_pool(y);
    std::vector<Root> roots;
    const auto gradients = tape.gradient(sum(y * y), Sources{x, w, b});
    for (const Tensor& gradient : gradients) {
      roots.push_back({gradient.ref(), {}});
    }
    return Program(roots, placement).emit({});
  };
  for (const auto& [placement, replicas] :
       {std::pair(one, ", replicas = 1 "),
        std::pair(eight, ", replicas = 8 ")}) {
    const std::string text = program(placement, false);
    EXPECT_EQ(count(text, "\"systolic_conv2d_forward\""), 1) << text;
    EXPECT_EQ(count(text, "\"systolic_conv2d_gradient\""), 1) << text;
    EXPECT_EQ(count(text, replicas), 2) << text;
    EXPECT_EQ(count(text, "stablehlo.reduce"), 0) << text;
    EXPECT_EQ(count(text, "stablehlo.select"), 0) << text;
  }
  // So is one with a pooling behind it, which has its own call forward.
  const std::string text = program(one, true);
  EXPECT_EQ(count(text, "\"systolic_max_pool2d_forward\""), 1) << text;
  EXPECT_EQ(count(text, "custom_call\""), 3) << text;
  EXPECT_EQ(count(text, "pool_window"), 1) << text;
}

// A pooling behind the convolution, alone or beside other uses of its result,
// by our kernels and by StableHLO.
TEST(Conv, GradientsThroughAPooling) {
  Comparisons list;
  for (const bool shared : {false, true}) {
    for (const Padding padding : {Padding::valid, Padding::same}) {
      for (const std::array<int64_t, 2> strides :
           {std::array<int64_t, 2>{0, 0}, std::array<int64_t, 2>{1, 2}}) {
        const auto gradients = [&](DType dtype, bool apart) {
          const Tensor x = cast(constant(some({3, 8, 9, 2}, 1)), dtype);
          const Tensor w = cast(constant(some({3, 3, 2, 4}, 5)), dtype);
          const Tensor b = cast(constant(some({4}, 2)), dtype);
          GradientTape tape;
          for (const Tensor& t : {x, w, b}) tape.watch(t);
          Tensor y =
              nn::conv(x, w, b, {.activation = nn::FusedActivation::relu});
          const Tensor extra = sum(y) * (shared ? 1. : 0.);
          // So that the two gradients are ops of their own.
          if (apart) y = y * 1.;
          const Tensor p = nn::max_pool(
              y, {.pool_size = {2, 3}, .strides = strides, .padding = padding});
          Tensor target = sum(p * p);
          if (shared) target = target + extra;
          return tape.gradient(target, Sources{x, w, b});
        };
        const auto wanted = gradients(DType::float64, true);
        const auto in_float64 = gradients(DType::float64, false);
        const auto in_float32 = gradients(DType::float32, false);
        for (int i = 0; i < 3; ++i) {
          list.add("float64", in_float64[i], wanted[i].numpy());
          list.add("float32", in_float32[i], cast<float>(wanted[i].numpy()));
        }
      }
    }
  }
}

TEST(Conv, WrongShapesAreTold) {
  const Tensor x = constant(Array::zeros({32, 28, 28}));
  const Tensor w = constant(Array::zeros({3, 3, 1, 8}));
  const int line = __LINE__ + 1;
  const auto rank = [&] { nn::conv(x, w); };
  EXPECT_EQ(
      message_of<ShapeError>(rank),
      "conv: expected an input and a kernel of one rank: 3, 4 or 5, got ranks "
      "3 and 4"
      "\n  input: float32[32, 28, 28]\n"
      "  kernel: float32[3, 3, 1, 8]\n"
      "  hint: images are (batch, height, width, channels); kernels "
      "(height, width, channels in, channels out)\n"
      "  at: conv_platform_test.cc:" +
          std::to_string(line));
  const Tensor images = constant(Array::zeros({1, 2, 28, 3}));
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] { nn::conv(images, w); }),
      "conv: expected input channels = kernel channels x groups, and filters "
      "a multiple of groups, got 3 channels, 1 x 1, 8 filters\n"));
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] {
        nn::conv(images, constant(Array::zeros({3, 3, 3, 8})));
      }),
      "conv: expected an image at least as large as the kernel, got size 2, "
      "kernel 3 along axis 1\n"));
  EXPECT_NE(message_of<ShapeError>([&] {
              nn::conv(images, constant(Array::zeros({1, 1, 3, 8})),
                       constant(Array::zeros({7})), {});
            }),
            "");
  EXPECT_NE(message_of<ValueError>([&] {
              nn::conv(images, constant(Array::zeros({1, 1, 3, 8})),
                       {.strides = {0, 1}});
            }),
            "");
}

TEST(Conv, WrongFormsAreTold) {
  const Tensor x = zeros({1, 4, 4, 2});
  EXPECT_TRUE(
      begins(message_of<ShapeError>([&] {
               nn::depthwise_conv(x, zeros({2, 2, 3, 1}));
             }),
             "depthwise_conv: expected a kernel for 2 channels, got 3\n"));
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] {
        nn::conv_transpose(x, zeros({2, 2, 2, 3}));
      }),
      "conv_transpose: expected a kernel (..., filters, 2), got (2, 2, 2, 3)"));
  EXPECT_TRUE(begins(message_of<ValueError>([&] {
                       nn::conv_transpose(x, zeros({2, 2, 3, 2}),
                                          {.strides = 2, .output_padding = 2});
                     }),
                     "conv_transpose: expected an output_padding below the "
                     "stride 2, got 2, which gives size 10 along axis 1\n"));
  EXPECT_TRUE(begins(
      message_of<ValueError>([&] {
        nn::conv(x, zeros({2, 2, 2, 3}), {.strides = {1, 1, 1}});
      }),
      "conv: expected one stride and one dilation, or one for each of 2 axes, "
      "got 3 and 1\n"));
}

TEST(Conv, ImagesOfBytesAreToldToBeCast) {
  const Tensor x = constant(Array::zeros({1, 3, 3, 1}, DType::uint8));
  const Tensor w = constant(Array::zeros({1, 1, 1, 1}, DType::uint8));
  EXPECT_NE(message_of<TypeError>([&] {
              nn::conv(x, w);
            }).find("hint: cast<float>(x) / 255.f"),
            std::string::npos);
}

}  // namespace
}  // namespace systolic
