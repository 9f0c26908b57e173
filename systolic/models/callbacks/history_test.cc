#include "systolic/models/callbacks/history.h"

#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"

namespace systolic::callbacks {
namespace {

using data::text_of;

TEST(HistoryTest, KeepsWhatEpochsLogged) {
  const History history;
  CallbackBase& base = history.base();
  base.on_train_begin({});
  base.on_epoch_end(3, Logs({{"loss", 2.0}, {"accuracy", 0.5}}));
  base.on_epoch_end(
      4, Logs({{"loss", 1.0}, {"accuracy", 0.6}, {"val_loss", 3.0}}));
  EXPECT_EQ(history.epoch(), (std::vector<int>{3, 4}));
  EXPECT_EQ(history["loss"], (std::vector<double>{2, 1}));
  EXPECT_EQ(history["val_loss"], (std::vector<double>{3}));
  ASSERT_EQ(history.history().size(), 3u);
  EXPECT_EQ(history.history()[1].first, "accuracy");
  EXPECT_EQ(text_of<NotFoundError>([&] { history["los"]; }),
            "History: expected one of: loss, accuracy, val_loss, got "
            "\"los\"");
}

TEST(HistoryTest, EachTrainingStartsAnew) {
  const History history;
  history.base().on_epoch_end(0, Logs({{"loss", 2.0}}));
  history.base().on_train_begin({});
  EXPECT_TRUE(history.epoch().empty());
  EXPECT_EQ(text_of<NotFoundError>([&] { history["loss"]; }),
            "History: expected one of: (no epoch has ended), got \"loss\"");
}

TEST(HistoryTest, KnowsWhatTheFitWasTold) {
  const History history;
  history.base().set_params({.epochs = 5, .steps = 7, .verbose = 2});
  EXPECT_EQ(history.params().epochs, 5);
  EXPECT_EQ(history.params().steps, 7);
}

}  // namespace
}  // namespace systolic::callbacks
