#include "systolic/records/records.h"

#include <gtest/gtest.h>

#include <sstream>

#include "systolic/base/error.h"
#include "systolic/base/out.h"
#include "systolic/io/file_system.h"
#include "systolic/testing/temporary_folder.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

class RecordsCommandTest : public ::testing::Test {
 protected:
  RecordsCommandTest() {
    for (int file = 0; file < 2; ++file) {
      data::TFRecordWriter writer(path(file));
      for (int i = 0; i < 3; ++i) {
        writer.write(data::ExampleBuilder()
                         .add("class", 3 * file + i)
                         .add("image", "\xff\xd8\xff picture")
                         .serialize());
      }
      writer.close();
    }
  }
  std::string path(int file) const {
    return path(std::to_string(file) + ".tfrec");
  }
  std::string path(const std::string& name) const {
    return (folder_.path() / name).string();
  }
  // What a command line prints, and the code that it ends with.
  static std::string run(const std::string& line, int code = 0) {
    std::ostringstream text;
    const OutputGuard guard(text);
    CLI::App app;
    add_records(app);
    int got = 0;
    try {
      app.parse(line);
    } catch (const CLI::RuntimeError& error) {
      got = error.get_exit_code();
    }
    EXPECT_EQ(got, code) << text.str();
    return text.str();
  }
  const testing::TemporaryFolder folder_;
};

TEST_F(RecordsCommandTest, LsHasALineForEachFile) {
  EXPECT_EQ(run("records ls '" + path("*.tfrec") + "'"),
            "   records       size   a record  pack  file\n"
            "         3      180 B       44 B  none  " +
                path(0) +
                "\n"
                "         3      180 B       44 B  none  " +
                path(1) +
                "\n"
                "6 records, 360 B in 2 files\n");
  EXPECT_EQ(run("records ls " + folder_.path().string()),
            run("records ls '" + path("*.tfrec") + "'"));
  EXPECT_THROW(run("records ls " + path("gone")), NotFoundError);
}

TEST_F(RecordsCommandTest, CatPrintsFeatures) {
  EXPECT_EQ(run("records cat " + path(0) + " " + path(1) + " --from 2 -n 2"),
            "record 2 of " + path(0) +
                ", 44 B\n"
                "class: int64 [2]\nimage: 11 bytes (JPEG)\n"
                "record 0 of " +
                path(1) +
                ", 44 B\n"
                "class: int64 [3]\nimage: 11 bytes (JPEG)\n");
}

TEST_F(RecordsCommandTest, CatRefusesWhatIsNotThere) {
  try {
    run("records cat " + path(0) + " " + path(1) + " --from 6");
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_STREQ(error.what(),
                 "records cat --from: expected the number of a record, the "
                 "first is 0, got 6 of 6 records in 2 files");
  }
  for (const char* flag : {"-n -1", "-n 0", "--from -1", "--from x"}) {
    EXPECT_THROW(run("records cat " + path(0) + " " + flag),
                 CLI::ValidationError)
        << flag;
  }
}

TEST_F(RecordsCommandTest, SizesOfNothingAreRefused) {
  try {
    run("records reshard " + path(0) + " --to " + path("new") +
        " --shard-size 0");
    FAIL();
  } catch (const CLI::ValidationError& error) {
    EXPECT_STREQ(error.what(),
                 "--shard-size: expected a whole number from 1 to 1000000, "
                 "got 0");
  }
}

TEST_F(RecordsCommandTest, FeatureListsAreShown) {
  data::TFRecordWriter writer(path("lists"));
  writer.write(data::SequenceExampleBuilder()
                   .add_context("id", 7)
                   .add_step("words", {1, 2})
                   .serialize());
  writer.close();
  EXPECT_TRUE(run("records cat " + path("lists"))
                  .ends_with("id: int64 [7]\nfeature list words: 1 step\n"
                             "  int64 [1, 2]\n"));
  EXPECT_TRUE(run("records stats " + path("lists"))
                  .ends_with("features of 1 SequenceExample:\n"
                             "id: int64, 1 value\nfeature list words: 1 step, "
                             "a step: int64, 2 values\n"));
}

TEST_F(RecordsCommandTest, StatsSumUp) {
  EXPECT_EQ(run("records stats " + path(0)),
            "3 records in 1 file, 180 B on disk\n"
            "a record: 44 B to 44 B, 44 B on average\n"
            "features of 3 Examples:\n"
            "class: int64, 1 value\n"
            "image: bytes, 1 value, 11 bytes on average\n");
}

TEST_F(RecordsCommandTest, VerifyListsDamageAndFails) {
  EXPECT_EQ(run("records verify " + path(0)),
            "3 whole records in 1 file: no damage\n");
  std::string bytes = io::read_file(path(0));
  bytes[60 + 20] ^= 1;
  io::write_file(path(0), bytes);
  const std::string place =
      path(0) + ": record 1 at byte 60: checksum of the data\n";
  EXPECT_EQ(run("records verify " + path(0), 1),
            place + "2 whole records in 1 file: 1 damaged place\n");
  EXPECT_EQ(run("records repair " + path(0) + " --to " + path("new")),
            place + "2 records to " + path("new") + "\n");
  EXPECT_EQ(run("records verify " + path("new")),
            "2 whole records in 1 file: no damage\n");
}

TEST_F(RecordsCommandTest, DamageIsNeverHidden) {
  data::TFRecordWriter writer(path("a.gz"), {.compression_type = "GZIP"});
  writer.write("one");
  writer.close();
  const std::string bytes = io::read_file(path("a.gz"));
  io::write_file(path("a.gz"), bytes.substr(0, bytes.size() / 2));
  const std::string both = path("a.gz") + " " + path(0);
  const std::string see = "1 file damaged: see `systolic records verify`\n";
  EXPECT_TRUE(run("records stats " + both, 1).ends_with(see));
  EXPECT_TRUE(run("records ls " + both, 1).ends_with(see));
  const std::string place = path("a.gz") +
                            ": record 0 at byte 0: RecordReader: expected "
                            "whole bytes packed with GZIP, "
                            "got damaged ones\n";
  EXPECT_EQ(run("records verify " + both, 1),
            place + "3 whole records in 2 files: 1 damaged place\n");
  EXPECT_EQ(run("records repair " + path("a.gz") + " --to " + path("new"), 1),
            place + "no whole record: nothing is written\n");
  EXPECT_FALSE(io::exists(path("new")));
}

TEST_F(RecordsCommandTest, ReshardAndPackWriteFiles) {
  EXPECT_EQ(run("records reshard " + path(0) + " " + path(1) + " --to " +
                path("new") + " --shards 3 --shuffle 1"),
            "6 records to 3 files: " + path("new-00000-of-00003.tfrecord") +
                " ... 360 B\n");
  io::write_file(path("in/daisy/1.jpg"), "\xff\xd8\xff one");
  EXPECT_NE(run("records pack " + path("in") + " --to " + path("packed"))
                .find("1 record to 1 file: " +
                      path("packed-00000-of-00001.tfrecord")),
            std::string::npos);
}

TEST_F(RecordsCommandTest, HelpNamesTheCommands) {
  CLI::App app;
  add_records(app);
  const std::string help = app.get_subcommand("records")->help();
  for (const char* name :
       {"ls ", "cat ", "stats ", "verify ", "repair ", "reshard ", "pack "}) {
    EXPECT_NE(help.find(name), std::string::npos) << name;
  }
  EXPECT_THROW(run("records"), CLI::RequiredError);
}

}  // namespace
}  // namespace systolic::tools
