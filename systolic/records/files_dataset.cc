// Tested by: systolic/records/tf_record_dataset_test.cc
#include "systolic/records/files_dataset.h"

#include <utility>

#include "systolic/base/message.h"
#include "systolic/data/auto_shard.h"
#include "systolic/data/cycle.h"
#include "systolic/data/parallel_cycle.h"
#include "systolic/records/csv_dataset.h"
#include "systolic/records/record_reader.h"

namespace systolic::data::detail {
namespace {

class FilesIterator final : public IteratorBase {
 public:
  FilesIterator(const FileFormat& format, const IteratorContext& context,
                std::shared_ptr<StageCounters> stage,
                std::unique_ptr<IteratorBase> names)
      : format_(format),
        stop_(context.stop),
        stage_(std::move(stage)),
        names_(std::move(names)) {}

  bool get_next(Element* out) override {
    const StageTimer timer(sampler_.pick(stage_.get()), StageSampler::kEach);
    while (true) {
      if (cursor_ == nullptr) {
        Element name;
        if (!names_->get_next(&name)) return false;
        path_ = name.to<std::string>();
        const StageTimer opening(stage_.get());
        open();
      }
      if (read(out)) return true;
      cursor_.reset();
    }
  }

  void save(StateWriter& state) override {
    state.begin(format_.name());
    names_->save(state);
    state.write_bool(cursor_ != nullptr);
    if (cursor_ == nullptr) return;
    state.write_string(path_);
    cursor_->save(state);
  }
  void restore(StateReader& state) override {
    state.expect(format_.name());
    names_->restore(state);
    if (!state.read_bool()) return;
    path_ = state.read_string();
    open();
    cursor_->restore(state);
  }

 private:
  // A reader that is stopped does not wait for the network any more.
  void open() { cursor_ = format_.open(io::open_file(path_, {.stop = stop_})); }

  bool read(Element* out) {
    try {
      return cursor_->next(out);
    } catch (const RecordError&) {
      throw;
    } catch (const CsvError&) {
      throw;
    } catch (...) {
      cursor_.reset();  // what cannot be read now is not tried for ever
      throw;
    }
  }

  const FileFormat& format_;
  const std::stop_token stop_;
  const std::shared_ptr<StageCounters> stage_;
  std::unique_ptr<IteratorBase> names_;
  std::string path_;
  std::unique_ptr<FileCursor> cursor_;
  StageSampler sampler_;
};

class FilesDataset final : public DatasetBase {
 public:
  FilesDataset(std::shared_ptr<const DatasetBase> names,
               std::shared_ptr<const FileFormat> format, std::string name)
      : names_(std::move(names)),
        format_(std::move(format)),
        name_(std::move(name)) {}

  std::string name() const override { return name_; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    return std::make_unique<FilesIterator>(*format_, context,
                                           context.stage(*this),
                                           names_->make_iterator(context));
  }
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  std::vector<const DatasetBase*> inputs() const override {
    return {names_.get()};
  }
  ElementSpec element_spec() const override { return format_->element_spec(); }
  bool reshuffles() const override { return names_->reshuffles(); }
  std::string parameters() const override { return format_->parameters(); }

 private:
  const std::shared_ptr<const DatasetBase> names_;
  const std::shared_ptr<const FileFormat> format_;
  const std::string name_;
};

// Files read side by side, as interleave() of a data set of each would be.
class ParallelFilesDataset final : public DatasetBase {
 public:
  ParallelFilesDataset(std::shared_ptr<const DatasetBase> names,
                       std::shared_ptr<const FileFormat> format,
                       std::string name, int64_t num_parallel_reads,
                       bool are_remote)
      : names_(std::move(names)), format_(std::move(format)) {
    settings_.who = std::move(name);
    settings_.node = this;
    settings_.make = [format = format_, who = settings_.who](Element& name) {
      const Dataset one = Dataset::from_tensor_slices(
          Element(Array::from_strings({name.to<std::string>()})));
      return std::make_shared<const FilesDataset>(one.node(), format, who);
    };
    settings_.cycle_length =
        num_parallel_reads == AUTOTUNE ? kParallelReads : num_parallel_reads;
    settings_.num_parallel_calls = num_parallel_reads;
    settings_.waits = are_remote && num_parallel_reads == AUTOTUNE;
  }

  std::string name() const override { return settings_.who; }
  std::unique_ptr<IteratorBase> make_iterator(
      const IteratorContext& context) const override {
    if (context.peek || settings_.num_parallel_calls == 1) {
      return make_cycle_iterator(settings_, *names_, context);
    }
    return std::make_unique<ParallelCycleIterator>(settings_, *names_, context);
  }
  int64_t cardinality() const override { return UNKNOWN_CARDINALITY; }
  std::vector<const DatasetBase*> inputs() const override {
    return {names_.get()};
  }
  ElementSpec element_spec() const override { return format_->element_spec(); }
  bool reshuffles() const override { return names_->reshuffles(); }
  std::string parameters() const override {
    return internal::concatenate_text("num_parallel_reads ",
                                      settings_.cycle_length, " ",
                                      format_->parameters());
  }

 private:
  // The same on every machine, since the order depends on it.
  static constexpr int64_t kParallelReads = 16;

  const std::shared_ptr<const DatasetBase> names_;
  const std::shared_ptr<const FileFormat> format_;
  CycleSettings settings_;
};

}  // namespace

Dataset read_files(const FileNames& files,
                   std::shared_ptr<const FileFormat> format,
                   std::optional<int64_t> num_parallel_reads,
                   const std::string& user_name) {
  // More files than can be open: a number that was not meant.
  constexpr int64_t kMostFiles = int64_t{1} << 20;
  if (num_parallel_reads && *num_parallel_reads > kMostFiles) {
    internal::Message(format->name())
        .expected("num_parallel_reads <= ", kMostFiles)
        .got(*num_parallel_reads)
        .hint("it is the number of files that are open at once")
        .raise<ValueError>();
  }
  if (num_parallel_reads && *num_parallel_reads < 1 &&
      *num_parallel_reads != AUTOTUNE) {
    internal::Message(format->name())
        .expected("num_parallel_reads >= 1 or data::AUTOTUNE")
        .got(*num_parallel_reads)
        .raise<ValueError>();
  }
  std::shared_ptr<const DatasetBase> names =
      shared_files(files.dataset().node(), "files");
  std::string name = node_name(format->name(), user_name);
  if (num_parallel_reads) {
    return Dataset(std::make_shared<ParallelFilesDataset>(
        std::move(names), std::move(format), std::move(name),
        *num_parallel_reads, files.are_remote()));
  }
  return Dataset(std::make_shared<FilesDataset>(
      std::move(names), std::move(format), std::move(name)));
}

}  // namespace systolic::data::detail
