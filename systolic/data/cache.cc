// cache(): keeps what the first complete pass gave.
#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/base/message.h"
#include "systolic/data/cache_warning.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_buffer.h"
#include "systolic/data/replay.h"

namespace systolic::data {
namespace {

// The elements of a complete pass, with the state that its input began in:
// who restores an iterator into a program whose cache is empty fills it anew
// from there.
struct Contents {
  detail::ElementBuffer elements;
  std::string start;
};

// What the passes of one cached data set share.
class Store {
 public:
  // The contents, or null before the first complete pass.
  std::shared_ptr<const Contents> contents() const {
    std::lock_guard lock(mutex_);
    return contents_;
  }
  // Keeps the elements of a complete pass; the first one stays, unless this
  // one was restored. Returns whether they were kept.
  bool publish(std::shared_ptr<const Contents> contents, bool restored) {
    std::lock_guard lock(mutex_);
    if (contents_ && !restored) return false;
    contents_ = std::move(contents);
    return true;
  }

  // Where the next first pass begins, when the cache was full in the run that
  // saved its state; empty for the beginning.
  std::string start() const {
    std::lock_guard lock(mutex_);
    return start_;
  }
  void save(StateWriter& state) const {
    std::lock_guard lock(mutex_);
    state.write_string(contents_ ? contents_->start : start_);
  }
  void restore(StateReader& state) {
    std::string start = state.read_string();
    std::lock_guard lock(mutex_);
    if (contents_ && contents_->start != start) contents_.reset();
    start_ = std::move(start);
  }

 private:
  mutable std::mutex mutex_;
  std::string start_;
  std::shared_ptr<const Contents> contents_;
};

// Passes elements on and remembers them, or gives those that are remembered. A
// pass that ends early, or that lost an element to an exception, leaves
// nothing behind.
class CacheIterator final : public IteratorBase {
 public:
  CacheIterator(Store& store, const DatasetBase& input,
                const IteratorContext& context)
      : store_(store),
        dataset_(input),
        context_(context),
        memory_(context.run, MemoryUse::kept, kName),
        cached_(store.contents()) {
    // What is there already was counted by the pass that made it.
    if (!cached_) begin_recording(store.start());
  }

  bool get_next(Element* out) override {
    if (behind_) catch_up();
    if (cached_) {
      if (position_ == size()) return end_of_cached();
      *out = cached_->elements.at(static_cast<size_t>(position_++));
      return true;
    }
    if (ended_) return false;
    ++position_;
    try {
      if (record(out)) return true;
    } catch (...) {
      complete_ = false;
      throw;
    }
    finish();
    return false;
  }

  int64_t get_block(int64_t count, Element* out) override {
    if (!cached_ || !cached_->elements.is_packed()) return kNoBlocks;
    const int64_t rows = std::min(count, size() - position_);
    if (rows > 0) {
      *out = cached_->elements.block(static_cast<size_t>(position_),
                                     static_cast<size_t>(rows));
    }
    position_ += rows;
    if (rows < count) end_of_cached();
    return rows;
  }

  void save(StateWriter& state) override {
    const std::string& start = cached_ ? cached_->start : recorded_->start;
    state.begin(kName);
    const bool has_start =
        !start.empty() && detail::gives_the_same_again(context_);
    state.write_bool(has_start);
    if (!has_start) return save_elements(state);
    state.write_string(start);
    state.write_bool(cached_ != nullptr && !restored_);
    state.write_bool(ended_);
    state.write_int(behind_.value_or(position_));
  }
  void restore(StateReader& state) override {
    state.expect(kName);
    if (!state.read_bool()) return restore_elements(state);
    const std::string start = state.read_string();
    const bool was_cached = state.read_bool();
    const bool ended = state.read_bool();
    const int64_t position = state.read_int();
    restored_ = !was_cached;
    if (cached_ && cached_->start == start) {
      position_ = position;
      return;
    }
    cached_.reset();
    begin_recording(start);
    restored_ = true;
    // To the end: passes below that begin later would begin with the numbers
    // that the nodes have by then, and not with those of the first pass.
    if (was_cached) return fill_again(position);
    if (!ended) {
      // Threads below would begin passes while the nodes are still restored.
      behind_ = position;
      return;
    }
    read_again(position);
    if (!ended_) finish();
  }

 private:
  static constexpr const char* kName = "cache";

  int64_t size() const {
    return static_cast<int64_t>(cached_->elements.size());
  }

  // At the end of the contents; a pass that was restored from the first one
  // fills the cache as that did. Always false.
  bool end_of_cached() {
    if (restored_) store_.publish(cached_, true);
    restored_ = false;
    return false;
  }

