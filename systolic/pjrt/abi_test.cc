// The layout of the argument structs, as the published header lays them out:
// the numbers were taken from a real one (API 0.81, x86-64).
#include "systolic/pjrt/abi.h"

#include <gtest/gtest.h>

#include "systolic/pjrt/abi_buffer.h"
#include "systolic/pjrt/abi_program.h"
#include "systolic/pjrt/functions.h"

namespace systolic::internal::pjrt {
namespace {

static_assert(sizeof(void*) == 8, "the numbers are those of 64-bit ABIs");
static_assert(sizeof(abi::Api) == 40);
static_assert(offsetof(abi::Api, version.minor) == 36);

static_assert(sizeof(abi::NamedValue) == 56);
static_assert(offsetof(abi::NamedValue, type) == 32);
static_assert(offsetof(abi::NamedValue, int64_value) == 40);
static_assert(offsetof(abi::NamedValue, value_size) == 48);

static_assert(sizeof(abi::PluginAttributesArgs) == 32);
static_assert(sizeof(abi::NounArgs<abi::Event>) == 24);
static_assert(sizeof(abi::GetArgs<abi::Event, bool>) == 32);
static_assert(sizeof(abi::ListArgs<abi::Client, char>) == 40);
static_assert(offsetof(abi::EventOnReadyArgs, callback) == 24);
static_assert(sizeof(abi::ClientCreateArgs) == 88);
static_assert(offsetof(abi::ClientCreateArgs, client) == 64);
static_assert(sizeof(abi::TopologyCreateArgs) == 56);
static_assert(offsetof(abi::TopologyCreateArgs, topology) == 48);

using Stats = abi::DeviceMemoryStatsArgs;
static_assert(offsetof(Stats, bytes_in_use) == 24);
static_assert(offsetof(Stats, peak_bytes_in_use.is_set) == 40);
static_assert(offsetof(Stats, bytes_limit) == 80);
static_assert(offsetof(Stats, peak_pool_bytes.is_set) == 184);

static_assert(sizeof(abi::MemoryLayout) == 80);
static_assert(offsetof(abi::MemoryLayout, tiled.minor_to_major) == 32);
static_assert(offsetof(abi::MemoryLayout, strides.num_byte_strides) == 40);
static_assert(offsetof(abi::MemoryLayout, type) == 72);

static_assert(sizeof(abi::BufferFromHostArgs) == 120);
static_assert(offsetof(abi::BufferFromHostArgs, type) == 32);
static_assert(offsetof(abi::BufferFromHostArgs, semantics) == 72);
static_assert(offsetof(abi::BufferFromHostArgs, device) == 80);
static_assert(offsetof(abi::BufferFromHostArgs, device_layout) == 96);
static_assert(offsetof(abi::BufferFromHostArgs, done_with_host_buffer) == 104);
static_assert(offsetof(abi::BufferFromHostArgs, buffer) == 112);
static_assert(sizeof(abi::BufferToHostArgs) == 56);
static_assert(offsetof(abi::BufferToHostArgs, host_layout) == 24);
static_assert(offsetof(abi::BufferToHostArgs, event) == 48);
static_assert(offsetof(abi::BufferCopyToDeviceArgs, copy) == 32);

static_assert(sizeof(abi::Program) == 48);
static_assert(offsetof(abi::Program, format_size) == 40);
static_assert(sizeof(abi::ClientCompileArgs) == 56);
static_assert(offsetof(abi::ClientCompileArgs, executable) == 48);
static_assert(sizeof(abi::CompileArgs) == 64);
static_assert(offsetof(abi::CompileArgs, client) == 48);
static_assert(offsetof(abi::CompileArgs, executable) == 56);
static_assert(sizeof(abi::ExecutableSerializeArgs) == 56);
static_assert(offsetof(abi::ExecutableSerializeArgs, deleter) == 48);
static_assert(sizeof(abi::DeserializeAndLoadArgs) == 64);
static_assert(offsetof(abi::DeserializeAndLoadArgs, executable) == 40);
static_assert(sizeof(abi::OptimizedProgramArgs) == 32);
static_assert(offsetof(abi::OptimizedProgramArgs, program) == 24);
static_assert(sizeof(abi::ExecutableMemoryArgs) == 112);
static_assert(offsetof(abi::ExecutableMemoryArgs, temporary_bytes) == 56);
static_assert(offsetof(abi::ExecutableMemoryArgs, peak_bytes) == 104);

static_assert(sizeof(abi::ExecuteOptions) == 112);
static_assert(offsetof(abi::ExecuteOptions, launch_id) == 48);
static_assert(offsetof(abi::ExecuteOptions, non_donatable) == 56);
static_assert(offsetof(abi::ExecuteOptions, context) == 72);
static_assert(offsetof(abi::ExecuteOptions, incarnation_ids) == 104);
static_assert(sizeof(abi::ExecuteArgs) == 80);
static_assert(offsetof(abi::ExecuteArgs, argument_lists) == 32);
static_assert(offsetof(abi::ExecuteArgs, num_devices) == 40);
static_assert(offsetof(abi::ExecuteArgs, output_lists) == 56);
static_assert(offsetof(abi::ExecuteArgs, device_complete_events) == 64);
static_assert(offsetof(abi::ExecuteArgs, execute_device) == 72);

static_assert(offsetof(abi::FfiRegisterHandlerArgs, handler) == 24);
static_assert(offsetof(abi::FfiRegisterHandlerArgs, traits) == 48);
static_assert(offsetof(abi::FfiExtension, register_handler) == 40);

// Positions that the others are counted from.
TEST(Abi, FunctionsStandWhereThePublishedTableHasThem) {
  EXPECT_EQ(kClientCreate.index, 10);
  EXPECT_EQ(kClientCompile.index, 20);
  EXPECT_EQ(kLoadedExecute.index, 55);
  EXPECT_EQ(kBufferToHost.index, 70);
  EXPECT_EQ(kCompile.index, 89);
}

}  // namespace
}  // namespace systolic::internal::pjrt
