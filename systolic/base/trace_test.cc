#include "systolic/base/trace.h"

#include <gtest/gtest.h>

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/testing/environment_guard.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal {
namespace {

using nlohmann::json;

json read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return json::parse(file);
}

// The stretches of a name.
std::vector<json> stretches(const json& trace, const std::string& name) {
  std::vector<json> found;
  for (const json& event : trace["traceEvents"]) {
    if (event["ph"] == "X" && event["name"] == name) found.push_back(event);
  }
  return found;
}

std::string track_name(const json& trace, const json& event) {
  for (const json& other : trace["traceEvents"]) {
    if (other["name"] == "thread_name" && other["tid"] == event["tid"]) {
      return other["args"]["name"];
    }
  }
  return "";
}

TEST(TraceTest, ScopesNestAndHaveNotes) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "trace.json";
  start_trace(path);
  {
    TraceScope outer("outer");
    TraceScope inner("inner");
    inner.note("text", "a \"quoted\" line\n\\");
    inner.note("bytes", int64_t{1} << 40);
    EXPECT_TRUE(inner.is_on());
    inner.end();
    inner.end();  // a second time does nothing
    EXPECT_FALSE(inner.is_on());
    EXPECT_FALSE(std::filesystem::exists(path));
  }
  stop_trace();
  const json trace = read(path);
  const json outer = stretches(trace, "outer").at(0);
  ASSERT_EQ(stretches(trace, "inner").size(), 1u);
  const json inner = stretches(trace, "inner").at(0);
  EXPECT_EQ(inner["args"]["text"], "a \"quoted\" line\n\\");
  EXPECT_EQ(inner["args"]["bytes"], int64_t{1} << 40);
  EXPECT_EQ(inner["tid"], outer["tid"]);
  EXPECT_EQ(track_name(trace, outer), "main");
  EXPECT_LE(outer["ts"], inner["ts"]);
  EXPECT_GE(outer["ts"].get<double>() + outer["dur"].get<double>(),
            inner["ts"].get<double>() + inner["dur"].get<double>());
  EXPECT_EQ(trace["otherData"]["dropped"], 0);
  // Nothing is left beside it.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()),
                          std::filesystem::directory_iterator()),
            1);
}

TEST(TraceTest, ThreadsAndDevicesHaveTracksOfTheirOwn) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "trace.json";
  start_trace(path);
  const int64_t since = trace_clock();
  std::thread([] {
    name_trace_thread("worker");
    const TraceScope scope("work");
  }).join();
  const int64_t first = begin_device_work("core 0", "first", since);
  const int64_t second = begin_device_work("core 0", "second", since);
  const int64_t other = begin_device_work("core 1", "other", since);
  // Told in another order than they were done in.
  end_device_work("core 0", second);
  end_device_work("core 1", other);
  end_device_work("core 0", first);
  end_device_work("core 0", first);  // once
  stop_trace();
  const json trace = read(path);
  EXPECT_EQ(track_name(trace, stretches(trace, "work").at(0)), "worker");
  const json before = stretches(trace, "first").at(0);
  const json after = stretches(trace, "second").at(0);
  EXPECT_EQ(track_name(trace, before), "core 0");
  EXPECT_EQ(track_name(trace, after), "core 0");
  EXPECT_EQ(track_name(trace, stretches(trace, "other").at(0)), "core 1");
  // A device does one thing at a time.
  EXPECT_NEAR(after["ts"].get<double>(),
              before["ts"].get<double>() + before["dur"].get<double>(), 0.002);
}

TEST(TraceTest, NothingIsRecordedWhileItIsOff) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "trace.json";
  start_trace(path);
  auto across = std::make_unique<TraceScope>("across");
  stop_trace();
  EXPECT_FALSE(trace_is_on());
  TraceScope after("after");
  after.note("key", "value");
  EXPECT_FALSE(after.is_on());
  across.reset();
  start_trace(path);
  stop_trace();
  const json trace = read(path);
  EXPECT_TRUE(stretches(trace, "across").empty());
  EXPECT_TRUE(stretches(trace, "after").empty());
}

TEST(TraceTest, FileThatCanNotBeWrittenIsAWarning) {
  std::vector<std::string> lines;
  const LogSink before = set_log_sink(
      [&](LogLevel, std::string_view text) { lines.emplace_back(text); });
  start_trace("/no/such/folder/trace.json");
  stop_trace();
  set_log_sink(before);
  EXPECT_EQ(lines, std::vector<std::string>{
                       "trace: can not write /no/such/folder/trace.json"});
}

// The file that the environment names, in this process and in the one that a
// death test starts.
class NamedByEnvironment {
 public:
  NamedByEnvironment() {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    if (const char* name = std::getenv("SYSTOLIC_TRACE")) {
      path_ = name;
      return;
    }
    folder_.emplace();
    path_ = folder_->path() / "trace.json";
    variable_.emplace("SYSTOLIC_TRACE", path_.string());
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::optional<testing::TemporaryFolder> folder_;
  std::optional<testing::EnvironmentGuard> variable_;
  std::filesystem::path path_;
};

void work() { const TraceScope scope("work"); }

TEST(TraceDeathTest, FileIsWrittenWhenTheProcessEnds) {
  const NamedByEnvironment file;
  EXPECT_EXIT(
      {
        work();
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
  EXPECT_EQ(stretches(read(file.path()), "work").size(), 1u);
}

TEST(TraceDeathTest, FileIsWrittenWhenAnExceptionEndsTheProcess) {
  const NamedByEnvironment file;
  EXPECT_DEATH(
      {
        work();
        std::terminate();
      },
      "");
  EXPECT_EQ(stretches(read(file.path()), "work").size(), 1u);
}

}  // namespace
}  // namespace systolic::internal
