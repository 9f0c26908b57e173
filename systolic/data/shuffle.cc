// shuffle(): draws from a buffer of the next elements.
#include <atomic>
#include <random>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"

namespace systolic::data {
namespace {

class ShuffleIterator final : public IteratorBase {
 public:
  ShuffleIterator(size_t buffer_size, uint64_t seed,
                  const IteratorContext& context,
                  std::unique_ptr<IteratorBase> input)
      : buffer_size_(buffer_size),
        random_(seed),
        stop_(context.stop),
        input_(std::move(input)) {}

  bool get_next(Element* out) override {
    Element element;
    while (!ended_ && buffer_.size() < buffer_size_) {
      if (stop_.stop_requested()) return false;
      if (input_->get_next(&element)) {
        buffer_.push_back(std::move(element));
      } else {
        ended_ = true;
      }
    }
    if (buffer_.empty()) return false;
    std::swap(buffer_[draw(buffer_.size())], buffer_.back());
    *out = std::move(buffer_.back());
    buffer_.pop_back();
    return true;
  }

 private:
  // A number below `count`: the high half of the product with a random one.
  size_t draw(size_t count) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<size_t>((static_cast<Wide>(random_()) * count) >> 64);
  }

  const size_t buffer_size_;
  std::mt19937_64 random_;
  const std::stop_token stop_;
  std::unique_ptr<IteratorBase> input_;
  std::vector<Element> buffer_;
  bool ended_ = false;
};

class ShuffleDataset final : public TransformBase {
 public:
  ShuffleDataset(std::shared_ptr<const DatasetBase> input, int64_t buffer_size,
                 const ShuffleOptions& options)
      : TransformBase(std::move(input), "shuffle", options.name),
        buffer_size_(static_cast<size_t>(buffer_size)),
        seed_(options.seed ? static_cast<uint64_t>(*options.seed)
                           : internal::draw_seed()),
        reshuffle_(options.reshuffle_each_iteration) {
    if (buffer_size < 1) {
      internal::Message(name())
          .expected("buffer_size >= 1")
          .got(buffer_size)
          .hint("the number of elements shuffles them fully")
          .raise<ValueError>();
    }
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    std::unique_ptr<IteratorBase> input_iterator =
        input().make_iterator(context);
    if (context.peek) return input_iterator;
    const uint64_t pass = reshuffle_ ? passes_.fetch_add(1) : 0;
    return std::make_unique<ShuffleIterator>(
        buffer_size_, internal::mix_seed(seed_, pass), context,
        std::move(input_iterator));
  }
  bool reshuffles() const override { return reshuffle_; }

 private:
  const size_t buffer_size_;
  const uint64_t seed_;
  const bool reshuffle_;
  mutable std::atomic<uint64_t> passes_ = 0;  // begun so far
};

}  // namespace

Dataset Dataset::shuffle(int64_t buffer_size,
                         const ShuffleOptions& options) const {
  return Dataset(
      std::make_shared<ShuffleDataset>(node(), buffer_size, options));
}

}  // namespace systolic::data
