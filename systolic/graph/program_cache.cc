#include "systolic/graph/program_cache.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "systolic/base/log.h"
#include "systolic/graph/op.h"

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

std::string describe(const Program& program) {
  std::ostringstream text;
  const auto& order = program.order();
  text << order.size() << " operations, " << program.arguments().size()
       << " arguments, " << program.outputs().size() << " outputs kept";
  if (!order.empty()) {
    const std::string_view file = order.back()->where.file_name();
    text << ", last " << order.back()->op->name << " at "
         << file.substr(file.rfind('/') + 1) << ":"
         << order.back()->where.line();
  }
  return text.str();
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
  uint64_t hash = 1469598103934665603ull;
  for (uint64_t word : words) {
    hash ^= word;
    hash *= 1099511628211ull;
    hash ^= hash >> 29;
  }
  return hash;
}

const Compiled* ProgramCache::match(
    const std::vector<std::unique_ptr<Variant>>& variants,
    const Program& program) const {
  const auto& now = program.literals();
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
  const std::lock_guard lock(mutex_);
  auto& variants = programs_[program.key()];
  if (const Compiled* found = match(variants, program)) {
    ++statistics_.hits;
    return *found;
  }
  auto variant = std::make_unique<Variant>();
  variant->literals = program.literals();
  std::string reason = "new program: " + describe(program);
  if (!variants.empty()) {
    // Only C++ scalars differ: those that did become arguments, for good.
    const Variant& last = *variants.back();
    variant->compiled.generic = last.compiled.generic;
    for (size_t i = 0; i < variant->literals.size(); ++i) {
      const bool is_generic = std::binary_search(
          last.compiled.generic.begin(), last.compiled.generic.end(), int(i));
      if (!is_generic && (variants.size() >= kMaxSpecialised ||
                          variant->literals[i] != last.literals[i])) {
        variant->compiled.generic.push_back(static_cast<int>(i));
      }
    }
    std::sort(variant->compiled.generic.begin(),
              variant->compiled.generic.end());
    reason = "a C++ scalar changed; it is an argument from now on: " +
             describe(program);
  }
  for (const Ref& ref : program.outputs()) {
    variant->compiled.outputs.push_back(ref.spec());
  }
  const Placement& placement = *program.placement();
  runtime::CompileOptions options;
  options.num_replicas = placement.num_replicas();
  options.portable = !placement.is_replicated();
  if (placement.is_replicated()) {
    for (const auto& device : placement.devices()) {
      options.device_ids.push_back(device.index);
    }
  }
  log(LogLevel::debug, "compiling " + reason);
  if (listener != nullptr) listener->tell_(reason);
  const std::string text = program.emit(variant->compiled.generic);
  dump(text, statistics_.compiles);
  variant->compiled.executable =
      runtime::compile(placement.client(), text, options);
  ++statistics_.compiles;
  statistics_.reasons.push_back(std::move(reason));
  variants.push_back(std::move(variant));
  return variants.back()->compiled;
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
