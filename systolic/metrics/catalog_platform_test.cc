#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/metrics/accuracy.h"
#include "systolic/metrics/catalog.h"
#include "systolic/ops/math.h"

namespace systolic::metrics {
namespace {

TEST(CatalogPlatformTest, EveryNameMakesAMetric) {
  for (const std::string& name : names()) {
    const TensorSpec scores{DType::float32, {-1, 10}};
    if (name == "acc") {
      EXPECT_EQ(resolve(name, scores, scores).name(), "acc");
    } else {
      EXPECT_TRUE(get(name).is_defined()) << name;
    }
  }
}

TEST(CatalogPlatformTest, AccuracyFollowsTheShapes) {
  const auto chosen = [](Shape y_true, Shape y_pred) {
    const Metric metric =
        resolve("accuracy", {DType::int32, y_true}, {DType::float32, y_pred});
    EXPECT_EQ(metric.name(), "accuracy");
    return std::string(metric.base().class_name());
  };
  EXPECT_EQ(chosen({-1, 1}, {-1, 1}), "BinaryAccuracy");
  EXPECT_EQ(chosen({-1}, {-1, 1}), "BinaryAccuracy");
  EXPECT_EQ(chosen({-1}, {-1, 10}), "SparseCategoricalAccuracy");
  EXPECT_EQ(chosen({-1, 1}, {-1, 10}), "SparseCategoricalAccuracy");
  EXPECT_EQ(chosen({-1, 10}, {-1, 10}), "CategoricalAccuracy");
  EXPECT_EQ(chosen({-1, 7}, {-1, 7, 10}), "SparseCategoricalAccuracy");
}

TEST(CatalogPlatformTest, AMetricFromANameCarriesIt) {
  EXPECT_EQ(get("mse").name(), "mean_squared_error");
  EXPECT_EQ(resolve("mse", {}, {}).name(), "mse");
  EXPECT_EQ(resolve("MeanSquaredError", {}, {}).name(), "MeanSquaredError");
  const Metric mine = SparseCategoricalAccuracy("mine");
  EXPECT_EQ(&resolve(mine, {}, {}).base(), &mine.base());
  EXPECT_EQ(mine.name(), "mine");
  const Metric custom =
      resolve([](const Tensor& y_true,
                 const Tensor& y_pred) { return abs(y_true - y_pred); },
              {}, {});
  EXPECT_EQ(custom.base().class_name(), "MeanMetricWrapper");
}

TEST(CatalogPlatformTest, AMetricOfValuesDoesNotGoIntoCompile) {
  try {
    resolve(Mean("loss"), {}, {});
    FAIL();
  } catch (const TypeError& error) {
    EXPECT_EQ(std::string(error.what())
                  .find("Mean \"loss\": expected a metric of y_true and "
                        "y_pred, got one of values\n  hint: "),
              0u)
        << error.what();
  }
}

TEST(CatalogPlatformTest, AnUnknownNameListsTheKnownOnes) {
  try {
    get("acuracy");
    FAIL();
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_EQ(
        text.find("metric: expected a known metric, got 'acuracy'\n  known: "),
        0u)
        << text;
    EXPECT_NE(text.find("hint: did you mean 'Accuracy'?"), std::string::npos)
        << text;
  }
}

}  // namespace
}  // namespace systolic::metrics
