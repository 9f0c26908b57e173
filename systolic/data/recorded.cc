// Tested by: systolic/data/file_cache_test.cc
#include "systolic/data/recorded.h"

#include <optional>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/replay.h"

namespace systolic::data::detail {
namespace {

class RecordedIterator final : public IteratorBase {
 public:
  RecordedIterator(RecordedPass pass, const IteratorContext& context)
      : pass_(std::move(pass)),
        context_(context),
        input_(pass_.open_recorded()),
        from_disk_(input_ != nullptr) {
    if (from_disk_) return;
    input_ = pass_.input.make_iterator(context_);
    if (!context_.peek) note_start();
  }

  bool get_next(Element* out) override {
    if (ended_) return false;
    if (behind_) catch_up();
    if (begins_) start();
    if (read(out)) return true;
    ended_ = true;
    // A stopped input may say that it has ended when it has not.
    if (recording_ && !context_.stop.stop_requested()) recording_->finish();
    recording_.reset();
    return false;
  }

  void save(StateWriter& state) override {
    state.begin(pass_.name);
    state.write_bool(from_disk_);
    state.write_bool(ended_);
    state.write_bool(begins_);
    state.write_bool(is_recording());
    if (!is_recording()) return input_->save(state);
    state.write_string(start_);
    state.write_int(behind_.value_or(position_));
  }
  void restore(StateReader& state) override {
    state.expect(pass_.name);
    const bool from_disk = state.read_bool();
    ended_ = state.read_bool();
    begins_ = state.read_bool();
    if (state.read_bool()) {
      from_disk_ = false;
      start_ = state.read_string();
      // Threads below would begin passes while the nodes are still restored.
      behind_ = state.read_int();
      return;
    }
    if (from_disk != from_disk_) {
      input_ = from_disk ? pass_.open_recorded()
                         : pass_.input.make_iterator(context_);
      from_disk_ = from_disk;
      if (input_ == nullptr) {
        state.throw_mismatch("the recorded elements", "none on disk");
      }
    }
    input_->restore(state);
  }

 private:
  // Whether a state is where the pass began and how far it is, so that who
  // restores it records the whole pass.
  bool is_recording() const {
    return !from_disk_ && gives_the_same_again(context_) && !start_.empty() &&
           (recording_ || behind_ || begins_);
  }

  // Nothing is read yet: the state is small.
  void note_start() {
    StateWriter writer;
    try {
      input_->save(writer);
      save_nodes(pass_.input, writer);
    } catch (const TypeError&) {
      return;  // the input cannot save its position
    }
    start_ = writer.take();
  }

  void start() {
    begins_ = false;
    position_ = 0;
    if (!from_disk_ && !context_.peek) recording_ = pass_.record();
  }

  // The next element, recorded; false at the end.
  bool read(Element* out) {
    try {
      if (!input_->get_next(out)) return false;
      if (recording_) recording_->append(*out);
    } catch (...) {
      recording_.reset();
      throw;
    }
    ++position_;
    return true;
  }

  // Reads and records what the pass had given where it was saved.
  void catch_up() {
    const int64_t position = *std::exchange(behind_, std::nullopt);
    ended_ = true;  // unless all goes well
    input_ = pass_.input.make_iterator(context_);
    StateReader reader(start_);
    input_->restore(reader);
    restore_nodes(pass_.input, reader);
    start();
    read_to(position);
    ended_ = false;
  }

  void read_to(int64_t position) {
    Element element;
    while (position_ < position && !context_.stop.stop_requested()) {
      try {
        if (read(&element)) continue;
      } catch (const std::exception&) {
        ++position_;  // it was given, and is not recorded now
        continue;
      }
      if (context_.stop.stop_requested()) return;
      recording_.reset();
      internal::Message(pass_.name)
          .expected("the ", position, " elements that were read before")
          .got(position_)
          .hint("what is above changed: begin a new pass")
          .raise<DataError>();
    }
  }

  const RecordedPass pass_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
  bool from_disk_;
  std::unique_ptr<Recording> recording_;
  std::string start_;              // where the recorded pass began
  int64_t position_ = 0;           // elements that were recorded
  std::optional<int64_t> behind_;  // the restored place, not yet read up to
  bool begins_ = true;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<IteratorBase> make_recorded_iterator(
    RecordedPass pass, const IteratorContext& context) {
  return std::make_unique<RecordedIterator>(std::move(pass), context);
}

}  // namespace systolic::data::detail
