// hdfs:// by Apache Arrow and Hadoop's client against a real cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>

#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/io/test_files.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/records/record_writer.h"
#include "systolic/records/test_iterators.h"
#include "systolic/records/tf_record_dataset.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"
#include "tests/storage/file_system_checks.h"
#include "tests/storage/hdfs_cluster.h"

namespace systolic::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using Paths = std::vector<std::string>;
using io::detail::StorageOptionsGuard;

constexpr const char* kHint =
    "\n  hint: hdfs:// needs Java (JAVA_HOME), Hadoop's libhdfs.so "
    "(HADOOP_HOME, or ARROW_LIBHDFS_DIR for its folder) and its classes: "
    "CLASSPATH=$(hadoop classpath --glob), set before the program starts";

constexpr const char* kSilenceHint =
    "\n  hint: a name node or data node does not answer: host and port in the "
    "path are those of Hadoop's fs.defaultFS";

constexpr const char* kInstall =
    "install a JDK, Maven and Cargo and run scripts/install-emulators";

class HdfsMissingDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!io::detail::has_arrow_module()) {
      GTEST_SKIP() << "run scripts/install-arrow and build again";
    }
  }

  // What `use` throws in a process of its own: after the first try the client
  // is either loaded or never.
  static void expect_text(const std::function<void()>& use,
                          const std::string& text,
                          const std::string& hint = kHint) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
          const std::string thrown = internal::text_of<io::StorageError>(use);
          (void)write(STDERR_FILENO, thrown.data(), thrown.size());
          std::exit(0);
        },
        ::testing::ExitedWithCode(0), AllOf(HasSubstr(text), EndsWith(hint)));
  }

  const EnvironmentGuard hadoop_{"HADOOP_HOME", "/none"};
  const EnvironmentGuard library_{"ARROW_LIBHDFS_DIR", "/none"};
};

TEST_F(HdfsMissingDeathTest, ClassesAreAskedForBeforeJavaStarts) {
  const EnvironmentGuard none("CLASSPATH");
  EXPECT_EQ(internal::text_of<io::StorageError>(
                [] { io::open_file("hdfs://host:8020/f"); }),
            std::string("open_file: expected Hadoop's client for Java, by the "
                        "variable CLASSPATH, got none\n"
                        "  path: hdfs://host:8020") +
                kHint);
}

TEST_F(HdfsMissingDeathTest, TheErrorSaysHowToGetTheClient) {
  const EnvironmentGuard classes("CLASSPATH", "/none");
  expect_text([] { (void)io::exists("hdfs://host:8020/f"); },
              "stat: expected a file that can be had, got "
              "\"hdfs://host:8020\"\n  cause: Unable to load lib");
}

TEST_F(HdfsMissingDeathTest, ClassesThatAreNotThereAreNoCrash) {
  if (hdfs_folder().empty()) GTEST_SKIP() << kInstall;
  const HdfsClient client("/none");
  expect_text([] { (void)io::exists("hdfs://host:8020/f"); },
              "cause: HDFS connection failed\n");
}

TEST_F(HdfsMissingDeathTest, SettingsWithoutAHostAreTold) {
  if (hdfs_folder().empty()) GTEST_SKIP() << kInstall;
  const HdfsClient client;
  // Java's words about something else do not come with it.
  expect_text(
      [] {
        const StorageOptionsGuard hasty({.max_retries = 0});
        EXPECT_THROW((void)io::exists("hdfs://127.0.0.1:1/f"),
                     io::StorageError);
        (void)io::exists("hdfs:///");
      },
      "cause: Unexpected HDFS working directory URI: file:" +
          std::filesystem::current_path().string() + "\n",
      "\n  hint: Hadoop's settings, core-site.xml in a folder of "
      "CLASSPATH, name no fs.defaultFS; or name the host, "
      "hdfs://host:port/path");
}

