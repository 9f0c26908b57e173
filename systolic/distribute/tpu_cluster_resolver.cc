#include "systolic/distribute/tpu_cluster_resolver.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/distribute/tpu_system.h"
#include "systolic/graph/context.h"
#include "systolic/graph/device.h"
#include "systolic/graph/planning.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/table.h"

namespace systolic::distribute {

using internal::Message;
using internal::platforms::TpuSlice;

namespace {

// Environment variables that name the TPU, first found first used.
constexpr const char* kVariables[] = {"SYSTOLIC_TPU", "TPU_NAME"};

// Google's vendor number on the PCI bus.
constexpr std::string_view kVendor = "0x1ae0";

bool has_tpu_hardware() {
  std::error_code error;
  for (const auto& device :
       std::filesystem::directory_iterator("/sys/bus/pci/devices", error)) {
    std::ifstream file(device.path() / "vendor");
    std::string vendor;
    if (file >> vendor && vendor == kVendor) return true;
  }
  return false;
}

// A name, and where it comes from if not from the caller.
struct Name {
  std::string text;
  std::string origin;
};

Message& add_origin(Message& message, const Name& name) {
  if (!name.origin.empty()) message.detail("named by", name.origin);
  return message;
}

[[noreturn]] void raise_not_found(const Name& name,
                                  const std::vector<std::string>& looked) {
  Message message("TPUClusterResolver");
  message.expected("a TPU").got("none");
  if (!name.text.empty()) message.detail("name", "\"", name.text, "\"");
  add_origin(message, name);
  for (const std::string& place : looked) message.detail("looked at", place);
  message
      .hint(
          "name one: \"virtual:v3-8\" rehearses eight cores on this "
          "machine's CPU; distribute::get_strategy() works without a TPU")
      .raise<ValueError>();
}

// This host's TPU: its hardware and its plugin.
bool find_local(std::vector<std::string>& looked) {
  const bool hardware = has_tpu_hardware();
  looked.push_back(std::string("PCI devices of this host: ") +
                   (hardware ? "a TPU" : "no TPU"));
  const auto found =
      internal::platforms::search(internal::platforms::find_row("tpu"));
  if (found.found) {
    looked.push_back("TPU plugin: " + found.found->path);
  } else {
    for (const std::string& place : found.looked) {
      looked.push_back("TPU plugin: not at " + place);
    }
  }
  return hardware && found.found;
}

std::optional<TpuSlice> parse_virtual(const Name& name) {
  try {
    return internal::platforms::parse_virtual_tpu(name.text);
  } catch (const ValueError& error) {
    if (name.origin.empty()) throw;
    throw ValueError(std::string(error.what()) +
                     "\n  named by: " + name.origin);
  }
}

[[noreturn]] void raise_unreachable(const Name& name) {
  Message message("TPUClusterResolver");
  message
      .rule(
          "TPUs behind a network address can not be reached by this "
          "version")
      .detail("name", "\"", name.text, "\"");
  add_origin(message, name)
      .hint(
          "run the program on the TPU's own host with \"local\", or "
          "rehearse it with \"virtual:v3-8\"")
      .raise<ValueError>();
}

std::shared_ptr<TPUClusterResolver::State> resolve(
    const Name& name, std::vector<std::string> looked) {
  auto state = std::make_shared<TPUClusterResolver::State>();
  state->name = name.text;
  if (const auto slice = parse_virtual(name)) {
    state->slice = *slice;
    state->request = {.platform = "cpu", .device_count = slice->devices};
    return state;
  }
  if (name.text.starts_with("grpc://")) raise_unreachable(name);
  if (name.text == "local" || name.text.empty()) {
    if (!find_local(looked)) raise_not_found(name, looked);
    state->name = "local";
    state->request = {.platform = "tpu"};
    return state;
  }
  Message message("TPUClusterResolver");
  message.expected("\"\", \"local\" or \"virtual:v<generation>-<cores>\"")
      .got("\"", name.text, "\"");
  add_origin(message, name)
      .hint("for example \"virtual:v3-8\"")
      .raise<ValueError>();
}

struct System {
  std::mutex mutex;
  std::shared_ptr<TPUClusterResolver::State> initialised;
  /// All that ever were: several resolvers may stand for one client.
  std::set<const internal::runtime::Client*> clients;
};

System& system() {
  static auto* one = new System;
  return *one;
}

// Initialising again frees the device's memory; the first time there is none.
void forget_state_of(const internal::runtime::Client& client) {
  {
    const std::lock_guard lock(system().mutex);
    if (system().clients.insert(&client).second) return;
  }
  internal::graph::forget_variables(client);
}

void log_line(const std::string& text) { log(LogLevel::info, text); }

}  // namespace

TPUClusterResolver::TPUClusterResolver(std::string tpu) {
  std::vector<std::string> looked;
  Name name{std::move(tpu), ""};
  if (const auto* planning = internal::graph::Planning::current()) {
    name = {"virtual:" + planning->slice().name(), "SYSTOLIC_PLAN"};
  }
  if (name.text.empty()) {
    for (const char* variable : kVariables) {
      const std::string origin =
          std::string("environment variable ") + variable;
      const char* value = std::getenv(variable);
      if (value != nullptr && *value != '\0') {
        name = {value, origin};
        break;
      }
      looked.push_back(origin + ": not set");
    }
  }
  state_ = resolve(name, std::move(looked));
}

TPUClusterResolver TPUClusterResolver::connect(std::string tpu) {
  TPUClusterResolver resolver(std::move(tpu));
  connect_to_cluster(resolver);
  initialize_tpu_system(resolver);
  return resolver;
}

const std::string& TPUClusterResolver::master() const { return state_->name; }

TPUSystemMetadata TPUClusterResolver::get_tpu_system_metadata() const {
  connect_to_cluster(*this);
  TPUSystemMetadata metadata;
  metadata.num_cores = state_->client->device_count();
  metadata.num_hosts = 1;
  metadata.num_of_cores_per_host = metadata.num_cores;
  if (state_->slice) metadata.topology = state_->slice->name();
  return metadata;
}

void connect_to_cluster(const TPUClusterResolver& resolver) {
  auto& state = *resolver.state();
  if (state.client != nullptr) return;
  state.client = &internal::runtime::Client::open(state.request);
}

TPUSystemMetadata initialize_tpu_system(const TPUClusterResolver& resolver) {
  log_line("Deallocate tpu buffers before initializing tpu system.");
  log_line("Initializing the TPU system: " + resolver.master());
  const TPUSystemMetadata metadata = resolver.get_tpu_system_metadata();
  forget_state_of(*resolver.state()->client);
  internal::graph::name_devices(*resolver.state()->client, "localhost", "TPU");
  internal::graph::set_process_placement(
      internal::graph::Placement::single(resolver.state()->client->device(0)));
  {
    const std::lock_guard lock(system().mutex);
    system().initialised = resolver.state();
    resolver.state()->initialised = true;
  }
  log_line("Finished initializing TPU system.");
  log_line("Found TPU system:");
  log_line("*** Num TPU Cores: " + std::to_string(metadata.num_cores));
  log_line("*** Num TPU Workers: " + std::to_string(metadata.num_hosts));
  log_line("*** Num TPU Cores Per Worker: " +
           std::to_string(metadata.num_of_cores_per_host));
  if (!metadata.topology.empty()) {
    log_line("*** Topology: " + metadata.topology + " on " +
             resolver.state()->client->platform() + " (" +
             resolver.state()->client->platform_version() + ")");
  }
  for (const LogicalDevice& device : list_logical_devices()) {
    log_line("*** Available Device: _DeviceAttributes(" + device.name + ", " +
             device.device_type + ", 0, 0)");
  }
  return metadata;
}

std::shared_ptr<TPUClusterResolver::State> initialised_system() {
  const std::lock_guard lock(system().mutex);
  return system().initialised;
}

}  // namespace systolic::distribute
