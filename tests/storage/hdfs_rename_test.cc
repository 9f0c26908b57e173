// How hdfs:// gives files other names, also where something goes wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>

#include "systolic/io/arrow_module.h"
#include "systolic/io/file_system.h"
#include "systolic/io/test_storage_options.h"
#include "systolic/testing/error_text.h"
#include "tests/storage/hdfs_cluster.h"
#include "tests/storage/tcp_proxy.h"

namespace systolic::testing {
namespace {

using ::testing::HasSubstr;
using Fate = TcpProxy::Fate;
using Paths = std::vector<std::string>;

class HdfsRenameTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (hdfs_folder().empty()) {
      GTEST_SKIP() << "install a JDK, Maven and Cargo and run "
                      "scripts/install-emulators";
    }
    if (!io::detail::has_arrow_module()) {
      GTEST_SKIP() << "run scripts/install-arrow and build again";
    }
  }
};

std::string url_of(const TcpProxy& proxy) {
  return "hdfs://127.0.0.1:" + std::to_string(proxy.port());
}

TEST_F(HdfsRenameTest, TwoAddressesOfOneClusterAreOnePlace) {
  const HdfsCluster cluster;
  const TcpProxy proxy(cluster.port(),
                       [](std::string_view) { return Fate::hand_on; });
  const std::string root = cluster.url();
  // hdfs:/// with other options is not that of another test's cluster.
  const io::detail::StorageOptionsGuard own({.max_retries = 7});
  for (const std::string& other : {std::string("hdfs://"), url_of(proxy)}) {
    io::write_file(root + "/f", "abc");
    io::write_file(root + "/m/a", "a");
    io::make_dirs(root + "/m/empty");
    for (const char* name : {"/f", "/m"}) {
      io::rename(root + name, other + name);
      io::rename(other + name, root + name + "/");
    }
    EXPECT_EQ(io::read_file(root + "/f"), "abc");
    EXPECT_EQ(io::read_file(root + "/m/a"), "a");
    io::rename(root + "/f", other + "/new/f");
    io::rename(root + "/m", other + "/new/m");
    EXPECT_EQ(io::list_directory(root), (Paths{"new"}));
    EXPECT_THAT(
        internal::text_of<io::StorageError>(
            [&] { io::rename(root + "/new/m", other + "/new/m/x/y"); }),
        HasSubstr("rename: expected a file that can be had, got \"" + root +
                  "/new/m\"\n  cause: nothing can be moved into "
                  "itself"));
    EXPECT_EQ(io::list_directory(root + "/new"), (Paths{"f", "m"}));
    EXPECT_EQ(io::list_directory(root + "/new/m"), (Paths{"a", "empty"}));
    EXPECT_THROW(io::rename(root + "/none", other + "/none"), NotFoundError);
    io::remove_tree(root + "/new");
  }
}

TEST_F(HdfsRenameTest, FoldersAndFilesMoveToAnotherCluster) {
  const HdfsCluster from;
  const HdfsCluster to;
  io::write_file(from.url() + "/f", "abc");
  io::write_file(from.url() + "/m/a", "a");
  io::write_file(from.url() + "/m/n/b", "b");
  io::make_dirs(from.url() + "/m/n/empty");
  io::rename(from.url() + "/f", to.url() + "/f");
  io::rename(from.url() + "//m/", to.url() + "/m");
  EXPECT_EQ(io::list_directory(from.url()), Paths());
  EXPECT_EQ(io::list_directory(to.url()), (Paths{"f", "m"}));
  EXPECT_EQ(io::read_file(to.url() + "/f"), "abc");
  EXPECT_EQ(io::read_file(to.url() + "/m/a"), "a");
  EXPECT_EQ(io::list_directory(to.url() + "/m/n"), (Paths{"b", "empty"}));
  EXPECT_EQ(io::read_file(to.url() + "/m/n/b"), "b");
  // All that is there.
  io::rename(to.url() + "/", from.url() + "/all");
  EXPECT_EQ(io::list_directory(to.url()), Paths());
  EXPECT_EQ(io::list_directory(from.url() + "/all"), (Paths{"f", "m"}));
  EXPECT_EQ(io::list_directory(from.url() + "/all/m/n"), (Paths{"b", "empty"}));
}

