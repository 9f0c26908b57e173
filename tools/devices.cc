// Tested by: tools/command_platform_test.cc
#include <memory>
#include <ostream>
#include <string>

#include "systolic/base/out.h"
#include "systolic/distribute/tpu_cluster_resolver.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/report.h"
#include "systolic/platforms/tpu_topology.h"
#include "systolic/runtime/client.h"
#include "systolic/runtime/memory.h"
#include "tools/child.h"
#include "tools/command.h"

namespace systolic::tools {
namespace {

namespace platforms = internal::platforms;
namespace runtime = internal::runtime;

constexpr int kTimeoutSeconds = 60;

void show_rehearsal(const platforms::TpuSlice& slice) {
  runtime::Client& client =
      runtime::Client::open({.device_count = slice.devices});
  output() << "virtual:" << slice.name() << ": a rehearsal on this machine of "
           << slice.chips << " TPU " << slice.generation->name << " chips, "
           << slice.cores << " cores\n";
  for (const runtime::Device& device : client.devices()) {
    output() << "  TPU:" << device.index << "  on " << device.name() << "\n";
  }
  const runtime::MemoryStats memory = runtime::process_memory();
  output() << "  memory: " << platforms::memory_text(memory.bytes_in_use)
           << " in use by this process; each device of a real " << slice.name()
           << " has " << platforms::memory_text(slice.memory_per_device())
           << "\n";
}

// The devices of one platform, a line each.
std::string describe(const platforms::PlatformRow& row) {
  runtime::Client& client =
      runtime::Client::open({.platform = std::string(row.name)});
  std::string text;
  for (const runtime::Device& device : client.devices()) {
    text += device.name() + "  " + device.kind();
    const runtime::MemoryStats memory = runtime::memory_stats(device);
    if (!memory.is_process) {
      text += "  " + platforms::memory_text(memory.bytes_in_use) + " in use";
      if (memory.bytes_limit) {
        text += " of " + platforms::memory_text(*memory.bytes_limit);
      }
    }
    text += "\n";
  }
  return text;
}

void show_local() {
  bool is_any = false;
  for (const platforms::PlatformRow& row : platforms::rows()) {
    if (!platforms::search(row).found) continue;
    const ChildResult result =
        run_in_child([&] { return describe(row); }, kTimeoutSeconds);
    if (result.problem.empty()) {
      output() << result.text;
      is_any = true;
    } else {
      output() << row.name << ": " << result.problem << "\n";
    }
  }
  if (!is_any) {
    output() << "No device was found: `systolic platforms` says what to "
                "install.\n";
  }
}

void show_devices(const std::string& tpu) {
  if (tpu.empty()) {
    show_local();
    return;
  }
  // Names are what a program's resolver takes them for.
  const distribute::TPUClusterResolver resolver(tpu);
  const auto slice = platforms::parse_virtual_tpu(resolver.master());
  if (slice) {
    show_rehearsal(*slice);
  } else {
    show_local();
  }
}

}  // namespace

void add_devices(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "devices", "The devices that programs can use, and their memory");
  const auto tpu = std::make_shared<std::string>();
  command->add_option("--tpu", *tpu,
                      "A TPU by name, as in a program: virtual:v3-8, local "
                      "(default: every device of this machine)");
  command->callback([tpu] { show_devices(*tpu); });
}

}  // namespace systolic::tools
