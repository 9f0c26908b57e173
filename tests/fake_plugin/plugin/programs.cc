// Programs of the fake plugin: whatever the text says, each output is a copy of
// the argument of its position, counted round.
// Tested by: tests/fake_plugin/failures_test.cc
#include <algorithm>
#include <cstring>
#include <string_view>

#include "tests/fake_plugin/plugin/table.h"

namespace systolic::internal::pjrt::fake {
namespace {

// How many results the first function of a text has.
size_t count_outputs(std::string_view text) {
  const size_t arrow = text.find("->");
  if (arrow == std::string_view::npos) return 1;
  const std::string_view results =
      text.substr(arrow, text.find('{', arrow) - arrow);
  size_t count = 0;
  for (size_t at = results.find("tensor<"); at != std::string_view::npos;
       at = results.find("tensor<", at + 1)) {
    ++count;
  }
  return count;
}

template <class Compiled>
void read_program(std::string_view text, Compiled& compiled) {
  compiled.outputs = count_outputs(text);
  compiled.takes_first =
      text.find("tf.aliasing_output") != std::string_view::npos;
}

abi::Error* client_compile(abi::ClientCompileArgs* args) {
  auto* executable = new abi::LoadedExecutable;
  executable->client = args->client;
  read_program({args->program->code, args->program->code_size}, *executable);
  args->executable = executable;
  return nullptr;
}

abi::Error* compile(abi::CompileArgs* args) {
  auto* executable = new abi::Executable;
  read_program({args->program->code, args->program->code_size}, *executable);
  args->executable = executable;
  return nullptr;
}

abi::Error* executable_destroy(abi::NounArgs<abi::Executable>* args) {
  delete args->noun;
  return nullptr;
}

abi::Error* executable_name(abi::ListArgs<abi::Executable, char>* args) {
  static const std::string name = "fake program";
  args->items = name.data();
  args->count = name.size();
  return nullptr;
}

abi::Error* executable_outputs(abi::GetArgs<abi::Executable, size_t>* args) {
  args->value = args->noun->outputs;
  return nullptr;
}

abi::Error* executable_cost(
    abi::CountedArgs<abi::Executable, abi::NamedValue>* args) {
  args->count = 0;
  return nullptr;
}

abi::Error* executable_memory(abi::ExecutableMemoryArgs* args) {
  args->temporary_bytes = 64;
  return nullptr;
}

abi::Error* executable_optimized(abi::OptimizedProgramArgs* args) {
  static const std::string format = "fake";
  static const std::string code = "optimized";
  abi::Program& program = *args->program;
  program.format = format.data();
  program.format_size = format.size();
  program.code_size = code.size();
  // The struct is used both ways, whatever it says of what is const.
  if (program.code != nullptr) {
    std::memcpy(const_cast<char*>(program.code), code.data(), code.size());
  }
  return nullptr;
}

abi::Error* executable_serialize(abi::ExecutableSerializeArgs* args) {
  auto* serialized = new abi::SerializedExecutable;
  serialized->bytes = std::to_string(args->executable->outputs);
  args->bytes = serialized->bytes.data();
  args->num_bytes = serialized->bytes.size();
  args->serialized = serialized;
  args->deleter = [](abi::SerializedExecutable* done) { delete done; };
  return nullptr;
}

abi::Error* deserialize_and_load(abi::DeserializeAndLoadArgs* args) {
  if (args->serialized_size == 0) return refuse("no program");
  auto* executable = new abi::LoadedExecutable;
  executable->client = args->client;
  executable->outputs =
      std::stoul(std::string(args->serialized, args->serialized_size));
  args->executable = executable;
  return nullptr;
}

abi::Error* loaded_destroy(abi::NounArgs<abi::LoadedExecutable>* args) {
  delete args->noun;
  return nullptr;
}

abi::Error* loaded_executable(
    abi::GetArgs<abi::LoadedExecutable, abi::Executable*>* args) {
  args->value = new abi::Executable;
  args->value->outputs = args->noun->outputs;
  return nullptr;
}

abi::Error* execute(abi::ExecuteArgs* args) {
  const abi::LoadedExecutable& program = *args->executable;
  for (size_t d = 0; d < args->num_devices; ++d) {
    abi::Device* device = args->execute_device != nullptr
                              ? args->execute_device
                              : program.client->pointers[d];
    for (size_t i = 0; i < program.outputs; ++i) {
      auto* output = new abi::Buffer;
      output->device = device;
      if (args->num_arguments > 0) {
        const abi::Buffer& source =
            *args->argument_lists[d][i % args->num_arguments];
        output->bytes = source.bytes;
        output->dims = source.dims;
        output->type = source.type;
      }
      args->output_lists[d][i] = output;
    }
    const int64_t* kept = args->options->non_donatable;
    const int64_t* end = kept + args->options->num_non_donatable;
    if (program.takes_first && std::find(kept, end, 0) == end) {
      args->argument_lists[d][0]->is_deleted = true;
    }
    if (args->device_complete_events != nullptr) {
      args->device_complete_events[d] =
          make_event(control().wishes.complete, device);
    }
  }
  return nullptr;
}

// --- topologies ------------------------------------------------------------

abi::Error* topology_create(abi::TopologyCreateArgs* args) {
  args->topology = new abi::TopologyDescription;
  return nullptr;
}

abi::Error* topology_destroy(abi::NounArgs<abi::TopologyDescription>* args) {
  delete args->noun;
  return nullptr;
}

abi::Error* topology_name(abi::ListArgs<abi::TopologyDescription, char>* args) {
  static const std::string name = "fake";
  args->items = name.data();
  args->count = name.size();
  return nullptr;
}

abi::Error* topology_devices(
    abi::ListArgs<abi::TopologyDescription, abi::DeviceDescription*>* args) {
  args->items = args->noun->pointers.data();
  args->count = args->noun->pointers.size();
  return nullptr;
}

}  // namespace

void install_programs() {
  install<kClientCompile, &client_compile>();
  install<kCompile, &compile>();
  install<kExecutableDestroy, &executable_destroy>();
  install<kExecutableName, &executable_name>();
  install<kExecutableNumOutputs, &executable_outputs>();
  install<kExecutableCost, &executable_cost>();
  install<kExecutableMemory, &executable_memory>();
  install<kExecutableOptimized, &executable_optimized>();
  install<kExecutableSerialize, &executable_serialize>();
  install<kDeserializeAndLoad, &deserialize_and_load>();
  install<kLoadedDestroy, &loaded_destroy>();
  install<kLoadedExecutable, &loaded_executable>();
  install<kLoadedExecute, &execute>();
  install<kTopologyCreate, &topology_create>();
  install<kTopologyDestroy, &topology_destroy>();
  install<kTopologyPlatformName, &topology_name>();
  install<kTopologyDevices, &topology_devices>();
}

}  // namespace systolic::internal::pjrt::fake