// As after an update of the system.
TEST(HdfsFolder, IsNotUsedWhereItsJavaIsGone) {
  const TemporaryFolder folder;
  const EnvironmentGuard cache("XDG_CACHE_HOME", folder.path().string());
  const std::string hdfs = (folder.path() / "systolic" / "hdfs").string();
  const std::string java = (folder.path() / "java").string();
  io::write_file(hdfs + "/java_home", java + "\n");
  EXPECT_EQ(hdfs_folder(), "");
  io::write_file(hdfs + "/PINNED", "");
  EXPECT_EQ(hdfs_folder(), "");
  io::write_file(java + "/bin/java", "");
  EXPECT_EQ(hdfs_folder(), hdfs);
}

class HdfsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (hdfs_folder().empty()) GTEST_SKIP() << kInstall;
    if (!io::detail::has_arrow_module()) {
      GTEST_SKIP() << "run scripts/install-arrow and build again";
    }
  }
};

// Java takes them when it starts, which is here.
TEST_F(HdfsTest, SignalsStayTheProgramsOwn) {
  const HdfsClient client;
  const StorageOptionsGuard hasty({.max_retries = 0});
  void (*const ours)(int) = [](int) {};
  void (*const term)(int) = signal(SIGTERM, ours);
  void (*const interrupt)(int) = signal(SIGINT, SIG_DFL);
  EXPECT_THROW((void)io::exists("hdfs://127.0.0.1:1/f"), io::StorageError);
  EXPECT_EQ(signal(SIGTERM, term), ours);
  EXPECT_EQ(signal(SIGINT, interrupt), SIG_DFL);
}

TEST_F(HdfsTest, ANameNodeThatDoesNotAnswerIsNoMissingFile) {
  const HdfsClient client;
  const StorageOptionsGuard hasty({.max_retries = 1, .stall_timeout = 0.5});
  // Waits for the end of a request of HTTP.
  const HttpServer silent(
      [](const HttpServer::Request&) { return HttpServer::Reply{}; });
  const std::vector<std::pair<std::string, std::string>> cases{
      {"127.0.0.1:1", "ConnectException: Connection refused"},
      {"none.invalid:8020", "UnknownHostException: none.invalid"},
      {silent.url().substr(7), "SocketTimeoutException: "}};
  for (const auto& [host, cause] : cases) {
    const std::string path = "hdfs://" + host + "/f";
    const auto begin = std::chrono::steady_clock::now();
    for (const std::function<void()>& use : std::vector<std::function<void()>>{
             [&] { io::open_file(path); }, [&] { (void)io::exists(path); },
             [&] { io::write_file(path, "abc"); }, [&] { io::remove(path); },
             [&] { (void)io::glob(path + "/*"); }}) {
      EXPECT_THAT(
          internal::text_of<io::StorageError>(use),
          AllOf(HasSubstr("got \"hdfs://" + host), HasSubstr("\n  cause: "),
                HasSubstr(cause), EndsWith(kSilenceHint)));
    }
    // Hadoop's own patience is a quarter of an hour; of DNS it is the system's.
    if (host == "none.invalid:8020") continue;
    EXPECT_LT(std::chrono::steady_clock::now() - begin,
              std::chrono::minutes(5));
  }
}

