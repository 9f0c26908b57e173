// Our structs of XLA's typed FFI beside the published header, which
// scripts/install-headers fetches.
#include <gtest/gtest.h>

#include "systolic/pjrt/ffi_abi.h"
#include "tests/abi/same_layout.h"

#if __has_include(<xla/ffi/api/c_api.h>)
#include <xla/ffi/api/c_api.h>

namespace systolic::internal::pjrt::ffi_abi {
namespace {

SAME_SIZE(ExtensionBase, XLA_FFI_Extension_Base);
SAME_FIELD(ExtensionBase, struct_size, XLA_FFI_Extension_Base, struct_size);
SAME_FIELD(ExtensionBase, type, XLA_FFI_Extension_Base, type);
SAME_FIELD(ExtensionBase, next, XLA_FFI_Extension_Base, next);

SAME_STRUCT(Version, XLA_FFI_Api_Version);
SAME_FIELD(Version, major, XLA_FFI_Api_Version, major_version);
SAME_FIELD(Version, minor, XLA_FFI_Api_Version, minor_version);

SAME_STRUCT(Buffer, XLA_FFI_Buffer);
SAME_FIELD(Buffer, element_type, XLA_FFI_Buffer, dtype);
SAME_FIELD(Buffer, data, XLA_FFI_Buffer, data);
SAME_FIELD(Buffer, rank, XLA_FFI_Buffer, rank);
SAME_FIELD(Buffer, dimensions, XLA_FFI_Buffer, dims);

SAME_SIZE(ByteSpan, XLA_FFI_ByteSpan);
SAME_FIELD(ByteSpan, data, XLA_FFI_ByteSpan, ptr);
SAME_FIELD(ByteSpan, size, XLA_FFI_ByteSpan, len);

SAME_SIZE(ScalarAttribute, XLA_FFI_Scalar);
SAME_FIELD(ScalarAttribute, element_type, XLA_FFI_Scalar, dtype);
SAME_FIELD(ScalarAttribute, value, XLA_FFI_Scalar, value);

SAME_SIZE(ArrayAttribute, XLA_FFI_Array);
SAME_FIELD(ArrayAttribute, element_type, XLA_FFI_Array, dtype);
SAME_FIELD(ArrayAttribute, size, XLA_FFI_Array, size);
SAME_FIELD(ArrayAttribute, data, XLA_FFI_Array, data);

SAME_STRUCT(Operands, XLA_FFI_Args);
SAME_FIELD(Operands, size, XLA_FFI_Args, size);
SAME_FIELD(Operands, types, XLA_FFI_Args, types);
SAME_FIELD(Operands, items, XLA_FFI_Args, args);

SAME_STRUCT(Operands, XLA_FFI_Rets);
SAME_FIELD(Operands, size, XLA_FFI_Rets, size);
SAME_FIELD(Operands, types, XLA_FFI_Rets, types);
SAME_FIELD(Operands, items, XLA_FFI_Rets, rets);

SAME_STRUCT(Attributes, XLA_FFI_Attrs);
SAME_FIELD(Attributes, size, XLA_FFI_Attrs, size);
SAME_FIELD(Attributes, types, XLA_FFI_Attrs, types);
SAME_FIELD(Attributes, names, XLA_FFI_Attrs, names);
SAME_FIELD(Attributes, items, XLA_FFI_Attrs, attrs);

SAME_STRUCT(ErrorCreateArgs, XLA_FFI_Error_Create_Args);
SAME_FIELD(ErrorCreateArgs, message, XLA_FFI_Error_Create_Args, message);
SAME_FIELD(ErrorCreateArgs, code, XLA_FFI_Error_Create_Args, errc);

SAME_STRUCT(CallFrame, XLA_FFI_CallFrame);
SAME_FIELD(CallFrame, api, XLA_FFI_CallFrame, api);
SAME_FIELD(CallFrame, context, XLA_FFI_CallFrame, ctx);
SAME_FIELD(CallFrame, stage, XLA_FFI_CallFrame, stage);
SAME_FIELD(CallFrame, arguments, XLA_FFI_CallFrame, args);
SAME_FIELD(CallFrame, results, XLA_FFI_CallFrame, rets);
SAME_FIELD(CallFrame, attributes, XLA_FFI_CallFrame, attrs);
SAME_FIELD(CallFrame, future, XLA_FFI_CallFrame, future);

SAME_SIZE(MetadataExtension, XLA_FFI_Metadata_Extension);
SAME_FIELD(MetadataExtension, base, XLA_FFI_Metadata_Extension, extension_base);
SAME_FIELD(MetadataExtension, metadata, XLA_FFI_Metadata_Extension, metadata);

// Plugins append fields to these two; ours end before those.
SAME_FIELD(Metadata, struct_size, XLA_FFI_Metadata, struct_size);
SAME_FIELD(Metadata, version, XLA_FFI_Metadata, api_version);
SAME_FIELD(Metadata, traits, XLA_FFI_Metadata, traits);
SAME_FIELD(Api, struct_size, XLA_FFI_Api, struct_size);
SAME_FIELD(Api, extension_start, XLA_FFI_Api, extension_start);
SAME_FIELD(Api, version, XLA_FFI_Api, api_version);
SAME_FIELD(Api, internal, XLA_FFI_Api, internal_api);
SAME_FIELD(Api, error_create, XLA_FFI_Api, XLA_FFI_Error_Create);

SAME_VALUE(kMajorVersion, XLA_FFI_API_MAJOR);
static_assert(kMinorVersion <= XLA_FFI_API_MINOR);
SAME_VALUE(ExtensionType::metadata, XLA_FFI_Extension_Metadata);
SAME_VALUE(Stage::instantiate, XLA_FFI_ExecutionStage_INSTANTIATE);
SAME_VALUE(Stage::prepare, XLA_FFI_ExecutionStage_PREPARE);
SAME_VALUE(Stage::initialize, XLA_FFI_ExecutionStage_INITIALIZE);
SAME_VALUE(Stage::execute, XLA_FFI_ExecutionStage_EXECUTE);
SAME_VALUE(OperandType::buffer, XLA_FFI_ArgType_BUFFER);
SAME_VALUE(OperandType::buffer, XLA_FFI_RetType_BUFFER);
SAME_VALUE(AttributeType::array, XLA_FFI_AttrType_ARRAY);
SAME_VALUE(AttributeType::dictionary, XLA_FFI_AttrType_DICTIONARY);
SAME_VALUE(AttributeType::scalar, XLA_FFI_AttrType_SCALAR);
SAME_VALUE(AttributeType::string, XLA_FFI_AttrType_STRING);

SAME_VALUE(ElementType::invalid, XLA_FFI_DataType_INVALID);
SAME_VALUE(ElementType::boolean, XLA_FFI_DataType_PRED);
SAME_VALUE(ElementType::int8, XLA_FFI_DataType_S8);
SAME_VALUE(ElementType::int16, XLA_FFI_DataType_S16);
SAME_VALUE(ElementType::int32, XLA_FFI_DataType_S32);
SAME_VALUE(ElementType::int64, XLA_FFI_DataType_S64);
SAME_VALUE(ElementType::uint8, XLA_FFI_DataType_U8);
SAME_VALUE(ElementType::uint16, XLA_FFI_DataType_U16);
SAME_VALUE(ElementType::uint32, XLA_FFI_DataType_U32);
SAME_VALUE(ElementType::uint64, XLA_FFI_DataType_U64);
SAME_VALUE(ElementType::float16, XLA_FFI_DataType_F16);
SAME_VALUE(ElementType::float32, XLA_FFI_DataType_F32);
SAME_VALUE(ElementType::float64, XLA_FFI_DataType_F64);
SAME_VALUE(ElementType::complex64, XLA_FFI_DataType_C64);
SAME_VALUE(ElementType::bfloat16, XLA_FFI_DataType_BF16);
SAME_VALUE(ElementType::token, XLA_FFI_DataType_TOKEN);
SAME_VALUE(ElementType::complex128, XLA_FFI_DataType_C128);
SAME_VALUE(ElementType::float8_e5m2, XLA_FFI_DataType_F8E5M2);
SAME_VALUE(ElementType::float8_e4m3fn, XLA_FFI_DataType_F8E4M3FN);

SAME_VALUE(ErrorCode::ok, XLA_FFI_Error_Code_OK);
SAME_VALUE(ErrorCode::invalid_argument, XLA_FFI_Error_Code_INVALID_ARGUMENT);
SAME_VALUE(ErrorCode::resource_exhausted,
           XLA_FFI_Error_Code_RESOURCE_EXHAUSTED);
SAME_VALUE(ErrorCode::unimplemented, XLA_FFI_Error_Code_UNIMPLEMENTED);
SAME_VALUE(ErrorCode::internal, XLA_FFI_Error_Code_INTERNAL);

TEST(FfiStructs, LieAsPublished) { SUCCEED() << "checked while compiling"; }

}  // namespace
}  // namespace systolic::internal::pjrt::ffi_abi

#else

TEST(FfiStructs, LieAsPublished) {
  GTEST_SKIP() << "no xla/ffi/api/c_api.h: run scripts/install-headers";
}

#endif
