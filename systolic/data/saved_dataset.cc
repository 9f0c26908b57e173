// save(), load() and snapshot(): data sets in folders, in one file or several.
// A folder holds the file `metadata`, written last, and a folder of its own
// for the files that this names; so a folder that is written again is the old
// one up to the end.
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

#include "systolic/base/element_seed.h"
#include "systolic/base/error.h"
#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/seed.h"
#include "systolic/data/dataset.h"
#include "systolic/data/element_file.h"
#include "systolic/data/pass_seed.h"
#include "systolic/data/recorded.h"
#include "systolic/data/shard_file.h"
#include "systolic/data/spec_state.h"

namespace systolic::data {
namespace {

constexpr const char* kTag = "saved data set 2";
constexpr const char* kPacked = "GZIP";

// What the file `metadata` says.
struct Metadata {
  std::string run;              // the folder of the files
  std::vector<int64_t> counts;  // of the elements in each
  ElementSpec spec;
  std::string compression;
  std::string pipeline;  // what a snapshot is of: describe_elements()

  int64_t elements() const {
    int64_t sum = 0;
    for (int64_t count : counts) sum += count;
    return sum;
  }
};

std::string metadata_path(const std::string& folder) {
  return io::join_path(folder, "metadata");
}

std::string shard_path(const std::string& folder, const std::string& run,
                       size_t shard) {
  std::string number = std::to_string(shard);
  number.insert(0, number.size() < 5 ? 5 - number.size() : 0, '0');
  return io::join_path(io::join_path(folder, run), number + ".shard");
}

void write_metadata(const std::string& folder, const Metadata& metadata) {
  StateWriter state;
  state.begin(kTag);
  state.write_string(metadata.run);
  state.write_int(static_cast<int64_t>(metadata.counts.size()));
  for (int64_t count : metadata.counts) state.write_int(count);
  detail::write_spec(metadata.spec, state);
  state.write_string(metadata.compression);
  state.write_string(metadata.pipeline);
  io::write_file(metadata_path(folder), state.take());
}

// Throws ValueError where a file stands in the place of the folder.
void check_folder(const std::string& who, const std::string& folder) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(folder, ignored)) return;
  internal::Message(who)
      .expected("the name of a folder")
      .got(folder, ", which is a file")
      .hint("give another name")
      .raise<ValueError>();
}

// Throws ValueError for a data set that could not be written to its end.
void check_end(const std::string& who, const DatasetBase& dataset,
               const char* hint) {
  if (dataset.cardinality() != INFINITE_CARDINALITY) return;
  internal::Message(who)
      .expected("a data set that ends, since all of it is written")
      .got("one without an end")
      .hint(hint)
      .raise<ValueError>();
}

Metadata read_metadata(const std::string& who, const std::string& folder) {
  constexpr const char* kExpected =
      "a folder that Dataset::save() or snapshot() wrote";
  const std::string path = metadata_path(folder);
  if (!io::exists(path)) {
    check_folder(who, folder);
    internal::Message(who)
        .expected(kExpected)
        .got(folder, io::exists(folder) ? ", which has no file `metadata`"
                                        : ", which is not there")
        .raise<NotFoundError>();
  }
  const std::string bytes = io::read_file(path);
  try {
    StateReader state(bytes);
    state.expect(kTag);
    Metadata metadata;
    metadata.run = state.read_string();
    for (int64_t left = state.read_int(); left > 0; --left) {
      metadata.counts.push_back(state.read_int());
    }
    metadata.spec = detail::read_spec(state);
    metadata.compression = state.read_string();
    metadata.pipeline = state.read_string();
    return metadata;
  } catch (const Error&) {
    const bool is_ours = bytes.find(kTag) != std::string::npos;
    internal::Message(who)
        .expected(kExpected)
        .got(path, is_ours ? ", which is damaged"
                           : ", which is a file of something else")
        .hint(is_ours ? "write the data set again"
                      : "give the name of another folder")
        .raise<DataError>();
  }
}

// A name that no run before has.
std::string new_run() {
  static std::atomic<uint64_t> count = 0;
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const uint64_t mixed = internal::mix_seed(
      static_cast<uint64_t>(now),
      count.fetch_add(1) + reinterpret_cast<uintptr_t>(&count));
  return "run-" + std::to_string(mixed);
}

std::string checked_compression(const std::string& who,
                                const std::string& compression) {
  if (compression.empty() || compression == kPacked) return compression;
  internal::Message(who)
      .expected("compression \"\" or \"GZIP\"")
      .got('"', compression, '"')
      .raise<ValueError>();
}

