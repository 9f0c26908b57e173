// shuffle(): draws from a buffer of the next elements.
#include <algorithm>
#include <random>
#include <utility>

#include "systolic/base/element_seed.h"
#include "systolic/base/message.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_buffer.h"
#include "systolic/data/pass_seed.h"
#include "systolic/data/row_views.h"

namespace systolic::data {
namespace {

// How many elements are asked for at once while the buffer fills.
constexpr int64_t kFillBlock = 4096;

class ShuffleIterator final : public IteratorBase {
 public:
  ShuffleIterator(const std::string& name, int64_t buffer_size, PassSeed& seeds,
                  const IteratorContext& context,
                  std::unique_ptr<IteratorBase> input, int64_t expected)
      : name_(name),
        buffer_size_(static_cast<size_t>(buffer_size)),
        pass_(seeds.begin()),
        random_(pass_.mixed()),
        stop_(context.stop),
        memory_(context.run, MemoryUse::kept, name),
        input_(std::move(input)),
        buffer_(expected) {}

  bool get_next(Element* out) override {
    memory_.require_room();
    fill();
    if (buffer_.empty() || stop_.stop_requested()) return false;
    *out = buffer_.take(draw(buffer_.size()));
    return true;
  }

  int64_t get_block(int64_t count, Element* out) override {
    memory_.require_room();
    fill();
    if (stop_.stop_requested() || buffer_.empty()) return 0;
    if (!buffer_.is_packed()) return kNoBlocks;
    stage(count);
    detail::Stacker stacker(
        kBatch,
        std::min(count, static_cast<int64_t>(buffer_.size()) + staged_rows_));
    // Not behind the last row: an exception there would cost the batch.
    while (true) {
      buffer_.take_into(draw(buffer_.size()), &stacker);
      if (stacker.size() == count) break;
      fill();
      if (buffer_.empty()) break;
    }
    const int64_t drawn = stacker.size();
    *out = stacker.finish();
    return drawn;
  }

  void save(StateWriter& state) override {
    state.begin(name_);
    PassSeed::save(pass_, state);
    state.write_int(draws_);
    state.write_bool(ended_);
    state.write_int(static_cast<int64_t>(buffer_.size()));
    for (size_t i = 0; i < buffer_.size(); ++i) {
      state.write_element(buffer_.at(i));
    }
    state.write_int(staged_rows_ - staged_next_);
    if (staged_next_ < staged_rows_) {
      const detail::RowViews rows(name_, staged_);
      for (int64_t i = staged_next_; i < staged_rows_; ++i) {
        state.write_element(rows.row(i));
      }
    }
    if (!ended_) input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(name_);
    pass_ = PassSeed::restore_pass(state);
    draws_ = state.read_int();
    random_.seed(pass_.mixed());
    random_.discard(static_cast<unsigned long long>(draws_));
    ended_ = state.read_bool();
    for (int64_t count = state.read_int(); count > 0; --count) {
      buffer_.push_back(state.read_element());
    }
    memory_.set(buffer_.nbytes());
    staged_rows_ = state.read_int();
    staged_next_ = 0;
    if (staged_rows_ > 0) {
      detail::Stacker rows(name_, staged_rows_);
      while (rows.size() < staged_rows_) rows.add(state.read_element());
      staged_ = rows.finish();
    }
    if (!ended_) input_->restore(state);
  }

 private:
  static inline const std::string kBatch = "batch";

  // Takes the next elements of the input as a block, where it has blocks.
  void stage(int64_t count) {
    if (ended_ || staged_next_ < staged_rows_) return;
    const int64_t rows = input_->get_block(count, &staged_);
    if (rows == kNoBlocks) return;
    staged_rows_ = rows;
    staged_next_ = 0;
    ended_ = rows < count;
  }

  void fill() {
    while (buffer_.size() < buffer_size_ && !stop_.stop_requested()) {
      if (staged_next_ == staged_rows_) {
        if (ended_) return;
        const auto missing =
            static_cast<int64_t>(buffer_size_ - buffer_.size());
        if (missing > 1) stage(std::min(missing, kFillBlock));
      }
      if (staged_next_ < staged_rows_) {
        const int64_t count =
            std::min(static_cast<int64_t>(buffer_size_ - buffer_.size()),
                     staged_rows_ - staged_next_);
        buffer_.push_rows(staged_, staged_next_, count);
        staged_next_ += count;
      } else if (!ended_) {
        read();
      }
      memory_.set(buffer_.nbytes());
    }
  }

  void read() {
    Element element;
    if (input_->get_next(&element)) {
      buffer_.push_back(std::move(element));
    } else {
      ended_ = true;
    }
  }

  // A number below `count`: the high half of the product with a random one.
  size_t draw(size_t count) {
    __extension__ using Wide = unsigned __int128;
    ++draws_;
    return static_cast<size_t>((static_cast<Wide>(random_()) * count) >> 64);
  }

  const std::string name_;
  const size_t buffer_size_;
  PassSeed::Pass pass_;
  std::mt19937_64 random_;
  const std::stop_token stop_;
  MemoryHold memory_;
  std::unique_ptr<IteratorBase> input_;
  detail::ElementBuffer buffer_;
  // Elements on their way into the buffer.
  Element staged_;
  int64_t staged_rows_ = 0;
  int64_t staged_next_ = 0;
  int64_t draws_ = 0;
  bool ended_ = false;  // nothing more comes from the input
};

class ShuffleDataset final : public TransformBase {
 public:
  ShuffleDataset(std::shared_ptr<const DatasetBase> input, int64_t buffer_size,
                 const ShuffleOptions& options)
      : TransformBase(std::move(input), "shuffle", options.name),
        buffer_size_(buffer_size),
        reshuffle_(options.reshuffle_each_iteration),
        seeds_(options.seed ? static_cast<uint64_t>(*options.seed)
                            : internal::draw_seed(),
               reshuffle_),
        is_seeded_(options.seed || internal::has_random_seed()) {
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
    context.require_one_order(name(), has_one_order());
    const int64_t elements = input().cardinality();
    return std::make_unique<ShuffleIterator>(
        name(), buffer_size_, seeds_, context, std::move(input_iterator),
        elements < 0 ? buffer_size_ : std::min(elements, buffer_size_));
  }
  bool reshuffles() const override { return reshuffle_; }
  bool has_own_order() const override {
    return !has_one_order() || input().has_own_order();
  }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }
  std::string parameters() const override {
    return internal::concatenate_text(
        "buffer_size ", buffer_size_,
        reshuffle_ ? ", reshuffle_each_iteration" : "");
  }

 private:
  // Whether other processes draw the same; of one element there is one order.
  bool has_one_order() const {
    const int64_t elements = input().cardinality();
    return is_seeded_ || elements == 0 || elements == 1;
  }

  const int64_t buffer_size_;
  const bool reshuffle_;
  mutable PassSeed seeds_;
  const bool is_seeded_;
};

}  // namespace

Dataset Dataset::shuffle(int64_t buffer_size,
                         const ShuffleOptions& options) const {
  return Dataset(
      std::make_shared<ShuffleDataset>(node(), buffer_size, options));
}

}  // namespace systolic::data