void check_moves(const std::string& root) {
  io::write_file(root + "/m/a", "a");
  io::write_file(root + "/m/b", "b");
  io::write_file(root + "/m/n/c", "c");
  io::rename(root + "/m/a", root + "/m/b");
  EXPECT_EQ(io::read_file(root + "/m/b"), "a");
  EXPECT_EQ(io::list_directory(root + "/m"), (Paths{"b", "n"}));
  // Never into a folder.
  EXPECT_THAT(internal::text_of<io::StorageError>(
                  [&] { io::rename(root + "/m/b", root + "/m/n"); }),
              HasSubstr("cause: a folder is there"));
  EXPECT_THAT(internal::text_of<io::StorageError>(
                  [&] { io::write_file(root + "/m/n", "d"); }),
              HasSubstr("cause: a folder is there"));
  EXPECT_THAT(internal::text_of<io::StorageError>(
                  [&] { io::rename(root + "/m/n", root + "/m/b"); }),
              HasSubstr("cause: a file is there"));
  EXPECT_EQ(io::list_directory(root + "/m"), (Paths{"b", "n"}));
  EXPECT_EQ(io::list_directory(root + "/m/n"), (Paths{"c"}));
  // A folder with all that is in it, into one that is made.
  io::make_dirs(root + "/m/n/empty");
  io::rename(root + "/m", root + "/new/m");
  EXPECT_FALSE(io::exists(root + "/m"));
  EXPECT_EQ(io::list_directory(root + "/new/m/n"), (Paths{"c", "empty"}));
  EXPECT_THROW(io::rename(root + "/none", root + "/x"), NotFoundError);
}

// Names that addresses would have to be quoted for.
void check_names(const std::string& root) {
  const Paths names{"a b%20#?\xc3\xa9", "q'\"\\", "x[1]*", "{a,b}"};
  for (const std::string& name : names) {
    io::write_file(root + "/s/" + name, name);
    EXPECT_EQ(io::read_file(root + "/s/" + name), name);
  }
  EXPECT_EQ(io::list_directory(root + "/s"), names);
  EXPECT_EQ(io::list_directory(root + "//s//"), names);
  EXPECT_EQ(io::read_file(root + "//s///{a,b}"), "{a,b}");
  EXPECT_THAT(internal::text_of<io::StorageError>(
                  [&] { io::write_file(root + "/s/a:b", "c"); }),
              HasSubstr("is not a valid DFS filename"));
}

void check_errors(const std::string& root) {
  io::write_file(root + "/e/f", "abc");
  EXPECT_THROW(io::open_file(root + "/e/none"), NotFoundError);
  EXPECT_THROW(io::open_file(root + "/e"), NotFoundError);
  EXPECT_THROW(io::stat(root + "/e/none"), NotFoundError);
  EXPECT_THROW(io::list_directory(root + "/none"), NotFoundError);
  EXPECT_THROW(io::remove(root + "/e/none"), NotFoundError);
  EXPECT_THROW(io::copy(root + "/e/none", root + "/e/g"), NotFoundError);
  EXPECT_THROW(io::remove(root + "/e"), io::StorageError);
  EXPECT_FALSE(io::exists(root + "/e/f/below"));
  EXPECT_THROW(io::write_file(root + "/e/f/below", "d"), io::StorageError);
  EXPECT_EQ(io::list_directory(root + "/e"), (Paths{"f"}));
  // Who may not write, by Hadoop's own rules.
  const std::string other = "hdfs://other@" + root.substr(7);
  EXPECT_EQ(io::read_file(other + "/e/f"), "abc");
  EXPECT_THAT(internal::text_of<io::PermissionDeniedError>(
                  [&] { io::write_file(other + "/e/f", "def"); }),
              HasSubstr("Permission denied: user=other, access=WRITE"));
  EXPECT_EQ(io::read_file(root + "/e/f"), "abc");
}

