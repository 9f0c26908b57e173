#include "systolic/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/trace.h"

namespace systolic {

struct ThreadPool::State {
  std::mutex mutex;
  std::condition_variable ready;
  std::deque<std::function<void()>> tasks;
  bool stopping = false;
  std::vector<std::thread> workers;

  void work() {
    internal::name_trace_thread("worker");
    std::unique_lock lock(mutex);
    while (true) {
      ready.wait(lock, [&] { return stopping || !tasks.empty(); });
      if (tasks.empty()) return;
      std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      run(task);
      task = nullptr;  // what the task holds goes before the next wait
      lock.lock();
    }
  }

  static void run(const std::function<void()>& task) {
    try {
      task();
    } catch (const std::exception& e) {
      log(LogLevel::error,
          std::string("thread pool: a task threw: ") + e.what());
    } catch (...) {
      log(LogLevel::error, "thread pool: a task threw an unknown exception");
    }
  }
};

namespace {

// One parallel_for: its threads take ranges until none is left.
struct ParallelLoop {
  int64_t count;
  int64_t chunk;
  const std::function<void(int64_t, int64_t)>* body;
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::condition_variable finished;
  int64_t done = 0;
  std::exception_ptr failure;

  void take_ranges() {
    while (true) {
      int64_t begin = next.fetch_add(chunk);
      if (begin >= count) return;
      int64_t end = std::min(count, begin + chunk);
      std::exception_ptr error;
      try {
        (*body)(begin, end);
      } catch (...) {
        error = std::current_exception();
      }
      std::lock_guard lock(mutex);
      if (error && !failure) failure = error;
      done += end - begin;
      if (done == count) finished.notify_all();
    }
  }
};

}  // namespace

ThreadPool::ThreadPool(int threads) : state_(std::make_unique<State>()) {
  if (threads < 1) {
    internal::Message("ThreadPool")
        .expected("at least 1 thread")
        .got(threads)
        .raise<ValueError>();
  }
  state_->workers.reserve(static_cast<size_t>(threads));
  for (int i = 0; i < threads; ++i) {
    state_->workers.emplace_back([state = state_.get()] { state->work(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->ready.notify_all();
  for (std::thread& worker : state_->workers) worker.join();
}

void ThreadPool::schedule(std::function<void()> task) {
  {
    std::lock_guard lock(state_->mutex);
    state_->tasks.push_back(std::move(task));
  }
  state_->ready.notify_one();
}

void ThreadPool::parallel_for(
    int64_t count, int64_t grain,
    const std::function<void(int64_t, int64_t)>& body) {
  if (count <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  int64_t most = (count + grain - 1) / grain;
  int64_t helpers = std::min<int64_t>(size(), most - 1);
  if (helpers < 1) {
    body(0, count);
    return;
  }
  // A helper that starts late finds no range left, so the loop's state must
  // outlive this call: the helpers share it.
  auto loop = std::make_shared<ParallelLoop>();
  loop->count = count;
  // A few ranges per thread even out threads of different speed.
  loop->chunk = std::max(grain, count / (4 * (helpers + 1)));
  loop->body = &body;
  for (int64_t i = 0; i < helpers; ++i) {
    schedule([loop] { loop->take_ranges(); });
  }
  loop->take_ranges();
  std::unique_lock lock(loop->mutex);
  loop->finished.wait(lock, [&] { return loop->done == loop->count; });
  if (loop->failure) std::rethrow_exception(loop->failure);
}

int ThreadPool::size() const {
  return static_cast<int>(state_->workers.size());
}

ThreadPool& ThreadPool::global() {
  // Never destroyed: joining threads while the process ends can hang.
  static ThreadPool& pool = *new ThreadPool(
      static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  return pool;
}

}  // namespace systolic
