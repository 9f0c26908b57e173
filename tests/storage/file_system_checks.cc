#include "tests/storage/file_system_checks.h"

#include <gtest/gtest.h>

#include "systolic/io/file_system.h"
#include "systolic/io/test_files.h"
#include "systolic/testing/error_text.h"

namespace systolic::testing {
namespace {

using io::detail::read_part;
using io::detail::test_bytes;
using Paths = std::vector<std::string>;

class Checks {
 public:
  explicit Checks(std::string folder) : folder_(std::move(folder)) {}

  void read_and_write() const {
    const std::string bytes = test_bytes(3'000'000);
    io::write_file(in("d/large"), bytes);
    EXPECT_EQ(io::read_file(in("d/large")), bytes);
    const auto file = io::open_file(in("d/large"), {.block_size = 100'000});
    EXPECT_EQ(file->size(), 3'000'000);
    EXPECT_EQ(read_part(*file, 2'345'678, 99), bytes.substr(2'345'678, 99));
    EXPECT_EQ(read_part(*file, 2'999'990, 99), bytes.substr(2'999'990));
    io::write_file(in("d/large"), "other");
    EXPECT_EQ(io::read_file(in("d/large")), "other");
    EXPECT_EQ(io::stat(in("d/large")).size, 5);
    EXPECT_TRUE(io::is_dir(in("d")));
    EXPECT_FALSE(io::exists(in("d/none")));
    EXPECT_THROW(io::open_file(in("d/none")), NotFoundError);
  }

  void empty_file() const {
    io::write_file(in("d/empty"), "");
    EXPECT_EQ(io::read_file(in("d/empty")), "");
    EXPECT_EQ(io::stat(in("d/empty")).size, 0);
  }

  void large_parts() const {
    const std::string bytes = test_bytes(20'000'000);
    {
      const auto file = io::create_file(in("parts"));
      for (size_t at = 0; at < bytes.size(); at += 3'000'000) {
        const size_t size = std::min<size_t>(3'000'000, bytes.size() - at);
        file->append(std::as_bytes(std::span(bytes).subspan(at, size)));
      }
      EXPECT_FALSE(io::exists(in("parts")));
      file->close();
    }
    EXPECT_EQ(io::read_file(in("parts")), bytes);
    { io::create_file(in("left"))->append({}); }
    EXPECT_FALSE(io::exists(in("left")));
  }

  void globs() const {
    for (const char* name :
         {"g/a-1.x", "g/a-2.x", "g/b.y", "g/n/a-3.x", "g/n/m/a 4+.x"}) {
      io::write_file(in(name), name);
    }
    EXPECT_EQ(names("g/a-*.x"), (Paths{"g/a-1.x", "g/a-2.x"}));
    EXPECT_EQ(names("g/*"), (Paths{"g/a-1.x", "g/a-2.x", "g/b.y", "g/n"}));
    EXPECT_EQ(names("g/**.x"),
              (Paths{"g/a-1.x", "g/a-2.x", "g/n/a-3.x", "g/n/m/a 4+.x"}));
    EXPECT_EQ(names("g/*/a-?.[xy]"), (Paths{"g/n/a-3.x"}));
    EXPECT_EQ(names("g/{b.y,none}"), (Paths{"g/b.y"}));
    EXPECT_EQ(names("none/*"), Paths());
    EXPECT_EQ(io::list_directory(in("g")),
              (Paths{"a-1.x", "a-2.x", "b.y", "n"}));
    EXPECT_EQ(io::read_file(in("g/n/m/a 4+.x")), "g/n/m/a 4+.x");
  }

  void moves() const {
    io::copy(in("g/b.y"), in("c/b.y"));
    io::rename(in("c/b.y"), in("c/c.y"));
    EXPECT_FALSE(io::exists(in("c/b.y")));
    EXPECT_EQ(io::read_file(in("c/c.y")), "g/b.y");
    io::rename(in("c/c.y"), in("c/c.y"));
    EXPECT_EQ(io::read_file(in("c/c.y")), "g/b.y");
    io::rename(in("g"), in("g") + "/");
    io::rename(in("g"), in("h"));
    EXPECT_EQ(names("{g,h}/n/**"), (Paths{"h/n/a-3.x", "h/n/m/a 4+.x"}));
    io::remove(in("h/b.y"));
    EXPECT_FALSE(io::exists(in("h/b.y")));
    io::remove_tree(in("h"));
    EXPECT_FALSE(io::exists(in("h")));
    EXPECT_EQ(names("c/*"), (Paths{"c/c.y"}));
  }

 private:
  std::string in(const std::string& name) const {
    return io::join_path(folder_, name);
  }
  Paths names(const std::string& pattern) const {
    Paths found = io::glob(in(pattern));
    for (std::string& path : found) path = path.substr(folder_.size() + 1);
    return found;
  }

  const std::string folder_;
};

}  // namespace

void check_file_system(const std::string& folder, bool empty_files) {
  const Checks checks(folder);
  checks.read_and_write();
  if (empty_files) checks.empty_file();
  checks.large_parts();
  checks.globs();
  checks.moves();
}

std::string text_of_changed_read(const std::string& path,
                                 const std::function<void()>& change) {
  io::write_file(path, std::string(3000, 'a'));
  const auto file = io::open_file(path, {.read_ahead = 0, .block_size = 1000});
  std::string part(1000, '.');
  const auto read = [&](int64_t offset) {
    file->read_at(offset, std::as_writable_bytes(std::span(part)));
  };
  read(0);
  change();
  return internal::text_of<io::StorageError>([&] {
    read(1000);
    read(2000);
  });
}

}  // namespace systolic::testing