TEST_F(HdfsRenameTest, WhatIsWrittenOverIsNeverLost) {
  const HdfsCluster cluster;
  const io::detail::StorageOptionsGuard hasty({.max_retries = 0});
  // Of writing over a file, which are: it goes aside, the new one takes its
  // name, or it comes back.
  std::atomic<int> turn = 0;
  std::function<Fate(int turn)> rename;
  bool keeps_aside = false;
  const TcpProxy proxy(cluster.port(), [&](std::string_view bytes) {
    if (bytes.find("rename") != bytes.npos) return rename(turn++);
    return keeps_aside && bytes.find("delete") != bytes.npos ? Fate::lose
                                                             : Fate::hand_on;
  });
  const std::string root = cluster.url();
  const std::string path = root + "/f";
  // The file and what is left beside it, when "new" was written over "old".
  const auto write = [&](std::function<Fate(int)> fate) {
    for (const std::string& name : io::list_directory(root)) {
      io::remove(root + "/" + name);
    }
    io::write_file(path, "old");
    turn = 0;
    rename = std::move(fate);
    io::write_file(url_of(proxy) + "/f", "new");
    return io::read_file(path);
  };
  const auto text = [&](const std::function<Fate(int)>& fate) {
    return internal::text_of<io::StorageError>([&] { write(fate); });
  };
  const auto at = [](int wanted, Fate fate) {
    return [=](int turn) { return turn == wanted ? fate : Fate::hand_on; };
  };
  const Paths alone{"f"};

  EXPECT_THAT(text(at(0, Fate::lose)), HasSubstr("close: "));
  EXPECT_EQ(io::read_file(path), "old");
  EXPECT_EQ(io::list_directory(root), alone);
  EXPECT_THAT(text(at(1, Fate::lose)), HasSubstr("close: "));
  EXPECT_EQ(io::read_file(path), "old");
  EXPECT_EQ(io::list_directory(root), alone);
  // Nor can it come back.
  const std::string told =
      text([](int turn) { return turn > 0 ? Fate::lose : Fate::hand_on; });
  const Paths left = io::list_directory(root);
  ASSERT_EQ(left.size(), 1);
  EXPECT_THAT(told, HasSubstr("; the file that was there is /" + left[0]));
  EXPECT_EQ(io::read_file(root + "/" + left[0]), "old");

  // Done, but the answer is lost.
  for (const int wanted : {0, 1}) {
    EXPECT_EQ(write(at(wanted, Fate::lose_answer)), "new");
    EXPECT_EQ(io::list_directory(root), alone);
  }
  // The new file is in its place; the old one stays.
  keeps_aside = true;
  EXPECT_EQ(write(at(0, Fate::hand_on)), "new");
  EXPECT_EQ(io::list_directory(root).size(), 2);
  keeps_aside = false;

  // Others who remove or write the name meanwhile.
  EXPECT_EQ(write([&](int turn) {
              if (turn == 0) io::remove(path);
              return Fate::hand_on;
            }),
            "new");
  EXPECT_EQ(io::list_directory(root), alone);
  EXPECT_EQ(write([&](int turn) {
              if (turn == 1) io::write_file(path, "others");
              return Fate::hand_on;
            }),
            "new");
  EXPECT_EQ(io::list_directory(root), alone);
}

TEST_F(HdfsRenameTest, AMissingFileIsAskedForOnce) {
  const HdfsCluster cluster;
  std::atomic<int> infos = 0;
  std::atomic<int> listings = 0;
  const TcpProxy proxy(cluster.port(), [&](std::string_view bytes) {
    infos += bytes.find("getFileInfo") != bytes.npos;
    listings += bytes.find("getListing") != bytes.npos;
    return Fate::hand_on;
  });
  (void)io::exists(url_of(proxy) + "/");
  infos = listings = 0;
  EXPECT_FALSE(io::exists(url_of(proxy) + "/none"));
  EXPECT_EQ(infos, 1);
  EXPECT_EQ(listings, 0);
}

}  // namespace
}  // namespace systolic::testing
