#include "systolic/models/callbacks/csv_logger.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "systolic/models/callbacks/callback.h"
#include "systolic/models/test_helpers.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::callbacks {
namespace {

std::string text_in(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

TEST(CSVLoggerTest, WritesKerasFile) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "log.csv";
  for (const bool append : {false, true}) {
    const CSVLogger logger(path, {.append = append});
    CallbackBase& base = logger.base();
    base.on_train_begin({});
    base.on_epoch_end(0, Logs({{"loss", 0.5}, {"accuracy", 1.0}}));
    base.on_epoch_end(1, Logs({{"loss", 1e-5}, {"val_loss", 2.5}}));
    base.on_train_end({});
  }
  const std::string lines = "0,1.0,0.5,NA,NA\r\n1,NA,1e-05,NA,2.5\r\n";
  EXPECT_EQ(text_in(path),
            "epoch,accuracy,loss,val_accuracy,val_loss\r\n" + lines + lines);
}

TEST(CSVLoggerTest, FilesThatCanNotBeWrittenAreNamed) {
  const CSVLogger logger("/nowhere/log.csv");
  EXPECT_EQ(
      data::text_of<ValueError>([&] { logger.base().on_train_begin({}); }),
      "CSVLogger: expected a file that can be written, got "
      "/nowhere/log.csv");
}

}  // namespace
}  // namespace systolic::callbacks