// The folders of a local path that are not there, the innermost first.
std::vector<std::filesystem::path> missing_folders(const std::string& folder) {
  std::vector<std::filesystem::path> missing;
  std::error_code ignored;
  for (std::filesystem::path path = folder;
       !path.empty() && !std::filesystem::exists(path, ignored);
       path = path.parent_path()) {
    missing.push_back(path);
  }
  return missing;
}

// Writes the files of one folder.
class FolderRecording final : public detail::Recording {
 public:
  // Of the elements of `input`, which outlives it.
  FolderRecording(std::string who, const DatasetBase& input, std::string folder,
                  ShardFunction shard_func, std::string compression,
                  std::string pipeline = {})
      : who_(std::move(who)),
        input_(input),
        folder_(std::move(folder)),
        shard_func_(std::move(shard_func)),
        missing_(missing_folders(folder_)) {
    check_folder(who_, folder_);
    metadata_.run = new_run();
    metadata_.compression = std::move(compression);
    metadata_.pipeline = std::move(pipeline);
  }
  ~FolderRecording() override {
    if (finished_) return;
    drop_run(metadata_.run);
    std::error_code ignored;  // only those that are empty go
    for (const auto& path : missing_) std::filesystem::remove(path, ignored);
  }
  FolderRecording(const FolderRecording&) = delete;
  FolderRecording& operator=(const FolderRecording&) = delete;

  void append(const Element& element) override {
    const int64_t key = shard_func_ ? shard_func_(element) : 0;
    if (key < 0) {
      internal::Message(who_)
          .expected("shard_func to give a number from 0 on")
          .got(key)
          .raise<ValueError>();
    }
    auto found = shards_.find(key);
    if (found == shards_.end()) {
      const size_t shard = writers_.size();
      found = shards_.emplace(key, shard).first;
      writers_.push_back(std::make_unique<detail::ElementFileWriter>(
          shard_path(folder_, metadata_.run, shard),
          metadata_.compression == kPacked));
    }
    writers_[found->second]->append(element);
    const ElementSpec spec = element.spec();
    metadata_.spec =
        total_++ == 0
            ? spec
            : metadata_.spec.merged_with(spec).value_or(ElementSpec());
  }

  void finish() override {
    for (const auto& writer : writers_) {
      writer->close();
      metadata_.counts.push_back(writer->size());
    }
    // Without an element to look at.
    if (total_ == 0) metadata_.spec = input_.element_spec();
    std::string before;
    if (io::exists(metadata_path(folder_))) {
      try {
        before = read_metadata(who_, folder_).run;
      } catch (const DataError&) {  // NOLINT: what is damaged is replaced
      }
    }
    io::make_dirs(folder_);
    write_metadata(folder_, metadata_);
    finished_ = true;
    if (!before.empty()) drop_run(before);
  }

 private:
  void drop_run(const std::string& run) noexcept {
    try {
      writers_.clear();
      const std::string path = io::join_path(folder_, run);
      if (io::exists(path)) io::remove_tree(path);
    } catch (const std::exception&) {  // NOLINT: it is only in the way
    }
  }

  const std::string who_;
  const DatasetBase& input_;
  const std::string folder_;
  const ShardFunction shard_func_;
  const std::vector<std::filesystem::path> missing_;  // made by this one
  Metadata metadata_;
  std::map<int64_t, size_t> shards_;  // by what shard_func gave
  std::vector<std::unique_ptr<detail::ElementFileWriter>> writers_;
  int64_t total_ = 0;
  bool finished_ = false;
};

// All files of a folder, whose elements are known without reading them.
class FolderDataset final : public TransformBase {
 public:
  FolderDataset(std::shared_ptr<const DatasetBase> files,
                const Metadata& metadata)
      : TransformBase(std::move(files), "load"), metadata_(metadata) {}

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return input().make_iterator(context);
  }
  int64_t cardinality() const override { return metadata_.elements(); }
  ElementSpec element_spec() const override { return metadata_.spec; }
  ElementSpec structure() const override { return metadata_.spec; }

 private:
  const Metadata metadata_;
};

