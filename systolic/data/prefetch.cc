// prefetch(): a thread that makes elements ahead of the reader.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/trace.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

// AUTOTUNE starts with two elements and doubles while the reader has to wait
// for a producer that had been held back by the limit.
constexpr size_t kFirstAutoSize = 2;
constexpr size_t kLargestAutoSize = 64;
constexpr size_t kAutoBytes = size_t{128} << 20;

class PrefetchIterator final : public IteratorBase {
 public:
  PrefetchIterator(const DatasetBase& input, int64_t buffer_size,
                   const IteratorContext& context)
      : auto_(buffer_size == AUTOTUNE),
        chain_(context.stop, [this] { stop_.request_stop(); }),
        input_(input.make_iterator(context.with_stop(stop_.get_token()))),
        limit_(auto_ ? kFirstAutoSize : static_cast<size_t>(buffer_size)) {}

  ~PrefetchIterator() override {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  bool get_next(Element* out) override {
    if (!thread_.joinable()) thread_ = std::thread([this] { produce(); });
    Item item;
    {
      std::unique_lock lock(mutex_);
      if (auto_ && queue_.empty() && !ended_) grow();
      const bool woken = ready_.wait(lock, stop_.get_token(), [this] {
        return !queue_.empty() || ended_;
      });
      if (!woken || queue_.empty()) return false;
      item = std::move(queue_.front());
      queue_.pop_front();
      bytes_ -= item.bytes;
    }
    space_.notify_one();
    if (item.error) std::rethrow_exception(item.error);
    *out = std::move(item.element);
    return true;
  }

 private:
  struct Item {
    Element element;
    std::exception_ptr error;
    size_t bytes = 0;
  };

  void grow() {
    if (was_full_ && limit_ < kLargestAutoSize) limit_ *= 2;
    was_full_ = false;
  }

  bool has_space() const {
    return queue_.size() < limit_ && (!auto_ || bytes_ < kAutoBytes);
  }

  void produce() {
    internal::name_trace_thread("prefetch");
    const std::stop_token stop = stop_.get_token();
    bool more = true;
    while (more) {
      {
        std::unique_lock lock(mutex_);
        was_full_ = was_full_ || !has_space();
        if (!space_.wait(lock, stop, [this] { return has_space(); })) return;
      }
      if (stop.stop_requested()) return;
      Item item;
      try {
        const internal::TraceScope scope("prefetch");
        more = input_->get_next(&item.element);
      } catch (...) {
        item.error = std::current_exception();
      }
      if (auto_) item.bytes = item.element.nbytes();
      {
        std::lock_guard lock(mutex_);
        bytes_ += item.bytes;
        if (more) {
          queue_.push_back(std::move(item));
        } else {
          ended_ = true;
        }
      }
      ready_.notify_one();
    }
  }

  const bool auto_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> chain_;
  std::unique_ptr<IteratorBase> input_;  // the thread's own once it runs

  std::mutex mutex_;  // guards what follows, up to the thread
  std::condition_variable_any space_;
  std::condition_variable_any ready_;
  std::deque<Item> queue_;
  size_t bytes_ = 0;  // of the queue, counted for AUTOTUNE
  size_t limit_;
  bool was_full_ = false;
  bool ended_ = false;

  std::thread thread_;
};

class PrefetchDataset final : public TransformBase {
 public:
  PrefetchDataset(std::shared_ptr<const DatasetBase> input, int64_t buffer_size)
      : TransformBase(std::move(input), "prefetch"), buffer_size_(buffer_size) {
    if (buffer_size < AUTOTUNE) {
      internal::Message(name())
          .expected("buffer_size >= 0 or data::AUTOTUNE")
          .got(buffer_size)
          .raise<ValueError>();
    }
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    if (context.peek || buffer_size_ == 0) {
      return input().make_iterator(context);
    }
    return std::make_unique<PrefetchIterator>(input(), buffer_size_, context);
  }

 private:
  const int64_t buffer_size_;
};

}  // namespace

Dataset Dataset::prefetch(int64_t buffer_size) const {
  return Dataset(std::make_shared<PrefetchDataset>(node(), buffer_size));
}

}  // namespace systolic::data
