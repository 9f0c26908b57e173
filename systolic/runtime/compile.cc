#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/trace.h"
#include "systolic/runtime/client_impl.h"
#include "systolic/runtime/counters.h"
#include "systolic/runtime/donation.h"
#include "systolic/runtime/executable.h"
#include "systolic/runtime/executable_impl.h"

namespace systolic::internal::runtime {
namespace {

constexpr int kInvalidArgument = 3;
// A parser may quote the whole program.
constexpr size_t kMostErrorText = 2000;

std::vector<Device> replica_devices(Client& client,
                                    const CompileOptions& options) {
  if (options.portable) return {};
  std::vector<Device> devices;
  if (!options.device_ids.empty()) {
    for (int index : options.device_ids)
      devices.push_back(client.device(index));
  } else {
    for (int i = 0; i < options.num_replicas; ++i) {
      devices.push_back(client.device(i));
    }
  }
  if (devices.size() != static_cast<size_t>(options.num_replicas)) {
    Message("compile")
        .expected("one device for each of ", options.num_replicas, " replicas")
        .got(devices.size(), " devices")
        .raise<ValueError>();
  }
  return devices;
}

std::string encode_options(const Client::Impl& client,
                           const std::vector<Device>& devices,
                           const CompileOptions& options,
                           std::vector<pjrt::OptionOverride> settings) {
  pjrt::CompileOptions encoded{.num_replicas = options.num_replicas,
                               .portable = options.portable,
                               .overrides = std::move(settings)};
  for (const Device& device : devices) {
    encoded.device_ids.push_back(
        client.device_ids[static_cast<size_t>(device.index)]);
  }
  for (const auto& option : options.overrides) {
    std::erase_if(encoded.overrides, [&](const auto& setting) {
      return setting.first == option.first;
    });
    encoded.overrides.push_back(option);
  }
  return pjrt::encode(encoded);
}

// The file a program was written to; empty if that is not possible. One name
// per program, so that a loop does not fill the disk.
std::string write_program(const std::string& text) {
  std::error_code error;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path(error);
  if (error) return "";
  std::ostringstream name;
  name << "systolic-" << std::hex << std::hash<std::string>()(text) << ".mlir";
  const std::filesystem::path path = folder / name.str();
  std::ofstream file(path);
  file << text;
  file.close();
  return file ? path.string() : "";
}

[[noreturn]] void throw_with_program(const PlatformError& error,
                                     const std::string& text) {
  std::string what = error.what();
  if (what.size() > kMostErrorText) {
    what.resize(kMostErrorText);
    what += " ...";
  }
  const std::string path = write_program(text);
  what += path.empty() ? "\n  program: could not be written to a file"
                       : "\n  program: " + path;
  throw PlatformError(what, error.call(), error.code());
}

// Makes the program with `make(encoded options)`; settings of the platform
// that the plugin does not know are left out, options of the caller are not.
template <class Make>
pjrt::LoadedExecutable make_program(Client::Impl& client,
                                    const std::vector<Device>& devices,
                                    const CompileOptions& options,
                                    const Make& make) {
  while (true) {
    try {
      return make(encode_options(
          client, devices, options,
          client.compiler_settings(options.runs_once,
                                   Client::Impl::Settings::known)));
    } catch (const PlatformError& error) {
      if (error.code() != kInvalidArgument ||
          !client.drop_refused_setting(error.what())) {
        throw;
      }
    }
  }
}

// What the compiler says of the program, for the figures of utilization.h: one
// that does not say runs all the same.
void read_estimates(Executable::Impl& impl, const std::string& text) {
  impl.work = stablehlo::work_of(text);
  int64_t bytes = 0;
  try {
    const pjrt::Executable program = impl.program.executable();
    impl.bytes_accessed = program.cost().bytes_accessed;
    if (const auto memory = program.memory()) {
      bytes = memory->code + memory->arguments + memory->outputs -
              memory->aliased + memory->temporary;
    }
  } catch (const PlatformError& error) {
    log(LogLevel::warning,
        std::string("not known to runtime::utilization: ") + error.what());
  }
  impl.usage = &UsageRecorder::instance().add_program(bytes);
}

template <class Make>
ExecutablePtr build(Client& client, const std::string& text,
                    const CompileOptions& options, const Make& make) {
  const HostWorkScope compiling(HostWork::compile);
  const auto start = std::chrono::steady_clock::now();
  auto impl = std::make_unique<Executable::Impl>();
  impl->client = &client;
  impl->devices = replica_devices(client, options);
  impl->program = make_program(client.impl(), impl->devices, options, make);
  impl->donated = donated_arguments(text);
  impl->num_outputs = impl->program.executable().num_outputs();
  read_estimates(*impl, text);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - start;
  impl->compile_seconds = took.count();
  return std::make_shared<Executable>(std::move(impl));
}

}  // namespace

std::string encode_for_key(Client& client, const CompileOptions& options) {
  return encode_options(client.impl(), replica_devices(client, options),
                        options,
                        client.impl().compiler_settings(
                            options.runs_once, Client::Impl::Settings::all));
}

ExecutablePtr compile(Client& client, const std::string& stablehlo_text,
                      const CompileOptions& options) {
  const auto make = [&](const std::string& encoded) {
    return client.impl().client.compile(stablehlo_text, encoded);
  };
  try {
    ExecutablePtr executable = build(client, stablehlo_text, options, make);
    counters().compiles += 1;
    counters().compile_microseconds +=
        static_cast<uint64_t>(executable->compile_seconds() * 1e6);
    return executable;
  } catch (const PlatformError& error) {
    throw_with_program(error, stablehlo_text);
  }
}

ExecutablePtr load(Client& client, const std::string& serialized,
                   const std::string& stablehlo_text,
                   const CompileOptions& options) {
  TraceScope scope("load program");
  scope.note("bytes", static_cast<int64_t>(serialized.size()));
  const auto make = [&](const std::string& encoded) {
    return client.impl().client.load(serialized, encoded);
  };
  ExecutablePtr executable = build(client, stablehlo_text, options, make);
  counters().loads += 1;
  counters().load_microseconds +=
      static_cast<uint64_t>(executable->compile_seconds() * 1e6);
  return executable;
}

}  // namespace systolic::internal::runtime
