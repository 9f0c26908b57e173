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
#include "systolic/data/element_buffer.h"

namespace systolic::data {
namespace {

// AUTOTUNE starts with two elements and doubles while the reader has to wait
// for a producer that had been held back by the limit.
constexpr size_t kFirstAutoSize = 2;
constexpr size_t kLargestAutoSize = 64;
// With as many, AUTOTUNE's producer sleeps until half of them are read: each
// waking up takes microseconds.
constexpr size_t kManyElements = 8;

class PrefetchIterator final : public IteratorBase {
 public:
  PrefetchIterator(const DatasetBase& node, const DatasetBase& input,
                   int64_t buffer_size, const IteratorContext& context)
      : auto_(buffer_size == AUTOTUNE &&
              context.options().autotune.enabled.value_or(true)),
        chain_(context.stop, [this] { stop_.request_stop(); }),
        input_(input.make_iterator(context.with_stop(stop_.get_token()))),
        memory_(context.run, MemoryUse::ahead, "prefetch"),
        limit_(buffer_size == AUTOTUNE ? kFirstAutoSize
                                       : static_cast<size_t>(buffer_size)),
        stage_(context.stage(node)),
        input_stage_(context.stage(input)) {
    if (stage_) {
      stage_->buffer = static_cast<int64_t>(limit_);
      stage_->tuned = auto_;
    }
  }

  ~PrefetchIterator() override {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }

  bool get_next(Element* out) override {
    if (!thread_.joinable()) thread_ = std::thread([this] { produce(); });
    Item item;
    bool tell = true;
    {
      std::unique_lock lock(mutex_);
      if (queue_.empty() && !wait_for_element(lock)) return false;
      item = std::move(queue_.front());
      queue_.pop_front();
      memory_.add(-item.bytes);
      const bool many = auto_ && limit_ >= kManyElements;
      tell = !many || queue_.size() <= limit_ / 2;
    }
    if (tell) space_.notify_one();
    if (item.error) std::rethrow_exception(item.error);
    *out = std::move(item.element);
    return true;
  }

  void save(StateWriter& state) override {
    state.keep(std::make_shared<Pause>(*this));
    state.begin("prefetch");
    state.write_bool(ended_);
    state.write_int(static_cast<int64_t>(queue_.size()));
    for (const Item& item : queue_) {
      state.write_bool(item.error != nullptr);
      item.error ? state.write_error(item.error)
                 : state.write_element(item.element);
    }
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect("prefetch");
    ended_ = state.read_bool();
    for (int64_t count = state.read_int(); count > 0; --count) {
      Item item;
      if (state.read_bool()) {
        item.error = state.read_error();
      } else {
        item.element = state.read_element();
      }
      push(std::move(item));
    }
    input_->restore(state);
  }

 private:
  struct Item {
    Element element;
    std::exception_ptr error;
    int64_t bytes = 0;
  };

  // Called with the lock; false at the end.
  bool wait_for_element(std::unique_lock<std::mutex>& lock) {
    if (auto_ && !ended_) grow();
    const StageTimer timer(&waits_);
    ready_.wait(lock, stop_.get_token(),
                [this] { return !queue_.empty() || ended_; });
    return !queue_.empty();
  }

  // Holds the thread up between two elements for as long as it lives.
  class Pause {
   public:
    explicit Pause(PrefetchIterator& iterator) : iterator_(iterator) {
      std::unique_lock lock(iterator_.mutex_);
      iterator_.paused_ = true;
      iterator_.idle_.wait(lock, [&] { return !iterator_.producing_; });
    }
    ~Pause() {
      {
        std::lock_guard lock(iterator_.mutex_);
        iterator_.paused_ = false;
      }
      iterator_.space_.notify_one();
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    PrefetchIterator& iterator_;
  };

  // Called with the mutex, or before the thread runs.
  void push(Item item) {
    item.bytes = detail::held_bytes(item.element);
    memory_.add(item.bytes);
    queue_.push_back(std::move(item));
  }

  void grow() {
    if (was_full_ && limit_ < kLargestAutoSize) limit_ *= 2;
    was_full_ = false;
    if (stage_) stage_->buffer = static_cast<int64_t>(limit_);
  }

  // An element more, like the last one in the queue, stays within the budget.
  bool has_space() const {
    if (queue_.empty()) return true;
    return queue_.size() < limit_ && memory_.has_room(queue_.back().bytes);
  }

  void produce() {
    internal::name_trace_thread("prefetch");
    const std::stop_token stop = stop_.get_token();
    bool more = true;
    while (more) {
      {
        std::unique_lock lock(mutex_);
        was_full_ = was_full_ || !has_space();
        // Other stages may have taken the space since the last element.
        if (!queue_.empty() && !has_space()) ready_.notify_one();
        const bool woken = space_.wait(
            lock, stop, [this] { return !paused_ && (ended_ || has_space()); });
        if (!woken || ended_) return;
        producing_ = true;
      }
      Item item;
      try {
        const internal::TraceScope scope("prefetch");
        const StageTimer timer(input_stage_.get());
        more = input_->get_next(&item.element);
      } catch (...) {
        item.error = std::current_exception();
      }
      // The reader is not woken for each of those that come at once.
      bool tell = !more || !input_->is_at_hand();
      {
        std::lock_guard lock(mutex_);
        // A stopped input may say that it has ended when it has not.
        if (more) {
          push(std::move(item));
        } else {
          ended_ = true;
        }
        producing_ = false;
        tell = tell || paused_ || !has_space();
      }
      if (!tell) continue;
      ready_.notify_one();
      idle_.notify_one();
    }
  }

  const bool auto_;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> chain_;
  std::unique_ptr<IteratorBase> input_;  // the thread's own once it runs

  std::mutex mutex_;  // guards what follows, up to the thread
  std::condition_variable_any space_;
  std::condition_variable_any ready_;
  std::condition_variable_any idle_;
  std::deque<Item> queue_;
  MemoryHold memory_;  // of the queue
  size_t limit_;
  bool was_full_ = false;
  bool ended_ = false;
  bool paused_ = false;     // the reader saves
  bool producing_ = false;  // the thread is inside of the input

  StageCounters waits_;  // takes the reader's waiting from its stage's time
  const std::shared_ptr<StageCounters> stage_;
  const std::shared_ptr<StageCounters> input_stage_;
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
    return std::make_unique<PrefetchIterator>(*this, input(), buffer_size_,
                                              context);
  }
  std::optional<std::string> element_parameters() const override { return {}; }
  bool works_ahead() const override {
    return buffer_size_ != 0 || input().works_ahead();
  }

 private:
  const int64_t buffer_size_;
};

}  // namespace

Dataset Dataset::prefetch(int64_t buffer_size) const {
  return Dataset(std::make_shared<PrefetchDataset>(node(), buffer_size));
}

}  // namespace systolic::data
