// A PJRT plugin: a shared library with the C API.
//
//   Plugin plugin = Plugin::load("/path/pjrt_c_api_cpu_plugin.so");
//   Client client = Client::create(plugin, {{"cpu_device_count", int64_t{8}}});
#pragma once

#include <string>
#include <string_view>

#include "systolic/pjrt/abi_fwd.h"
#include "systolic/pjrt/named_value.h"

namespace systolic::internal::pjrt {

// A loaded and initialized plugin. It stays loaded until the process ends, so
// this is a view that may be copied.
class Plugin {
 public:
  // Loads a library. Throws PlatformError with the loader's words, which name
  // the library or symbol that is missing, or saying what the file lacks.
  static Plugin load(const std::string& path);
  // Initializes a plugin whose table is at hand already.
  static Plugin adopt(const abi::Api* api, const std::string& path);

  const abi::Api* api() const { return api_; }
  const std::string& path() const { return path_; }
  // "0.115": the version of the C API that the plugin speaks.
  std::string api_version() const;
  // What the plugin says about itself: "xla_version", "stablehlo_..._version".
  NamedValues attributes() const;

  // Whether custom calls can be registered.
  bool has_ffi() const;
  // Makes a typed FFI handler (see ffi.h) known under a name that programs
  // call; `platform` is the plugin's word: "host", "CUDA".
  void register_ffi_handler(std::string_view name, void* handler,
                            std::string_view platform) const;

 private:
  Plugin(const abi::Api* api, const std::string& path)
      : api_(api), path_(path) {}

  const abi::Api* api_;
  std::string path_;
};

}  // namespace systolic::internal::pjrt
