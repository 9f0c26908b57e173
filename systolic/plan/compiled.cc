#include "systolic/plan/compiled.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <span>
#include <thread>

#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/sha256.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/file.h"
#include "systolic/pjrt/compile_options.h"
#include "systolic/pjrt/topology.h"
#include "systolic/plan/hlo_module.h"
#include "systolic/platforms/fingerprint.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/settings.h"

namespace systolic::internal::plan {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Says once a second, from a thread of its own, how long something takes.
class Ticker {
 public:
  Ticker(const std::function<void(std::string_view)>& progress,
         std::string what)
      : progress_(progress), what_(std::move(what)) {
    if (progress_) thread_ = std::thread([this] { run(); });
  }
  ~Ticker() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (int second = 0; !done_; ++second) {
      progress_(what_ + ": " + std::to_string(second) + " s");
      wake_.wait_for(lock, std::chrono::seconds(1), [this] { return done_; });
    }
  }

  const std::function<void(std::string_view)>& progress_;
  const std::string what_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool done_ = false;
  std::thread thread_;
};

std::optional<Compiled> remembered(const fs::path& path) {
  try {
    return from_text(io::detail::read_file(path));
  } catch (const fs::filesystem_error&) {
    return std::nullopt;
  }
}

void remember(const fs::path& path, const Compiled& compiled) {
  const std::string text = to_text(compiled);
  try {
    io::detail::write_file(path, std::as_bytes(std::span(text)));
  } catch (const fs::filesystem_error& error) {
    log(LogLevel::debug, std::string("plan: ") + error.what());
  }
}

Compiled compile(const CompileRequest& request,
                 const platforms::PlatformRow& row) {
  const auto start = Clock::now();
  Compiled compiled;
  try {
    const pjrt::Executable program =
        platforms::Platform::load(row.name)
            .create_topology(request.slice)
            .compile(std::string(request.text),
                     pjrt::encode({.num_replicas = request.replicas}));
    compiled.seconds = seconds_since(start);
    compiled.memory = program.memory().value_or(pjrt::ProgramMemory());
    if (const auto optimized = program.optimized()) {
      compiled.work =
          program_work(read_hlo_module(optimized->bytes), request.tile);
    }
  } catch (const PlatformError& error) {
    compiled.refusal = read_refusal(error.what());
    if (!compiled.refusal) throw;
    compiled.seconds = seconds_since(start);
  }
  return compiled;
}

}  // namespace

Compiled compile_for_plan(
    const CompileRequest& request,
    const std::function<void(std::string_view)>& progress) {
  const platforms::PlatformRow& row = platforms::find_row("tpu");
  const platforms::SearchResult plugin = platforms::search(row);
  if (!plugin.found) platforms::throw_not_found(row, plugin);
  const std::string key = sha256(
      platforms::fingerprint(plugin.found->path) + "\n" +
      platforms::own_settings(row.environment) + request.slice + "\n" +
      std::to_string(request.replicas) + "\n" + std::string(request.text));
  const fs::path path = cache_folder() / "planned" / (key + ".json");
  if (std::optional<Compiled> known = remembered(path)) return *known;
  // One compiler at a time: it uses all cores by itself.
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const Ticker ticker(progress, "compiling for " + request.slice);
  Compiled compiled = compile(request, row);
  remember(path, compiled);
  return compiled;
}

}  // namespace systolic::internal::plan
