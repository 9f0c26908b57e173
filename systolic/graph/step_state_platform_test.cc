// State that a step or a loop makes, and the memory that steps take over.
#include <gmock/gmock.h>

#include "systolic/graph/op.h"
#include "systolic/graph/step.h"
#include "systolic/graph/test_fixture.h"
#include "systolic/layers/core/dense.h"
#include "systolic/metrics/reduction.h"
#include "systolic/optimizers/adam.h"
#include "systolic/runtime/memory.h"

namespace systolic::internal::graph {
namespace {

class StepStatePlatformTest : public GraphTest {
 protected:
  static void run(const Placement* placement, const auto& body) {
    Step step(placement, "test_step");
    body();
    step.commit({});
  }
  static std::vector<const Placement*> placements() { return {one(), eight()}; }
};

TEST_F(StepStatePlatformTest, VariableMadeInALoopIsInitialisedOnce) {
  for (const Placement* placement : placements()) {
    const VariablePlacementGuard guard(placement);
    Variable w(constant(Array::from({1.f, 2.f})));
    Variable slot;
    int made = 0;
    for (int launch = 0; launch < 2; ++launch) {
      run(placement, [&] {
        for_loop(5, [&](const Tensor&) {
          if (!slot.is_defined()) {
            slot = Variable([&] { return zeros(w.shape()) + 10.f; },
                            {.trainable = false, .name = "slot"});
            ++made;
          }
          slot.assign_add(w);
        });
      });
    }
    EXPECT_EQ(made, 1);
    EXPECT_EQ(floats(slot), (std::vector<float>{20, 30}));
  }
}

TEST_F(StepStatePlatformTest, VariableMadeInANestedLoop) {
  Variable total;
  for_loop(2, [&](const Tensor&) {
    for_loop(3, [&](const Tensor& i) {
      if (!total.is_defined()) {
        total = Variable([] { return zeros(Shape::scalar(), DType::int32); });
      }
      total.assign_add(i);
    });
  });
  EXPECT_EQ(total.item<int>(), 2 * (0 + 1 + 2));
}

// A first value may be made of another variable: it is that from before the
// step, whatever the step has assigned.
TEST_F(StepStatePlatformTest, FirstValueFromAVariableIsTheOneFromBefore) {
  Variable w(constant(Array::from({1.f, 2.f})));
  Variable copy;
  run(one(), [&] {
    w.assign(w * 10.f);
    copy = Variable([&] { return w + 0.5f; });
    w.assign(w + copy);
  });
  EXPECT_EQ(floats(copy), (std::vector<float>{1.5f, 2.5f}));
  EXPECT_EQ(floats(w), (std::vector<float>{11.5f, 22.5f}));
}

TEST_F(StepStatePlatformTest, FirstValueFromValuesOfTheStepIsRefused) {
  const std::string what = message_of<ValueError>([&] {
    const Step step(one(), "train_step");
    const Tensor batch = vector({1, 2}) * 2;
    const Variable bad([&] { return batch + 1; });
  });
  EXPECT_EQ(what.substr(0, what.find('\n')),
            "add: a variable's first value is computed before the step that "
            "makes the variable, and can not depend on values of the step");
  EXPECT_THROW(for_loop(2,
                        [&](const Tensor& i) {
                          const Variable bad([&] { return i + 1; });
                        }),
               ValueError);
  const std::string reading = message_of<ValueError>([&] {
    const Step step(one(), "train_step");
    const Tensor batch = vector({1, 2}) * 2;
    const Variable bad([&] { return constant(batch.numpy()); });
  });
  EXPECT_THAT(reading, ::testing::HasSubstr("read inside train_step"));
  const std::string direct = message_of<ValueError>([&] {
    const Step step(one(), "train_step");
    const Variable bad(vector({1, 2}) * 2, {.name = "bad"});
  });
  EXPECT_THAT(direct, ::testing::HasSubstr(
                          "Variable \"bad\": its first value is computed "
                          "inside train_step, but state is made before"));
}

TEST_F(StepStatePlatformTest, VariableMadeInAStepThatFailsKeepsItsFirstValue) {
  Variable slot;
  EXPECT_THROW(run(eight(),
                   [&] {
                     slot = Variable([] { return zeros({2}) + 3.f; });
                     slot.assign_add(1.f);
                     throw std::runtime_error("the user's own");
                   }),
               std::runtime_error);
  EXPECT_EQ(floats(slot), (std::vector<float>{3, 3}));
}

// A lazily built layer, a metric and an optimizer's slots, all first made in
// the loop on the device, against the same steps one by one.
TEST_F(StepStatePlatformTest, LayerMetricAndSlotsMadeInTheDeviceLoop) {
  const Array x = Array::from({1.f, 2.f, 3.f, 4.f, 5.f, 6.f}, {2, 3});
  struct Model {
    layers::Dense dense{2, {.kernel_initializer = "ones"}};
    metrics::Mean mean;
    optimizers::Adam adam{0.1};
    void train(const Array& data) {
      GradientTape tape;
      const Tensor loss = sum(square(dense(data)));
      mean.update_state(loss);
      const auto weights = dense.trainable_weights();
      adam.apply(tape.gradient(loss, weights), weights);
    }
  };
  Model looped, single;
  for (int launch = 0; launch < 2; ++launch) {
    run(one(), [&] { for_loop(4, [&](const Tensor&) { looped.train(x); }); });
    for (int step = 0; step < 4; ++step) run(one(), [&] { single.train(x); });
  }
  EXPECT_EQ(looped.adam.iterations().item<int>(), 8);
  EXPECT_NEAR(looped.mean.result().item<float>(),
              single.mean.result().item<float>(), 1e-4);
  EXPECT_LT(looped.mean.result().item<float>(), 18 * 18 * 2);
  const auto weights = looped.dense.weights(), wanted = single.dense.weights();
  ASSERT_EQ(weights.size(), 2u);
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_TRUE(allclose(weights[i].numpy(), wanted[i].numpy(),
                         {.rtol = 1e-5, .atol = 1e-5}));
  }
  const auto slots = looped.adam.variables(), others = single.adam.variables();
  ASSERT_GE(slots.size(), 6u);
  for (size_t i = 0; i < slots.size(); ++i) {
    EXPECT_TRUE(allclose(slots[i].numpy(), others[i].numpy(),
                         {.rtol = 1e-5, .atol = 1e-5}))
        << slots[i].path();
  }
}

TEST_F(StepStatePlatformTest, LoopCarriesMoreThanSixtyFourVariables) {
  std::vector<Variable> all;
  for (int i = 0; i < 150; ++i) {
    all.emplace_back(constant(Array::from({static_cast<float>(i)})));
  }
  run(one(), [&] {
    for_loop(3, [&](const Tensor&) {
      for (size_t i = 0; i < all.size(); ++i) {
        all[i].assign_add(static_cast<float>(i));
      }
    });
  });
  for (size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i].item<float>(), 4 * static_cast<float>(i));
  }
}

