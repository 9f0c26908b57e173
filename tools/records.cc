// Tested by: tools/records_test.cc
#include "systolic/records/records.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/base/out.h"
#include "systolic/io/file_system.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

constexpr int kDamaged = 1;

// The most files, or MB of one, and records that can be asked for.
constexpr int64_t kMost = 1'000'000;
constexpr int64_t kMostRecords = 1'000'000'000'000;

// What the subcommands are told; each reads its part.
struct Flags {
  std::vector<std::string> files;
  std::string folder;
  std::string to;
  std::string compression = "AUTO";
  std::string packed_with;
  int64_t from = 0;
  int64_t count = 10;
  std::optional<int64_t> shards;
  int64_t shard_megabytes = 128;
  std::optional<int64_t> seed;
  bool raw = false;
};

std::string size_text(int64_t bytes) {
  constexpr double kStep = 1000;
  auto size = static_cast<double>(bytes);
  if (size < kStep) return fmt::format("{} B", bytes);
  for (const char* unit : {"kB", "MB"}) {
    size /= kStep;
    if (size < kStep) return fmt::format("{:.1f} {}", size, unit);
  }
  return fmt::format("{:.1f} GB", size / kStep);
}

std::string count_text(int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

// A line on a terminal that says how far the work is; nothing elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(int64_t all) : all_(all) {}
  ~ProgressLine() {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // The bytes of all; 0 where nobody knows.
  void set_all(int64_t all) { all_ = all; }
  // `bytes` of the file `path`, which follows on others.
  void say(std::string_view path, int64_t bytes) {
    if (path != path_) before_ = std::exchange(path_, path).empty() ? 0 : done_;
    done_ = before_ + bytes;
    if (isatty(STDERR_FILENO) == 0) return;
    constexpr int64_t kWidth = 30;
    std::string bar;  // none where nobody knows how much there is
    if (all_ > 0) {
      const auto width =
          static_cast<size_t>(std::min(kWidth, kWidth * done_ / all_));
      bar = fmt::format("[{}{}] ", std::string(width, '='),
                        std::string(kWidth - width, ' '));
    }
    std::cerr << fmt::format("\r\x1b[K{}{} {}", bar, size_text(done_), path)
              << std::flush;
    shown_ = true;
  }

 private:
  int64_t all_;
  std::string path_;
  int64_t before_ = 0;
  int64_t done_ = 0;
  bool shown_ = false;
};

// The files in a folder, without those that are hidden.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> files = io::glob(io::join_path(folder, "*"));
  std::erase_if(files,
                [](const std::string& path) { return io::is_dir(path); });
  return files;
}

// The files that the arguments name: paths, folders and patterns.
std::vector<std::string> files_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    const std::vector<std::string> found =
        io::is_dir(argument) ? files_in(argument) : io::glob(argument);
    if (found.empty()) {
      internal::Message("records")
          .expected("files that are there")
          .got("none for \"", argument, "\"")
          .raise<NotFoundError>();
    }
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

int64_t bytes_of(const std::vector<std::string>& files) {
  return std::accumulate(files.begin(), files.end(), int64_t{0},
                         [](int64_t sum, const std::string& file) {
                           return sum + io::stat(file).size;
                         });
}

// Reads all files, each to its report.
std::vector<data::RecordFileReport> verify_all(
    const Flags& flags, const data::RecordVisitor& visit = {}) {
  const std::vector<std::string> files = files_of(flags.files);
  ProgressLine line(bytes_of(files));
  std::vector<data::RecordFileReport> reports;
  for (const std::string& file : files) {
    reports.push_back(data::verify_records(
        file,
        {.compression_type = flags.compression,
         .progress = [&](std::string_view path,
                         int64_t bytes) { line.say(path, bytes); }},
        visit));
  }
  return reports;
}

// What is last to be said of files, of which `damaged` are damaged.
void fail_for(int64_t damaged) {
  if (damaged == 0) return;
  output() << fmt::format("{} damaged: see `systolic records verify`\n",
                          count_text(damaged, "file"));
  throw CLI::RuntimeError(kDamaged);
}

void list(const Flags& flags) {
  const auto reports = verify_all(flags);
  output() << fmt::format("{:>10} {:>10} {:>10}  {:4}  {}\n", "records", "size",
                          "a record", "pack", "file");
  int64_t records = 0;
  int64_t bytes = 0;
  int64_t damaged = 0;
  for (const auto& report : reports) {
    const int64_t mean =
        report.records > 0 ? report.record_bytes / report.records : 0;
    output() << fmt::format("{:>10} {:>10} {:>10}  {:4}  {}{}\n",
                            report.records, size_text(report.file_bytes),
                            size_text(mean), report.compression, report.path,
                            report.problems.empty() ? "" : "  (damaged)");
    records += report.records;
    bytes += report.file_bytes;
    damaged += report.problems.empty() ? 0 : 1;
  }
  output() << fmt::format(
      "{}, {} in {}\n", count_text(records, "record"), size_text(bytes),
      count_text(static_cast<int64_t>(reports.size()), "file"));
  fail_for(damaged);
}

