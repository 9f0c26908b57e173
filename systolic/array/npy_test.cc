#include "systolic/array/npy.h"

#include <gtest/gtest.h>

#include <string>

#include "systolic/array/cast.h"
#include "systolic/array/reductions.h"
#include "systolic/base/error.h"

namespace systolic {
namespace {

// What np.save writes of np.arange(6, dtype="f4").reshape(2, 3).
constexpr std::string_view kMatrix(
    "\223NUMPY\001\000v\000{'descr': '<f4', 'fortran_order': Fals"
    "e, 'shape': (2, 3), }                                       "
    "                   \012\000\000\000\000\000\000\200?\000\000"
    "\000@\000\000@@\000\000\200@\000\000\240@",
    152);
// The same of np.asfortranarray(...).
constexpr std::string_view kFortran(
    "\223NUMPY\001\000v\000{'descr': '<f4', 'fortran_order': True"
    ", 'shape': (2, 3), }                                        "
    "                   \012\000\000\000\000\000\000@@\000\000"
    "\200?\000\000\200@\000\000\000@\000\000\240@",
    152);
// The same of np.array([1, 258], dtype=">i4").
constexpr std::string_view kBigEndian(
    "\223NUMPY\001\000v\000{'descr': '>i4', 'fortran_order': Fals"
    "e, 'shape': (2,), }                                         "
    "                   \012\000\000\000\001\000\000\001\002",
    136);
// The same of np.array([b"ab", b"c"]).
constexpr std::string_view kBytes(
    "\223NUMPY\001\000v\000{'descr': '|S2', 'fortran_order': Fals"
    "e, 'shape': (2,), }                                         "
    "                   \012abc\000",
    132);
// The same of np.array([1 + 2j]).
constexpr std::string_view kComplex(
    "\223NUMPY\001\000v\000{'descr': '<c16', 'fortran_order': Fal"
    "se, 'shape': (1,), }                                        "
    "                   \012\000\000\000\000\000\000\360?\000\000"
    "\000\000\000\000\000@",
    144);

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

template <class E>
std::string error_of(std::string_view bytes) {
  try {
    from_npy(bytes_of(bytes), "x.npy");
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(NpyTest, WritesWhatNumpyWrites) {
  Array x = Array::from({0.f, 1.f, 2.f, 3.f, 4.f, 5.f}, {2, 3});
  EXPECT_EQ(text_of(to_npy(x)), kMatrix);
  EXPECT_EQ(text_of(to_npy(Array::from_strings({"ab", "c"}))), kBytes);
}

TEST(NpyTest, ReadsWhatNumpyWrote) {
  Array x = from_npy(bytes_of(kMatrix));
  EXPECT_EQ(x.to_string(), "[[0. 1. 2.]\n [3. 4. 5.]]");
  EXPECT_EQ(from_npy(bytes_of(kFortran)).to_string(), x.to_string());
  EXPECT_EQ(from_npy(bytes_of(kBigEndian)).repr(),
            "array([  1, 258], dtype=int32)");
  EXPECT_EQ(from_npy(bytes_of(kBytes)).to_string(), "[b'ab' b'c']");
}

TEST(NpyTest, EveryDtypeRoundTrips) {
  for (DType dtype :
       {DType::boolean, DType::int8, DType::int16, DType::int32, DType::int64,
        DType::uint8, DType::uint16, DType::uint32, DType::uint64,
        DType::float16, DType::bfloat16, DType::float32, DType::float64}) {
    Array x = cast(Array::from({0, 1, 1}, {3, 1}), dtype);
    Array y = from_npy(to_npy(x));
    EXPECT_EQ(y.spec(), x.spec());
    EXPECT_TRUE(array_equal(x, y)) << dtype;
  }
  Array scalar = from_npy(to_npy(Array::scalar(2.5)));
  EXPECT_EQ(scalar.shape(), Shape::scalar());
  EXPECT_EQ(scalar.item<double>(), 2.5);
  EXPECT_EQ(from_npy(to_npy(Array::zeros({0, 2}))).shape(), (Shape{0, 2}));
}

TEST(NpyTest, DamagedBytes) {
  EXPECT_EQ(error_of<DataError>("PK and more than twelve"),
            "x.npy: expected bytes that start with \\x93NUMPY, got 23 bytes "
            "that do not");
  EXPECT_EQ(error_of<DataError>(kMatrix.substr(0, kMatrix.size() - 1)),
            "x.npy: expected 24 bytes of elements, got 23");
  EXPECT_EQ(error_of<DataError>(kMatrix.substr(0, 100)),
            "x.npy: expected an npy header of 118 bytes, got 90");
  std::string no_shape(kMatrix);
  no_shape.replace(no_shape.find("shape"), 5, "sharp");
  EXPECT_NE(error_of<DataError>(no_shape).find(
                "expected an npy header with 'shape':"),
            std::string::npos);
  std::string bad_shape(kMatrix);
  bad_shape.replace(bad_shape.find("(2, 3)"), 6, "(2, x)");
  EXPECT_NE(error_of<DataError>(bad_shape).find(
                "expected a shape in the npy header, got (2, x"),
            std::string::npos);
}

TEST(NpyTest, ASizeBeyondMemoryIsDamage) {
  std::string huge(kMatrix);
  huge.replace(huge.find("(2, 3), }"), 9, "(9999999999, 9999999999), }");
  huge.erase(huge.find("    "), 18);
  EXPECT_NE(error_of<DataError>(huge).find("expected a shape in the npy"),
            std::string::npos);
}

TEST(NpyTest, ComplexNumbers) {
  const Array read = from_npy(bytes_of(kComplex));
  EXPECT_EQ(read.repr(), "array([1.+2.j])");
  EXPECT_EQ(text_of(to_npy(read)), kComplex);
  // Both parts are of the file's byte order.
  std::string big(kComplex);
  big.replace(big.find("<c16"), 4, ">c16");
  std::reverse(big.end() - 16, big.end() - 8);
  std::reverse(big.end() - 8, big.end());
  EXPECT_TRUE(array_equal(from_npy(bytes_of(big)), read));
  const Array single = cast(read, DType::complex64);
  EXPECT_EQ(from_npy(to_npy(single)).repr(),
            "array([1.+2.j], dtype=complex64)");
}

TEST(NpyTest, Float8AsMlDtypesWritesIt) {
  // The last bytes of np.save of np.array([1, 2.5, -448], dtype).
  const Array values = Array::from({1.f, 2.5f, -448.f});
  const std::string e4m3 = text_of(to_npy(cast(values, DType::float8_e4m3fn)));
  EXPECT_NE(e4m3.find("'descr': '<V1'"), std::string::npos);
  EXPECT_TRUE(e4m3.ends_with("\n8B\xfe"));
  const std::string e5m2 = text_of(to_npy(cast(values, DType::float8_e5m2)));
  EXPECT_NE(e5m2.find("'descr': '<f1'"), std::string::npos);
  EXPECT_TRUE(e5m2.ends_with("\n<A\xdf"));
  for (const std::string& text : {e4m3, e5m2}) {
    EXPECT_EQ(text_of(to_npy(from_npy(bytes_of(text)))), text);
  }
}

TEST(NpyTest, TypesWithoutACounterpart) {
  std::string halves(kMatrix);
  halves.replace(halves.find("<f4"), 3, "<g9");
  EXPECT_EQ(
      error_of<TypeError>(halves),
      "x.npy: expected elements of bool, an integer, float or complex type, or "
      "bytes, got NumPy's '<g9'\n  hint: save the array as another "
      "type, for example x.astype('float32')");
  EXPECT_THROW(to_npy(Array()), ValueError);
}

}  // namespace
}  // namespace systolic
