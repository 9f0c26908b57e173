#include "systolic/runtime/client.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/runtime/client_impl.h"
#include "systolic/runtime/deadline.h"
#include "systolic/runtime/untold.h"

namespace systolic::internal::runtime {

Client::Impl::Impl(platforms::Platform& platform, int device_count)
    : platform(platform),
      client(platform.create_client(device_count)),
      name(platform.row().name),
      version(client.platform_version()),
      devices(client.devices()),
      shares_host_memory(platform.has(Capability::host_memory)) {
  check_device_count(device_count);
  for (auto& option : platform.compiler_settings()) {
    settings_.push_back({std::move(option), false});
  }
  for (auto& option : platform.one_run_settings()) {
    settings_.push_back({std::move(option), true});
  }
  for (const pjrt::Device& device : devices) {
    const pjrt::DeviceDescription description = device.description();
    device_ids.push_back(description.id());
    kinds.push_back(description.kind());
  }
}

// Plugins may ignore an option that they do not know.
void Client::Impl::check_device_count(int asked) const {
  const bool can_choose = platform.has(Capability::virtual_devices);
  if (can_choose ? devices.size() == static_cast<size_t>(asked)
                 : !devices.empty()) {
    return;
  }
  Message message("platform \"" + name + "\"");
  message
      .expected(can_choose ? asked : 1, can_choose ? "" : " or more",
                " devices")
      .got(devices.size())
      .detail("plugin", platform.found().path);
  if (can_choose) {
    message.hint("the plugin does not follow the option ",
                 platform.row().device_count_option, "; take another one");
  }
  message.raise<PlatformError>();
}

std::vector<pjrt::OptionOverride> Client::Impl::compiler_settings(
    bool runs_once, Settings which) {
  const std::lock_guard lock(settings_mutex_);
  std::vector<pjrt::OptionOverride> chosen;
  for (const Setting& setting : settings_) {
    if (setting.is_for_one_run && !runs_once) continue;
    if (setting.is_refused && which == Settings::known) continue;
    chosen.push_back(setting.option);
  }
  return chosen;
}

bool Client::Impl::drop_refused_setting(const std::string& error) {
  const std::lock_guard lock(settings_mutex_);
  for (Setting& setting : settings_) {
    if (setting.is_refused) continue;
    if (error.find(setting.option.first) == std::string::npos) continue;
    log(LogLevel::debug, name + ": the plugin does not know the option " +
                             setting.option.first + ", left out");
    setting.is_refused = true;
    return true;
  }
  return false;
}

bool Client::Impl::wait_until_idle(std::chrono::duration<double> most) {
  std::unique_lock lock(running_mutex);
  return one_ended.wait_for(lock, most, [&] { return running.empty(); });
}

namespace {

struct Opened {
  PlatformRequest request;
  Client* client;
};

struct OpenedClients {
  std::mutex mutex;
  std::vector<Opened> list;
};

OpenedClients& opened_clients() {
  static auto* clients = new OpenedClients;  // never destroyed
  return *clients;
}

// At the end of the process the plugin's own objects are destroyed, which a
// program that still runs would crash on; and what has failed is said.
void wait_at_exit() {
  const Seconds most = std::min(time_limit(), Seconds(60));
  auto& [mutex, list] = opened_clients();
  const std::lock_guard lock(mutex);
  for (const Opened& opened : list) {
    if (has_given_up()) break;
    if (opened.client->impl().wait_until_idle(most)) continue;
    log(LogLevel::warning, "exit: a program on the platform \"" +
                               opened.client->platform() +
                               "\" has not ended; it is left behind");
  }
  log_untold();
}

}  // namespace

void Client::Impl::wait_before_exit() { std::atexit(&wait_at_exit); }

Client& Client::open(const PlatformRequest& request) {
  auto& [mutex, list] = opened_clients();
  if (request.device_count < 1) {
    Message("platform \"" + request.platform + "\"")
        .expected("a device count of at least 1")
        .got(request.device_count)
        .raise<ValueError>();
  }
  time_limit();  // a text that is no time is found here, not in a wait
  const std::lock_guard lock(mutex);
  for (const Opened& known : list) {
    if (known.request == request) return *known.client;
  }
  platforms::Platform& platform =
      platforms::Platform::load(request.platform, request.path);
  // Another spelling of the same request: the path that was found anyway, or
  // a count on a platform that shows what it has.
  const bool can_choose = platform.has(Capability::virtual_devices);
  for (const Opened& known : list) {
    const bool same_count =
        !can_choose || known.request.device_count == request.device_count;
    if (&known.client->impl().platform == &platform && same_count) {
      Client* client = known.client;
      list.push_back({request, client});
      return *client;
    }
  }
  auto impl = std::make_unique<Impl>(platform, request.device_count);
  Impl::wait_before_exit();
  list.push_back({request, new Client(std::move(impl))});
  return *list.back().client;
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client::~Client() = default;

const std::string& Client::platform() const { return impl_->name; }

const std::string& Client::platform_version() const { return impl_->version; }

int Client::device_count() const {
  return static_cast<int>(impl_->devices.size());
}

Device Client::device(int index) {
  if (index < 0 || index >= device_count()) {
    Message("platform \"" + platform() + "\"")
        .expected("a device index from 0 to ", device_count() - 1)
        .got(index)
        .raise<ValueError>();
  }
  return {this, index};
}

std::vector<Device> Client::devices() {
  std::vector<Device> all;
  for (int i = 0; i < device_count(); ++i) all.push_back({this, i});
  return all;
}

bool Client::has(Capability capability) const {
  return impl_->platform.has(capability);
}

bool Client::has_kernel(std::string_view name) const {
  return impl_->platform.has_kernel(name);
}

std::string Device::kind() const {
  return client->impl().kinds[static_cast<size_t>(index)];
}

std::string Device::name() const {
  return client->platform() + ":" + std::to_string(index);
}

}  // namespace systolic::internal::runtime
