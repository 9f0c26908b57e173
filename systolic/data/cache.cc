// cache(): keeps what the first complete pass gave.
#include <mutex>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

using Elements = std::vector<Element>;

// What the passes of one cached data set share.
class Store {
 public:
  // The elements, or null before the first complete pass.
  std::shared_ptr<const Elements> elements() const {
    std::lock_guard lock(mutex_);
    return elements_;
  }
  // Keeps the elements of a complete pass; the first one stays.
  void publish(Elements elements) {
    std::lock_guard lock(mutex_);
    if (elements_) return;
    elements_ = std::make_shared<const Elements>(std::move(elements));
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Elements> elements_;
};

class MemoryIterator final : public IteratorBase {
 public:
  explicit MemoryIterator(std::shared_ptr<const Elements> elements)
      : elements_(std::move(elements)) {}

  bool get_next(Element* out) override {
    if (next_ == elements_->size()) return false;
    *out = (*elements_)[next_++];
    return true;
  }

 private:
  std::shared_ptr<const Elements> elements_;
  size_t next_ = 0;
};

// Passes elements on and remembers them. A pass that ends early, or that lost
// an element to an exception, leaves nothing behind.
class RecordingIterator final : public IteratorBase {
 public:
  RecordingIterator(Store& store, const IteratorContext& context,
                    std::unique_ptr<IteratorBase> input)
      : store_(store), stop_(context.stop), input_(std::move(input)) {}

  bool get_next(Element* out) override {
    if (ended_) return false;
    bool got = false;
    try {
      got = input_->get_next(out);
    } catch (...) {
      complete_ = false;
      seen_.clear();
      throw;
    }
    if (got) {
      if (complete_) seen_.push_back(*out);
      return true;
    }
    ended_ = true;
    // A stopped input may say that it has ended when it has not.
    if (complete_ && !stop_.stop_requested()) store_.publish(std::move(seen_));
    return false;
  }

 private:
  Store& store_;
  const std::stop_token stop_;
  std::unique_ptr<IteratorBase> input_;
  Elements seen_;
  bool complete_ = true;
  bool ended_ = false;
};

class CacheDataset final : public TransformBase {
 public:
  explicit CacheDataset(std::shared_ptr<const DatasetBase> input)
      : TransformBase(std::move(input), "cache") {
    if (this->input().reshuffles()) {
      log(LogLevel::warning,
          "cache: the input shuffles, so every pass will have the order of "
          "the first; to reshuffle, cache() before shuffle()");
    }
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    if (std::shared_ptr<const Elements> elements = store_.elements()) {
      return std::make_unique<MemoryIterator>(std::move(elements));
    }
    std::unique_ptr<IteratorBase> input_iterator =
        input().make_iterator(context);
    if (context.peek) return input_iterator;
    return std::make_unique<RecordingIterator>(store_, context,
                                               std::move(input_iterator));
  }

 private:
  mutable Store store_;
};

}  // namespace

Dataset Dataset::cache() const {
  return Dataset(std::make_shared<CacheDataset>(node()));
}

}  // namespace systolic::data
