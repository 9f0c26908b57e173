// fit, evaluate and predict of distributed data sets, and of dicts: the rows of
// the data, each once and in order, nothing of the filling.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "systolic/array/arrays.h"
#include "systolic/models/test_helpers.h"
#include "systolic/ops/ops.h"

namespace systolic::models {
namespace {

using distribute::Strategy;
using ::testing::HasSubstr;

const Verbose kSilent = Verbose::silent;

// 0 ... count - 1, times `scale`.
Array numbers(int64_t count, float scale = 1) {
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(static_cast<float>(i) * scale);
  }
  return Array::from(values);
}

// Rows {i} and {10 i} under names.
data::Dataset named_rows(int64_t count, int64_t batch_size) {
  const auto name = [](Array i) {
    return std::map<std::string, Array>{{"a", expand_dims(i, 0)},
                                        {"b", expand_dims(i * 10.f, 0)}};
  };
  return data::Dataset::from_tensor_slices(numbers(count))
      .map(name)
      .batch(batch_size);
}

Model sum_of_named() {
  clear_session();
  const Tensor a = layers::Input({1}, {.name = "a"});
  const Tensor b = layers::Input({1}, {.name = "b"});
  return Model({a, b}, a + b);
}

TEST(DistributedDataPlatformTest, DictsArePredictedRowByRow) {
  const Strategy strategy = replicas(8);
  const auto scope = strategy.scope();
  const Model model = sum_of_named();
  for (const int64_t rows : {1, 7, 8, 19, 40}) {
    const data::Dataset batches = named_rows(rows, 10);
    const Array wanted = expand_dims(numbers(rows, 11), 1);
    EXPECT_TRUE(
        array_equal(model.predict(batches, {.verbose = kSilent}), wanted));
    EXPECT_TRUE(array_equal(model.predict(strategy.distribute_dataset(batches),
                                          {.verbose = kSilent}),
                            wanted));
  }
}

TEST(DistributedDataPlatformTest, FitAndEvaluateAreAsOfTheDataSet) {
  const Strategy strategy = replicas(8);
  const auto scope = strategy.scope();
  const data::Dataset data = batches(45, 16);
  const auto values = [&](const DataSource& source) {
    const Sequential model = classifier();
    const auto history =
        model.fit(source, {.epochs = 2,
                           .verbose = kSilent,
                           .class_weight = {{0, 1.0}, {1, 0.5}, {2, 2.0}}});
    std::vector<double> all = history["loss"];
    for (const double v : model.evaluate(source, {.verbose = kSilent})) {
      all.push_back(v);
    }
    return all;
  };
  EXPECT_EQ(values(strategy.distribute_dataset(data)), values(data));
}

TEST(DistributedDataPlatformTest, BatchesOfOneReplicaEachAreRefused) {
  const Strategy strategy = replicas(8);
  const auto scope = strategy.scope();
  const auto dataset = strategy.distribute_datasets_from_function(
      [](const InputContext&) { return batches(16, 2); });
  EXPECT_THAT(text_of<ValueError>(
                  [&] { classifier().fit(dataset, {.verbose = kSilent}); }),
              HasSubstr("got batches of one replica each"));
}

}  // namespace
}  // namespace systolic::models
