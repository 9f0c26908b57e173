#include <gtest/gtest.h>

#include "tools/command.h"

namespace systolic::tools {
namespace {

std::string text_for(const std::string& line) {
  CLI::App app("", "systolic");
  app.require_subcommand(1);
  add_records(app);
  add_cache(app);
  EXPECT_THROW(app.parse(line), CLI::RequiredError);
  return wrong_subcommand(app);
}

TEST(WrongSubcommandTest, IsNamedWithThoseThatThereAre) {
  EXPECT_EQ(text_for("records frobnicate a.tfrec"),
            "systolic records: expected one of ls, cat, stats, verify, repair, "
            "reshard, pack, got \"frobnicate\"\n"
            "  hint: `systolic records --help` says what they do");
  EXPECT_EQ(text_for("frobnicate"),
            "systolic: expected one of records, cache, got \"frobnicate\"\n"
            "  hint: `systolic --help` says what they do");
  EXPECT_TRUE(text_for("records").starts_with(
      "systolic records: expected one of ls, cat, stats, verify, repair, "
      "reshard, pack, got nothing"));
  EXPECT_EQ(text_for("records ls"), "") << "files are missing";
}

}  // namespace
}  // namespace systolic::tools
