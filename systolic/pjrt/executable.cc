#include "systolic/pjrt/executable.h"

#include <algorithm>
#include <utility>

#include "systolic/pjrt/call.h"
#include "systolic/pjrt/named_value_abi.h"

namespace systolic::internal::pjrt {
namespace {

// A number out of the compiler's estimates; it writes "unknown" as a negative
// one.
std::optional<double> estimate(const NamedValues& all, const char* name) {
  const Value* value = find(all, name);
  if (value == nullptr) return std::nullopt;
  const float* number = std::get_if<float>(value);
  if (number == nullptr || *number < 0) return std::nullopt;
  return *number;
}

}  // namespace

std::string Executable::name() const {
  return get_text(api(), kExecutableName, raw());
}

size_t Executable::num_outputs() const {
  return get(api(), kExecutableNumOutputs, raw());
}

std::string Executable::serialize() const {
  Padded<abi::ExecutableSerializeArgs> args;
  args->executable = raw();
  call(api(), kExecutableSerialize, args);
  std::string bytes(args->bytes, args->num_bytes);
  if (args->deleter != nullptr) args->deleter(args->serialized);
  return bytes;
}

std::optional<ProgramMemory> Executable::memory() const {
  Padded<abi::ExecutableMemoryArgs> args;
  args->executable = raw();
  if (!call_if_implemented(api(), kExecutableMemory, args)) return std::nullopt;
  return ProgramMemory{
      .code = args->generated_code_bytes,
      .arguments = args->argument_bytes,
      .outputs = args->output_bytes,
      .aliased = args->alias_bytes,
      .temporary = args->temporary_bytes,
      .peak = args->peak_bytes,
  };
}

ProgramCost Executable::cost() const {
  Padded<abi::CountedArgs<abi::Executable, abi::NamedValue>> args;
  args->noun = raw();
  if (!call_if_implemented(api(), kExecutableCost, args)) return {};
  ProgramCost cost{.all = from_abi({args->items, args->count})};
  cost.flops = estimate(cost.all, "flops");
  cost.transcendentals = estimate(cost.all, "transcendentals");
  cost.bytes_accessed = estimate(cost.all, "bytes accessed");
  cost.seconds = estimate(cost.all, "optimal_seconds");
  return cost;
}

std::optional<OptimizedProgram> Executable::optimized() const {
  abi::Program program{.struct_size = sizeof(abi::Program)};
  Padded<abi::OptimizedProgramArgs> args;
  args->executable = raw();
  args->program = &program;
  if (!call_if_implemented(api(), kExecutableOptimized, args)) {
    return std::nullopt;
  }
  std::string bytes(program.code_size, '\0');
  program.code = bytes.data();
  call(api(), kExecutableOptimized, args);
  bytes.resize(std::min(bytes.size(), program.code_size));
  return OptimizedProgram{
      .format = program.format == nullptr
                    ? ""
                    : std::string(program.format, program.format_size),
      .bytes = std::move(bytes)};
}

Executable LoadedExecutable::executable() const {
  return Executable(api(), given(get(api(), kLoadedExecutable, raw()),
                                 kLoadedExecutable.name));
}

void LoadedExecutable::execute(const LaunchCall& launch) const {
  Padded<abi::ExecuteOptions> options;
  options->non_donatable = launch.non_donatable.data();
  options->num_non_donatable = launch.non_donatable.size();
  Padded<abi::ExecuteArgs> args;
  args->executable = raw();
  args->options = options.get();
  args->argument_lists = launch.arguments.data();
  args->num_devices = launch.arguments.size();
  args->num_arguments = launch.num_arguments;
  args->output_lists = launch.outputs.data();
  args->execute_device = launch.device;
  if (!launch.complete.empty()) {
    args->device_complete_events = launch.complete.data();
  }
  call(api(), kLoadedExecute, args);
}

}  // namespace systolic::internal::pjrt