// Donation.

TEST_F(StepStatePlatformTest, LargeVariableIsUpdatedInPlace) {
  for (const Placement* placement : placements()) {
    const VariablePlacementGuard guard(placement);
    const int64_t size = 1 << 20;
    Variable w([&] { return zeros({size}); });
    const auto update = [&] { w.assign_add(1.f); };
    run(placement, update);
    run(placement, update);
    w.state()->current.ref().node->first.storage->replicas();
    const int64_t live = buffers();
    const int64_t memory = runtime::process_memory().bytes_in_use;
    const uint64_t sent = runtime::counters().host_to_device_bytes;
    const uint64_t copied = runtime::counters().device_to_device_bytes;
    for (int i = 0; i < 100; ++i) run(placement, update);
    EXPECT_EQ(w.numpy().span<float>()[size - 1], 102.f);
    EXPECT_EQ(buffers(), live);
    EXPECT_EQ(runtime::counters().host_to_device_bytes, sent);
    EXPECT_EQ(runtime::counters().device_to_device_bytes, copied);
    const int64_t grown = runtime::process_memory().bytes_in_use - memory;
    EXPECT_LT(grown, 4 * size * 8) << "not even two more copies";
  }
}

TEST_F(StepStatePlatformTest, MemoryIsTakenOverWhereNobodyHoldsTheOldValue) {
  Variable w([] { return zeros({1000}); });
  run(one(), [&] { w.assign_add(1.f); });
  const auto address = [&] {
    const auto storage = storage_of(w.state()->current.ref());
    storage->replicas();
    return storage->on(one())[0]->pjrt().host_pointer();
  };
  const std::byte* before = address();
  run(one(), [&] { w.assign_add(1.f); });
  EXPECT_EQ(address(), before) << "the same memory";
  {
    const Tensor old = w;
    run(one(), [&] { w.assign_add(1.f); });
    EXPECT_NE(address(), before) << "somebody holds the old value";
    EXPECT_EQ(old.numpy().span<float>()[999], 2.f);
  }
  const std::byte* after = address();
  run(one(), [&] { w.assign_add(1.f); });
  EXPECT_EQ(address(), after);
  EXPECT_EQ(w.numpy().span<float>()[0], 4.f);
}

