// cache(filename): keeps what the first complete pass gave in a file.
#include <atomic>
#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/cache_warning.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_file.h"
#include "systolic/data/recorded.h"

namespace systolic::data {
namespace {

class FileIterator final : public IteratorBase {
 public:
  // `checked`: whether the file is known to be of the input's elements.
  FileIterator(const std::string& path, const DatasetBase& input,
               std::atomic<bool>& checked)
      : path_(path), input_(input), checked_(checked), reader_(path) {}

  bool get_next(Element* out) override {
    if (!reader_.get_next(out)) return false;
    if (!checked_.exchange(true)) check(*out);
    return true;
  }
  void save(StateWriter& state) override { reader_.save(state); }
  void restore(StateReader& state) override { reader_.restore(state); }

 private:
  // The file may be of another data set, or of what this one was before.
  void check(const Element& element) {
    const ElementSpec spec = element.spec();
    const ElementSpec structure = structure_of_input();
    if (structure.is_compatible_with(spec)) return;
    checked_ = false;
    internal::Message("cache")
        .expected("a file of elements ", structure, " as the input gives")
        .got("one of ", spec)
        .detail("path", path_)
        .hint(
            "what is above cache() changed, or it is the file of another "
            "data set: remove it or name another")
        .raise<DataError>();
  }

  // A file that is whole does for an input that is no more there.
  ElementSpec structure_of_input() const {
    try {
      return input_.structure();
    } catch (const Error&) {
      return {};
    }
  }

  const std::string& path_;
  const DatasetBase& input_;
  std::atomic<bool>& checked_;
  detail::ElementFileReader reader_;
};

class FileRecording final : public detail::Recording {
 public:
  FileRecording(const std::string& path, const DatasetBase& input)
      : writer_(path), input_(input) {}

  void append(const Element& element) override { writer_.append(element); }
  void finish() override {
    writer_.close();
    detail::warn_of_cached_random(input_);
  }

 private:
  detail::ElementFileWriter writer_;
  const DatasetBase& input_;
};

class FileCacheDataset final : public TransformBase {
 public:
  FileCacheDataset(std::shared_ptr<const DatasetBase> input, std::string path)
      : TransformBase(std::move(input), "cache"), path_(std::move(path)) {
    if (path_.empty()) {
      internal::Message("cache")
          .expected("a file name")
          .got("an empty one")
          .hint("cache() without one keeps the elements in memory")
          .raise<ValueError>();
    }
    detail::warn_of_cached_shuffle(this->input());
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return detail::make_recorded_iterator(
        {.name = name(),
         .input = input(),
         .open_recorded = [this]() -> std::unique_ptr<IteratorBase> {
           if (!io::exists(path_)) return nullptr;
           return std::make_unique<FileIterator>(path_, input(), checked_);
         },
         .record =
             [this] {
               return std::make_unique<FileRecording>(path_, input());
             }},
        context);
  }
  // Each pass is the first one again.
  bool randomizes() const override { return false; }

 private:
  const std::string path_;
  mutable std::atomic<bool> checked_ = false;
};

}  // namespace

Dataset Dataset::cache(const std::string& filename) const {
  return Dataset(std::make_shared<FileCacheDataset>(node(), filename));
}

}  // namespace systolic::data
