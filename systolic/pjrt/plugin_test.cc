#include "systolic/pjrt/plugin.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "systolic/base/error.h"
#include "systolic/testing/fake_pjrt.h"
#include "systolic/testing/temporary_folder.h"

namespace systolic::internal::pjrt {
namespace {

template <class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const PlatformError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Plugin, MissingFileIsNamed) {
  EXPECT_EQ(message_of([] { Plugin::load("/nowhere/plugin.so"); }),
            "plugin /nowhere/plugin.so: the library does not load\n"
            "  loader: /nowhere/plugin.so: cannot open shared object file: No "
            "such file or directory");
}

TEST(Plugin, FileThatIsNoLibraryIsNamed) {
  const systolic::testing::TemporaryFolder folder;
  const std::string path = folder.path() / "no_library.so";
  std::ofstream(path) << "text";
  const std::string message = message_of([&] { Plugin::load(path); });
  EXPECT_NE(message.find(path + ": file too short"), std::string::npos)
      << message;
}

TEST(Plugin, LibraryThatIsNoPluginIsNamed) {
  EXPECT_EQ(message_of([] { Plugin::load("libm.so.6"); }),
            "plugin libm.so.6: expected a PJRT plugin, got a library without "
            "the function GetPjrtApi");
}

TEST(Plugin, NullTableIsRefused) {
  EXPECT_EQ(message_of([] { Plugin::adopt(nullptr, "fake"); }),
            "plugin fake: GetPjrtApi() gave no function table");
}

TEST(Plugin, OtherMajorVersionIsRefused) {
  FakeApi fake;
  fake.api()->version.major = 1;
  fake.api()->version.minor = 2;
  EXPECT_EQ(message_of([&] { Plugin::adopt(fake.api(), "fake"); }),
            "plugin fake: expected PJRT C API 0.x, got 1.2\n"
            "  hint: take a version of the plugin that matches this library");
}

TEST(Plugin, TableThatIsTooSmallIsRefused) {
  FakeApi fake;
  fake.api()->struct_size = 100;
  EXPECT_EQ(message_of([&] { Plugin::adopt(fake.api(), "fake"); }),
            "plugin fake: expected a function table of at least 624 bytes, "
            "got 100\n"
            "  hint: the plugin is too old; take a newer version of it");
}

TEST(Plugin, OtherMinorVersionIsTaken) {
  FakeApi fake;
  fake.api()->version.minor = 250;
  EXPECT_EQ(Plugin::adopt(fake.api(), "fake").api_version(), "0.250");
}

TEST(Plugin, WithoutTheExtensionThereAreNoHandlers) {
  FakeApi fake;
  const Plugin plugin = Plugin::adopt(fake.api(), "fake");
  EXPECT_FALSE(plugin.has_ffi());
  EXPECT_THROW(plugin.register_ffi_handler("k", nullptr, "host"),
               PlatformError);
}

abi::Error* fail_to_register(abi::FfiRegisterHandlerArgs* args) {
  EXPECT_EQ(std::string(args->target_name, args->target_name_size), "k");
  EXPECT_EQ(std::string(args->platform_name, args->platform_name_size), "host");
  EXPECT_EQ(args->struct_size, sizeof(*args));
  return reinterpret_cast<abi::Error*>(args);
}

TEST(Plugin, HandlersGoThroughTheExtension) {
  FakeApi fake;
  abi::FfiExtension ffi{};
  ffi.base = {sizeof(ffi), abi::ExtensionType::ffi, nullptr};
  ffi.register_handler = &fail_to_register;
  abi::ExtensionBase other{sizeof(other), abi::ExtensionType{1}, &ffi.base};
  fake.api()->extension_start = &other;
  const Plugin plugin = Plugin::adopt(fake.api(), "fake");
  EXPECT_TRUE(plugin.has_ffi());
  EXPECT_EQ(
      message_of([&] { plugin.register_ffi_handler("k", nullptr, "host"); }),
      "PJRT_FFI_Register_Handler: INVALID_ARGUMENT: the fake says no");
}

TEST(Plugin, ExtensionOfAnOldPluginIsNotUsed) {
  FakeApi fake;
  abi::FfiExtension ffi{};
  ffi.base = {sizeof(ffi) - 8, abi::ExtensionType::ffi, nullptr};
  fake.api()->extension_start = &ffi.base;
  EXPECT_FALSE(Plugin::adopt(fake.api(), "fake").has_ffi());
}

}  // namespace
}  // namespace systolic::internal::pjrt
