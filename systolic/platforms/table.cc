#include "systolic/platforms/table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"
#include "systolic/platforms/settings.h"

namespace systolic::internal::platforms {
namespace {

// --- cpu -------------------------------------------------------------------

constexpr std::array<std::string_view, 3> kCpuFiles{
    "pjrt_c_api_cpu_plugin.so", "libpjrt_cpu.so", "xla_cpu_pjrt.so"};
constexpr std::array<std::string_view, 3> kCpuPython{
    "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
    "fastatomstruct_xla_cpu/libpjrt_cpu.so",
    "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"};
// XLA logs to stderr below this level.
constexpr std::array<EnvironmentSetting, 1> kQuiet{
    {{"TF_CPP_MIN_LOG_LEVEL", "3"}}};
// Eight replicas on a loaded machine may wait long for the slowest: by itself
// the plugin ends the process after 40 s.
constexpr std::array<CompilerSetting, 2> kCpuCompiler{{
    {"xla_cpu_collective_call_terminate_timeout_seconds", int64_t{7200}},
    {"xla_cpu_collective_timeout_seconds", int64_t{7200}},
}};
// Initial weights are computed once: half of their compiling is saved.
constexpr std::array<CompilerSetting, 1> kCpuOneRun{
    {{"xla_backend_optimization_level", int64_t{0}}}};
constexpr std::array<Capability, 4> kCpuCan{
    Capability::host_memory, Capability::virtual_devices,
    Capability::double_precision, Capability::fused_products};

// --- tpu -------------------------------------------------------------------

constexpr std::array<std::string_view, 1> kTpuFiles{"libtpu.so"};
constexpr std::array<std::string_view, 1> kTpuPython{"libtpu/libtpu.so"};
constexpr std::array<EnvironmentSetting, 7> kTpuEnvironment{{
    {"TF_CPP_MIN_LOG_LEVEL", "3"},
    {"TPU_LOG_DIR", "disabled"},
    // Elsewhere than on Google Cloud it waits for a server that is not there,
    // and warns of what it does not know; compiling needs none of it.
    {"TPU_SKIP_MDS_QUERY", "1", &lacks_tpu_hardware},
    {"TPU_WORKER_HOSTNAMES", "localhost", &lacks_tpu_hardware},
    {"TPU_ACCELERATOR_TYPE", "v3-8", &lacks_tpu_hardware},
    // Compilers do not exclude each other as users of a TPU do.
    {"ALLOW_MULTIPLE_LIBTPU_LOAD", "1", &lacks_tpu_hardware},
    // It would move the program's text into large pages, and say where not.
    {"LIBTPU_INIT_ARGS", "--nohugepage_text", &lacks_tpu_hardware},
}};
// No fused_products: libtpu 0.0.52 breaks on them for v4 and later.
constexpr std::array<Capability, 3> kTpuCan{Capability::fast_convolution,
                                            Capability::memory_statistics,
                                            Capability::half_precision};

// --- cuda ------------------------------------------------------------------

constexpr std::array<std::string_view, 1> kCudaFiles{"xla_cuda_plugin.so"};
constexpr std::array<std::string_view, 2> kCudaPython{
    "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
    "jax_plugins/xla_cuda12/xla_cuda_plugin.so"};
constexpr std::array<Capability, 5> kCudaCan{
    Capability::fast_convolution, Capability::memory_statistics,
    Capability::half_precision, Capability::double_precision,
    Capability::fused_products};

constexpr std::array<PlatformRow, 3> kRows{{
    {
        .name = "cpu",
        .title = "this machine's processor",
        .device_type = "CPU",
        .files = kCpuFiles,
        .python_files = kCpuPython,
        .install = "scripts/install-platform cpu",
        .environment = kQuiet,
        .prepare = &keep_freed_memory,
        .device_count_option = "cpu_device_count",
        .compiler_settings = kCpuCompiler,
        .one_run_settings = kCpuOneRun,
        .ffi_platform = "host",
        .capabilities = kCpuCan,
    },
    {
        .name = "tpu",
        .title = "Google's TPU",
        .device_type = "TPU",
        .files = kTpuFiles,
        .python_files = kTpuPython,
        .install = "scripts/install-platform tpu",
        .environment = kTpuEnvironment,
        .has_hardware = &has_tpu_hardware,
        .capabilities = kTpuCan,
    },
    {
        .name = "cuda",
        .title = "NVIDIA's GPU",
        .device_type = "GPU",
        .files = kCudaFiles,
        .python_files = kCudaPython,
        .install = "pip install \"jax[cuda13]\"",
        .environment = kQuiet,
        .capabilities = kCudaCan,
    },
}};

}  // namespace

std::span<const PlatformRow> rows() { return kRows; }

const PlatformRow& find_row(std::string_view name) {
  for (const PlatformRow& row : kRows) {
    if (row.name == name) return row;
  }
  std::vector<std::string_view> names;
  for (const PlatformRow& row : kRows) names.push_back(row.name);
  Message("platform")
      .expected(list_names(names))
      .got("'", name, "'")
      .raise<NotFoundError>();
}

std::string environment_variable(const PlatformRow& row) {
  std::string variable = "SYSTOLIC_PLATFORM_";
  for (char letter : row.name) {
    variable += static_cast<char>(std::toupper(letter));
  }
  return variable;
}

}  // namespace systolic::internal::platforms
