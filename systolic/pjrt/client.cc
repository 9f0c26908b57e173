#include "systolic/pjrt/client.h"

#include <utility>

#include "systolic/pjrt/call.h"
#include "systolic/pjrt/element_type.h"
#include "systolic/pjrt/named_value_abi.h"
#include "systolic/pjrt/program.h"

namespace systolic::internal::pjrt {
namespace {

abi::HostSemantics semantics_of(HostMemory memory) {
  switch (memory) {
    case HostMemory::kept_until_done:
      return abi::HostSemantics::immutable_until_transfer_completes;
    case HostMemory::shared:
      return abi::HostSemantics::immutable_zero_copy;
    case HostMemory::copied_at_once:
      break;
  }
  return abi::HostSemantics::immutable_only_during_call;
}

}  // namespace

Client Client::create(const Plugin& plugin, const NamedValues& options) {
  const std::vector<abi::NamedValue> structs = to_abi(options);
  Padded<abi::ClientCreateArgs> args;
  args->create_options = structs.data();
  args->num_options = structs.size();
  call(plugin.api(), kClientCreate, args);
  return Client(plugin.api(), given(args->client, kClientCreate.name));
}

std::string Client::platform_name() const {
  return get_text(api(), kClientPlatformName, raw());
}

std::string Client::platform_version() const {
  return get_text(api(), kClientPlatformVersion, raw());
}

std::vector<Device> Client::devices() const {
  Padded<abi::ListArgs<abi::Client, abi::Device*>> args;
  args->noun = raw();
  call(api(), kClientDevices, args);
  std::vector<Device> devices;
  devices.reserve(args->count);
  for (size_t i = 0; i < args->count; ++i) {
    devices.emplace_back(api(), args->items[i]);
  }
  return devices;
}

LoadedExecutable Client::compile(const std::string& text,
                                 const std::string& encoded_options) const {
  const abi::Program program = make_program(text);
  Padded<abi::ClientCompileArgs> args;
  args->client = raw();
  args->program = &program;
  args->compile_options = encoded_options.data();
  args->compile_options_size = encoded_options.size();
  call(api(), kClientCompile, args);
  return LoadedExecutable(api(), given(args->executable, kClientCompile.name));
}

LoadedExecutable Client::load(const std::string& serialized,
                              const std::string& encoded_options) const {
  Padded<abi::DeserializeAndLoadArgs> args;
  args->client = raw();
  args->serialized = serialized.data();
  args->serialized_size = serialized.size();
  args->compile_options = encoded_options.data();
  args->compile_options_size = encoded_options.size();
  call(api(), kDeserializeAndLoad, args);
  return LoadedExecutable(api(),
                          given(args->executable, kDeserializeAndLoad.name));
}

Upload Client::upload(const TensorSpec& spec, const std::byte* data,
                      abi::Device* device, HostMemory memory) const {
  Padded<abi::BufferFromHostArgs> args;
  args->client = raw();
  args->data = data;
  args->type = element_type_of(spec.dtype);
  args->dims = spec.shape.data();
  args->num_dims = static_cast<size_t>(spec.shape.rank());
  args->semantics = semantics_of(memory);
  args->device = device;
  call(api(), kBufferFromHost, args);
  Event done(api(), args->done_with_host_buffer);
  return {Buffer(api(), given(args->buffer, kBufferFromHost.name)),
          std::move(done)};
}

}  // namespace systolic::internal::pjrt
