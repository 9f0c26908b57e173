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

  // Waits until no launch is left; false after `most`.
  bool wait_until_idle(std::chrono::duration<double> most);
  // Has the end of the process wait for launches, and say which have failed
  // without anybody's notice, before it destroys what plugins have made up to
  // now: they make more when they first compile and first launch a program.
  static void wait_before_exit();

  // Which of the platform's compiler settings: all, or those that the plugin
  // has not turned out not to know.
  enum class Settings : uint8_t { all, known };
  // The settings of a program, with those for one that runs once, if it does.
  std::vector<pjrt::OptionOverride> compiler_settings(bool runs_once,
                                                      Settings which);
  // Whether an error is about one of the settings, which is then left out.
  bool drop_refused_setting(const std::string& error);

 private:
  // Throws PlatformError if the plugin shows another number of devices.
  void check_device_count(int asked) const;

  struct Setting {
    pjrt::OptionOverride option;
    bool is_for_one_run;
    bool is_refused = false;
  };
  std::mutex settings_mutex_;
  std::vector<Setting> settings_;
};

}  // namespace systolic::internal::runtime