Dataset load_folder(const std::string& folder, const Metadata& metadata,
                    const ReaderFunction& reader) {
  const auto open = [folder, metadata](int64_t shard) {
    const auto index = static_cast<size_t>(shard);
    return Dataset(
        detail::shard_dataset({shard_path(folder, metadata.run, index),
                               metadata.counts[index], metadata.spec}));
  };
  const auto count = static_cast<int64_t>(metadata.counts.size());
  const Dataset shards = Dataset::range(count);
  if (reader) return reader(shards.map(open));
  const Dataset elements =
      shards.interleave(open, {.cycle_length = std::max<int64_t>(count, 1),
                               .num_parallel_calls = count > 1 ? AUTOTUNE : 1});
  return Dataset(std::make_shared<FolderDataset>(elements.node(), metadata));
}

// An iterator with the data set that it needs.
class OwningIterator final : public IteratorBase {
 public:
  OwningIterator(const Dataset& dataset, const IteratorContext& context)
      : dataset_(dataset), iterator_(dataset_.node()->make_iterator(context)) {}

  bool get_next(Element* out) override { return iterator_->get_next(out); }
  void save(StateWriter& state) override {
    detail::save_pass(*dataset_.node(), *iterator_, state);
  }
  void restore(StateReader& state) override {
    detail::restore_pass(*dataset_.node(), *iterator_, state);
  }

 private:
  const Dataset dataset_;
  std::unique_ptr<IteratorBase> iterator_;
};

class SnapshotDataset final : public TransformBase {
 public:
  SnapshotDataset(std::shared_ptr<const DatasetBase> input, std::string folder,
                  const SnapshotOptions& options)
      : TransformBase(std::move(input), "snapshot", options.name),
        folder_(std::move(folder)),
        options_(options),
        compression_(checked_compression(
            name(), options.compression == "AUTO" ? "" : options.compression)) {
    check_end(name(), this->input(),
              "put repeat() behind snapshot(), or take(n) before it");
  }

  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return detail::make_recorded_iterator(
        {.name = name(),
         .input = input(),
         .open_recorded = [this, context]() -> std::unique_ptr<IteratorBase> {
           const std::optional<Metadata> metadata = recorded();
           if (!metadata || metadata->pipeline != pipeline()) return nullptr;
           // What reader_func draws is not of the program's sequence.
           const PassSeed::Pass pass =
               context.peek ? PassSeed::Pass() : seeds_.begin();
           const internal::ElementSeedScope scope({pass.seed, pass.number, 0});
           return std::make_unique<OwningIterator>(
               load_folder(folder_, *metadata, options_.reader_func), context);
         },
         .record =
             [this] {
               warn_of_another();
               return std::make_unique<FolderRecording>(
                   name(), input(), folder_, options_.shard_func, compression_,
                   pipeline());
             }},
        context);
  }
  void save_node(StateWriter& state) const override { seeds_.save(state); }
  void restore_node(StateReader& state) const override {
    seeds_.restore(state);
  }

 private:
  // What is on disk, if there is something.
  std::optional<Metadata> recorded() const {
    if (!io::exists(metadata_path(folder_))) return std::nullopt;
    return read_metadata(name(), folder_);
  }
  std::string pipeline() const { return detail::describe_elements(input()); }

  void warn_of_another() const {
    const std::optional<Metadata> found = recorded();
    if (!found || found->pipeline == pipeline()) return;
    log(LogLevel::warning,
        internal::concatenate_text(
            name(), ": ", folder_,
            " is of a pipeline with other nodes or parameters; the "
            "next complete pass replaces it"));
  }

  const std::string folder_;
  const SnapshotOptions options_;
  const std::string compression_;
  mutable PassSeed seeds_{internal::draw_pipeline_seed()};
};

}  // namespace

void Dataset::save(const std::string& path, const SaveOptions& options) const {
  check_end("save", *node(),
            "take(n) gives the first n; repeat() goes behind load()");
  FolderRecording recording("save", *node(), path, options.shard_func,
                            checked_compression("save", options.compression));
  Iterator elements = iterator();
  Element element;
  while (elements.get_next(&element)) recording.append(element);
  recording.finish();
}

Dataset DatasetSources::load(const std::string& path,
                             const LoadOptions& options) {
  const Metadata metadata = read_metadata("load", path);
  if (options.compression && *options.compression != metadata.compression) {
    internal::Message("load")
        .expected("the compression that the data set was saved with: \"",
                  metadata.compression, '"')
        .got('"', *options.compression, '"')
        .hint("leave .compression out: it is known")
        .raise<ValueError>();
  }
  return load_folder(path, metadata, options.reader_func);
}

Dataset Dataset::snapshot(const std::string& path,
                          const SnapshotOptions& options) const {
  return Dataset(std::make_shared<SnapshotDataset>(node(), path, options));
}

}  // namespace systolic::data
