#include "systolic/platforms/settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "systolic/base/log.h"
#include "systolic/base/message.h"
#include "systolic/base/user_folders.h"

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace systolic::internal::platforms {
namespace {

// Google's vendor number; its TPUs are 0x0027 (v3) and later.
constexpr std::string_view kGoogleVendor = "0x1ae0";

bool is_google_device(const std::filesystem::path& device) {
  std::ifstream file(device / "vendor");
  std::string vendor;
  return std::getline(file, vendor) && vendor == kGoogleVendor;
}

// The network cards of Google's virtual machines have the same vendor: class
// 0x02.... A TPU's class is 0xff...., 0x12....
bool is_network_card(const std::filesystem::path& device) {
  std::ifstream file(device / "class");
  std::string text;
  return std::getline(file, text) && text.starts_with("0x02");
}

}  // namespace

void apply_environment(std::span<const EnvironmentSetting> settings) {
  constexpr int kKeepWhatIsSet = 0;
  for (const EnvironmentSetting& setting : settings) {
    if (setting.applies != nullptr && !setting.applies()) continue;
    setenv(std::string(setting.name).c_str(),
           std::string(setting.value).c_str(), kKeepWhatIsSet);
  }
}

std::string own_settings(std::span<const EnvironmentSetting> settings) {
  std::string text;
  for (const EnvironmentSetting& setting : settings) {
    const std::string name(setting.name);
    const std::string value = environment(name.c_str());
    if (value.empty() || value == setting.value) continue;
    text += name + "=" + value + "\n";
  }
  return text;
}

void keep_freed_memory() {
#if defined(__GLIBC__)
  const char* variable = std::getenv("SYSTOLIC_CPU_MALLOC");
  const std::string_view choice = variable != nullptr ? variable : "";
  if (choice == "default") return;
  const bool one_heap = choice == "one_heap";
  if (!choice.empty() && !one_heap) {
    log(LogLevel::warning,
        Message("SYSTOLIC_CPU_MALLOC")
            .expected("\"default\", \"one_heap\", or that it is not set")
            .got("\"", choice, "\"")
            .str());
  }
  // Small: memory that threads hand back to each other's heaps is used again
  // only once a heap has no top left, so a process grows by about this much.
  constexpr int kTopPad = 16 << 20;
  constexpr int kNeverTrim = 2'000'000'000;
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, kNeverTrim);
  mallopt(M_TOP_PAD, kTopPad);
  // A thread's own heap holds at most 64 MiB: what is larger is mapped after
  // all.
  if (one_heap) mallopt(M_ARENA_MAX, 1);
#endif
}

KeptSignals::KeptSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before_[i]);
  }
}

// Others stay the plugin's: it may have set timers that need their handlers.
KeptSignals::~KeptSignals() {
  for (size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], &before_[i], nullptr);
  }
}

bool has_tpu_hardware() {
  std::error_code none;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/bus/pci/devices", none)) {
    if (is_google_device(entry.path()) && !is_network_card(entry.path())) {
      return true;
    }
  }
  return false;
}

bool lacks_tpu_hardware() { return !has_tpu_hardware(); }

}  // namespace systolic::internal::platforms
