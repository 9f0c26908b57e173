#include "systolic/platforms/report.h"

#include <algorithm>
#include <cstdio>
#include <variant>

#include "systolic/base/error.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/verdict.h"

namespace systolic::internal::platforms {
namespace {

std::string version_text(const pjrt::NamedValues& attributes,
                         const std::string& name) {
  const pjrt::Value* value = pjrt::find(attributes, name);
  if (value == nullptr) return "";
  const auto* numbers = std::get_if<std::vector<int64_t>>(value);
  if (numbers == nullptr) return pjrt::to_text(*value);
  std::string text;
  for (int64_t number : *numbers) {
    if (!text.empty()) text += '.';
    text += std::to_string(number);
  }
  return text;
}

void ask(PlatformReport& report) {
  const Platform& platform =
      Platform::load(report.row->name, report.search.found->path);
  report.api_version = platform.plugin().api_version();
  report.stablehlo_version =
      version_text(platform.plugin().attributes(), "stablehlo_current_version");
  report.kernels = platform.kernels();
  if (report.row->has_hardware != nullptr && !report.row->has_hardware()) {
    report.no_devices =
        "none on this machine; programs are compiled for those elsewhere";
    report.checked = "";
    return;
  }
  const pjrt::Client client = platform.create_client(1);
  for (const pjrt::Device& device : client.devices()) {
    const auto memory = device.memory_stats();
    report.devices.push_back({device.description().kind(),
                              memory ? memory->bytes_limit : std::nullopt});
  }
}

// What the self-test found, or how to run it.
std::string checked_text(const PlatformReport& report) {
  const std::string command =
      "`systolic platforms " + std::string(report.row->name) + " --check`";
  const auto verdict = read_verdict(plugin_identity(report.search.found->path));
  if (!verdict) return "not yet: " + command;
  const std::string when = " on " + time_text(verdict->when);
  if (!verdict->passed()) return "failed " + verdict->failed + when;
  return "passed " + std::to_string(verdict->checks) + " checks" + when;
}

void add_line(std::string& text, const char* label, const std::string& value) {
  if (value.empty()) return;
  char padded[32];
  std::snprintf(padded, sizeof(padded), "\n  %-9s ", label);
  text += padded;
  text += value;
}

// "2 x NVIDIA H100, 80.0 GiB each": equal devices are counted.
std::string devices_text(const PlatformReport& report) {
  std::string text;
  for (size_t i = 0; i < report.devices.size();) {
    const DeviceReport& first = report.devices[i];
    size_t end = i;
    while (end < report.devices.size() &&
           report.devices[end].kind == first.kind) {
      ++end;
    }
    if (!text.empty()) text += ", ";
    text += std::to_string(end - i) + " x " + first.kind;
    if (first.memory_bytes) {
      text += " with " + memory_text(*first.memory_bytes);
    }
    i = end;
  }
  if (!text.empty() && !report.row->device_count_option.empty()) {
    text += ", shown as many as a program asks for";
  }
  return text;
}

std::string kernels_text(const KernelLibrary& kernels) {
  if (kernels.names.empty()) return kernels.problem;
  std::string text =
      std::to_string(kernels.names.size()) + " in " + kernels.path;
  // They are listed where a LAPACK was found, all or none.
  if (std::ranges::find(kernels.names, "systolic_svd") == kernels.names.end()) {
    text +=
        "; no LAPACK was found (libopenblas0-pthread), so decompositions "
        "are XLA's own";
  }
  return text;
}

// An error's further lines, indented below the report's.
std::string indented(const std::string& text) {
  std::string out;
  for (char c : text) {
    out += c;
    if (c == '\n') out += "            ";
  }
  return out;
}

void add_missing(std::string& text, const PlatformReport& report) {
  text += "\n  not installed";
  for (const std::string& place : report.search.looked) {
    add_line(text, "looked at", place);
  }
  add_line(text, "install", std::string(report.row->install));
}

}  // namespace

PlatformReport make_report(const PlatformRow& row) {
  PlatformReport report;
  report.row = &row;
  report.search = search(row);
  if (!report.search.found) return report;
  report.checked = checked_text(report);
  try {
    ask(report);
  } catch (const Error& error) {
    report.problem = error.what();
  }
  return report;
}

std::string to_text(const PlatformReport& report) {
  std::string text =
      std::string(report.row->name) + ": " + std::string(report.row->title);
  if (!report.search.found) {
    add_missing(text, report);
    return text;
  }
  const FoundPlugin& found = *report.search.found;
  add_line(text, "plugin", found.path);
  add_line(text, "found by", found.origin);
  add_line(text, "version", found.version);
  std::string speaks = report.api_version;
  if (!speaks.empty()) speaks = "PJRT C API " + speaks;
  if (!report.stablehlo_version.empty()) {
    speaks += ", StableHLO " + report.stablehlo_version;
  }
  add_line(text, "speaks", speaks);
  add_line(text, "devices", devices_text(report));
  add_line(text, "devices", report.no_devices);
  if (!report.row->ffi_platform.empty()) {
    add_line(text, "kernels", kernels_text(report.kernels));
  }
  add_line(text, "checked", report.checked);
  add_line(text, "problem", indented(report.problem));
  return text;
}

std::string memory_text(int64_t bytes) {
  constexpr double kMib = 1 << 20;
  constexpr double kGib = 1 << 30;
  const auto count = static_cast<double>(bytes);
  char text[32];
  if (count >= kGib) {
    std::snprintf(text, sizeof(text), "%.1f GiB", count / kGib);
  } else {
    std::snprintf(text, sizeof(text), "%.0f MiB", count / kMib);
  }
  return text;
}

}  // namespace systolic::internal::platforms
