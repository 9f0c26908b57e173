#include "systolic/pjrt/named_value.h"

#include "systolic/base/message.h"
#include "systolic/pjrt/named_value_abi.h"

namespace systolic::internal::pjrt {
namespace {

struct ToAbi {
  abi::NamedValue& out;

  void operator()(const std::string& text) const {
    out.type = abi::NamedValueType::string;
    out.string_value = text.data();
    out.value_size = text.size();
  }
  void operator()(int64_t number) const {
    out.type = abi::NamedValueType::int64;
    out.int64_value = number;
  }
  void operator()(const std::vector<int64_t>& numbers) const {
    out.type = abi::NamedValueType::int64_list;
    out.int64_list_value = numbers.data();
    out.value_size = numbers.size();
  }
  void operator()(float number) const {
    out.type = abi::NamedValueType::float32;
    out.float_value = number;
  }
  void operator()(bool flag) const {
    out.type = abi::NamedValueType::boolean;
    out.bool_value = flag;
  }
};

Value value_of(const abi::NamedValue& value) {
  switch (value.type) {
    case abi::NamedValueType::int64:
      return value.int64_value;
    case abi::NamedValueType::int64_list:
      return std::vector<int64_t>(value.int64_list_value,
                                  value.int64_list_value + value.value_size);
    case abi::NamedValueType::float32:
      return value.float_value;
    case abi::NamedValueType::boolean:
      return value.bool_value;
    case abi::NamedValueType::string:
      return std::string(value.string_value, value.value_size);
  }
  return std::string("?");  // a type that is newer than this file
}

struct ToText {
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(const std::vector<int64_t>& numbers) const {
    std::string text = "[";
    for (int64_t number : numbers) {
      if (text.size() > 1) text += ", ";
      text += std::to_string(number);
    }
    return text + "]";
  }
  template <class Plain>
  std::string operator()(Plain value) const {
    return concatenate_text(value);
  }
};

}  // namespace

std::vector<abi::NamedValue> to_abi(const NamedValues& values) {
  std::vector<abi::NamedValue> structs;
  structs.reserve(values.size());
  for (const auto& [name, value] : values) {
    abi::NamedValue& out = structs.emplace_back();
    out.struct_size = sizeof(abi::NamedValue);
    out.name = name.data();
    out.name_size = name.size();
    out.value_size = 1;
    std::visit(ToAbi{out}, value);
  }
  return structs;
}

NamedValues from_abi(std::span<const abi::NamedValue> values) {
  NamedValues copies;
  if (values.data() == nullptr) return copies;  // some plugins count nothing
  copies.reserve(values.size());
  for (const abi::NamedValue& value : values) {
    copies.emplace_back(std::string(value.name, value.name_size),
                        value_of(value));
  }
  return copies;
}

std::string to_text(const Value& value) { return std::visit(ToText{}, value); }

const Value* find(const NamedValues& values, const std::string& name) {
  for (const auto& [key, value] : values) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace systolic::internal::pjrt
