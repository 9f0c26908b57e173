#include "systolic/losses/catalog.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/losses/crossentropy.h"
#include "systolic/losses/regression.h"
#include "systolic/ops/math.h"

namespace systolic::losses {
namespace {

TEST(CatalogTest, EveryNameMakesALoss) {
  for (std::string_view name : names()) {
    EXPECT_TRUE(get(std::string(name)).is_defined()) << name;
  }
}

TEST(CatalogTest, NamesAreKerass) {
  EXPECT_EQ(get("mse").name(), "mse");
  EXPECT_EQ(get("MSE").name(), "MSE");
  EXPECT_EQ(get("mean_squared_error").name(), "mean_squared_error");
  EXPECT_EQ(get("MeanSquaredError").name(), "mean_squared_error");
  EXPECT_EQ(get("mse").base().class_name(), "MeanSquaredError");
  EXPECT_EQ(get("mae").base().class_name(), "MeanAbsoluteError");
  EXPECT_EQ(get("bce").base().class_name(), "BinaryCrossentropy");
  EXPECT_EQ(get("SparseCategoricalCrossentropy").name(),
            "sparse_categorical_crossentropy");
}

TEST(CatalogTest, ObjectsAndFunctionsAreTakenAsTheyAre) {
  const Loss loss = MeanSquaredError({.name = "mine"});
  EXPECT_EQ(&get(loss).base(), &loss.base());
  EXPECT_EQ(get(MeanAbsoluteError()).name(), "mean_absolute_error");
  const Loss custom = get([](const Tensor& y_true, const Tensor& y_pred) {
    return square(y_true - y_pred);
  });
  EXPECT_EQ(custom.base().class_name(), "LossFunctionWrapper");
  EXPECT_FALSE(Identifier().is_set());
  EXPECT_TRUE(Identifier("mse").is_set());
}

TEST(CatalogTest, CrossentropyFollowsTheShapes) {
  const auto chosen = [](Shape y_true, Shape y_pred) {
    const Loss loss = resolve("crossentropy", {DType::int32, y_true},
                              {DType::float32, y_pred});
    EXPECT_EQ(loss.name(), "crossentropy");
    return std::string(loss.base().class_name());
  };
  EXPECT_EQ(chosen({-1, 1}, {-1, 1}), "BinaryCrossentropy");
  EXPECT_EQ(chosen({-1}, {-1, 10}), "SparseCategoricalCrossentropy");
  EXPECT_EQ(chosen({-1, 1}, {-1, 10}), "SparseCategoricalCrossentropy");
  EXPECT_EQ(chosen({-1, 10}, {-1, 10}), "CategoricalCrossentropy");
  EXPECT_EQ(resolve("mse", {}, {}).name(), "mse");
}

TEST(CatalogTest, AnUnknownNameListsTheKnownOnes) {
  try {
    get("sparse_categorical_crossentrpy");
    FAIL();
  } catch (const ValueError& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("loss: expected a known loss, got "
                        "'sparse_categorical_crossentrpy'\n  known: "),
              0u)
        << text;
    EXPECT_NE(text.find("hint: did you mean 'sparse_categorical_crossentropy'"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("'MAE'"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace systolic::losses
