// Mistakes with ops: shapes, positions, dtypes, windows, random numbers, loops.
#include <systolic/systolic.h>

#include <cmath>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

const Mistake kMistakes[] = {
    {"two_open_sizes",
     [] {
       reshape(zeros({4}), {-1, -1});
     },
     R"(ShapeError: reshape: expected sizes >= 0 and at most one -1, got (None, None)
  input: float32[4]
  at: <line>)"},
    {"open_size_that_does_not_divide",
     [] {
       reshape(zeros({4}), {-1, 3});
     },
     R"(ShapeError: reshape: expected the sizes beside -1 to divide 4 elements, got (None, 3)
  input: float32[4]
  at: <line>)"},
    {"size_below_0", [] { zeros({-2}); },
     R"(ShapeError: Shape: expected sizes of 0 or more, or -1 for unknown, got -2)"},
    {"shape_with_an_open_size",
     [] {
       zeros({-1, 3});
     },
     R"(ShapeError: zeros: expected a shape of known sizes, got (None, 3))"},
    {"shape_too_large",
     [] {
       zeros({int64_t{1} << 40, int64_t{1} << 40});
     },
     R"(ShapeError: Shape: expected at most 2^58 elements, got (1099511627776, 1099511627776))"},
    {"zeros_of_strings", [] { zeros({2}, DType::string); },
     R"(TypeError: zeros: expected a dtype of numbers or bool, got string)"},
    {"cast_to_strings", [] { cast(zeros({2}), DType::string); },
     R"(TypeError: cast: expected a dtype of numbers or bool, got string
  hint: strings stay on the host: keep them in an Array
  at: <line>)"},
    {"axis_of_a_new_axis", [] { expand_dims(zeros({2}), 4); },
     R"(OutOfRangeError: expand_dims: expected an axis from -2 to 1 for an input of rank 2, got axis = 4)"},
    {"stack_of_nothing_like",
     [] {
       stack({zeros({2}), zeros({3})}, 0);
     },
     R"(ShapeError: stack: expected inputs of one shape, got (2,) and (3,)
  at: <line>)"},
    {"stack_axis",
     [] {
       stack({zeros({2}), zeros({2})}, 5);
     },
     R"(OutOfRangeError: stack: expected an axis from -2 to 1 for an input of rank 2, got axis = 5)"},
    {"concatenate_scalars",
     [] {
       concatenate({constant(1.0), constant(2.0)}, 0);
     },
     R"(OutOfRangeError: concatenate: expected an input with axes, for axis = 0, got a scalar)"},
    {"pad_of_another_rank",
     [] {
       pad(zeros({2, 2}), {{1, 1}});
     },
     R"(ShapeError: pad: expected one (before, after) pair for each of 2 axes, got 1 pairs
  input: float32[2, 2]
  at: <line>)"},
    {"pad_by_less_than_nothing",
     [] {
       pad(zeros({2}), {{-1, 1}});
     },
     R"(ValueError: pad: expected widths >= 0, got (-1, 1)
  input: float32[2]
  at: <line>)"},
    {"pad_with_two_values",
     [] {
       pad(zeros({2}), {{1, 1}}, zeros({2}));
     },
     R"(ShapeError: pad: expected one constant value, got float32[2]
  input: float32[2]
  at: <line>)"},
    {"take_beyond_the_end", [] { take(ones({3}), constant({7})); },
     R"(OutOfRangeError: take: expected positions in -3 ... 2, got 7 at (0,)
  at: <line>)"},
    {"take_at_fractions",
     [] {
       take(zeros({3}), constant({0.0, 1.0}));
     },
     R"(TypeError: take: expected integer positions, got float32
  at: <line>)"},
    {"take_from_nothing",
     [] {
       gather(zeros({0, 2}), constant({0}));
     },
     R"(ShapeError: take: expected elements along axis 0, got none
  input: float32[0, 2]
  at: <line>)"},
    {"position_beyond_the_end", [] { dynamic_index(ones({3}), 9); },
     R"(OutOfRangeError: dynamic_index: expected positions in 0 ... 2, got 9
  at: <line>)"},
    {"no_classes", [] { one_hot(constant({1}), 0); },
     R"(ValueError: one_hot: expected num_classes of 1 or more, got 0
  at: <line>)"},
    {"axis_for_the_classes", [] { one_hot(constant({1}), 3, {.axis = 4}); },
     R"(OutOfRangeError: one_hot: expected an axis from -2 to 1 for an input of rank 2, got axis = 4)"},
    {"matmul_of_a_scalar", [] { matmul(constant(1.0), zeros({2})); },
     R"(ShapeError: matmul: expected inner sizes to agree, got () and (2,)
  input 0: float32[]
  input 1: float32[2]
  hint: (..., m, k) times (..., k, n) gives (..., m, n)
  at: <line>)"},
    {"broadcast_to_less",
     [] {
       broadcast_to(zeros({2, 2}), {2});
     },
     R"(ShapeError: broadcast_to: expected a shape that broadcasts to (2,), got (2, 2)
  input: float32[2, 2]
  at: <line>)"},
    {"largest_of_nothing", [] { max(zeros({0})); },
     R"(ShapeError: max: expected at least one element along axis 0, got none
  input: float32[0]
  at: <line>)"},
    {"bool_minus_bool",
     [] { zeros({2}, DType::boolean) - ones({2}, DType::boolean); },
     R"(TypeError: subtract: expected numbers, got bool
  input 0: bool[2]
  input 1: bool[2]
  hint: cast it to int32 first; logical_xor, logical_and and logical_not are the operations on truth values
  at: <line>)"},
    {"minus_bool", [] { -zeros({2}, DType::boolean); },
     R"(TypeError: negative: expected numbers, got bool
  input: bool[2]
  hint: cast it to int32 first; logical_xor, logical_and and logical_not are the operations on truth values
  at: <line>)"},
    {"divide_integers_by_0",
     [] {
       floor_divide(constant({1, 2}), 0);
     },
     R"(ValueError: floor_divide: expected a divisor other than 0, since both are integers, got 0
  at: <line>)"},
    {"remainder_of_0",
     [] {
       constant({1, 2}) % 0;
     },
     R"(ValueError: mod: expected a divisor other than 0, since both are integers, got 0
  at: <line>)"},
    {"integer_to_a_negative_power",
     [] {
       power(constant({2, 3}), -1);
     },
     R"(ValueError: power: expected an exponent of at least 0, since the base is of integers, got -1
  hint: cast the base to a floating-point dtype
  at: <line>)"},
    {"limits_the_wrong_way_round",
     [] {
       clip(constant({1.0, 2.0}), 5, 2);
     },
     R"(ValueError: clip: expected x_min <= x_max, got 5 and 2
  at: <line>)"},
    {"number_too_large_for_the_dtype", [] { zeros({2}, DType::uint8) + 300; },
     R"(ValueError: scalar: expected a number in the range of uint8, got 300
  hint: cast the Tensor to a wider dtype first
  at: <line>)"},
    {"constant_too_large_for_the_dtype", [] { constant({300}, DType::uint8); },
     R"(ValueError: constant: expected numbers in the range of uint8, got 300)"},
    {"fraction_as_an_integer", [] { constant({1.5}, DType::int32); },
     R"(TypeError: constant: expected whole numbers for int32, got 1.5
  hint: leave the dtype out, or round the number first)"},
    {"counting_beyond_the_dtype", [] { arange(1000, DType::int8); },
     R"(ValueError: arange: expected a stop of at least 0, and a dtype that holds the numbers, got 1000 and int8)"},
    {"step_of_0", [] { zeros({4})[Slice(0, 4, 0)]; },
     R"(ValueError: slice: expected a slice step other than 0, got 0:4:0
  at: <line>)"},
    {"two_ellipses",
     [] {
       zeros({4, 2})[{ellipsis, ellipsis}];
     },
     R"(ValueError: slice: expected at most one ellipsis, got [..., ...]
  at: <line>)"},
    {"stride_0",
     [] {
       nn::conv(zeros({1, 8, 8, 1}), zeros({3, 3, 1, 4}), {.strides = {0, 1}});
     },
     R"(ValueError: conv: expected window sizes, strides and dilations of at least 1, got size 3, stride 0, dilation 1
  at: <line>)"},
    {"dilation_0",
     [] {
       nn::conv(zeros({1, 8, 8, 1}), zeros({3, 3, 1, 4}),
                {.dilation_rate = {0, 1}});
     },
     R"(ValueError: conv: expected window sizes, strides and dilations of at least 1, got size 3, stride 1, dilation 0
  at: <line>)"},
    {"groups_of_no_channel",
     [] {
       nn::conv(zeros({1, 8, 8, 1}), zeros({3, 3, 1, 4}), {.groups = 0});
     },
     R"(ShapeError: conv: expected input channels = kernel channels x groups, and filters a multiple of groups, got 1 channels, 1 x 0, 4 filters
  input: float32[1, 8, 8, 1]
  kernel: float32[3, 3, 1, 4]
  at: <line>)"},
    {"convolution_of_integers",
     [] {
       nn::conv(zeros({1, 8, 8, 1}, DType::int32),
                zeros({3, 3, 1, 4}, DType::int32));
     },
     R"(TypeError: conv: expected floating-point images, got int32
  input: int32[1, 8, 8, 1]
  kernel: int32[3, 3, 1, 4]
  hint: cast<float>(x) / 255.f
  at: <line>)"},
    {"bias_of_other_filters",
     [] {
       nn::conv(zeros({1, 8, 8, 1}), zeros({3, 3, 1, 4}), zeros({5}), {});
     },
     R"(ShapeError: conv: expected a bias of shape (4,), got (5,)
  input: float32[1, 8, 8, 1]
  kernel: float32[3, 3, 1, 4]
  at: <line>)"},
    {"window_of_0",
     [] {
       nn::max_pool(zeros({1, 8, 8, 1}), {.pool_size = {0, 2}});
     },
     R"(ValueError: max_pool: expected window sizes, strides and dilations of at least 1, got size 0, stride 0, dilation 1
  at: <line>)"},
    {"window_larger_than_the_image",
     [] {
       nn::max_pool(zeros({1, 2, 2, 1}), {.pool_size = {3, 3}});
     },
     R"(ShapeError: max_pool: expected an image at least as large as the window, got size 2, window 3 along axis 1
  input: float32[1, 2, 2, 1]
  hint: use padding "same", or a smaller window
  at: <line>)"},
    {"image_without_a_batch",
     [] {
       nn::max_pool(zeros({8, 8}));
     },
     R"(ShapeError: max_pool: expected an input of rank 3, 4 or 5, got rank 2
  input: float32[8, 8]
  hint: images are (batch, height, width, channels)
  at: <line>)"},
    {"softmax_axis", [] { nn::softmax(zeros({2}), 2); },
     R"(OutOfRangeError: softmax: expected an axis from -1 to 0 for an input of rank 1, got axis = 2)"},
    {"label_beyond_the_classes",
     [] {
       nn::sparse_softmax_cross_entropy(constant({7}), zeros({1, 3}));
     },
     R"(OutOfRangeError: sparse_softmax_cross_entropy: expected labels in 0 ... 2, got 7 at (0,)
  at: <line>)"},
    {"labels_of_other_rows",
     [] {
       nn::sparse_softmax_cross_entropy(constant({1, 2}), zeros({3, 3}));
     },
     R"(ShapeError: sparse_softmax_cross_entropy: expected labels of shape (3,), one for each row, got (2,)
  labels: int32[2]
  logits: float32[3, 3]
  at: <line>)"},
    {"uniform_the_wrong_way_round", [] { random::uniform({2}, 3, 1); },
     R"(ValueError: random.uniform: expected finite limits, minval <= maxval, got 3 and 1)"},
    {"negative_deviation", [] { random::normal({2}, 0, -1, {.seed = 1}); },
     R"(ValueError: random.normal: expected a finite mean, and a stddev of at least 0, got mean 0 and stddev -1)"},
    {"random_integers",
     [] { random::normal({2}, 0, 1, {.dtype = DType::int32}); },
     R"(TypeError: random: expected a floating-point dtype, got int32)"},
    {"random_without_a_shape", [] { random::normal({}); },
     R"(ShapeError: random: expected a shape of known sizes, got <unset>
  hint: Shape::scalar() is the shape of a single number)"},
    {"probability_above_1", [] { random::bernoulli({2}, 1.5); },
     R"(ValueError: random.bernoulli: expected a probability in [0, 1], got 1.5)"},
    {"dropping_everything", [] { random::dropout(ones({4}), 1.0); },
     R"(ValueError: random.dropout: expected a rate in [0, 1), got 1)"},
    {"condition_that_is_no_bool",
     [] {
       while_loop([](const std::vector<Tensor>& v) { return v[0]; },
                  [](const std::vector<Tensor>& v) { return v; },
                  {constant(1)});
     },
     R"(TypeError: while_loop: expected a condition that gives one bool, got int32[]
  at: <line>)"},
    {"body_that_returns_more",
     [] {
       while_loop([](const std::vector<Tensor>& v) { return v[0] < 1; },
                  [](const std::vector<Tensor>& v) {
                    return std::vector<Tensor>{v[0], v[0]};
                  },
                  {constant(0)});
     },
     R"(ValueError: while_loop: expected the body to return 1 values, got 2
  at: <line>)"},
    {"loop_a_fraction_of_times", [] { for_loop(2.5, [](const Tensor&) {}); },
     R"(TypeError: for_loop: expected a count that is one integer, got float32[]
  at: <line>)"},
    {"loop_without_a_body", [] { for_loop(2, {}); },
     R"(ValueError: for_loop body: expected a function, got an empty one (a null pointer or std::function()))"},
    {"value_of_a_body_read_later",
     [] {
       Tensor kept;
       for_loop(3, [&](const Tensor& i) { kept = i + 1; });
       kept.numpy();
     },
     R"(ValueError: Tensor.numpy: the Tensor was made inside a loop body: it has another value each time round
  tensor: int32[]
  hint: return it from the loop, or assign it to a Variable
  at: <line>)"},
};

INSTANTIATE_MISTAKES(Ops, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
