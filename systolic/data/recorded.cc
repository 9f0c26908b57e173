// Tested by: systolic/data/file_cache_test.cc
#include "systolic/data/recorded.h"

#include <utility>

namespace systolic::data::detail {
namespace {

class RecordedIterator final : public IteratorBase {
 public:
  RecordedIterator(RecordedPass pass, const IteratorContext& context)
      : pass_(std::move(pass)),
        context_(context),
        input_(pass_.open_recorded()),
        from_disk_(input_ != nullptr) {
    if (!from_disk_) input_ = pass_.open_input();
  }

  bool get_next(Element* out) override {
    if (ended_) return false;
    if (begins_) start();
    bool got = false;
    try {
      got = input_->get_next(out);
      if (got && recording_) recording_->append(*out);
    } catch (...) {
      recording_.reset();
      throw;
    }
    if (got) return true;
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
    input_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(pass_.name);
    const bool from_disk = state.read_bool();
    ended_ = state.read_bool();
    begins_ = state.read_bool();  // else the first elements are missing
    if (from_disk != from_disk_) {
      input_ = from_disk ? pass_.open_recorded() : pass_.open_input();
      from_disk_ = from_disk;
      if (input_ == nullptr) {
        state.throw_mismatch("the recorded elements", "none on disk");
      }
    }
    input_->restore(state);
  }

 private:
  void start() {
    begins_ = false;
    if (!from_disk_ && !context_.peek) recording_ = pass_.record();
  }

  const RecordedPass pass_;
  const IteratorContext context_;
  std::unique_ptr<IteratorBase> input_;
  bool from_disk_;
  std::unique_ptr<Recording> recording_;
  bool begins_ = true;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<IteratorBase> make_recorded_iterator(
    RecordedPass pass, const IteratorContext& context) {
  return std::make_unique<RecordedIterator>(std::move(pass), context);
}

}  // namespace systolic::data::detail
