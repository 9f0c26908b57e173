#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/optimizers/catalog.h"
#include "systolic/optimizers/optimizers.h"

namespace systolic::optimizers {
namespace {

TEST(CatalogPlatformTest, EveryNameMakesAnOptimizer) {
  for (std::string_view name : names()) {
    EXPECT_TRUE(get(std::string(name)).is_defined()) << name;
  }
  EXPECT_EQ(get("Adam").base().class_name(), "Adam");
  EXPECT_EQ(get("SGD").base().class_name(), "SGD");
  EXPECT_EQ(get("rmsprop").base().class_name(), "RMSprop");
}

TEST(CatalogPlatformTest, AnObjectIsTakenAsItIs) {
  const Optimizer mine = Adam(0.5);
  EXPECT_EQ(&get(mine).base(), &mine.base());
  EXPECT_FLOAT_EQ(get(Adam(0.25)).learning_rate().item<float>(), 0.25f);
}

TEST(CatalogPlatformTest, AnUnknownNameListsTheKnownOnes) {
  try {
    get("adm");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "optimizer: expected 'sgd', 'adam', 'adamw', 'rmsprop', "
                 "'adagrad', 'adadelta', 'adamax', 'nadam', 'lion' or 'ftrl', "
                 "got 'adm'\n  hint: did you mean 'adam'?");
  }
}

}  // namespace
}  // namespace systolic::optimizers
