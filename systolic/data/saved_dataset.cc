// save(), load() and snapshot(): data sets in folders, in one file or several.
// A folder holds the file `metadata`, written last, and a folder of its own
// for the files that this names; so a folder that is written again is the old
// one up to the end.
#include <atomic>
#include <chrono>
#include <map>
#include <utility>

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

Metadata read_metadata(const std::string& folder) {
  const std::string path = metadata_path(folder);
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
  } catch (const Error& error) {
    internal::Message("load")
        .expected("a folder that Dataset::save() or snapshot() wrote")
        .got(path, ": ", error.what())
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

// Writes the files of one folder.
class FolderRecording final : public detail::Recording {
 public:
  FolderRecording(std::string folder, ShardFunction shard_func,
                  std::string compression, std::string pipeline = {})
      : folder_(std::move(folder)), shard_func_(std::move(shard_func)) {
    metadata_.run = new_run();
    metadata_.compression = std::move(compression);
    metadata_.pipeline = std::move(pipeline);
  }
  ~FolderRecording() override {
    if (!finished_) drop_run(metadata_.run);
  }
  FolderRecording(const FolderRecording&) = delete;
  FolderRecording& operator=(const FolderRecording&) = delete;

  void append(const Element& element) override {
    const int64_t key = shard_func_ ? shard_func_(element) : 0;
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
    std::string before;
    if (io::exists(metadata_path(folder_))) {
      try {
        before = read_metadata(folder_).run;
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

  const std::string folder_;
  const ShardFunction shard_func_;
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
                   folder_, options_.shard_func, compression_, pipeline());
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
    return read_metadata(folder_);
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
  FolderRecording recording(path, options.shard_func,
                            checked_compression("save", options.compression));
  Iterator elements = iterator();
  Element element;
  while (elements.get_next(&element)) recording.append(element);
  recording.finish();
}

Dataset DatasetSources::load(const std::string& path,
                             const LoadOptions& options) {
  const Metadata metadata = read_metadata(path);
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
