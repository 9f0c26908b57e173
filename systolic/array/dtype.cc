#include "systolic/array/dtype.h"

#include <array>
#include <ostream>

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"

namespace systolic {
namespace {

// In the order of DType.
constexpr std::array<std::string_view, kDTypeCount> kNames{
    "bool",     "int8",    "int16",   "int32",         "int64",       "uint8",
    "uint16",   "uint32",  "uint64",  "float8_e4m3fn", "float8_e5m2", "float16",
    "bfloat16", "float32", "float64", "complex64",     "complex128",  "string"};

constexpr std::array<size_t, kDTypeCount> kSizes{
    1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 1, 2, 2, 4, 8, 8, 16, sizeof(std::string)};

}  // namespace

std::string_view name(DType dtype) {
  return kNames[static_cast<size_t>(dtype)];
}

std::ostream& operator<<(std::ostream& out, DType dtype) {
  return out << name(dtype);
}

size_t size_of(DType dtype) { return kSizes[static_cast<size_t>(dtype)]; }

DType dtype_from_name(std::string_view name) {
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<DType>(i);
  }
  internal::Message message("dtype");
  message.expected(internal::list_names(kNames)).got("'", name, "'");
  std::string_view near = internal::closest_name(name, kNames);
  if (name == "boolean") near = "bool";
  if (name == "half") near = "float16";
  if (name == "float") near = "float32";
  if (name == "double") near = "float64";
  if (name == "int") near = "int32";
  if (name == "complex") near = "complex64";
  if (!near.empty()) message.hint("did you mean '", near, "'?");
  message.raise<ValueError>();
}

}  // namespace systolic
