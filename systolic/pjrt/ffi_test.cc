#include "systolic/pjrt/ffi.h"

#include <gtest/gtest.h>

#include <new>

#include "systolic/testing/ffi_frame.h"

namespace systolic::internal::pjrt {
namespace {

using ffi_abi::ElementType;
using ffi_abi::ErrorCode;
using testing::FfiFrame;

int bodies_run = 0;

ffi_abi::Error* count_runs(ffi_abi::CallFrame* frame) {
  return serve_ffi_call(frame, "count", [](const FfiCall&) { ++bodies_run; });
}

// Returns the message of what `use` throws.
template <class Use>
std::string error_of(FfiFrame& frame, Use use) {
  FfiCall call(*frame.frame());
  try {
    use(call);
  } catch (const FfiError& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    return error.what();
  }
  return "no error";
}

TEST(FfiTest, ReadsBuffers) {
  std::vector<float> x{1, 2, 3, 4, 5, 6};
  std::vector<int32_t> y{7};
  FfiFrame frame;
  frame.argument(ElementType::float32, {2, 3}, x.data());
  frame.result(ElementType::int32, {}, y.data());
  FfiCall call(*frame.frame());
  EXPECT_EQ(call.argument_count(), 1);
  EXPECT_EQ(call.result_count(), 1);
  EXPECT_EQ(call.argument(0).elements(), 6);
  EXPECT_EQ(call.argument(0).data, x.data());
  EXPECT_EQ(call.argument(0).to_string(), "tensor<2x3xf32>");
  EXPECT_EQ(call.result(0, ElementType::int32, 0).elements(), 1);
  EXPECT_EQ(call.result(0).to_string(), "tensor<i32>");
}

TEST(FfiTest, SaysWhichBufferIsWrong) {
  float x = 0;
  FfiFrame frame;
  frame.argument(ElementType::float32, {1}, &x);
  EXPECT_EQ(error_of(frame, [](auto& call) { call.argument(1); }),
            "expected at least 2 arguments, got 1");
  EXPECT_EQ(error_of(frame, [](auto& call) { call.result(0); }),
            "expected at least 1 results, got 0");
  EXPECT_EQ(
      error_of(frame,
               [](auto& call) { call.argument(0, ElementType::bfloat16, 4); }),
      "argument 0: expected bf16 of rank 4, got tensor<1xf32>");
}

TEST(FfiTest, ReadsAttributes) {
  FfiFrame frame;
  frame.attribute("count", int64_t{1} << 40)
      .attribute("mode", std::string("same"))
      .attribute("narrow", int32_t{-3})
      .attribute("rate", 0.5f)
      .attribute("relu", true)
      .attribute("strides", std::vector<int64_t>{2, 1})
      .attribute("wide", 0.25);
  FfiCall call(*frame.frame());
  EXPECT_EQ(call.int64("count"), int64_t{1} << 40);
  EXPECT_EQ(call.int64("narrow"), -3);
  EXPECT_EQ(call.text("mode"), "same");
  EXPECT_EQ(call.float64("rate"), 0.5);
  EXPECT_EQ(call.float64("wide"), 0.25);
  EXPECT_TRUE(call.boolean("relu"));
  EXPECT_EQ(call.int64s("strides", 2)[0], 2);
  EXPECT_TRUE(call.has("relu"));
  EXPECT_FALSE(call.has("rel"));
}

TEST(FfiTest, SaysWhichAttributeIsWrong) {
  FfiFrame frame;
  frame.attribute("count", int64_t{1})
      .attribute("strides", std::vector<int64_t>{2, 1});
  EXPECT_EQ(error_of(frame, [](auto& call) { call.int64("groups"); }),
            "attribute \"groups\" is missing\n  attributes: count, strides\n"
            "  hint: attributes are passed in `backend_config = {...}`");
  EXPECT_EQ(error_of(frame, [](auto& call) { call.text("count"); }),
            "attribute \"count\": expected a string, got a scalar");
  EXPECT_EQ(error_of(frame, [](auto& call) { call.float64("count"); }),
            "attribute \"count\": expected f64, got i64");
  EXPECT_EQ(error_of(frame, [](auto& call) { call.int64s("strides", 3); }),
            "attribute \"strides\": expected 3 elements, got 2");
}

TEST(FfiTest, RunsOnlyInTheExecuteStage) {
  bodies_run = 0;
  for (auto stage : {ffi_abi::Stage::instantiate, ffi_abi::Stage::prepare,
                     ffi_abi::Stage::initialize}) {
    EXPECT_EQ(FfiFrame(stage).call(&count_runs), "");
  }
  EXPECT_EQ(bodies_run, 0);
  EXPECT_EQ(FfiFrame().call(&count_runs), "");
  EXPECT_EQ(bodies_run, 1);
}

TEST(FfiTest, AnswersTheMetadataQuery) {
  bodies_run = 0;
  // Some plugins ask without a function table and know more fields than we do.
  ffi_abi::Metadata metadata{};
  metadata.struct_size = 48;
  metadata.traits = 77;
  ffi_abi::MetadataExtension extension{
      {sizeof(extension), ffi_abi::ExtensionType::metadata, nullptr},
      &metadata};
  FfiFrame frame;
  frame.frame()->extension_start = &extension.base;
  EXPECT_EQ(frame.call(&count_runs), "");
  EXPECT_EQ(bodies_run, 0);
  EXPECT_EQ(metadata.version.major, 0);
  EXPECT_EQ(metadata.version.minor, 1);
  EXPECT_EQ(metadata.traits, 0u);
  EXPECT_EQ(metadata.struct_size, 48u);
}

TEST(FfiTest, TurnsExceptionsIntoErrors) {
  auto expect = [](ffi_abi::Handler* handler, ErrorCode code,
                   const std::string& message) {
    FfiFrame frame;
    EXPECT_EQ(frame.call(handler), message);
    EXPECT_EQ(frame.code(), code);
  };
  expect(
      [](ffi_abi::CallFrame* frame) {
        return serve_ffi_call(frame, "f", [](const FfiCall&) {
          throw FfiError(ErrorCode::unimplemented, "not here");
        });
      },
      ErrorCode::unimplemented, "f: not here");
  expect(
      [](ffi_abi::CallFrame* frame) {
        return serve_ffi_call(frame, "f",
                              [](const FfiCall&) { throw std::bad_alloc(); });
      },
      ErrorCode::resource_exhausted, "f: out of memory");
  expect(
      [](ffi_abi::CallFrame* frame) {
        return serve_ffi_call(frame, "f", [](const FfiCall&) {
          throw std::out_of_range("too far");
        });
      },
      ErrorCode::internal, "f: too far");
  expect(
      [](ffi_abi::CallFrame* frame) {
        return serve_ffi_call(frame, "f", [](const FfiCall&) { throw 1; });
      },
      ErrorCode::internal, "f: unknown exception");
}

}  // namespace
}  // namespace systolic::internal::pjrt
