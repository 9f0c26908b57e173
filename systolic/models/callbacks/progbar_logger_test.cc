#include "systolic/models/callbacks/progbar_logger.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "systolic/base/out.h"
#include "systolic/models/test_helpers.h"
#include "systolic/testing/golden.h"

namespace systolic::callbacks {
namespace {

using Bar = ProgbarLoggerBase;

const golden::Case& recorded(const std::string& name) {
  static const auto* cases =
      new std::vector<golden::Case>(golden::load("text"));
  for (const golden::Case& c : *cases) {
    if (c.name() == name) return c;
  }
  throw NotFoundError("no recorded case " + name);
}

// The durations of a line as the recording has them.
std::string without_times(std::string text) {
  text =
      std::regex_replace(text, std::regex("\\d+(s|ms|us)/step"), "TIME/step");
  text = std::regex_replace(text, std::regex("(\x1b\\[1m| - )\\d+s"), "$1TIME");
  return std::regex_replace(text, std::regex(" +\n"), "\n");
}

const Logs::Items kFirst = {{"loss", 1.1378},
                            {"sparse_categorical_accuracy", 0.375}};
const Logs::Items kEpoch = {{"loss", 1.2484},
                            {"sparse_categorical_accuracy", 0.3125},
                            {"val_loss", 1.2412},
                            {"val_sparse_categorical_accuracy", 0.3125}};

TEST(ProgbarLoggerTest, ColouredLineIsKeras) {
  const std::string text = recorded("progress, verbose=1").text("fit");
  const std::string epoch = "Epoch 1/2\n\r" +
                            Bar::line(1, 4, 0.5, kFirst, 1, true) + "\b\r" +
                            Bar::line(4, 4, 2, kEpoch, 1, true) + "\n";
  EXPECT_EQ(without_times(epoch), text.substr(0, text.find("Epoch 2/2")));
}

TEST(ProgbarLoggerTest, LinesOfEvaluateAndPredictAreKeras) {
  const golden::Case& c = recorded("progress, verbose=1");
  const Logs::Items values = {{"loss", 1.2344},
                              {"sparse_categorical_accuracy", 0.3125}};
  const std::string evaluate = Bar::line(1, 1, 0, values, 1, true);
  EXPECT_EQ(without_times("\r" + evaluate + "\b\r" + evaluate + "\n"),
            c.text("evaluate"));
  const std::string predict = Bar::line(1, 1, 0.2, {}, 1, true);
  EXPECT_EQ(without_times("\r" + predict + "\b\r" + predict + "\n"),
            c.text("predict"));
}

TEST(ProgbarLoggerTest, LineOfUnknownStepsIsKeras) {
  const Logs::Items values = {{"loss", 1.3102},
                              {"sparse_categorical_accuracy", 0.25}};
  const std::string text =
      recorded("progress, verbose=1").text("fit_unknown_steps");
  EXPECT_TRUE(text.starts_with(
      "Epoch 1/2\n\r" +
      without_times(Bar::line(1, std::nullopt, 1, values, 1, true))))
      << text;
}

TEST(ProgbarLoggerTest, LineOfVerbose2IsKeras) {
  const std::string text = recorded("progress, verbose=2").text("fit");
  EXPECT_EQ(without_times("Epoch 1/2\n" + Bar::line(4, 4, 2, kEpoch, 2, false) +
                          "\n"),
            text.substr(0, text.find("Epoch 2/2")));
}

TEST(ProgbarLoggerTest, TimesAndNumbers) {
  const auto line = [](int64_t done, std::optional<int64_t> target,
                       double seconds, Logs::Items items = {}) {
    return Bar::line(done, target, seconds, items, 2, false);
  };
  EXPECT_EQ(line(4, 4, 125.6), "4/4 - 126s - 31s/step");
  EXPECT_EQ(line(10, 10, 0.25), "10/10 - 0s - 25ms/step");
  EXPECT_EQ(line(10, 10, 0.0005), "10/10 - 0s - 50us/step");
  // What is left: 2, 90 and 7290 steps of a second each.
  EXPECT_EQ(line(2, 4, 2), "2/4 - 2s - 1s/step");
  EXPECT_EQ(line(10, 100, 10), " 10/100 - 1:30 - 1s/step");
  EXPECT_EQ(line(10, 7300, 10), "  10/7300 - 2:01:30 - 1s/step");
  EXPECT_EQ(line(12, std::nullopt, 6), "     12/Unknown - 6s - 500ms/step");
  EXPECT_EQ(line(1, 1, 1, {{"loss", 0.00025}, {"mse", 12.5}}),
            "1/1 - 1s - 1s/step - loss: 2.5000e-04 - mse: 12.5000");
  EXPECT_EQ(Bar::line(4, 4, 9, {}, 2, false, 0.5), "4/4 - 9s - 500ms/step");
}

TEST(ProgbarLoggerTest, BarFillsUp) {
  const auto bar = [](int64_t done) {
    return Bar::line(done, 40, 0, {}, 1, true);
  };
  EXPECT_TRUE(bar(1).starts_with("\x1b[1m 1/40\x1b[0m \x1b[37m\u2501"));
  EXPECT_TRUE(bar(2).starts_with(
      "\x1b[1m 2/40\x1b[0m \x1b[32m\u2501\x1b[0m\x1b[37m\u2501"));
}

// What a logger writes where there is no terminal.
std::string plain(int verbose, std::optional<int64_t> steps,
                  const std::function<void(CallbackBase&)>& run) {
  std::ostringstream text;
  const OutputGuard guard(text);
  const ProgbarLogger logger;
  logger.base().set_params({.epochs = 2, .steps = steps, .verbose = verbose});
  run(logger.base());
  return std::regex_replace(text.str(), std::regex("\\d+(s|ms|us)"), "T");
}

TEST(ProgbarLoggerTest, OneLineForAnEpochElsewhere) {
  const auto epochs = [](CallbackBase& logger) {
    logger.on_train_begin({});
    for (int epoch = 0; epoch < 2; ++epoch) {
      logger.on_epoch_begin(epoch, {});
      if (epoch == 0) logger.on_compile("first time");
      logger.on_compile("another one");
      for (int64_t batch = 0; batch < 3; ++batch) {
        logger.on_train_batch_begin(batch, {});
        logger.on_train_batch_end(batch, Logs([]() -> Logs::Items {
                                    throw InternalError("nobody may look");
                                  }));
      }
      logger.on_test_begin({});
      logger.on_test_batch_end(0, Logs({{"loss", 9.0}}));
      logger.on_test_end(Logs({{"loss", 9.0}}));
      logger.on_epoch_end(epoch, Logs({{"loss", 0.5}, {"val_loss", 9.0}}));
    }
    logger.on_train_end({});
  };
  EXPECT_EQ(plain(2, 3, epochs),
            "Epoch 1/2\nCompiling the step ...\n"
            "3/3 - T - T/step - loss: 0.5000 - val_loss: 9.0000\n"
            "Epoch 2/2\n"
            "3/3 - T - T/step - loss: 0.5000 - val_loss: 9.0000\n");
  const std::string verbose1 = plain(1, std::nullopt, epochs);
  EXPECT_EQ(std::regex_replace(verbose1, std::regex("(\u2501)+"), "BAR"),
            "Epoch 1/2\nCompiling the step ...\n"
            "3/3 BAR T T/step - loss: 0.5000 - val_loss: 9.0000\n"
            "Epoch 2/2\n"
            "3/3 BAR T T/step - loss: 0.5000 - val_loss: 9.0000\n");
}

TEST(ProgbarLoggerTest, EvaluateAndPredictHaveALineEach) {
  EXPECT_EQ(plain(2, 2,
                  [](CallbackBase& logger) {
                    logger.on_test_begin({});
                    logger.on_test_batch_end(1, {});
                    logger.on_test_end(Logs({{"loss", 0.25}}));
                    logger.on_predict_begin({});
                    logger.on_predict_batch_end(1, {});
                    logger.on_predict_end({});
                  }),
            "2/2 - T - T/step - loss: 0.2500\n2/2 - T - T/step\n");
}

}  // namespace
}  // namespace systolic::callbacks
