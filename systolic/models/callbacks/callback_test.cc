#include "systolic/models/callbacks/callback.h"

#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"

namespace systolic::callbacks {
namespace {

using data::text_of;

TEST(LogsTest, ValuesByNameInOrder) {
  const Logs logs(Logs::Items{{"loss", 0.5}, {"accuracy", 0.75}});
  EXPECT_EQ(logs.at("accuracy"), 0.75);
  EXPECT_TRUE(logs.contains("loss"));
  EXPECT_FALSE(logs.contains("val_loss"));
  EXPECT_FALSE(logs.empty());
  std::string names;
  for (const auto& [name, value] : logs) names += name + " ";
  EXPECT_EQ(names, "loss accuracy ");
  EXPECT_EQ(text_of<NotFoundError>([&] { logs.at("val_loss"); }),
            "logs: expected one of: loss, accuracy, got \"val_loss\"");
}

TEST(LogsTest, NoValues) {
  const Logs logs;
  EXPECT_TRUE(logs.empty());
  EXPECT_EQ(text_of<NotFoundError>([&] { logs.at("loss"); }),
            "logs: expected one of: (nothing is logged), got \"loss\"");
}

TEST(LogsTest, FetchesOnceWhenLookedAt) {
  int fetched = 0;
  const Logs logs([&] {
    ++fetched;
    return Logs::Items{{"loss", 1.5}};
  });
  EXPECT_EQ(fetched, 0);
  const Logs copy = logs;
  EXPECT_EQ(copy.at("loss"), 1.5);
  EXPECT_EQ(logs.at("loss"), 1.5);
  EXPECT_EQ(fetched, 1);
}

TEST(LogsTest, ValuesThatNobodyLookedAtAreGone) {
  const Logs seen([] { return Logs::Items{{"loss", 1.5}}; });
  EXPECT_EQ(seen.at("loss"), 1.5);
  seen.close();
  EXPECT_EQ(seen.at("loss"), 1.5);
  const Logs unseen([] { return Logs::Items{{"loss", 1.5}}; });
  const Logs kept = unseen;
  unseen.close();
  EXPECT_EQ(text_of<ValueError>([&] { kept.at("loss"); }),
            "logs: the values of a batch are gone when its hook has returned\n"
            "  hint: look at them inside of the hook, and keep the numbers");
}

TEST(CallbackTest, HasAModelOnlyWhileItRuns) {
  CallbackBase callback;
  EXPECT_EQ(text_of<ValueError>([&] { callback.model(); }),
            "Callback.model: a callback has a model only while fit, evaluate "
            "or predict runs");
}

TEST(CallbackTest, UndefinedOnesAreRefused) {
  EXPECT_EQ(text_of<ValueError>(
                [] { CallbackList({Callback()}, models::Model(), Params()); }),
            "callbacks: expected callbacks, got an undefined one "
            "(Callback())\n"
            "  hint: make it with callbacks::make<YourCallback>()");
}

TEST(CallbackTest, ListTellsAllInOrder) {
  struct Named : CallbackBase {
    Named(std::string name, std::string* text) : name(name), text(text) {}
    void on_epoch_begin(int epoch, const Logs&) override {
      *text += name + std::to_string(epoch) + " ";
    }
    std::string name;
    std::string* text;
  };
  std::string text;
  CallbackList list({make<Named>("a", &text), make<Named>("b", &text)},
                    models::Model(), {.epochs = 3});
  list.call(&CallbackBase::on_epoch_begin, 2, Logs());
  EXPECT_EQ(text, "a2 b2 ");
}

}  // namespace
}  // namespace systolic::callbacks
