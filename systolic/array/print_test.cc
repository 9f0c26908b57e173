#include "systolic/array/print.h"

#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <sstream>

#include "systolic/array/arrays.h"

namespace systolic {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// 0, 1, 2, ... as float32.
Array iota(const Shape& shape) {
  Array out = Array::uninitialized({DType::float32, shape});
  float next = 0;
  for (float& value : out.mutable_span<float>()) value = next++;
  return out;
}

struct PrintCase {
  const char* name;
  Array array;
  const char* str;  // what NumPy 2.4 printed
  const char* repr;
};

void PrintTo(const PrintCase& c, std::ostream* out) { *out << c.name; }

class PrintTest : public testing::TestWithParam<PrintCase> {};

TEST_P(PrintTest, IsNumpyText) {
  EXPECT_EQ(GetParam().array.to_string(), GetParam().str);
  EXPECT_EQ(GetParam().array.repr(), GetParam().repr);
}

INSTANTIATE_TEST_SUITE_P(
    Recorded, PrintTest,
    testing::Values(
        PrintCase{"Matrix", Array::from({22.f, 28.f, 49.f, 64.f}, {2, 2}),
                  "[[22. 28.]\n"
                  " [49. 64.]]",
                  "array([[22., 28.],\n"
                  "       [49., 64.]], dtype=float32)"},
        PrintCase{"Vector", Array::from({1.f, 2.5f, -3.125f}),
                  "[ 1.     2.5   -3.125]",
                  "array([ 1.   ,  2.5  , -3.125], dtype=float32)"},
        PrintCase{"Shortest", Array::from({0.1f, 0.2f, 1.f / 3.f}),
                  "[0.1        0.2        0.33333334]",
                  "array([0.1       , 0.2       , 0.33333334], dtype=float32)"},
        PrintCase{"Double", Array::from({0.1, 1.0 / 3.0, 2.0}),
                  "[0.1        0.33333333 2.        ]",
                  "array([0.1       , 0.33333333, 2.        ])"},
        PrintCase{"SmallScientific", Array::from({1e-5f, 1.f}),
                  "[1.e-05 1.e+00]", "array([1.e-05, 1.e+00], dtype=float32)"},
        PrintCase{"WideRangeScientific", Array::from({0.001f, 123.456f}),
                  "[1.00000e-03 1.23456e+02]",
                  "array([1.00000e-03, 1.23456e+02], dtype=float32)"},
        PrintCase{"LargeScientific", Array::from({1e10f, -2.5e10f}),
                  "[ 1.0e+10 -2.5e+10]",
                  "array([ 1.0e+10, -2.5e+10], dtype=float32)"},
        PrintCase{"ExactDigits", Array::from({35.330719f, 8.8404016e7f}),
                  "[3.533072e+01 8.840402e+07]",
                  "array([3.533072e+01, 8.840402e+07], dtype=float32)"},
        PrintCase{"LongExponent", Array::from({1e-300, 1e100}),
                  "[1.e-300 1.e+100]", "array([1.e-300, 1.e+100])"},
        PrintCase{"NotFinite", Array::from({1.5f, kNan, -kInfinity}),
                  "[ 1.5  nan -inf]",
                  "array([ 1.5,  nan, -inf], dtype=float32)"},
        PrintCase{"OnlyNan", Array::from({kNan, kNan}), "[nan nan]",
                  "array([nan, nan], dtype=float32)"},
        PrintCase{"NegativeZero", Array::from({-0.f, 0.f}), "[-0.  0.]",
                  "array([-0.,  0.], dtype=float32)"},
        PrintCase{"Ints", Array::from({1, -20, 300}), "[  1 -20 300]",
                  "array([  1, -20, 300], dtype=int32)"},
        PrintCase{"Long", Array::from({int64_t{1} << 40, int64_t{-7}}, {2, 1}),
                  "[[1099511627776]\n"
                  " [           -7]]",
                  "array([[1099511627776],\n"
                  "       [           -7]])"},
        PrintCase{"Bytes", Array::from({uint8_t{7}, uint8_t{255}}), "[  7 255]",
                  "array([  7, 255], dtype=uint8)"},
        PrintCase{"Bools", Array::from({true, false, true, true}, {2, 2}),
                  "[[ True False]\n"
                  " [ True  True]]",
                  "array([[ True, False],\n"
                  "       [ True,  True]])"},
        PrintCase{"Half", Array::from({float16(0.1f), float16(-0.015625f)}),
                  "[ 0.1     -0.01563]",
                  "array([ 0.1    , -0.01563], dtype=float16)"},
        PrintCase{"ScalarFloat", Array::scalar(5.f), "5.0",
                  "array(5., dtype=float32)"},
        PrintCase{"ScalarTiny", Array::scalar(1e-7f), "1e-07",
                  "array(1.e-07, dtype=float32)"},
        PrintCase{"ScalarDouble", Array::scalar(1234567.25), "1234567.25",
                  "array(1234567.25)"},
        PrintCase{"ScalarInt", Array::scalar(-3), "-3",
                  "array(-3, dtype=int32)"},
        PrintCase{"ScalarBool", Array::scalar(true), "True", "array(True)"},
        PrintCase{"ScalarNan", Array::scalar(kNan), "nan",
                  "array(nan, dtype=float32)"},
        PrintCase{"Empty", Array::zeros({0}), "[]", "array([], dtype=float32)"},
        PrintCase{"EmptyMatrix", Array::zeros({0, 3}), "[]",
                  "array([], shape=(0, 3), dtype=float32)"},
        PrintCase{"Cube", iota({2, 2, 3}),
                  "[[[ 0.  1.  2.]\n"
                  "  [ 3.  4.  5.]]\n"
                  "\n"
                  " [[ 6.  7.  8.]\n"
                  "  [ 9. 10. 11.]]]",
                  "array([[[ 0.,  1.,  2.],\n"
                  "        [ 3.,  4.,  5.]],\n"
                  "\n"
                  "       [[ 6.,  7.,  8.],\n"
                  "        [ 9., 10., 11.]]], dtype=float32)"},
        PrintCase{"FourAxes", iota({2, 1, 2, 2}),
                  "[[[[0. 1.]\n"
                  "   [2. 3.]]]\n"
                  "\n"
                  "\n"
                  " [[[4. 5.]\n"
                  "   [6. 7.]]]]",
                  "array([[[[0., 1.],\n"
                  "         [2., 3.]]],\n"
                  "\n"
                  "\n"
                  "       [[[4., 5.],\n"
                  "         [6., 7.]]]], dtype=float32)"},
        PrintCase{"Wrapped", iota({30}),
                  "[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. "
                  "14. 15. 16. 17.\n"
                  " 18. 19. 20. 21. 22. 23. 24. 25. 26. 27. 28. 29.]",
                  "array([ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., "
                  "10., 11., 12.,\n"
                  "       13., 14., 15., 16., 17., 18., 19., 20., 21., 22., "
                  "23., 24., 25.,\n"
                  "       26., 27., 28., 29.], dtype=float32)"},
        PrintCase{
            "WrappedRows", iota({2, 20}),
            "[[ 0.  1.  2.  3.  4.  5.  6.  7.  8.  9. 10. 11. 12. 13. 14. 15. "
            "16. 17.\n"
            "  18. 19.]\n"
            " [20. 21. 22. 23. 24. 25. 26. 27. 28. 29. 30. 31. 32. 33. 34. 35. "
            "36. 37.\n"
            "  38. 39.]]",
            "array([[ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.,  8.,  9., 10., "
            "11., 12.,\n"
            "        13., 14., 15., 16., 17., 18., 19.],\n"
            "       [20., 21., 22., 23., 24., 25., 26., 27., 28., 29., 30., "
            "31., 32.,\n"
            "        33., 34., 35., 36., 37., 38., 39.]], dtype=float32)"},
        PrintCase{"Threshold", iota({1001}),
                  "[   0.    1.    2. ...  998.  999. 1000.]",
                  "array([   0.,    1.,    2., ...,  998.,  999., 1000.],\n"
                  "      shape=(1001,), dtype=float32)"},
        PrintCase{"SummarisedMatrix", iota({40, 30}),
                  "[[0.000e+00 1.000e+00 2.000e+00 ... 2.700e+01 2.800e+01 "
                  "2.900e+01]\n"
                  " [3.000e+01 3.100e+01 3.200e+01 ... 5.700e+01 5.800e+01 "
                  "5.900e+01]\n"
                  " [6.000e+01 6.100e+01 6.200e+01 ... 8.700e+01 8.800e+01 "
                  "8.900e+01]\n"
                  " ...\n"
                  " [1.110e+03 1.111e+03 1.112e+03 ... 1.137e+03 1.138e+03 "
                  "1.139e+03]\n"
                  " [1.140e+03 1.141e+03 1.142e+03 ... 1.167e+03 1.168e+03 "
                  "1.169e+03]\n"
                  " [1.170e+03 1.171e+03 1.172e+03 ... 1.197e+03 1.198e+03 "
                  "1.199e+03]]",
                  "array([[0.000e+00, 1.000e+00, 2.000e+00, ..., 2.700e+01, "
                  "2.800e+01,\n"
                  "        2.900e+01],\n"
                  "       [3.000e+01, 3.100e+01, 3.200e+01, ..., 5.700e+01, "
                  "5.800e+01,\n"
                  "        5.900e+01],\n"
                  "       [6.000e+01, 6.100e+01, 6.200e+01, ..., 8.700e+01, "
                  "8.800e+01,\n"
                  "        8.900e+01],\n"
                  "       ...,\n"
                  "       [1.110e+03, 1.111e+03, 1.112e+03, ..., 1.137e+03, "
                  "1.138e+03,\n"
                  "        1.139e+03],\n"
                  "       [1.140e+03, 1.141e+03, 1.142e+03, ..., 1.167e+03, "
                  "1.168e+03,\n"
                  "        1.169e+03],\n"
                  "       [1.170e+03, 1.171e+03, 1.172e+03, ..., 1.197e+03, "
                  "1.198e+03,\n"
                  "        1.199e+03]], shape=(40, 30), dtype=float32)"},
        PrintCase{"SummarisedCube", iota({4, 4, 100}),
                  "[[[0.000e+00 1.000e+00 2.000e+00 ... 9.700e+01 9.800e+01 "
                  "9.900e+01]\n"
                  "  [1.000e+02 1.010e+02 1.020e+02 ... 1.970e+02 1.980e+02 "
                  "1.990e+02]\n"
                  "  [2.000e+02 2.010e+02 2.020e+02 ... 2.970e+02 2.980e+02 "
                  "2.990e+02]\n"
                  "  [3.000e+02 3.010e+02 3.020e+02 ... 3.970e+02 3.980e+02 "
                  "3.990e+02]]\n"
                  "\n"
                  " [[4.000e+02 4.010e+02 4.020e+02 ... 4.970e+02 4.980e+02 "
                  "4.990e+02]\n"
                  "  [5.000e+02 5.010e+02 5.020e+02 ... 5.970e+02 5.980e+02 "
                  "5.990e+02]\n"
                  "  [6.000e+02 6.010e+02 6.020e+02 ... 6.970e+02 6.980e+02 "
                  "6.990e+02]\n"
                  "  [7.000e+02 7.010e+02 7.020e+02 ... 7.970e+02 7.980e+02 "
                  "7.990e+02]]\n"
                  "\n"
                  " [[8.000e+02 8.010e+02 8.020e+02 ... 8.970e+02 8.980e+02 "
                  "8.990e+02]\n"
                  "  [9.000e+02 9.010e+02 9.020e+02 ... 9.970e+02 9.980e+02 "
                  "9.990e+02]\n"
                  "  [1.000e+03 1.001e+03 1.002e+03 ... 1.097e+03 1.098e+03 "
                  "1.099e+03]\n"
                  "  [1.100e+03 1.101e+03 1.102e+03 ... 1.197e+03 1.198e+03 "
                  "1.199e+03]]\n"
                  "\n"
                  " [[1.200e+03 1.201e+03 1.202e+03 ... 1.297e+03 1.298e+03 "
                  "1.299e+03]\n"
                  "  [1.300e+03 1.301e+03 1.302e+03 ... 1.397e+03 1.398e+03 "
                  "1.399e+03]\n"
                  "  [1.400e+03 1.401e+03 1.402e+03 ... 1.497e+03 1.498e+03 "
                  "1.499e+03]\n"
                  "  [1.500e+03 1.501e+03 1.502e+03 ... 1.597e+03 1.598e+03 "
                  "1.599e+03]]]",
                  "array([[[0.000e+00, 1.000e+00, 2.000e+00, ..., 9.700e+01, "
                  "9.800e+01,\n"
                  "         9.900e+01],\n"
                  "        [1.000e+02, 1.010e+02, 1.020e+02, ..., 1.970e+02, "
                  "1.980e+02,\n"
                  "         1.990e+02],\n"
                  "        [2.000e+02, 2.010e+02, 2.020e+02, ..., 2.970e+02, "
                  "2.980e+02,\n"
                  "         2.990e+02],\n"
                  "        [3.000e+02, 3.010e+02, 3.020e+02, ..., 3.970e+02, "
                  "3.980e+02,\n"
                  "         3.990e+02]],\n"
                  "\n"
                  "       [[4.000e+02, 4.010e+02, 4.020e+02, ..., 4.970e+02, "
                  "4.980e+02,\n"
                  "         4.990e+02],\n"
                  "        [5.000e+02, 5.010e+02, 5.020e+02, ..., 5.970e+02, "
                  "5.980e+02,\n"
                  "         5.990e+02],\n"
                  "        [6.000e+02, 6.010e+02, 6.020e+02, ..., 6.970e+02, "
                  "6.980e+02,\n"
                  "         6.990e+02],\n"
                  "        [7.000e+02, 7.010e+02, 7.020e+02, ..., 7.970e+02, "
                  "7.980e+02,\n"
                  "         7.990e+02]],\n"
                  "\n"
                  "       [[8.000e+02, 8.010e+02, 8.020e+02, ..., 8.970e+02, "
                  "8.980e+02,\n"
                  "         8.990e+02],\n"
                  "        [9.000e+02, 9.010e+02, 9.020e+02, ..., 9.970e+02, "
                  "9.980e+02,\n"
                  "         9.990e+02],\n"
                  "        [1.000e+03, 1.001e+03, 1.002e+03, ..., 1.097e+03, "
                  "1.098e+03,\n"
                  "         1.099e+03],\n"
                  "        [1.100e+03, 1.101e+03, 1.102e+03, ..., 1.197e+03, "
                  "1.198e+03,\n"
                  "         1.199e+03]],\n"
                  "\n"
                  "       [[1.200e+03, 1.201e+03, 1.202e+03, ..., 1.297e+03, "
                  "1.298e+03,\n"
                  "         1.299e+03],\n"
                  "        [1.300e+03, 1.301e+03, 1.302e+03, ..., 1.397e+03, "
                  "1.398e+03,\n"
                  "         1.399e+03],\n"
                  "        [1.400e+03, 1.401e+03, 1.402e+03, ..., 1.497e+03, "
                  "1.498e+03,\n"
                  "         1.499e+03],\n"
                  "        [1.500e+03, 1.501e+03, 1.502e+03, ..., 1.597e+03, "
                  "1.598e+03,\n"
                  "         1.599e+03]]], shape=(4, 4, 100), dtype=float32)"},
        PrintCase{"SummarisedLong", cast<int64_t>(iota({2, 600})),
                  "[[   0    1    2 ...  597  598  599]\n"
                  " [ 600  601  602 ... 1197 1198 1199]]",
                  "array([[   0,    1,    2, ...,  597,  598,  599],\n"
                  "       [ 600,  601,  602, ..., 1197, 1198, 1199]], "
                  "shape=(2, 600))"}),
    [](const testing::TestParamInfo<PrintCase>& info) {
      return info.param.name;
    });

TEST(PrintOptionsTest, PrecisionAndSummaryCanBeSet) {
  Array x = Array::from({1.f / 3.f, 2.f / 3.f});
  EXPECT_EQ(array_to_string(x, {.precision = 3}), "[0.333 0.667]");
  EXPECT_EQ(array_to_string(iota({10}), {.threshold = 5, .edgeitems = 2}),
            "[0. 1. ... 8. 9.]");
  EXPECT_EQ(array_to_string(iota({6}), {.linewidth = 10}),
            "[0. 1. 2.\n"
            " 3. 4. 5.]");
}

TEST(ArrayTextTest, NarrowFloatsPrintAsTheirScalars) {
  Array x = Array::from({bfloat16(1.f), bfloat16(2.5f), bfloat16(-100.f)});
  EXPECT_EQ(x.to_string(), "[1 2.5 -100]");
  EXPECT_EQ(x.repr(), "array([1, 2.5, -100], dtype=bfloat16)");
}

TEST(ArrayTextTest, StringsPrintAsPythonBytes) {
  Array x = Array::from_strings({"a", "it's", "b\n\xff"});
  EXPECT_EQ(x.to_string(), "[b'a' b\"it's\" b'b\\n\\xff']");
}

TEST(ArrayTextTest, StreamsAndUnsetArrays) {
  std::ostringstream out;
  out << Array::from({1, 2}) << Array();
  EXPECT_EQ(out.str(), "[1 2]<unset>");
}

}  // namespace
}  // namespace systolic
