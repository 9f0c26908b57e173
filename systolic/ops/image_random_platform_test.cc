// Images changed at random. What TensorFlow draws for a seed is compared in
// systolic/image/tensors_platform_test.cc.
#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/base/philox.h"
#include "systolic/base/seed.h"
#include "systolic/graph/function.h"
#include "systolic/graph/program_cache.h"
#include "systolic/graph/step.h"
#include "systolic/graph/storage.h"
#include "systolic/image/random.h"
#include "systolic/ops/image.h"
#include "systolic/ops/image_random.h"
#include "systolic/ops/manipulation.h"
#include "systolic/ops/math.h"
#include "systolic/ops/reductions.h"
#include "systolic/ops/stateless.h"
#include "systolic/ops/test_ops.h"
#include "systolic/runtime/client.h"

namespace systolic {
namespace {

using internal::graph::Placement;
using internal::graph::ProgramCache;
using internal::graph::Step;
using internal::ops::begins;
using internal::ops::Comparisons;
using internal::ops::message_of;
using random::SeedGenerator;

// Images that differ everywhere, from 0 to 1.
Array pictures(const Shape& shape) {
  return random::uniform(shape, 0, 1, {.seed = 77}).numpy();
}

Tensor seed_of(int64_t first, int64_t second, DType dtype) {
  return constant(cast(Array::from({first, second}), dtype));
}

// Of every dtype of whole numbers, and of numbers.
TEST(ImageRandom, StatesAreTensorFlows) {
  Comparisons list;
  const auto add = [&](const char* name, const Tensor& state,
                       const image::StatelessSeed& seed) {
    const auto wanted = internal::stateless_state(seed);
    list.add(name, state,
             Array::from(std::vector<uint64_t>{wanted.key, 0, wanted.upper}));
  };
  const auto of_tensor = [](const Tensor& seed) {
    return internal::ops::stateless_state("test", seed, {});
  };
  add("numbers", internal::ops::stateless_state({3, -4}), {3, -4});
  for (const DType dtype : {DType::int8, DType::int32, DType::int64}) {
    add("signed", of_tensor(seed_of(3, -4, dtype)), {3, -4});
  }
  add("wide", of_tensor(seed_of(-7, int64_t{1} << 40, DType::int64)),
      {-7, int64_t{1} << 40});
  add("unsigned", of_tensor(seed_of(5, 200, DType::uint8)), {5, 200});
}

// More words than one counter value gives, in one draw.
TEST(ImageRandom, BitsAreTheHosts) {
  const auto state = internal::stateless_state({1, 2});
  std::vector<uint32_t> wanted;
  for (uint32_t i = 0; i < 5; ++i) {
    const auto block =
        internal::philox({i, 0, static_cast<uint32_t>(state.upper),
                          static_cast<uint32_t>(state.upper >> 32)},
                         state.key);
    wanted.insert(wanted.end(), block.begin(), block.end());
  }
  wanted.resize(18);
  EXPECT_TRUE(array_equal(
      internal::ops::philox_bits(internal::ops::stateless_state({1, 2}), {18})
          .numpy(),
      Array::from(wanted)));
}

// A train step gets another seed each time.
TEST(ImageRandom, AnotherSeedIsNoOtherProgram) {
  const Array x = pictures({6, 3, 4, 3});
  const auto augmented = [&](const Tensor& seed) {
    Tensor y = image::stateless_random_flip_left_right(constant(x), seed);
    y = image::stateless_random_brightness(y, 0.25, seed + 1);
    y = image::stateless_random_contrast(y, {0.5, 1.5}, seed + 2);
    y = image::stateless_random_saturation(y, {0.5, 1.5}, seed + 3);
    y = image::stateless_random_hue(y, 0.2, seed + 4);
    return image::stateless_random_crop(y, {6, 2, 2, 3}, seed + 5);
  };
  const auto on_host = [&](int64_t step) {
    const auto seed = [&](int64_t i) {
      return image::StatelessSeed{i, step + i};
    };
    Array y = image::stateless_random_flip_left_right(x, seed(0));
    y = image::stateless_random_brightness(y, 0.25, seed(1));
    y = image::stateless_random_contrast(y, {0.5, 1.5}, seed(2));
    y = image::stateless_random_saturation(y, {0.5, 1.5}, seed(3));
    y = image::stateless_random_hue(y, 0.2, seed(4));
    return image::stateless_random_crop(y, {6, 2, 2, 3}, seed(5));
  };
  uint64_t compiles = 0;
  for (int64_t step = 0; step < 6; ++step) {
    const Array got =
        augmented(constant(Array::from({int64_t{0}, step}))).numpy();
    EXPECT_EQ(golden::difference(got, on_host(step),
                                 {.relative = 1e-5, .absolute = 1e-5}),
              "")
        << step;
    const uint64_t now = ProgramCache::instance().statistics().compiles;
    if (step > 0) {
      EXPECT_EQ(now, compiles) << step;
    }
    compiles = now;
  }
}

// It is read when the function is called, as other operands are.
TEST(ImageRandom, AVariableMayBeTheSeed) {
  const Array x = pictures({16, 2, 3, 1});
  Variable seed(constant(Array::from({1, 2})), {.trainable = false});
  const auto flipped = [&](const image::SeedArg& s) {
    return image::stateless_random_flip_left_right(constant(x), s);
  };
  Comparisons list;
  list.add("at first", flipped(seed), flipped({1, 2}).numpy());
  seed.assign_add(Array::from({0, 1}));
  list.add("counted up", flipped(seed), flipped({1, 3}).numpy());
}

// A function is recorded once and still draws anew.
TEST(ImageRandom, FunctionsDrawAnew) {
  const Array x = pictures({64, 2, 2, 1});
  const SeedGenerator generator(5);
  const auto step = function([&](const Tensor& images) {
    return image::random_flip_up_down(images, generator);
  });
  const auto unseeded = function(
      [](const Tensor& images) { return image::random_flip_up_down(images); });
  const Tensor in = constant(x);
  const Array first = step(in).numpy(), second = step(in).numpy();
  EXPECT_FALSE(array_equal(first, second));
  EXPECT_FALSE(array_equal(unseeded(in).numpy(), unseeded(in).numpy()));
  const SeedGenerator same(5);
  EXPECT_TRUE(array_equal(image::random_flip_up_down(in, same).numpy(), first));
}

// Each of a batch by itself: some are turned, the others are not.
TEST(ImageRandom, GeneratorsDriveEveryFunction) {
  const SeedGenerator generator(9);
  const Array x = pictures({40, 3, 2, 3});
  const Tensor in = constant(x);
  const Array turned = image::random_flip_left_right(in, generator).numpy();
  const Array mirrored = image::flip_left_right(in).numpy();
  int64_t count = 0;
  for (int64_t i = 0; i < 40; ++i) {
    const bool same = array_equal(turned[i], x[i]);
    EXPECT_TRUE(same || array_equal(turned[i], mirrored[i]));
    count += same ? 0 : 1;
  }
  EXPECT_GT(count, 8);
  EXPECT_LT(count, 32);
  for (int i = 0; i < 4; ++i) {
    const Array delta =
        image::random_brightness(in, 0.25, generator).numpy() - x;
    EXPECT_LE(max(abs(delta)).item<float>(), 0.25f + 1e-6f);
    EXPECT_NEAR((max(delta) - min(delta)).item<float>(), 0, 1e-6f);
    EXPECT_EQ(image::random_crop(in, {40, 2, 1, 3}, generator).shape(),
              Shape({40, 2, 1, 3}));
  }
  EXPECT_EQ(image::random_contrast(in, {0.5, 1.5}, generator).spec(), x.spec());
  EXPECT_EQ(image::random_hue(in, 0.5, generator).spec(), x.spec());
  EXPECT_EQ(image::random_saturation(in, {0, 2}, 3).spec(), x.spec());
  const Tensor one = constant(x[0]);
  EXPECT_TRUE(array_equal(image::random_flip_left_right(one, 3).numpy(),
                          image::random_flip_left_right(one, 3).numpy()));
}

// A row of the batch is turned alike whichever replica has it.
TEST(ImageRandom, RowsDoNotDependOnTheNumberOfReplicas) {
  const SeedGenerator alone(5), shared(5);
  const Array column = Array::from({0.f, 1.f}, {1, 2, 1, 1});
  const auto batch = [&](int64_t rows) {
    return broadcast_to(column, {rows, 2, 1, 1});
  };
  const Array whole = image::random_flip_up_down(batch(32), alone).numpy();
  Tensor part;
  {
    Step replicas(
        Placement::replicas(
            internal::runtime::Client::open({.device_count = 8}).devices()),
        "test");
    part = image::random_flip_up_down(batch(4), shared);
    replicas.commit(std::span(&part, 1));
  }
  const auto parts = internal::graph::storage_of(part.ref())->replicas();
  ASSERT_EQ(parts.size(), 8u);
  EXPECT_TRUE(array_equal(concatenate(parts), whole));
}

TEST(ImageRandom, WrongCallsAreTold) {
  const Tensor x = zeros({3, 3, 3});
  EXPECT_TRUE(begins(message_of<ValueError>([&] {
                       image::random_contrast(x, {1.5, 0.5});
                     }),
                     "random_contrast: expected 0 <= lower < upper, got {1.5, "
                     "0.5}"));
  EXPECT_TRUE(
      begins(message_of<ValueError>([&] {
               image::stateless_random_hue(x, 0.75, {1, 2});
             }),
             "stateless_random_hue: expected max_delta to be 0 ... 0.5, got "
             "0.75"));
  EXPECT_TRUE(
      begins(message_of<ValueError>([&] {
               image::stateless_random_crop(x, {4, 3, 3}, {1, 2});
             }),
             "stateless_random_crop: expected a size within the value's (3, 3, "
             "3), got (4, 3, 3)"));
  EXPECT_TRUE(begins(
      message_of<ShapeError>([&] {
        image::stateless_random_brightness(x, 0.5,
                                           constant(Array::from({1, 2, 3})));
      }),
      "stateless_random_brightness: expected a seed of two whole numbers, "
      "got int32[3]"));
  EXPECT_TRUE(begins(
      message_of<TypeError>([&] {
        image::stateless_random_flip_left_right(x, Array::from({1.f, 2.f}));
      }),
      "stateless_random_flip_left_right: expected a seed of two whole "
      "numbers, got float32[2]"));
  EXPECT_TRUE(begins(message_of<ValueError>([&] {
                       image::random_crop(x, {4, 3, 3});
                     }),
                     "random_crop: expected a size within"));
  EXPECT_THROW(image::random_brightness(x, -1), ValueError);
  EXPECT_THROW(image::random_saturation(x, {-1, 1}), ValueError);
  EXPECT_THROW(image::random_flip_up_down(zeros({2, 2})), ShapeError);
}

}  // namespace
}  // namespace systolic