TEST_F(StepStatePlatformTest, HandleOnAnOldValueKeepsItReadable) {
  for (const Placement* placement : placements()) {
    Variable w(constant(Array::from({1.f, 2.f})));
    std::vector<Tensor> old;
    for (int i = 0; i < 4; ++i) {
      old.push_back(w);
      run(placement, [&] { w.assign(w * 2.f); });
    }
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(floats(old[i])[0], static_cast<float>(1 << i));
    }
    EXPECT_EQ(floats(w)[0], 16.f);
  }
}

// The handle is on the op's result, the variable has a leaf of its own.
TEST_F(StepStatePlatformTest, HandleOnTheAssignedValueKeepsItReadable) {
  for (const Placement* placement : placements()) {
    Variable w(constant(Array::from({1.f, 2.f})));
    Tensor assigned;
    run(placement, [&] {
      assigned = w * 2.f;
      w.assign(assigned);
    });
    run(placement, [&] { w.assign(w * 2.f); });
    EXPECT_EQ(floats(assigned), (std::vector<float>{2, 4}));
    EXPECT_EQ(floats(w), (std::vector<float>{4, 8}));
  }
}

TEST_F(StepStatePlatformTest, PendingUseOfAnOldValueKeepsIt) {
  Variable w(constant(Array::from({1.f, 2.f})));
  run(one(), [&] { w.assign_add(1.f); });
  const Tensor later = w * 10.f;  // not computed yet
  run(one(), [&] { w.assign_add(1.f); });
  EXPECT_EQ(floats(later), (std::vector<float>{20, 30}));
}

TEST_F(StepStatePlatformTest, TwoVariablesOfOneValueDoNotShareItsMemory) {
  Variable a(constant(Array::from({1.f, 2.f})));
  run(one(), [&] { a.assign_add(1.f); });
  Variable b(a, {.name = "b"});
  run(one(), [&] { a.assign_add(1.f); });
  run(one(), [&] { b.assign_add(5.f); });
  EXPECT_EQ(floats(a), (std::vector<float>{3, 4}));
  EXPECT_EQ(floats(b), (std::vector<float>{7, 8}));
}

// A large Array may be used in place: a donated copy must not write to it.
TEST_F(StepStatePlatformTest, ArrayThatAVariableStartedFromIsNotWrittenTo) {
  for (const Placement* placement : placements()) {
    const Array start = Array::ones({1 << 18});
    Variable w{Arg(start)};
    for (int i = 0; i < 3; ++i) run(placement, [&] { w.assign_add(1.f); });
    EXPECT_EQ(start.span<float>()[0], 1.f);
    EXPECT_EQ(start.span<float>()[(1 << 18) - 1], 1.f);
    EXPECT_EQ(w.numpy().span<float>()[7], 4.f);
  }
}

TEST_F(StepStatePlatformTest, ResetToAScalarCompilesNothingNew) {
  Variable total(Arg(0.f), {.trainable = false});
  const auto update = [&] {
    run(one(), [&] { total.assign_add(sum(vector({1, 2, 3, 0, 0, 0, 0}))); });
  };
  for (int i = 0; i < 3; ++i) update();
  EXPECT_EQ(compiles(), 1u) << "the first value is an argument too";
  for (int epoch = 0; epoch < 3; ++epoch) {
    total.assign(0.f);
    update();
    EXPECT_EQ(total.item<float>(), 6.f);
  }
  EXPECT_EQ(compiles(), 1u);
}

}  // namespace
}  // namespace systolic::internal::graph
