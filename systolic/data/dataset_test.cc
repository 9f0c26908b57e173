#include "systolic/data/dataset.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/test_helpers.h"

namespace systolic::data {
namespace {

// A source of a user's own.
class Countdown final : public DatasetBase {
 public:
  std::string name() const override { return "countdown"; }
  int64_t cardinality() const override { return 3; }
  ElementSpec element_spec() const override {
    return ElementSpec(TensorSpec{DType::int64, Shape::scalar()});
  }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext&) const override {
    struct Position final : IteratorBase {
      bool get_next(Element* out) override {
        if (left == 0) return false;
        *out = Element(left--);
        return true;
      }
      int64_t left = 3;
    };
    return std::make_unique<Position>();
  }
};

TEST(DatasetTest, TakesAUsersNode) {
  const Dataset dataset(std::make_shared<Countdown>());
  EXPECT_EQ(values(dataset), (std::vector<int64_t>{3, 2, 1}));
  EXPECT_EQ(values(dataset.map([](int64_t x) { return x * 10; }).skip(1)),
            (std::vector<int64_t>{20, 10}));
  EXPECT_EQ(dataset.name(), "countdown");
}

TEST(DatasetTest, RefusesANullNode) {
  EXPECT_EQ(text_of<ValueError>([] { Dataset(nullptr); }),
            "data::Dataset: expected a node, got a null pointer");
}

TEST(DatasetTest, TheMainPipeline) {
  const Array images = Array::zeros({100, 4, 4}, DType::uint8);
  std::vector<int64_t> indices(100);
  for (size_t i = 0; i < 100; ++i) indices[i] = static_cast<int64_t>(i);
  const auto pair = std::pair(images, Array::from(indices));
  const auto prepare = [](Array image, Array label) {
    return std::pair(image.reshaped({4, 4, 1}), label);
  };
  const Dataset train = Dataset::from_tensor_slices(pair)
                            .map(prepare, {.num_parallel_calls = AUTOTUNE})
                            .cache()
                            .shuffle(50, {.seed = 3})
                            .repeat()
                            .batch(30, {.drop_remainder = true})
                            .prefetch(AUTOTUNE);
  EXPECT_EQ(train.cardinality(), INFINITE_CARDINALITY);
  EXPECT_EQ(train.element_spec().to_string(),
            "(uint8[30, 4, 4, 1], int64[30])");
  std::vector<int> seen(100);
  for (auto [x, y] : train.take(10).as<Array, Array>()) {
    EXPECT_EQ(x.shape(), (Shape{30, 4, 4, 1}));
    for (int64_t label : y.span<int64_t>()) ++seen[static_cast<size_t>(label)];
  }
  EXPECT_EQ(seen, std::vector<int>(100, 3)) << "three whole passes";
  const Dataset test =
      Dataset::from_tensor_slices(pair).map(prepare).batch(30).cache();
  EXPECT_EQ(test.cardinality(), 4);
  EXPECT_EQ(test.element_spec().to_string(),
            "(uint8[None, 4, 4, 1], "
            "int64[None])");
}

TEST(DatasetElementTest, ADataSetIsAnElement) {
  const Dataset dataset =
      Dataset::range(3).map([](int64_t x) { return Dataset::range(x); });
  EXPECT_EQ(dataset.element_spec().to_string(), "Dataset(int64[])");
  std::string inner;
  for (const Dataset& part : dataset.as<Dataset>()) inner += text(part) + ';';
  EXPECT_EQ(inner, ";0;0 1;");
  EXPECT_EQ(text(dataset), "<range> <range> <range>");
  const Element element = dataset.iterator().next();
  EXPECT_TRUE(element_equal(element, element));
  EXPECT_FALSE(element_equal(element, Element(Dataset::range(0))));
}

TEST(DatasetElementTest, ATreeOfDataSetsIsReadAsOne) {
  const Element tree =
      Element::dict({{"a", Dataset::range(3)}, {"b", Dataset::range(5, 9)}});
  EXPECT_EQ(text(tree.to<Dataset>()),
            "{\"a\": 0, \"b\": 5} {\"a\": 1, \"b\": 6} "
            "{\"a\": 2, \"b\": 7}");
  const Element pair(std::pair(Dataset::range(2), Dataset::range(4)));
  EXPECT_EQ(text(pair.to<Dataset>()), "(0, 0) (1, 1)");
}

TEST(DatasetElementTest, MistakesAreNamed) {
  const Dataset dataset =
      Dataset::range(3).map([](int64_t x) { return Dataset::range(x); });
  EXPECT_EQ(text_of<TypeError>([&] { dataset.batch(2).iterator().next(); }),
            "batch: expected elements of Arrays, got Dataset(int64[])\n"
            "  hint: flat_map() the data sets that are elements first");
  EXPECT_EQ(text_of<TypeError>([&] { Element(3).to<Dataset>(); }),
            "data::Dataset: expected a data set, or a tuple or dict of them, "
            "got int32[]");
  EXPECT_EQ(text_of<TypeError>([&] { dataset.iterator().next().array(); }),
            "data::Element: expected an Array, got a data set\n"
            "  element: Dataset(int64[])");
}

}  // namespace
}  // namespace systolic::data