void cat(const Flags& flags) {
  int64_t next = 0;
  const std::vector<std::string> files = files_of(flags.files);
  for (const std::string& file : files) {
    data::RecordReader reader(
        file, {.compression_type = flags.compression, .name = "records cat"});
    for (std::string_view record; reader.read(&record); ++next) {
      if (next < flags.from) continue;
      if (next >= flags.from + flags.count) return;
      if (flags.raw) {
        output() << record;
        continue;
      }
      output() << fmt::format("record {} of {}, {}\n", reader.index() - 1, file,
                              size_text(static_cast<int64_t>(record.size())));
      try {
        output() << data::example_text(record);
      } catch (const DataError&) {
        output() << "no Example; --raw prints its bytes\n";
      }
    }
  }
  if (flags.from == 0 || next > flags.from) return;
  internal::Message("records cat --from")
      .expected("the number of a record, the first is 0")
      .got(flags.from, " of ", count_text(next, "record"), " in ",
           count_text(static_cast<int64_t>(files.size()), "file"))
      .raise<ValueError>();
}

void stats(const Flags& flags) {
  data::ExampleSchema schema;
  int64_t others = 0;
  const auto reports =
      verify_all(flags, [&](std::string_view record, int64_t, int64_t) {
        try {
          schema.add(record);
        } catch (const DataError&) {
          ++others;
        }
      });
  data::RecordFileReport all;
  int64_t damaged = 0;
  for (const auto& report : reports) {
    damaged += report.problems.empty() ? 0 : 1;
    if (report.records == 0) continue;
    all.smallest = all.records == 0 ? report.smallest
                                    : std::min(all.smallest, report.smallest);
    all.largest = std::max(all.largest, report.largest);
    all.records += report.records;
    all.record_bytes += report.record_bytes;
    all.file_bytes += report.file_bytes;
  }
  output() << fmt::format(
      "{} in {}, {} on disk\n", count_text(all.records, "record"),
      count_text(static_cast<int64_t>(reports.size()), "file"),
      size_text(all.file_bytes));
  if (all.records > 0) {
    output() << fmt::format("a record: {} to {}, {} on average\n",
                            size_text(all.smallest), size_text(all.largest),
                            size_text(all.record_bytes / all.records));
  }
  if (schema.examples() > 0) {
    output() << fmt::format(
        "features of {}:\n",
        count_text(schema.examples(),
                   schema.has_lists() ? "SequenceExample" : "Example"));
    output() << schema.to_string();
  }
  if (others > 0) {
    output() << count_text(others, "record") << " that are no Examples\n";
  }
  fail_for(damaged);
}

void print_problems(const data::RecordFileReport& report) {
  for (const data::RecordProblem& problem : report.problems) {
    // Why it can not be unpacked is in the text's first line.
    const bool unpacking = problem.check == data::RecordCheck::unpacking;
    output() << fmt::format(
        "{}: record {} at byte {}: {}\n", report.path, problem.record,
        problem.offset,
        unpacking ? problem.text.substr(0, problem.text.find('\n'))
                  : std::string(name(problem.check)));
  }
}

void verify(const Flags& flags) {
  const auto reports = verify_all(flags);
  int64_t problems = 0;
  int64_t records = 0;
  for (const auto& report : reports) {
    print_problems(report);
    problems += static_cast<int64_t>(report.problems.size());
    records += report.records;
  }
  output() << fmt::format(
      "{} in {}: {}\n", count_text(records, "whole record"),
      count_text(static_cast<int64_t>(reports.size()), "file"),
      problems == 0 ? "no damage" : count_text(problems, "damaged place"));
  if (problems > 0) throw CLI::RuntimeError(kDamaged);
}

void repair(const Flags& flags) {
  data::RecordFileReport report;
  {
    const std::string& file = flags.files.at(0);
    ProgressLine line(io::stat(file).size);
    report = data::repair_records(
        file, flags.to,
        {.compression_type = flags.compression,
         .progress = [&](std::string_view path, int64_t bytes) {
           line.say(path, bytes);
         }});
  }
  print_problems(report);
  if (report.records == 0 && !report.problems.empty()) {
    output() << "no whole record: nothing is written\n";
    throw CLI::RuntimeError(kDamaged);
  }
  output() << fmt::format("{} to {}\n", count_text(report.records, "record"),
                          flags.to);
}

