#include "systolic/graph/program_cache.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <fstream>

#include "systolic/base/log.h"
#include "systolic/base/trace.h"
#include "systolic/graph/judge.h"
#include "systolic/graph/op.h"
#include "systolic/runtime/kept_program.h"

namespace systolic::internal::graph {

namespace {

// Specialised versions of one structure before all its scalars become
// arguments.
constexpr size_t kMaxSpecialised = 2;

thread_local CompileListener* listener = nullptr;

// Where SYSTOLIC_DUMP names a folder, each program is written there.
void dump(const std::string& text, uint64_t number) {
  const char* folder = std::getenv("SYSTOLIC_DUMP");
  if (folder == nullptr || *folder == '\0') return;
  const std::string path =
      std::string(folder) + "/program-" + std::to_string(number) + ".mlir";
  std::ofstream file(path);
  if (!(file << text)) {
    log(LogLevel::warning, "SYSTOLIC_DUMP: can not write " + path);
  }
}

}  // namespace

CompileListener::CompileListener(std::function<void(std::string_view)> tell)
    : tell_(std::move(tell)), outer_(listener) {
  listener = this;
}

CompileListener::~CompileListener() { listener = outer_; }

ProgramCache& ProgramCache::instance() {
  static auto* cache = new ProgramCache;
  return *cache;
}

size_t ProgramCache::KeyHash::operator()(
    const std::vector<uint64_t>& words) const {
  return hash_words(words);
}

const Compiled* ProgramCache::match(const Entry& entry,
                                    const Program& program) {
  const auto& now = program.literals();
  const auto& variants = entry.variants;
  for (auto it = variants.rbegin(); it != variants.rend(); ++it) {
    const Variant& variant = **it;
    const auto& generic = variant.compiled.generic;
    bool fits = true;
    for (size_t i = 0, g = 0; i < now.size() && fits; ++i) {
      if (g < generic.size() && generic[g] == static_cast<int>(i)) {
        ++g;
      } else {
        fits = now[i] == variant.literals[i];
      }
    }
    if (fits) return &variant.compiled;
  }
  return nullptr;
}

const Compiled& ProgramCache::find(const Program& program) {
  Entry* entry;
  {
    const std::lock_guard lock(mutex_);
    auto& known = programs_[program.key()];
    if (known == nullptr) known = std::make_unique<Entry>();
    entry = known.get();
  }
  // Compiling takes long: other programs are found meanwhile.
  const std::lock_guard lock(entry->mutex);
  if (const Compiled* found = match(*entry, program)) {
    const std::lock_guard counting(mutex_);
    ++statistics_.hits;
    return *found;
  }
  entry->variants.push_back(make(*entry, program));
  return entry->variants.back()->compiled;
}

namespace {

// The literals that are arguments from now on: those that differ from the
// last version's, and all once there are enough versions.
std::vector<int> choose_generic(const Compiled& last,
                                const std::vector<uint64_t>& before,
                                const std::vector<uint64_t>& now, bool all) {
  std::vector<int> generic;
  for (size_t i = 0; i < now.size(); ++i) {
    const int index = static_cast<int>(i);
    if (all || now[i] != before[i] ||
        std::ranges::binary_search(last.generic, index)) {
      generic.push_back(index);
    }
  }
  return generic;
}

// What a program without arguments gives is the same each time: nobody runs it
// twice. Above this much it would be noticed that it is slower.
constexpr size_t kSmallOnce = size_t{4} << 20;

bool runs_once(const Program& program) {
  if (!program.arguments().empty()) return false;
  size_t bytes = 0;
  for (const Ref& ref : program.outputs()) bytes += ref.spec().nbytes();
  return bytes <= kSmallOnce;
}

runtime::CompileOptions compile_options(const Program& program) {
  const Placement& placement = *program.placement();
  runtime::CompileOptions options;
  options.runs_once = runs_once(program);
  options.num_replicas = placement.num_replicas();
  options.portable = !placement.is_replicated();
  if (placement.is_replicated()) {
    for (const auto& device : placement.devices()) {
      options.device_ids.push_back(device.index);
    }
  }
  return options;
}

}  // namespace

std::unique_ptr<ProgramCache::Variant> ProgramCache::make(
    const Entry& entry, const Program& program) {
  auto variant = std::make_unique<Variant>();
  variant->literals = program.literals();
  for (const Ref& ref : program.outputs()) {
    variant->compiled.outputs.push_back(ref.spec());
  }
  std::string reason;
  if (entry.variants.empty()) {
    const std::lock_guard lock(mutex_);
    reason = history_.explain(program);
  } else {
    const Variant& last = *entry.variants.back();
    variant->compiled.generic =
        choose_generic(last.compiled, last.literals, variant->literals,
                       entry.variants.size() >= kMaxSpecialised);
    reason = "a C++ scalar changed; it is an argument from now on: " +
             describe(program);
  }
  const std::string text = program.emit(variant->compiled.generic);
  judge(program, variant->compiled.generic);
  static std::atomic<uint64_t> number{0};
  dump(text, number++);
  variant->compiled.executable =
      load_or_compile(program, text, std::move(reason));
  return variant;
}

runtime::ExecutablePtr ProgramCache::load_or_compile(const Program& program,
                                                     const std::string& text,
                                                     std::string reason) {
  const Placement& placement = *program.placement();
  const runtime::CompileOptions options = compile_options(program);
  runtime::KeptProgram kept(placement.client(), text, options);
  if (runtime::ExecutablePtr loaded = kept.load()) {
    log(LogLevel::debug, "loaded from the program cache: " + reason);
    const std::lock_guard lock(mutex_);
    ++statistics_.loaded_from_disk;
    return loaded;
  }
  TraceScope scope("compile");
  scope.note("reason", reason);
  log(LogLevel::debug, "compiling " + reason);
  if (listener != nullptr) listener->tell_(reason);
  runtime::ExecutablePtr compiled =
      runtime::compile(placement.client(), text, options);
  kept.keep(*compiled, describe(program));
  const std::lock_guard lock(mutex_);
  ++statistics_.compiles;
  statistics_.reasons.push_back(std::move(reason));
  return compiled;
}

CacheStatistics ProgramCache::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

void ProgramCache::reset_statistics() {
  const std::lock_guard lock(mutex_);
  statistics_ = {};
}

}  // namespace systolic::internal::graph
