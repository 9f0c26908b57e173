#include "systolic/data/thread_tuner.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string_view>
#include <thread>

#include "systolic/base/message.h"

namespace systolic::data::detail {
namespace {

constexpr int kMostThreads = 1024;
// Threads that only wait cost little, but each holds elements and perhaps an
// open file.
constexpr int kMostPerHardwareThread = 32;
constexpr int kMostWaiting = 128;
// What is measured before the next decision.
constexpr int kWaitsPerDecision = 2;
constexpr int64_t kWorkPerDecision = 1'000'000;  // nanoseconds
// A trial of more threads for work that computes: how long one window is, how
// many there are, how much faster it must be, and when it is repeated.
constexpr int64_t kWindow = 80'000'000;
constexpr int kWindows = 6;
constexpr double kWorthwhile = 1.1;
constexpr int64_t kFirstPause = 2'000'000'000;
constexpr int64_t kLongestPause = 60'000'000'000;
constexpr int kMostTriedPerHardwareThread = 4;

// What one thread's work takes before its tuner is told.
constexpr int64_t kWorkPerTelling = 2'000'000;
// One of so many short pieces of work is measured: that takes a few
// microseconds.
constexpr int64_t kShortWorkEach = 8;

// For how many nanoseconds this thread could have run, but had no hardware
// thread; 0 where the system does not say.
int64_t hardware_delay() {
  const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[96] = {};
  const ssize_t size = ::read(file, text, sizeof(text) - 1);
  ::close(file);
  // Nanoseconds that it ran, that it had to wait for the hardware, how often.
  const std::string_view numbers(
      text, static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const size_t second = numbers.find(' ');
  int64_t delay = 0;
  if (second != std::string_view::npos) {
    std::from_chars(numbers.data() + second + 1,
                    numbers.data() + numbers.size(), delay);
  }
  return delay;
}

int hardware_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace

std::string calls_text(int64_t num_parallel_calls) {
  return num_parallel_calls == 1 ? "num_parallel_calls 1"
                                 : "num_parallel_calls above 1";
}

void check_parallel_calls(const std::string& who, int64_t num_parallel_calls) {
  if (num_parallel_calls == AUTOTUNE || num_parallel_calls >= 1) return;
  internal::Message(who)
      .expected("num_parallel_calls >= 1 or data::AUTOTUNE")
      .got(num_parallel_calls)
      .raise<ValueError>();
}

ThreadRange thread_range(const IteratorContext& context,
                         int64_t num_parallel_calls) {
  const Options& options = context.options();
  const auto limit = static_cast<int>(std::min<int64_t>(
      options.threading.private_threadpool_size.value_or(kMostThreads),
      kMostThreads));
  if (num_parallel_calls != AUTOTUNE) {
    const auto threads =
        static_cast<int>(std::min<int64_t>(num_parallel_calls, limit));
    return {threads, threads, threads};
  }
  const auto budget = static_cast<int>(std::min<int64_t>(
      options.autotune.cpu_budget.value_or(hardware_threads()), limit));
  if (!options.autotune.enabled.value_or(true)) {
    return {budget, budget, budget};
  }
  const int waiting = std::min(kMostPerHardwareThread * budget, kMostWaiting);
  const int most = std::max(budget, std::min(waiting, limit));
  // A budget of the user's is kept.
  const bool tries = !options.autotune.cpu_budget;
  return {
      budget, most,
      tries ? std::min(kMostTriedPerHardwareThread * budget, most) : budget};
}

void ThreadTuner::add_work(int64_t elapsed, int64_t busy) {
  elapsed_.fetch_add(elapsed, std::memory_order_relaxed);
  busy_.fetch_add(busy, std::memory_order_relaxed);
}

int ThreadTuner::threads_after_wait() {
  if (++waits_ < kWaitsPerDecision || chosen_ == range_.most) return chosen_;
  const int64_t elapsed = elapsed_.load(std::memory_order_relaxed);
  const int64_t busy = busy_.load(std::memory_order_relaxed);
  if (elapsed < kWorkPerDecision) return chosen_;
  waits_ = 0;
  elapsed_ -= elapsed;
  busy_ -= busy;
  // The number at which they would keep the budget busy, reached in steps:
  // what was measured with few threads may not hold for many.
  const double wanted = static_cast<double>(range_.first) *
                        static_cast<double>(elapsed) /
                        static_cast<double>(std::max<int64_t>(busy, 1));
  const double step = std::min(wanted, 4.0 * chosen_);
  if (step < 1.5 * chosen_ && step < range_.most) return chosen_;
  chosen_ = std::min(range_.most, static_cast<int>(step));
  threads_ = chosen_;
  window_start_ = 0;  // what was measured was of fewer threads
  return chosen_;
}

double ThreadTuner::Rate::value() const {
  return static_cast<double>(elements) /
         static_cast<double>(std::max<int64_t>(nanoseconds, 1));
}

void ThreadTuner::add_results(int64_t elements, bool waited, int64_t now) {
  if (2 * chosen_ > range_.most_tried) return;
  if (window_start_ == 0) return begin_trial(now);
  if (now < window_start_) return;  // the pause
  window_.elements += elements;
  window_waited_ = window_waited_ || waited;
  if (now - window_start_ < kWindow) return;
  // A reader that need not wait, or is away, shows nothing.
  if (!window_waited_ || now - window_start_ > 4 * kWindow) {
    return begin_trial(now);
  }
  Rate& rate = windows_ % 2 == 0 ? with_chosen_ : with_more_;
  rate.elements += window_.elements;
  rate.nanoseconds += now - window_start_;
  if (++windows_ == kWindows) return end_trial(now);
  threads_ = windows_ % 2 == 0 ? chosen_ : 2 * chosen_;
  window_start_ = now;
  window_ = {};
  window_waited_ = false;
}

void ThreadTuner::begin_trial(int64_t now) {
  threads_ = chosen_;
  window_start_ = now;
  window_ = {};
  window_waited_ = false;
  windows_ = 0;
  with_chosen_ = {};
  with_more_ = {};
}

void ThreadTuner::end_trial(int64_t now) {
  if (with_more_.value() > kWorthwhile * with_chosen_.value()) {
    chosen_ *= 2;
    pause_ = 0;
  } else {
    pause_ = std::clamp(2 * pause_, kFirstPause, kLongestPause);
  }
  begin_trial(now + pause_);
}

ThreadUsage ThreadUsage::now() {
  // Not the times of getrusage, which some kernels count in ticks.
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return {int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec, usage.ru_nvcsw};
}

WorkMeter::WorkMeter(ThreadTuner& tuner)
    : tuner_(tuner), delay_(tuner.is_tuned() ? hardware_delay() : 0) {}

void WorkMeter::begin() {
  if (!tuner_.is_tuned()) return;
  measures_ = last_ >= kLongWork || ++calls_ % kShortWorkEach == 0;
  if (measures_) before_ = ThreadUsage::now();
}

void WorkMeter::end(int64_t elapsed) {
  if (!tuner_.is_tuned()) return;
  last_ = elapsed;
  all_ += elapsed;
  if (!measures_) return;
  const ThreadUsage after = ThreadUsage::now();
  measured_ += elapsed;
  // What never waited was busy, or would have been.
  busy_ += before_.waits == after.waits ? elapsed : after.cpu - before_.cpu;
  if (measured_ < kWorkPerTelling) return;
  const int64_t delay = hardware_delay();
  const double share =
      static_cast<double>(measured_) / static_cast<double>(all_);
  const auto others =
      static_cast<int64_t>(static_cast<double>(delay - delay_) * share);
  const int64_t idle = std::max<int64_t>(measured_ - busy_, 0);
  tuner_.add_work(measured_ - std::clamp<int64_t>(others, 0, idle), busy_);
  delay_ = delay;
  all_ = 0;
  measured_ = 0;
  busy_ = 0;
}

}  // namespace systolic::data::detail
