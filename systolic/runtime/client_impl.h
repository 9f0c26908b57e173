// What a Client holds, for this room.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "systolic/pjrt/client.h"
#include "systolic/pjrt/compile_options.h"
#include "systolic/platforms/platform.h"
#include "systolic/runtime/client.h"

namespace systolic::internal::runtime {

struct Client::Impl {
  Impl(platforms::Platform& platform, int device_count);

  platforms::Platform& platform;
  pjrt::Client client;
  std::string name;
  std::string version;
  std::vector<pjrt::Device> devices;
  std::vector<int64_t> device_ids;  // the plugin's, by index
  std::vector<std::string> kinds;
  bool shares_host_memory;

  // Programs on several devices are started one after the other: two that
  // reach the devices in different orders would wait for each other.
  std::mutex launch_mutex;
  // Launches that take turns, by device: how many have not ended. Where
  // devices are virtual they share one pool of threads: starting a second
  // program of several takes threads that the collectives of the first need,
  // and both wait for ever.
  std::mutex running_mutex;
  std::condition_variable one_ended;
  std::map<int, int> running;  // by index; those with none are not listed

  // Waits until no launch that takes turns is left; false after `most`.
  bool wait_until_idle(std::chrono::seconds most);
  // Has the end of the process wait for launches before it destroys what
  // plugins have made up to now: they make more when they first compile and
  // first launch a program.
  static void wait_before_exit();

  // The platform's compiler settings less those the plugin did not know;
  // with those for a small program that runs once, if it does.
  std::vector<pjrt::OptionOverride> compiler_settings(bool runs_once);
  // Whether an error is about one of the settings, which is then left out.
  bool drop_refused_setting(const std::string& error);

 private:
  // Throws PlatformError if the plugin shows another number of devices.
  void check_device_count(int asked) const;

  std::mutex settings_mutex_;
  std::vector<pjrt::OptionOverride> settings_;
  std::vector<pjrt::OptionOverride> one_run_settings_;
};

}  // namespace systolic::internal::runtime
