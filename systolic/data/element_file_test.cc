#include "systolic/data/element_file.h"

#include <gtest/gtest.h>

#include "systolic/base/error.h"
#include "systolic/data/dataset.h"
#include "systolic/data/test_helpers.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::data::detail {
namespace {

class ElementFileTest : public ::testing::Test {
 protected:
  std::string write(int64_t count) {
    const std::string path = (folder_.path() / "elements").string();
    ElementFileWriter writer(path);
    for (int64_t i = 0; i < count; ++i) writer.append(element(i));
    writer.close();
    return path;
  }
  static Element element(int64_t i) {
    return Element(std::pair(i, "text " + std::to_string(i)));
  }
  // The elements read, or the error in their place.
  static std::string read(const std::string& path) {
    std::string result;
    try {
      ElementFileReader reader(path);
      Element element;
      while (reader.get_next(&element)) result += element.to_string();
    } catch (const DataError& error) {
      result += error.what();
    }
    return result;
  }

  testing::TemporaryFolder folder_;
};

TEST_F(ElementFileTest, GivesBackWhatWasWritten) {
  const std::string path = write(10'000);  // several blocks
  ElementFileReader reader(path);
  Element got;
  for (int64_t i = 0; i < 10'000; ++i) {
    ASSERT_TRUE(reader.get_next(&got));
    ASSERT_TRUE(element_equal(got, element(i)));
  }
  EXPECT_FALSE(reader.get_next(&got));
  EXPECT_FALSE(reader.get_next(&got));
  EXPECT_EQ(read(write(0)), "");
}

TEST_F(ElementFileTest, AnUnclosedFileIsNotThere) {
  const std::string path = (folder_.path() / "unclosed").string();
  {
    ElementFileWriter writer(path);
    writer.append(element(1));
  }
  EXPECT_FALSE(io::exists(path));
}

TEST_F(ElementFileTest, EveryFlippedBitAndEveryCutIsSeen) {
  const std::string path = write(3);
  const std::string whole = read(path);
  const std::string bytes = io::read_file(path);
  for (size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string flipped = bytes;
    flipped[i / 8] = static_cast<char>(flipped[i / 8] ^ (1 << (i % 8)));
    io::write_file(path, flipped);
    const std::string got = read(path);
    EXPECT_NE(got, whole) << "bit " << i;
    EXPECT_NE(got.find("the file is damaged"), std::string::npos) << got;
  }
  for (size_t size = 0; size < bytes.size(); ++size) {
    io::write_file(path, bytes.substr(0, size));
    EXPECT_NE(read(path).find("the file is damaged"), std::string::npos);
  }
}

TEST_F(ElementFileTest, TheErrorSaysWhere) {
  const std::string path = write(3);
  std::string bytes = io::read_file(path);
  bytes[40] ^= 1;
  io::write_file(path, bytes);
  const std::string text = read(path);
  EXPECT_EQ(text.rfind(path + ": the file is damaged: ", 0), 0u) << text;
  EXPECT_NE(text.find("byte: 16"), std::string::npos) << text;
}

}  // namespace
}  // namespace systolic::data::detail
