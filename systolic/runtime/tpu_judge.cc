#include "systolic/runtime/tpu_judge.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <span>
#include <sstream>
#include <system_error>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/sha256.h"
#include "systolic/base/user_folders.h"
#include "systolic/io/file.h"
#include "systolic/pjrt/compile_options.h"
#include "systolic/platforms/fingerprint.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/settings.h"
#include "systolic/platforms/tpu_topology.h"

namespace systolic::internal::runtime {
namespace {

namespace fs = std::filesystem;

// The first line of a remembered verdict; a reason follows, or nothing.
constexpr std::string_view kFirstLine = "systolic judged 1\n";
// A compiler may quote the whole program.
constexpr size_t kMostReason = 1000;

std::unique_ptr<TpuJudge> make_chosen() {
  const std::string slices = environment("SYSTOLIC_JUDGE");
  if (slices.empty()) return nullptr;
  if (!platforms::search(platforms::find_row("tpu")).found) {
    log(LogLevel::warning,
        "SYSTOLIC_JUDGE: libtpu is not installed, so no program is judged: "
        "scripts/install-platform tpu");
    return nullptr;
  }
  return std::make_unique<TpuJudge>(slices);
}

// The verdict in a file; nothing where there is none that is whole.
std::optional<std::string> remembered(const fs::path& path) {
  try {
    std::string text = io::detail::read_file(path);
    if (!text.starts_with(kFirstLine) || !text.ends_with('\n')) return {};
    text.pop_back();
    return text.size() < kFirstLine.size() ? ""
                                           : text.substr(kFirstLine.size());
  } catch (const fs::filesystem_error&) {
    return std::nullopt;
  }
}

void remember(const fs::path& path, const std::string& reason) {
  std::string text = std::string(kFirstLine) + reason;
  if (!reason.empty()) text += '\n';
  try {
    io::detail::write_file(path, std::as_bytes(std::span(text)));
  } catch (const fs::filesystem_error& error) {
    log(LogLevel::debug, std::string("judge: ") + error.what());
  }
}

std::string one_line(std::string_view text) {
  std::string line(text.substr(0, kMostReason));
  for (char& letter : line) {
    if (letter == '\n' || letter == '\t') letter = ' ';
  }
  return line;
}

std::string_view word(TpuJudge::Outcome outcome) {
  switch (outcome) {
    case TpuJudge::Outcome::compiles:
      return "compiles";
    case TpuJudge::Outcome::refused:
      return "refused";
    case TpuJudge::Outcome::excepted:
      return "excepted";
    case TpuJudge::Outcome::float64:
      return "float64";
  }
  return "";
}

}  // namespace

TpuJudge* TpuJudge::chosen() {
  static auto* judge = new std::unique_ptr<TpuJudge>(make_chosen());
  return judge->get();
}

TpuJudge::TpuJudge(const std::string& slices)
    : row_(platforms::find_row("tpu")) {
  const platforms::SearchResult plugin = platforms::search(row_);
  if (!plugin.found) platforms::throw_not_found(row_, plugin);
  identity_ = platforms::fingerprint(plugin.found->path) + "\n" +
              platforms::own_settings(row_.environment);
  std::istringstream names(slices);
  for (std::string name; std::getline(names, name, ',');) {
    const platforms::TpuSlice slice = platforms::parse_tpu_topology(name);
    slices_.push_back({slice.name(), slice.devices});
  }
  topologies_.resize(slices_.size());
}

const pjrt::Topology& TpuJudge::topology(const Slice& slice) {
  size_t place = 0;
  while (slices_[place].name != slice.name) ++place;
  std::optional<pjrt::Topology>& topology = topologies_[place];
  if (!topology) {
    topology = platforms::Platform::load(row_.name).create_topology(slice.name);
  }
  return *topology;
}

std::string TpuJudge::refusal(const std::string& stablehlo_text,
                              int num_replicas, const Slice& slice) {
  const std::string key =
      sha256(identity_ + "\n" + slice.name + "\n" +
             std::to_string(num_replicas) + "\n" + stablehlo_text);
  const fs::path path = cache_folder() / "judged" / key;
  const std::lock_guard lock(mutex_);
  if (std::optional<std::string> known = remembered(path)) return *known;
  std::string reason;
  try {
    topology(slice).compile(stablehlo_text,
                            pjrt::encode({.num_replicas = num_replicas}));
  } catch (const PlatformError& error) {
    reason = one_line(error.what());
  }
  remember(path, reason);
  return reason;
}

void TpuJudge::report(const std::string& stablehlo_text, const Slice& slice,
                      Outcome outcome, std::string_view name,
                      std::string_view reason) {
  const std::string path = environment("SYSTOLIC_JUDGE_REPORT");
  if (path.empty()) return;
  // One write: several processes add to the file.
  const std::string line = sha256(stablehlo_text).substr(0, 16) + "\t" +
                           slice.name + "\t" + std::string(word(outcome)) +
                           "\t" + one_line(name) + "\t" + one_line(reason) +
                           "\n";
  std::ofstream file(path, std::ios::app);
  if (!(file << line << std::flush)) {
    log(LogLevel::warning, "SYSTOLIC_JUDGE_REPORT: can not write " + path);
  }
}

std::vector<JudgeException> TpuJudge::exceptions() {
  std::vector<JudgeException> all;
  const std::string path = environment("SYSTOLIC_JUDGE_EXCEPTIONS");
  if (path.empty()) return all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == '#') continue;
    std::istringstream columns(line);
    JudgeException exception;
    std::getline(columns, exception.op, '\t');
    std::getline(columns, exception.dtype, '\t');
    std::getline(columns, exception.reason);
    if (exception.reason.empty()) {
      Message("SYSTOLIC_JUDGE_EXCEPTIONS")
          .expected("op, dtype and reason, apart by tabs")
          .got("'", line, "'")
          .detail("file", path)
          .raise<DataError>();
    }
    all.push_back(std::move(exception));
  }
  if (!file.eof()) {
    Message("SYSTOLIC_JUDGE_EXCEPTIONS")
        .expected("a file that can be read")
        .got(path)
        .raise<NotFoundError>();
  }
  return all;
}

}  // namespace systolic::internal::runtime