data::ReshardOptions reshard_options(const Flags& flags, ProgressLine* line) {
  return {.num_shards = flags.shards,
          .shard_bytes = flags.shard_megabytes * 1'000'000,
          .compression_type = flags.packed_with,
          .input_compression_type = flags.compression,
          .shuffle_seed = flags.seed,
          .begin = [line](int64_t bytes) { line->set_all(bytes); },
          .progress = [line](std::string_view,
                             int64_t bytes) { line->say("", bytes); }};
}

void print_report(const data::ReshardReport& report) {
  output() << fmt::format(
      "{} to {}: {} ... {}\n", count_text(report.records, "record"),
      count_text(static_cast<int64_t>(report.paths.size()), "file"),
      report.paths.front(), size_text(bytes_of(report.paths)));
}

void reshard(const Flags& flags) {
  const std::vector<std::string> files = files_of(flags.files);
  data::ReshardReport report;
  {
    ProgressLine line(0);
    report =
        data::reshard_records(files, flags.to, reshard_options(flags, &line));
  }
  print_report(report);
}

void pack(const Flags& flags) {
  data::ReshardReport report;
  {
    ProgressLine line(0);
    report = data::pack_pictures(flags.folder, flags.to,
                                 reshard_options(flags, &line));
  }
  print_report(report);
}

// Accepts whole numbers from `least` to `most`.
CLI::Validator whole_number(int64_t least, int64_t most) {
  return CLI::Validator(
      [least, most](const std::string& text) {
        int64_t value = 0;
        const bool good = CLI::detail::lexical_cast(text, value) &&
                          value >= least && value <= most;
        return good ? std::string()
                    : fmt::format(
                          "expected a whole number from {} to {}, "
                          "got {}",
                          least, most, text);
      },
      "");
}

void add_files(CLI::App* command, Flags* flags) {
  command
      ->add_option("files", flags->files,
                   "Files of records, local or remote; folders of them; "
                   "quoted patterns")
      ->required();
  command->add_option("--compression", flags->compression,
                      "How they are packed: GZIP, ZLIB or AUTO (AUTO)");
}

void add_shards(CLI::App* command, Flags* flags) {
  command
      ->add_option("--to", flags->to,
                   "The new files' path, up to -00000-of-00016.tfrecord")
      ->required();
  command
      ->add_option("--shards", flags->shards,
                   "How many files; else as --shard-size asks for")
      ->check(whole_number(1, kMost));
  command
      ->add_option("--shard-size", flags->shard_megabytes,
                   "MB of each file, about (128)")
      ->check(whole_number(1, kMost));
  command->add_option("--pack", flags->packed_with,
                      "Pack the new files: GZIP or ZLIB");
}

// A subcommand that calls `run` with the flags.
CLI::App* add(CLI::App* parent, const char* name, const char* help,
              const std::shared_ptr<Flags>& flags, void (*run)(const Flags&)) {
  CLI::App* command = parent->add_subcommand(name, help);
  command->callback([flags, run] { run(*flags); });
  return command;
}

}  // namespace

void add_records(CLI::App& app) {
  const auto flags = std::make_shared<Flags>();
  CLI::App* parent =
      app.add_subcommand("records", "Looks into TFRecord files and makes them");
  parent->require_subcommand(1);
  add_files(
      add(parent, "ls", "A line for each file: records, sizes", flags, &list),
      flags.get());
  CLI::App* command = add(
      parent, "cat", "Prints records: the features of Examples", flags, &cat);
  add_files(command, flags.get());
  command->add_option("--from", flags->from, "The first record (0)")
      ->check(whole_number(0, kMostRecords));
  command->add_option("-n,--count", flags->count, "How many records (10)")
      ->check(whole_number(1, kMostRecords));
  command->add_flag("--raw", flags->raw, "Prints the records' bytes");
  add_files(add(parent, "stats",
                "Counts records, and sums up which features they have", flags,
                &stats),
            flags.get());
  add_files(add(parent, "verify",
                "Reads everything and lists each damaged place; fails where "
                "there is one",
                flags, &verify),
            flags.get());
  command = add(parent, "repair", "Copies the records that are whole", flags,
                &repair);
  add_files(command, flags.get());
  command->get_option("files")->expected(1);
  command->add_option("--to", flags->to, "The new file")->required();
  command = add(parent, "reshard",
                "Writes the records of all files to files of another number "
                "or size",
                flags, &reshard);
  add_files(command, flags.get());
  add_shards(command, flags.get());
  command->add_option("--shuffle", flags->seed,
                      "Mixes the records, with this seed");
  command = add(parent, "pack",
                "Writes pictures to files of records; the folders that they "
                "are in are the classes",
                flags, &pack);
  command
      ->add_option("folder", flags->folder, "A folder of folders of pictures")
      ->required();
  add_shards(command, flags.get());
  command->add_option("--seed", flags->seed, "Of the pictures' order (0)");
}

}  // namespace systolic::tools