TEST_F(HdfsTest, DoesWhatAFileSystemDoes) {
  const HdfsCluster cluster;
  const std::string root = cluster.url();
  check_file_system(root, /*empty_files=*/true);
  check_moves(root);
  check_names(root);
  check_errors(root);
  EXPECT_TRUE(io::is_dir(root));
  EXPECT_TRUE(io::is_dir(root + "/"));
  // The host of Hadoop's settings.
  EXPECT_EQ(io::read_file("hdfs:///e/f"), "abc");
  EXPECT_EQ(io::glob("hdfs:///e*/*"), (Paths{"hdfs:///e/f"}));
  io::write_file("hdfs:///top", "abc");
  EXPECT_EQ(io::read_file(root + "/top"), "abc");
  io::copy("hdfs:///top", root + "/copy");
  io::rename(root + "/copy", "hdfs:///moved");
  EXPECT_FALSE(io::exists(root + "/copy"));
  EXPECT_EQ(io::read_file(root + "/moved"), "abc");
  EXPECT_THROW(io::open_file("hdfs://"), ValueError);
  // The port of the name node's pages is not its own.
  EXPECT_THAT(internal::text_of<io::StorageError>(
                  [&] { (void)io::exists(cluster.pages_url() + "/e"); }),
              HasSubstr(kSilenceHint));
  const auto age = std::chrono::system_clock::now() -
                   io::stat(root + "/top").modified.value();
  EXPECT_LT(std::chrono::abs(age), std::chrono::minutes(10));
}

TEST_F(HdfsTest, FilesOfRecordsAreReadAsElsewhere) {
  const HdfsCluster cluster;
  const std::string root = cluster.url() + "/records";
  Paths all;
  for (const char* name : {"/a", "/b"}) {
    data::TFRecordWriter writer(root + name);
    for (int i = 0; i < 1000; ++i) {
      all.push_back(std::string(2000, 'x') + name + std::to_string(i));
      writer.write(all.back());
    }
    EXPECT_FALSE(io::exists(root + name));
    writer.close();
  }
  EXPECT_EQ(data::strings(data::TFRecordDataset(io::glob(root + "/*"))), all);
  // More than Java has memory for.
  const std::string large = io::detail::test_bytes(100'000'000);
  io::write_file(root + "/large", large);
  EXPECT_EQ(io::read_file(root + "/large") == large, true);
  // Written over while it is read: the old bytes, or an error.
  const auto file = io::open_file(root + "/large", {.block_size = 1'000'000});
  EXPECT_EQ(io::detail::read_part(*file, 0, 10), large.substr(0, 10));
  io::write_file(root + "/large", large.substr(1'000'000));
  EXPECT_THAT(internal::text_of<io::StorageError>([&] {
                EXPECT_EQ(io::detail::read_part(*file, 99'000'000, 1'000'000),
                          large.substr(99'000'000));
              }),
              HasSubstr("read_at: the file changed while it was read"));
  // The name node still knows of it.
  io::write_file(root + "/lost", std::string(100'000, 'b'));
  const auto lost = io::open_file(root + "/lost", {.block_size = 10'000});
  cluster.lose_blocks();
  EXPECT_THAT(internal::text_of<io::StorageError>(
                  [&] { io::detail::read_part(*lost, 50'000, 10); }),
              HasSubstr("BlockMissingException: Could not obtain block"));
}

TEST_F(HdfsTest, ANameNodeThatGoesIsNoMissingFile) {
  std::optional<HdfsCluster> cluster(std::in_place);
  const std::string path = cluster->url() + "/f";
  const StorageOptionsGuard hasty({.max_retries = 0});
  io::write_file(path, "abc");
  EXPECT_TRUE(io::exists(path));
  io::write_file(path, std::string(5'000'000, 'a'));
  const auto file = io::open_file(path, {.read_ahead = 0});
  const auto writer = io::create_file(path);
  const std::string part(100'000, 'b');
  writer->append(std::as_bytes(std::span(part)));
  std::byte byte{};
  cluster.reset();
  const HdfsClient client;
  const auto begin = std::chrono::steady_clock::now();
  for (const std::function<void()>& use : std::vector<std::function<void()>>{
           [&] { (void)io::exists(path); },
           [&] { file->read_at(3'000'000, std::span(&byte, 1)); },
           [&] { writer->close(); }}) {
    EXPECT_THAT(
        internal::text_of<io::StorageError>(use),
        AllOf(HasSubstr("got \"" + path + '"'), HasSubstr(kSilenceHint)));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(5));
}

}  // namespace
}  // namespace systolic::testing
