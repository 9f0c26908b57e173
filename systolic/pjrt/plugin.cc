#include "systolic/pjrt/plugin.h"

#include <dlfcn.h>

#include "systolic/base/message.h"
#include "systolic/pjrt/call.h"
#include "systolic/pjrt/named_value_abi.h"

namespace systolic::internal::pjrt {
namespace {

// The last function that every client needs: Client_... to Buffer_ReadyEvent.
constexpr int kLastNeeded = kBufferReadyEvent.index;

void check_table(const abi::Api* api, const std::string& path) {
  if (api == nullptr) {
    Message("plugin " + path)
        .rule("GetPjrtApi() gave no function table")
        .raise<PlatformError>();
  }
  if (api->version.major != abi::kMajorVersion) {
    Message("plugin " + path)
        .expected("PJRT C API ", abi::kMajorVersion, ".x")
        .got(api->version.major, ".", api->version.minor)
        .hint("take a version of the plugin that matches this library")
        .raise<PlatformError>();
  }
  const size_t needed = sizeof(abi::Api) + (kLastNeeded + 1) * sizeof(void*);
  if (api->struct_size < needed) {
    Message("plugin " + path)
        .expected("a function table of at least ", needed, " bytes")
        .got(api->struct_size)
        .hint("the plugin is too old; take a newer version of it")
        .raise<PlatformError>();
  }
}

const abi::FfiExtension* find_ffi(const abi::Api* api) {
  for (const abi::ExtensionBase* at = api->extension_start; at != nullptr;
       at = at->next) {
    if (at->type == abi::ExtensionType::ffi &&
        at->struct_size >= sizeof(abi::FfiExtension)) {
      return reinterpret_cast<const abi::FfiExtension*>(at);
    }
  }
  return nullptr;
}

}  // namespace

Plugin Plugin::load(const std::string& path) {
  // Never closed: what a plugin starts does not stand being unloaded.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    const char* reason = dlerror();
    Message("plugin " + path)
        .rule("the library does not load")
        .detail("loader", reason == nullptr ? "no reason given" : reason)
        .raise<PlatformError>();
  }
  void* symbol = dlsym(library, "GetPjrtApi");
  if (symbol == nullptr) {
    Message("plugin " + path)
        .expected("a PJRT plugin")
        .got("a library without the function GetPjrtApi")
        .raise<PlatformError>();
  }
  using GetApi = const abi::Api*();
  return adopt(reinterpret_cast<GetApi*>(symbol)(), path);
}

Plugin Plugin::adopt(const abi::Api* api, const std::string& path) {
  check_table(api, path);
  Padded<abi::PluginInitializeArgs> args;
  call(api, kPluginInitialize, args);
  return Plugin(api, path);
}

std::string Plugin::api_version() const {
  return std::to_string(api_->version.major) + "." +
         std::to_string(api_->version.minor);
}

NamedValues Plugin::attributes() const {
  Padded<abi::PluginAttributesArgs> args;
  call(api_, kPluginAttributes, args);
  return from_abi({args->attributes, args->num_attributes});
}

bool Plugin::has_ffi() const { return find_ffi(api_) != nullptr; }

void Plugin::register_ffi_handler(std::string_view name, void* handler,
                                  std::string_view platform) const {
  constexpr const char* kCall = "PJRT_FFI_Register_Handler";
  const abi::FfiExtension* ffi = find_ffi(api_);
  if (ffi == nullptr) throw_missing_function(api_, kCall);
  // Not padded: plugins compare this struct's size for equality.
  abi::FfiRegisterHandlerArgs args{};
  args.struct_size = sizeof(args);
  args.target_name = name.data();
  args.target_name_size = name.size();
  args.handler = handler;
  args.platform_name = platform.data();
  args.platform_name_size = platform.size();
  check(api_, ffi->register_handler(&args), kCall);
}

}  // namespace systolic::internal::pjrt
