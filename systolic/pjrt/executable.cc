#include "systolic/pjrt/executable.h"

#include "systolic/pjrt/call.h"
#include "systolic/pjrt/named_value_abi.h"

namespace systolic::internal::pjrt {

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

NamedValues Executable::cost() const {
  Padded<abi::CountedArgs<abi::Executable, abi::NamedValue>> args;
  args->noun = raw();
  if (!call_if_implemented(api(), kExecutableCost, args)) return {};
  return from_abi({args->items, args->count});
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
