// Plugins of other versions and sizes, with entries that are empty, and calls
// that say OK and give nothing.
#include <functional>
#include <set>

#include "systolic/pjrt/functions.h"
#include "tests/fake_plugin/walks.h"

namespace systolic::internal::pjrt::fake {
namespace {

class VersionsTest : public FakePluginTest {
 protected:
  static void empty(int index) {
    reinterpret_cast<void**>(control().api + 1)[index] = nullptr;
  }
  static void walk() {
    walk_pjrt(program());
    walk_runtime(cpu(), program());
    walk_runtime(cuda(), program());
  }
};

TEST_F(VersionsTest, OtherMajorIsRefused) {
  control().api->version.major = 1;
  EXPECT_EQ(words_of<PlatformError>([] { Plugin::load(kPath); }),
            std::string("plugin ") + kPath +
                ": expected PJRT C API 0.x, got 1.90\n  hint: take a version "
                "of the plugin that matches this library");
}

TEST_F(VersionsTest, OtherMinorsAreTaken) {
  for (const int minor : {0, 81, 5000}) {
    control().api->version.minor = minor;
    EXPECT_NO_THROW(walk()) << minor;
  }
}

TEST_F(VersionsTest, TableThatEndsTooSoonIsRefused) {
  control().api->struct_size = 300;
  EXPECT_TRUE(
      contains(words_of<PlatformError>([] { Plugin::load(kPath); }),
               "expected a function table of at least 624 bytes, got 300"));
}

// The shortest table that is taken: what stands behind is missing.
TEST_F(VersionsTest, OldTableLacksOnlyWhatIsNew) {
  control().api->struct_size = 624;
  EXPECT_NO_THROW(walk_runtime(cpu(), program()));
  try {
    Topology::create(Plugin::load(kPath), "fake:1");
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_EQ(error.call(), kTopologyCreate.name);
    EXPECT_EQ(error.code(), kUnimplemented);
  }
}

TEST_F(VersionsTest, LargerTableIsTaken) {
  control().api->struct_size += 8000;
  EXPECT_NO_THROW(walk());
}

TEST_F(VersionsTest, GrownArgumentStructsAreTaken) {
  control().wishes.grown = 64;
  EXPECT_NO_THROW(walk());
}

TEST_F(VersionsTest, StructsThatGrewTooFarAreAnErrorThatSaysSo) {
  control().wishes.grown = 4096;
  EXPECT_EQ(words_of<PlatformError>([] { walk(); }),
            "PJRT_Plugin_Initialize: INVALID_ARGUMENT: Unexpected "
            "PJRT_Plugin_Initialize_Args size: expected 4112, got 144. Check "
            "installed software versions.");
}

TEST_F(VersionsTest, PluginThatWantsItsSizesToTheByteIsAnErrorThatSaysSo) {
  control().wishes.is_strict = true;
  EXPECT_TRUE(contains(words_of<PlatformError>([] { walk(); }),
                       "expected 16, got 144"));
}

// Each entry empty in turn: the error names it, or nobody needs it.
TEST_F(VersionsTest, MissingEntryIsNamed) {
  const std::set<int> optional{
      kDeviceMemoryStats.index,   kExecutableCost.index,
      kExecutableOptimized.index, kExecutableMemory.index,
      kBufferPointer.index,       kBufferLayout.index,
      kErrorGetCode.index,        kErrorMessage.index,
      kErrorDestroy.index};
  for (size_t f = 0; f < kFunctions; ++f) {
    const char* name = control().names[f];
    if (name == nullptr) continue;
    control().reset();
    const Live before = control().live;
    empty(static_cast<int>(f));
    logged_.clear();
    try {
      walk();
      EXPECT_TRUE(optional.count(static_cast<int>(f)) == 1 ||
                  contains(logged_, std::string(name) + ": the plugin's API"))
          << name;
    } catch (const PlatformError& error) {
      EXPECT_EQ(error.call(), name);
      EXPECT_EQ(error.code(), kUnimplemented) << name;
      EXPECT_TRUE(contains(error.what(), "does not have this function"));
    }
    // What can not be destroyed stays; everything else is gone.
    if (contains(name, "Destroy")) {
      control().live = before;
    }
    control().reset();
    expect_nothing_lost(name);
  }
}

// Errors are told as well as it goes when their own functions are missing.
TEST_F(VersionsTest, ErrorWithoutMessageOrCodeStillNamesTheCall) {
  empty(kErrorMessage.index);
  empty(kErrorGetCode.index);
  control().wishes.failing = kClientCreate.index;
  EXPECT_EQ(
      words_of<PlatformError>([] { Client::create(Plugin::load(kPath), {}); }),
      "PJRT_Client_Create: UNKNOWN: the plugin gives no message");
}

// Each function that only says OK in turn: an exception or a default, and no
// crash.
TEST_F(VersionsTest, SuccessWithoutAResultDoesNotCrash) {
  for (size_t f = 0; f < kFunctions; ++f) {
    const char* name = control().names[f];
    if (name == nullptr || contains(name, "Destroy")) continue;
    // A callback that is never called is an event that never fires.
    if (f == static_cast<size_t>(kEventOnReady.index)) continue;
    for (const auto& walk : std::vector<std::function<void()>>{
             [] { walk_pjrt(program()); },
             [] { walk_runtime(cpu(), program()); },
             [] { walk_runtime(cuda(), program()); }}) {
      control().reset();
      control().wishes.giving_nothing = static_cast<int>(f);
      try {
        walk();
      } catch (const std::exception&) {  // any: it only must not crash
      }
      control().reset();
      expect_nothing_lost(name);
    }
  }
}

TEST_F(VersionsTest, SuccessWithoutAnObjectIsAnError) {
  for (const auto& [index, name] : std::vector<std::pair<int, std::string>>{
           {kClientCreate.index, kClientCreate.name},
           {kClientCompile.index, kClientCompile.name},
           {kBufferFromHost.index, kBufferFromHost.name},
           {kDeviceDescription.index, kDeviceDescription.name}}) {
    control().reset();
    control().wishes.giving_nothing = index;
    EXPECT_EQ(words_of<PlatformError>([] { walk_pjrt(program()); }),
              name + ": the plugin reports success and gives nothing");
  }
}

TEST_F(VersionsTest, LaunchWithoutOutputsIsAnError) {
  const auto step = runtime::compile(cpu(), program(), {.num_replicas = 2});
  const auto x = runtime::to_device(two(), cpu().device(0));
  const auto y = runtime::to_device(two(), cpu().device(1));
  control().wishes.giving_nothing = kLoadedExecute.index;
  EXPECT_EQ(words_of<PlatformError>([&] {
              launch(step, {{x}, {y}});
            }),
            "PJRT_LoadedExecutable_Execute: the plugin reports success and "
            "gives nothing");
}

TEST_F(VersionsTest, PluginThatIgnoresTheNumberOfDevicesIsRefused) {
  control().wishes.ignores_options = true;
  EXPECT_EQ(words_of<PlatformError>([] {
              runtime::Client::open({.device_count = 5, .path = kPath});
            }),
            std::string("platform \"cpu\": expected 5 devices, got 2\n"
                        "  plugin: ") +
                kPath +
                "\n  hint: the plugin does not follow the option "
                "cpu_device_count; take another one");
}

TEST_F(VersionsTest, PlatformWithoutDevicesIsRefused) {
  control().wishes.devices = 0;
  EXPECT_TRUE(contains(words_of<PlatformError>([] {
                         runtime::Client::open(
                             {.platform = "tpu", .path = kPath});
                       }),
                       "platform \"tpu\": expected 1 or more devices, got 0"));
}

}  // namespace
}  // namespace systolic::internal::pjrt::fake
