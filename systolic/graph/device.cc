#include "systolic/graph/device.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <ostream>

#include "systolic/base/message.h"
#include "systolic/graph/context.h"

namespace systolic {

namespace internal::graph {

namespace {

// What the devices of a client are called.
struct Family {
  std::string job;
  std::string type;
};

struct Names {
  std::mutex mutex;
  std::map<const runtime::Client*, Family> families;
  // By type: whose devices are in the list.
  std::map<std::string, runtime::Client*> listed;
  std::map<const Placement*, std::string> placements;
};

Names& names() {
  static auto* all = new Names;
  return *all;
}

std::string full_name(const Family& family, int index) {
  return "/job:" + family.job + "/replica:0/task:0/device:" + family.type +
         ":" + std::to_string(index);
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return result;
}

struct Known {
  LogicalDevice logical;
  runtime::Client* client;  // null: the host's, which is opened when used
  int index;
};

// The host's first; then type by type.
std::vector<Known> known_devices() {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  std::vector<Known> known;
  known.push_back({{full_name({"localhost", "CPU"}, 0), "CPU"}, nullptr, 0});
  for (const auto& [type, client] : all.listed) {
    const Family& family = all.families.at(client);
    for (int i = 0; i < client->device_count(); ++i) {
      known.push_back({{full_name(family, i), type}, client, i});
    }
  }
  return known;
}

// A name's parts; those that are left out fit every device.
struct Parts {
  std::optional<std::string> job, replica, task, device;
};

// Nothing where the text is no device's name.
std::optional<Parts> parse(std::string_view text) {
  Parts parts;
  while (!text.empty()) {
    if (text.front() == '/') text.remove_prefix(1);
    std::string_view part = text.substr(0, text.find('/'));
    text.remove_prefix(part.size());
    const auto take = [&](std::string_view key,
                          std::optional<std::string>& into) {
      if (into || !upper(part).starts_with(upper(key))) return false;
      into = part.substr(key.size());
      return !into->empty();
    };
    if (take("job:", parts.job) || take("replica:", parts.replica) ||
        take("task:", parts.task)) {
      continue;
    }
    if (upper(part).starts_with("DEVICE:")) part.remove_prefix(7);
    if (parts.device || part.empty()) return {};
    parts.device = upper(part);
    if (part.find(':') == part.npos) *parts.device += ":0";
  }
  if (!parts.device) return {};
  return parts;
}

bool fits(const Parts& parts, const std::string& full) {
  const std::optional<Parts> own = parse(full);
  const auto agree = [](const auto& wanted, const auto& got) {
    return !wanted || *wanted == *got;
  };
  return agree(parts.job, own->job) && agree(parts.replica, own->replica) &&
         agree(parts.task, own->task) && *parts.device == *own->device;
}

[[noreturn]] void raise_unknown(std::string_view name,
                                const std::vector<Known>& known,
                                const SourceLocation& where) {
  Message message("device");
  message.expected("the name of a device").got("\"", name, "\"");
  bool has_tpu = false;
  for (const Known& one : known) {
    message.detail("device", one.logical.name);
    has_tpu = has_tpu || one.logical.device_type == "TPU";
  }
  message
      .hint(has_tpu ? "list_logical_devices() gives them, \"/TPU:0\" is short "
                      "for a full name"
                    : "a TPU's devices are known after "
                      "distribute::initialize_tpu_system")
      .at(where)
      .raise<ValueError>();
}

}  // namespace

std::string device_name(const runtime::Device& device) {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  const auto found = all.families.find(device.client);
  return full_name(found != all.families.end()
                       ? found->second
                       : Family{"localhost", upper(device.client->platform())},
                   device.index);
}

void name_placement(const Placement* placement, std::string name) {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  all.placements[placement] = std::move(name);
}

std::string describe(const Placement& placement) {
  std::string text = device_name(placement.devices().front());
  if (placement.num_replicas() > 1) {
    text = concatenate_text(placement.num_replicas(), " replicas, ", text,
                            " to ", device_name(placement.devices().back()));
  }
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  const auto found = all.placements.find(&placement);
  if (found == all.placements.end()) return text;
  return found->second + " (" + text + ")";
}

void name_devices(runtime::Client& client, std::string job, std::string type) {
  Names& all = names();
  const std::lock_guard lock(all.mutex);
  all.listed[type] = &client;
  all.families[&client] = {std::move(job), std::move(type)};
}

}  // namespace internal::graph

namespace graph = internal::graph;

std::vector<LogicalDevice> list_logical_devices(
    const std::string& device_type) {
  std::vector<LogicalDevice> devices;
  for (const graph::Known& known : graph::known_devices()) {
    if (device_type.empty() || known.logical.device_type == device_type) {
      devices.push_back(known.logical);
    }
  }
  return devices;
}

std::ostream& operator<<(std::ostream& out, const LogicalDevice& device) {
  return out << "LogicalDevice(name='" << device.name << "', device_type='"
             << device.device_type << "')";
}

std::ostream& operator<<(std::ostream& out,
                         const std::vector<LogicalDevice>& devices) {
  out << "[";
  for (size_t i = 0; i < devices.size(); ++i) {
    out << (i > 0 ? ", " : "") << devices[i];
  }
  return out << "]";
}

Device::Device(std::string_view name, SourceLocation where) : where_{where} {
  const std::vector<graph::Known> known = graph::known_devices();
  const auto parts = graph::parse(name);
  const auto found = std::ranges::find_if(known, [&](const auto& one) {
    return parts && graph::fits(*parts, one.logical.name);
  });
  if (found == known.end()) graph::raise_unknown(name, known, where);
  known_ = found->logical;
  device_ = found->client != nullptr
                ? found->client->device(found->index)
                : graph::Placement::host()->devices().front();
}

std::ostream& operator<<(std::ostream& out, const Device& device) {
  return out << device.name();
}

namespace {

const graph::Placement* placement_of(const Device& device) {
  const auto* placement = graph::Placement::single(device.runtime_device());
  const graph::Context* step = graph::step_around();
  if (step != nullptr && step->placement != nullptr &&
      step->placement != placement) {
    internal::Message("device")
        .rule("the devices of ", step->step_name,
              " were chosen when it began, and \"", device.name(),
              "\" is not what it runs on")
        .hint("open the scope around it, or compute the value before it")
        .at(device.where())
        .raise<ValueError>();
  }
  return placement;
}

}  // namespace

DeviceScope::DeviceScope(const Device& device) : guard_(placement_of(device)) {}

DeviceScope device(const Device& device) { return DeviceScope(device); }

}  // namespace systolic
