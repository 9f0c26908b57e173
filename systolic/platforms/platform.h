// A platform that is ready for use: its row, its loaded plugin, its kernels.
//
//   Platform& cpu = Platform::load("cpu");
//   pjrt::Client client = cpu.create_client(8);
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "systolic/pjrt/client.h"
#include "systolic/pjrt/compile_options.h"
#include "systolic/pjrt/plugin.h"
#include "systolic/pjrt/topology.h"
#include "systolic/platforms/kernels.h"
#include "systolic/platforms/search.h"
#include "systolic/platforms/table.h"

namespace systolic::internal::platforms {

// One loaded platform; lives until the process ends.
class Platform {
 public:
  // The platform of a name, loaded at the first call for this file; safe from
  // any thread. Throws NotFoundError with every place looked at, or
  // PlatformError naming the library or symbol that is missing; both say how
  // to install it. A plugin that failed its self-test is a PlatformError too,
  // unless SYSTOLIC_FORCE_PLATFORM names the platform.
  static Platform& load(std::string_view name, const std::string& path = "");
  // The same, whatever the self-test has found: for the self-test.
  static Platform& load_unchecked(std::string_view name,
                                  const std::string& path = "");

  const PlatformRow& row() const { return row_; }
  const FoundPlugin& found() const { return found_; }
  const pjrt::Plugin& plugin() const { return plugin_; }
  const KernelLibrary& kernels() const { return kernels_; }

  bool has(Capability capability) const;
  bool has_kernel(std::string_view name) const;
  // A new client that shows `device_count` devices, where it can choose.
  pjrt::Client create_client(int device_count) const;
  // A TPU's slice by the name that users know, "v3-8", to compile for without
  // a device; ValueError lists the slices that exist.
  pjrt::Topology create_topology(std::string_view slice) const;
  // The row's compiler settings as options of a compilation.
  std::vector<pjrt::OptionOverride> compiler_settings() const;
  // Those besides, for small programs that run once.
  std::vector<pjrt::OptionOverride> one_run_settings() const;

  Platform(const Platform&) = delete;
  Platform& operator=(const Platform&) = delete;

 private:
  enum class Verdicts { heed, ignore };
  Platform(const PlatformRow& row, FoundPlugin found, Verdicts verdicts);
  static Platform& load(std::string_view name, const std::string& path,
                        Verdicts verdicts);

  const PlatformRow& row_;
  FoundPlugin found_;
  pjrt::Plugin plugin_;
  KernelLibrary kernels_;
};

}  // namespace systolic::internal::platforms
