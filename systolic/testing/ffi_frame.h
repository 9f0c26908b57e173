// An FFI call frame made by hand, to test a handler without a plugin.
//   FfiFrame frame;
//   frame.argument(ElementType::float32, {2}, x.data());
//   frame.result(ElementType::float32, {2}, y.data());
//   EXPECT_EQ(frame.attribute("k", int64_t{3}).call(&systolic_scale), "");
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "systolic/pjrt/ffi_abi.h"

namespace systolic::internal::testing {

/// Builds a call frame that owns all that it points to but the data.
class FfiFrame {
 public:
  using ElementType = pjrt::ffi_abi::ElementType;
  /// An attribute's value; each has the type that MLIR gives its spelling.
  using Attribute = std::variant<int64_t, int32_t, double, float, bool,
                                 std::string, std::vector<int64_t>>;

  /// Starts a frame of the given stage without operands.
  explicit FfiFrame(pjrt::ffi_abi::Stage stage = pjrt::ffi_abi::Stage::execute);
  FfiFrame(const FfiFrame&) = delete;
  FfiFrame& operator=(const FfiFrame&) = delete;

  /// Adds an argument of these dimensions; `data` must outlive the frame.
  FfiFrame& argument(ElementType type, std::vector<int64_t> dimensions,
                     const void* data);

  /// Adds a result of these dimensions; `data` must outlive the frame.
  FfiFrame& result(ElementType type, std::vector<int64_t> dimensions,
                   void* data);

  /// Adds an attribute.
  FfiFrame& attribute(std::string name, Attribute value);

  /// Returns the frame for what was added so far.
  pjrt::ffi_abi::CallFrame* frame();

  /// Calls a handler and returns its error message, empty for success.
  std::string call(pjrt::ffi_abi::Handler* handler);

  /// Returns the code of the last call's error.
  pjrt::ffi_abi::ErrorCode code() const { return code_; }

 private:
  struct Operands {
    std::deque<std::vector<int64_t>> dimensions;
    std::deque<pjrt::ffi_abi::Buffer> buffers;
    std::vector<pjrt::ffi_abi::OperandType> types;
    std::vector<void*> items;

    void add(ElementType type, std::vector<int64_t> sizes, void* data);
    pjrt::ffi_abi::Operands view();
  };
  struct Named;

  Operands arguments_;
  Operands results_;
  std::deque<std::shared_ptr<Named>> attributes_;
  std::vector<pjrt::ffi_abi::AttributeType> types_;
  std::vector<pjrt::ffi_abi::ByteSpan*> names_;
  std::vector<void*> items_;
  pjrt::ffi_abi::CallFrame frame_{};
  pjrt::ffi_abi::ErrorCode code_ = pjrt::ffi_abi::ErrorCode::ok;
};

}  // namespace systolic::internal::testing