  // Where the input can not be read again: it would give another order, or has
  // nodes that have no state of their beginning.
  void save_elements(StateWriter& state) {
    const detail::ElementBuffer& elements =
        cached_ ? cached_->elements : recorded_->elements;
    state.write_bool(cached_ != nullptr);
    state.write_bool(ended_);
    state.write_bool(complete_);
    state.write_int(position_);
    state.write_int(static_cast<int64_t>(elements.size()));
    for (size_t i = 0; i < elements.size(); ++i) {
      state.write_element(elements.at(i));
    }
    if (!cached_) input_->save(state);
  }
  void restore_elements(StateReader& state) {
    const bool was_cached = state.read_bool();
    ended_ = state.read_bool();
    complete_ = state.read_bool();
    position_ = state.read_int();
    const int64_t count = state.read_int();
    auto contents =
        std::make_shared<Contents>(Contents{detail::ElementBuffer(count), ""});
    for (int64_t i = 0; i < count; ++i) {
      contents->elements.push_back(state.read_element());
      memory_.set(contents->elements.nbytes());
    }
    restored_ = true;
    if (was_cached) {
      cached_ = std::move(contents);
      store_.publish(cached_, restored_);
      return;
    }
    cached_.reset();
    recorded_ = std::move(contents);
    input_ = dataset_.make_iterator(context_);
    input_->restore(state);
  }

  // Comes to the place of the restored state.
  void catch_up() {
    const int64_t position = *behind_;
    begin_recording(recorded_->start);
    read_again(position);
    behind_.reset();  // where that threw, the next read tries it again
  }

  // From the beginning, or from where a first pass began in another run.
  void begin_recording(std::string start) {
    const int64_t expected = dataset_.cardinality();
    recorded_ = std::make_shared<Contents>(
        Contents{detail::ElementBuffer(expected), std::move(start)});
    input_ = dataset_.make_iterator(context_);
    position_ = 0;
    ended_ = false;
    complete_ = true;
    if (recorded_->start.empty()) return start_of_input();
    StateReader reader(recorded_->start);
    input_->restore(reader);
    detail::restore_nodes(dataset_, reader);
  }

  // Nothing is read yet: the state is small.
  void start_of_input() {
    StateWriter writer;
    try {
      input_->save(writer);
      detail::save_nodes(dataset_, writer);
    } catch (const TypeError&) {
      return;
    }
    recorded_->start = writer.take();
  }

  // Takes the next element of the input; false at the end.
  bool record(Element* out) {
    memory_.require_room();
    if (!input_->get_next(out)) return false;
    if (complete_) {
      recorded_->elements.push_copy(*out);
      memory_.set(recorded_->elements.nbytes());
    }
    return true;
  }

  void fill_again(int64_t position) {
    read_again(std::numeric_limits<int64_t>::max());
    cached_ = store_.contents();
    position_ = position;
    restored_ = false;
    if (cached_ || context_.stop.stop_requested()) return;
    internal::Message(kName)
        .expected("the elements that filled the cache to be read again")
        .got("an exception in the place of one")
        .raise<DataError>();
  }

  void read_again(int64_t count) {
    Element element;
    for (; position_ < count && !context_.stop.stop_requested(); ++position_) {
      try {
        if (!record(&element)) return finish();
      } catch (const ResourceExhaustedError&) {
        throw;  // it would be thrown again each time
      } catch (const std::bad_alloc&) {
        throw;
      } catch (const std::exception&) {
        complete_ = false;  // as the first time; it was thrown then
      }
    }
  }

  void finish() {
    ended_ = true;
    // A stopped input may say that it has ended when it has not.
    if (!complete_ || context_.stop.stop_requested()) return;
    const bool kept = store_.publish(recorded_, restored_);
    if (kept) detail::warn_of_cached_random(dataset_);
  }

  Store& store_;
  const DatasetBase& dataset_;
  const IteratorContext context_;
  MemoryHold memory_;
  std::shared_ptr<const Contents> cached_;
  std::shared_ptr<Contents> recorded_;
  std::unique_ptr<IteratorBase> input_;
  int64_t position_ = 0;           // of the next element, lost ones included
  bool complete_ = true;           // nothing was lost
  bool restored_ = false;          // from the state of a first pass
  std::optional<int64_t> behind_;  // the restored place, not yet read up to
  bool ended_ = false;
};

class CacheDataset final : public TransformBase {
 public:
  explicit CacheDataset(std::shared_ptr<const DatasetBase> input)
      : TransformBase(std::move(input), "cache") {
    detail::warn_of_cached_shuffle(this->input());
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    if (context.peek) {
      const std::shared_ptr<const Contents> contents = store_.contents();
      if (!contents) return input().make_iterator(context);
    }
    return std::make_unique<CacheIterator>(store_, input(), context);
  }
  // Each pass is the first one again.
  bool randomizes() const override { return false; }
  void save_node(StateWriter& state) const override { store_.save(state); }
  void restore_node(StateReader& state) const override {
    store_.restore(state);
  }

 private:
  mutable Store store_;
};

}  // namespace

Dataset Dataset::cache() const {
  return Dataset(std::make_shared<CacheDataset>(node()));
}

}  // namespace systolic::data
