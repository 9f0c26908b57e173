#include "systolic/testing/dataset_contract.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

namespace systolic::testing {
namespace {

using data::Dataset;

// Forwards to another node, but for what a test breaks.
class Broken final : public data::TransformBase {
 public:
  explicit Broken(const Dataset& input)
      : TransformBase(input.node(), "broken") {}

  int64_t cardinality() const override {
    return claimed.value_or(input().cardinality());
  }
  data::ElementSpec element_spec() const override {
    return spec.value_or(input().element_spec());
  }
  std::unique_ptr<data::IteratorBase> make_iterator(
      const data::IteratorContext& context) const override {
    if (leak) {
      std::thread([] {
        std::this_thread::sleep_for(std::chrono::seconds(30));
      }).detach();
    }
    return input().make_iterator(context);
  }

  std::optional<int64_t> claimed;
  std::optional<data::ElementSpec> spec;
  bool leak = false;
};

std::string broken(const std::function<void(Broken&)>& change) {
  return dataset_contract([&](const Dataset& input) {
    auto node = std::make_shared<Broken>(input);
    change(*node);
    return Dataset(node);
  });
}

TEST(DatasetContractTest, FindsNothingInAForwarder) {
  EXPECT_EQ(broken([](Broken&) {}), "");
}

TEST(DatasetContractTest, FindsAWrongCardinality) {
  EXPECT_EQ(broken([](Broken& b) { b.claimed = 3; }),
            "cardinality: claimed 3 elements, gave 40\n");
  EXPECT_EQ(dataset_contract([](const Dataset& input) { return input; },
                             {.length = 41}),
            "cardinality: expected 41 elements, got 40\n");
}

TEST(DatasetContractTest, FindsAWrongSpec) {
  EXPECT_EQ(broken([](Broken& b) {
              b.spec = TensorSpec{DType::int64, Shape{1}};
            }),
            "element_spec: claimed int64[1], gave int64[]\n");
}

TEST(DatasetContractTest, FindsALeftThread) {
  const std::string text = broken([](Broken& b) { b.leak = true; });
  EXPECT_NE(text.find("early stop: "), std::string::npos) << text;
}

TEST(DatasetContractTest, FindsAnOrderThatMoves) {
  EXPECT_EQ(dataset_contract([](const Dataset& input) {
              return input.shuffle(40, {.seed = 1});
            }),
            "order: two passes differ\ntwo passes at a time: they differ\n");
  auto seed = std::make_shared<std::atomic<int64_t>>(0);
  EXPECT_EQ(dataset_contract(
                [seed](const Dataset& input) {
                  return input.shuffle(40, {.seed = ++*seed});
                },
                {.same_in_each_pass = false}),
            "order: two builds differ\n");
}

TEST(DatasetContractTest, FindsALostError) {
  EXPECT_EQ(
      dataset_contract([](const Dataset& input) { return input.take(10); }),
      "errors: an exception upstream was seen 0 times\n");
}

}  // namespace
}  // namespace systolic::testing
