#include "systolic/pjrt/ffi.h"

#include <new>

namespace systolic::internal::pjrt {

using ffi_abi::AttributeType;
using ffi_abi::ElementType;
using ffi_abi::ErrorCode;

namespace {

namespace layout {

using namespace ffi_abi;

static_assert(sizeof(void*) == 8, "the layout below is that of 64-bit ABIs");
static_assert(sizeof(ExtensionBase) == 24);
static_assert(sizeof(Version) == 24 && offsetof(Version, minor) == 20);
static_assert(offsetof(Metadata, version) == 8);
static_assert(offsetof(Metadata, traits) == 32);
static_assert(offsetof(MetadataExtension, metadata) == 24);
static_assert(sizeof(Buffer) == 48 && offsetof(Buffer, data) == 24);
static_assert(offsetof(Buffer, dimensions) == 40);
static_assert(sizeof(ByteSpan) == 16 && sizeof(ScalarAttribute) == 16);
static_assert(sizeof(ArrayAttribute) == 24);
static_assert(offsetof(ArrayAttribute, data) == 16);
static_assert(sizeof(Operands) == 40 && offsetof(Operands, items) == 32);
static_assert(sizeof(Attributes) == 48 && offsetof(Attributes, items) == 40);
static_assert(offsetof(ErrorCreateArgs, code) == 24);
static_assert(offsetof(Api, error_create) == 48);
static_assert(offsetof(CallFrame, stage) == 32);
static_assert(offsetof(CallFrame, arguments) == 40);
static_assert(offsetof(CallFrame, results) == 80);
static_assert(offsetof(CallFrame, attributes) == 120);
static_assert(offsetof(CallFrame, future) == 168);

}  // namespace layout

[[noreturn]] void fail(const std::string& message) {
  throw FfiError(ErrorCode::invalid_argument, message);
}

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

std::string_view name(AttributeType type) {
  switch (type) {
    case AttributeType::array:
      return "an array";
    case AttributeType::dictionary:
      return "a dictionary";
    case AttributeType::scalar:
      return "a scalar";
    case AttributeType::string:
      return "a string";
  }
  return "of an unknown kind";
}

FfiBuffer operand(const ffi_abi::Operands& operands, int index,
                  const char* kind) {
  if (index < 0 || index >= operands.size) {
    fail("expected at least " + std::to_string(index + 1) + " " + kind +
         "s, got " + std::to_string(operands.size));
  }
  if (operands.types[index] != ffi_abi::OperandType::buffer) {
    fail(std::string(kind) + " " + std::to_string(index) + " is no buffer");
  }
  const auto& buffer =
      *static_cast<const ffi_abi::Buffer*>(operands.items[index]);
  return {buffer.element_type,
          {buffer.dimensions, static_cast<size_t>(buffer.rank)},
          buffer.data};
}

FfiBuffer checked(const FfiBuffer& buffer, int index, const char* kind,
                  ElementType type, int rank) {
  if (buffer.element_type != type || buffer.rank() != rank) {
    fail(std::string(kind) + " " + std::to_string(index) + ": expected " +
         std::string(pjrt::name(type)) + " of rank " + std::to_string(rank) +
         ", got " + buffer.to_string());
  }
  return buffer;
}

ffi_abi::Error* make_error(const ffi_abi::CallFrame& frame, ErrorCode code,
                           const char* who, const char* what) noexcept {
  std::string text;
  try {
    text = std::string(who) + ": " + what;
  } catch (...) {
    // Out of memory: the short form is better than no error.
  }
  ffi_abi::ErrorCreateArgs args{};
  args.struct_size = sizeof(args);
  args.message = text.empty() ? who : text.c_str();
  args.code = code;
  return frame.api->error_create(&args);
}

// Returns the metadata that the plugin wants filled in, or null.
ffi_abi::Metadata* requested_metadata(const ffi_abi::CallFrame& frame) {
  for (auto* e = frame.extension_start; e != nullptr; e = e->next) {
    if (e->type == ffi_abi::ExtensionType::metadata) {
      return reinterpret_cast<ffi_abi::MetadataExtension*>(e)->metadata;
    }
  }
  return nullptr;
}

}  // namespace

std::string_view name(ElementType type) {
  switch (type) {
    case ElementType::invalid:
      return "invalid";
    case ElementType::boolean:
      return "i1";
    case ElementType::int8:
      return "i8";
    case ElementType::int16:
      return "i16";
    case ElementType::int32:
      return "i32";
    case ElementType::int64:
      return "i64";
    case ElementType::uint8:
      return "ui8";
    case ElementType::uint16:
      return "ui16";
    case ElementType::uint32:
      return "ui32";
    case ElementType::uint64:
      return "ui64";
    case ElementType::float16:
      return "f16";
    case ElementType::float32:
      return "f32";
    case ElementType::float64:
      return "f64";
    case ElementType::complex64:
      return "complex<f32>";
    case ElementType::bfloat16:
      return "bf16";
    case ElementType::token:
      return "token";
    case ElementType::complex128:
      return "complex<f64>";
    case ElementType::float8_e5m2:
      return "f8E5M2";
    case ElementType::float8_e4m3fn:
      return "f8E4M3FN";
  }
  return "unknown";
}

int64_t FfiBuffer::elements() const {
  int64_t count = 1;
  for (int64_t size : dimensions) count *= size;
  return count;
}

std::string FfiBuffer::to_string() const {
  std::string text = "tensor<";
  for (int64_t size : dimensions) text += std::to_string(size) + "x";
  return text + std::string(pjrt::name(element_type)) + ">";
}

int FfiCall::argument_count() const {
  return static_cast<int>(frame_.arguments.size);
}

int FfiCall::result_count() const {
  return static_cast<int>(frame_.results.size);
}

FfiBuffer FfiCall::argument(int index) const {
  return operand(frame_.arguments, index, "argument");
}

FfiBuffer FfiCall::result(int index) const {
  return operand(frame_.results, index, "result");
}

FfiBuffer FfiCall::argument(int index, ElementType type, int rank) const {
  return checked(argument(index), index, "argument", type, rank);
}

FfiBuffer FfiCall::result(int index, ElementType type, int rank) const {
  return checked(result(index), index, "result", type, rank);
}

bool FfiCall::has(std::string_view attribute) const {
  for (int64_t i = 0; i < frame_.attributes.size; ++i) {
    const ffi_abi::ByteSpan& found = *frame_.attributes.names[i];
    if (attribute == std::string_view(found.data, found.size)) return true;
  }
  return false;
}

const void* FfiCall::find(std::string_view attribute,
                          AttributeType type) const {
  const ffi_abi::Attributes& all = frame_.attributes;
  for (int64_t i = 0; i < all.size; ++i) {
    if (attribute != std::string_view(all.names[i]->data, all.names[i]->size)) {
      continue;
    }
    if (all.types[i] == type) return all.items[i];
    fail("attribute " + quoted(attribute) + ": expected " +
         std::string(name(type)) + ", got " + std::string(name(all.types[i])));
  }
  std::string known;
  for (int64_t i = 0; i < all.size; ++i) {
    known += (i == 0 ? "" : ", ") +
             std::string(all.names[i]->data, all.names[i]->size);
  }
  fail("attribute " + quoted(attribute) +
       " is missing\n  attributes: " + (known.empty() ? "none" : known) +
       "\n  hint: attributes are passed in `backend_config = {...}`");
}

const ffi_abi::ScalarAttribute& FfiCall::scalar(
    std::string_view attribute) const {
  return *static_cast<const ffi_abi::ScalarAttribute*>(
      find(attribute, AttributeType::scalar));
}

int64_t FfiCall::int64(std::string_view attribute) const {
  const ffi_abi::ScalarAttribute& found = scalar(attribute);
  if (found.element_type == ElementType::int64) {
    return *static_cast<const int64_t*>(found.value);
  }
  if (found.element_type == ElementType::int32) {
    return *static_cast<const int32_t*>(found.value);
  }
  fail("attribute " + quoted(attribute) + ": expected i64, got " +
       std::string(pjrt::name(found.element_type)));
}

double FfiCall::float64(std::string_view attribute) const {
  const ffi_abi::ScalarAttribute& found = scalar(attribute);
  if (found.element_type == ElementType::float64) {
    return *static_cast<const double*>(found.value);
  }
  if (found.element_type == ElementType::float32) {
    return *static_cast<const float*>(found.value);
  }
  fail("attribute " + quoted(attribute) + ": expected f64, got " +
       std::string(pjrt::name(found.element_type)));
}

bool FfiCall::boolean(std::string_view attribute) const {
  const ffi_abi::ScalarAttribute& found = scalar(attribute);
  if (found.element_type == ElementType::boolean) {
    return *static_cast<const unsigned char*>(found.value) != 0;
  }
  fail("attribute " + quoted(attribute) + ": expected i1, got " +
       std::string(pjrt::name(found.element_type)));
}

std::string_view FfiCall::text(std::string_view attribute) const {
  const auto& found = *static_cast<const ffi_abi::ByteSpan*>(
      find(attribute, AttributeType::string));
  return {found.data, found.size};
}

std::span<const int64_t> FfiCall::int64s(std::string_view attribute) const {
  const auto& found = *static_cast<const ffi_abi::ArrayAttribute*>(
      find(attribute, AttributeType::array));
  if (found.element_type != ElementType::int64) {
    fail("attribute " + quoted(attribute) +
         ": expected array<i64>, got array<" +
         std::string(pjrt::name(found.element_type)) + ">");
  }
  return {static_cast<const int64_t*>(found.data), found.size};
}

std::span<const int64_t> FfiCall::int64s(std::string_view attribute,
                                         size_t count) const {
  std::span<const int64_t> found = int64s(attribute);
  if (found.size() != count) {
    fail("attribute " + quoted(attribute) + ": expected " +
         std::to_string(count) + " elements, got " +
         std::to_string(found.size()));
  }
  return found;
}

ffi_abi::Error* serve_ffi_call(ffi_abi::CallFrame* frame, const char* name,
                               void (*body)(const FfiCall& call)) noexcept {
  if (ffi_abi::Metadata* metadata = requested_metadata(*frame)) {
    // `metadata->struct_size` stays: the plugin may know a larger layout.
    metadata->version = {sizeof(ffi_abi::Version), nullptr,
                         ffi_abi::kMajorVersion, ffi_abi::kMinorVersion};
    metadata->traits = 0;
    return nullptr;
  }
  if (frame->stage != ffi_abi::Stage::execute) return nullptr;
  try {
    body(FfiCall(*frame));
    return nullptr;
  } catch (const FfiError& error) {
    return make_error(*frame, error.code(), name, error.what());
  } catch (const std::bad_alloc&) {
    return make_error(*frame, ErrorCode::resource_exhausted, name,
                      "out of memory");
  } catch (const std::exception& error) {
    return make_error(*frame, ErrorCode::internal, name, error.what());
  } catch (...) {
    return make_error(*frame, ErrorCode::internal, name, "unknown exception");
  }
}

}  // namespace systolic::internal::pjrt
