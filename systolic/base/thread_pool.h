// A fixed set of worker threads that run tasks in the order given.
//   ThreadPool pool(4);
//   pool.schedule([] { work(); });
// The destructor finishes every scheduled task and joins the threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace systolic {

// Worker threads with one queue; safe to use from any thread.
class ThreadPool {
 public:
  // Starts `threads` workers. Throws ValueError where it is below one.
  explicit ThreadPool(int threads);
  // Runs what is still queued, then joins the workers.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Queues a task. An exception that leaves the task is logged as an error.
  void schedule(std::function<void()> task);

  // Splits [0, count) into ranges of at least `grain`, runs `body(begin, end)`
  // on the workers and the calling thread, and returns when all are done.
  // Rethrows the first exception of a body. May be called from a worker.
  void parallel_for(int64_t count, int64_t grain,
                    const std::function<void(int64_t, int64_t)>& body);

  // The number of worker threads.
  int size() const;

  // The pool that the whole process shares: one worker per hardware thread.
  static ThreadPool& global();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace systolic
