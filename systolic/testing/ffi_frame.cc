#include "systolic/testing/ffi_frame.h"

#include <algorithm>
#include <type_traits>

namespace systolic::internal::testing {

namespace abi = pjrt::ffi_abi;

namespace {

// What the opaque Error of our function table is.
struct MadeError {
  abi::ErrorCode code;
  std::string message;
};

abi::Error* create_error(abi::ErrorCreateArgs* args) {
  return reinterpret_cast<abi::Error*>(
      new MadeError{args->code, args->message});
}

const abi::Api& function_table() {
  static const abi::Api api = [] {
    abi::Api made{};
    made.struct_size = sizeof(made);
    made.error_create = &create_error;
    return made;
  }();
  return api;
}

template <class T>
abi::ElementType element_type_of() {
  if (std::is_same_v<T, int64_t>) return abi::ElementType::int64;
  if (std::is_same_v<T, int32_t>) return abi::ElementType::int32;
  if (std::is_same_v<T, double>) return abi::ElementType::float64;
  if (std::is_same_v<T, float>) return abi::ElementType::float32;
  return abi::ElementType::boolean;
}

}  // namespace

struct FfiFrame::Named {
  std::string name;
  Attribute value;
  abi::ByteSpan name_span{};
  abi::ByteSpan text{};
  abi::ScalarAttribute scalar{};
  abi::ArrayAttribute array{};
};

FfiFrame::FfiFrame(abi::Stage stage) {
  frame_.struct_size = sizeof(frame_);
  frame_.api = &function_table();
  frame_.stage = stage;
}

void FfiFrame::Operands::add(ElementType type, std::vector<int64_t> sizes,
                             void* data) {
  auto& kept = dimensions.emplace_back(std::move(sizes));
  abi::Buffer buffer{};
  buffer.struct_size = sizeof(buffer);
  buffer.element_type = type;
  buffer.data = data;
  buffer.rank = static_cast<int64_t>(kept.size());
  buffer.dimensions = kept.data();
  buffers.push_back(buffer);
  types.push_back(abi::OperandType::buffer);
  items.push_back(&buffers.back());
}

abi::Operands FfiFrame::Operands::view() {
  return {sizeof(abi::Operands), nullptr, static_cast<int64_t>(items.size()),
          types.data(), items.data()};
}

FfiFrame& FfiFrame::argument(ElementType type, std::vector<int64_t> dimensions,
                             const void* data) {
  arguments_.add(type, std::move(dimensions), const_cast<void*>(data));
  return *this;
}

FfiFrame& FfiFrame::result(ElementType type, std::vector<int64_t> dimensions,
                           void* data) {
  results_.add(type, std::move(dimensions), data);
  return *this;
}

FfiFrame& FfiFrame::attribute(std::string name, Attribute value) {
  auto made = std::make_shared<Named>();
  made->name = std::move(name);
  made->value = std::move(value);
  made->name_span = {made->name.data(), made->name.size()};
  names_.push_back(&made->name_span);
  std::visit(
      [&](auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>) {
          made->text = {held.data(), held.size()};
          types_.push_back(abi::AttributeType::string);
          items_.push_back(&made->text);
        } else if constexpr (std::is_same_v<Held, std::vector<int64_t>>) {
          made->array = {ElementType::int64, held.size(), held.data()};
          types_.push_back(abi::AttributeType::array);
          items_.push_back(&made->array);
        } else {
          made->scalar = {element_type_of<Held>(), &held};
          types_.push_back(abi::AttributeType::scalar);
          items_.push_back(&made->scalar);
        }
      },
      made->value);
  attributes_.push_back(std::move(made));
  return *this;
}

abi::CallFrame* FfiFrame::frame() {
  frame_.arguments = arguments_.view();
  frame_.results = results_.view();
  frame_.attributes = {sizeof(abi::Attributes),
                       nullptr,
                       static_cast<int64_t>(items_.size()),
                       types_.data(),
                       names_.data(),
                       items_.data()};
  return &frame_;
}

std::string FfiFrame::call(abi::Handler* handler) {
  std::unique_ptr<MadeError> error(
      reinterpret_cast<MadeError*>(handler(frame())));
  code_ = error ? error->code : abi::ErrorCode::ok;
  return error ? error->message : "";
}

}  // namespace systolic::internal::testing
