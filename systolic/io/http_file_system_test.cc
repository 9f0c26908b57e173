#include "systolic/io/http_file_system.h"

#include <gtest/gtest.h>

#include "systolic/testing/error_text.h"
#include "systolic/testing/http_server.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::io {
namespace {

using internal::text_of;
using testing::HttpServer;

TEST(HttpFileSystemTest, IsForReading) {
  EXPECT_EQ(text_of<StorageError>([] { create_file("http://h/f"); }),
            "create_file: expected a local path or a place of storage such as "
            "gs://, got \"http://h/f\", which can only be read");
  EXPECT_THROW(make_dirs("https://h/f"), StorageError);
  EXPECT_THROW(io::remove("https://h/f"), StorageError);
  EXPECT_THROW(io::rename("https://h/f", "https://h/g"), StorageError);
  EXPECT_THROW(io::copy("https://h/f", "https://h/g"), StorageError);
  EXPECT_THROW(list_directory("https://h"), StorageError);
}

TEST(HttpFileSystemTest, GlobTakesAddressesAsTheyAre) {
  const HttpServer server([](const HttpServer::Request& request) {
    if (request.target != "/f?key=1") return HttpServer::Reply{.status = 404};
    return testing::file_reply(request, "abc");
  });
  EXPECT_EQ(glob(server.url("/f?key=1")),
            (std::vector<std::string>{server.url("/f?key=1")}));
  EXPECT_TRUE(glob(server.url("/g")).empty());
  EXPECT_THROW(glob("https://h/*"), ValueError);
}

TEST(HttpFileSystemTest, CopiesToADisk) {
  const HttpServer server([](const HttpServer::Request& request) {
    return testing::file_reply(request, "abc");
  });
  const testing::TemporaryFolder folder;
  const std::string path = (folder.path() / "f").string();
  io::copy(server.url("/f"), path);
  EXPECT_EQ(read_file(path), "abc");
}

TEST(HttpFileSystemTest, SpacesOfAPathAreEncoded) {
  const HttpServer server([](const HttpServer::Request& request) {
    if (request.target != "/a%20b%20c?x=%41") {
      return HttpServer::Reply{.status = 404};
    }
    return testing::file_reply(request, "abc");
  });
  EXPECT_EQ(read_file(server.url("/a b%20c?x=%41")), "abc");
}

}  // namespace
}  // namespace systolic::io
