#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "systolic/base/out.h"
#include "systolic/models/callbacks/lambda_callback.h"
#include "systolic/models/test_helpers.h"
#include "systolic/models/test_texts.h"

namespace systolic::callbacks {
namespace {

using data::text_of;

models::Sequential small() {
  const models::Sequential model({layers::Input({1}), layers::Dense(1)});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  return model;
}

TEST(LambdaCallbackPlatformTest, FunctionsAreCalledAtTheirStages) {
  std::string calls;
  small().fit(
      Array::ones({4, 1}), Array::ones({4, 1}),
      {.batch_size = 2,
       .verbose = models::Verbose::silent,
       .callbacks = {LambdaCallback(
           {.on_epoch_begin =
                [&](int e, const Logs&) { calls += "<" + std::to_string(e); },
            .on_epoch_end =
                [&](int, const Logs& logs) {
                  calls += logs.contains("loss") ? ">" : "?";
                },
            .on_train_begin = [&](const Logs&) { calls += "{"; },
            .on_train_end = [&](const Logs&) { calls += "}"; },
            .on_train_batch_end =
                [&](int64_t batch, const Logs&) {
                  calls += "b" + std::to_string(batch);
                }})}});
  EXPECT_EQ(calls, "{<0b0b1>}");
}

TEST(LambdaCallbackPlatformTest, TerminatesOnNaN) {
  const Array x = Array::full({4, 1}, std::numeric_limits<float>::quiet_NaN(),
                              DType::float32);
  std::ostringstream printed;
  const OutputGuard guard(printed);
  const auto history = small().fit(x, Array::ones({4, 1}),
                                   {.batch_size = 2,
                                    .epochs = 3,
                                    .verbose = models::Verbose::silent,
                                    .callbacks = {TerminateOnNaN()}});
  EXPECT_EQ(history.epoch().size(), 1U);
  EXPECT_EQ(printed.str(), "Batch 0: Invalid loss, terminating training\n");
  EXPECT_EQ(models::rule_of<ValueError>([&] {
              small().fit(x, Array::ones({4, 1}),
                          {.verbose = models::Verbose::silent,
                           .callbacks = {TerminateOnNaN(true)}});
            }),
            "TerminateOnNaN: NaN or Inf loss encountered at batch 0\n"
            "  loss: nan");
}

}  // namespace
}  // namespace systolic::callbacks
