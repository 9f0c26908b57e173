// Mistakes with Arrays, Tensors, Variables and tapes.
#include <systolic/systolic.h>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

const Mistake kMistakes[] = {
    {"array_of_another_size",
     [] {
       Array::from({1.f, 2.f, 3.f}, {2, 2});
     },
     R"(ShapeError: Array: expected 4 elements for shape (2, 2), got 3)"},
    {"lists_of_different_lengths",
     [] {
       to_array({{1.0, 2.0}, {3.0}});
     },
     R"(ShapeError: constant: expected lists of one length in axis 1, got 2 and 1
  hint: pad the shorter list)"},
    {"elements_as_another_type",
     [] { Array::zeros({2}, DType::uint8).span<float>(); },
     R"(TypeError: Array::span: expected uint8 elements, as the array holds, got span of float32
  array: uint8[2]
  hint: read it as its own type, or cast it first)"},
    {"item_of_many", [] { Array::zeros({2}).item<float>(); },
     R"(ValueError: Array::item: expected an array of one element, got 2
  array: float32[2]
  hint: index it first, for example x[{0, 0}].item<float>())"},
    {"unknown_dtype", [] { dtype_from_name("float23"); },
     R"(ValueError: dtype: expected 'bool', 'int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64', 'float8_e4m3fn', 'float8_e5m2', 'float16', 'bfloat16', 'float32', 'float64', 'complex64', 'complex128' or 'string', got 'float23'
  hint: did you mean 'float16'?)"},
    {"shapes_that_do_not_broadcast",
     [] {
       zeros({2, 3}) + zeros({4});
     },
     R"(ShapeError: add: expected shapes that broadcast together, got (2, 3) and (4,)
  input 0: float32[2, 3]
  input 1: float32[4]
  hint: sizes must be equal or 1, counted from the last axis
  at: <line>)"},
    {"matmul_inner_sizes",
     [] {
       matmul(zeros({2, 3}), zeros({2, 3}));
     },
     R"(ShapeError: matmul: expected inner sizes to agree, got (2, 3) and (2, 3)
  input 0: float32[2, 3]
  input 1: float32[2, 3]
  hint: (..., m, k) times (..., k, n) gives (..., m, n)
  at: <line>)"},
    {"mixing_ranks",
     [] {
       concatenate({zeros({2, 3}), zeros({3})}, 0);
     },
     R"(ShapeError: concatenate: expected inputs that agree but for axis 0, got (2, 3) and (3,)
  input 0: float32[2, 3]
  input 1: float32[3]
  at: <line>)"},
    {"wrong_axis",
     [] {
       sum(zeros({2, 3}), {.axis = 2});
     },
     R"(OutOfRangeError: sum: expected an axis from -2 to 1, got axis = 2
  input: float32[2, 3]
  at: <line>)"},
    {"reshape_to_another_size",
     [] {
       reshape(zeros({2, 3}), {4, 2});
     },
     R"(ShapeError: reshape: expected a shape of 6 elements, got (4, 2), which has 8
  input: float32[2, 3]
  at: <line>)"},
    {"axes_twice",
     [] {
       transpose(zeros({2, 3}), {1, 1});
     },
     R"(ValueError: transpose: expected each axis once, got axis = (1, 1))"},
    {"squeeze_of_a_larger_axis",
     [] {
       squeeze(zeros({2, 3}), {0});
     },
     R"(ShapeError: squeeze: expected size 1 along axis 0, got 2
  input: float32[2, 3]
  at: <line>)"},
    {"index_outside",
     [] {
       zeros({3, 2})[5];
     },
     R"(OutOfRangeError: slice: expected an index from -3 to 2 for axis 0 of size 3, got 5
  shape: (3, 2)
  at: <line>)"},
    {"too_many_indices",
     [] {
       zeros({3})[{0, 1}];
     },
     R"(ValueError: slice: expected at most 1 indices for shape (3,), got 2 in [0, 1]
  at: <line>)"},
    {"one_hot_of_floats", [] { one_hot(zeros({3}), 10); },
     R"(TypeError: one_hot: expected integer positions, got float32
  at: <line>)"},
    {"kernel_of_other_channels",
     [] {
       nn::conv(zeros({1, 8, 8, 1}), zeros({3, 3, 2, 4}));
     },
     R"(ShapeError: conv: expected input channels = kernel channels x groups, and filters a multiple of groups, got 1 channels, 2 x 1, 4 filters
  input: float32[1, 8, 8, 1]
  kernel: float32[3, 3, 2, 4]
  at: <line>)"},
    {"shape_that_is_unset", [] { zeros({}); },
     R"(ShapeError: zeros: expected a shape, got an unset one ({} or Shape())
  hint: Shape::scalar() is the shape of a single number)"},
    {"strings_on_a_device", [] { constant(Array::from_strings({"a"})); },
     R"(TypeError: constant: expected numbers or bool, got strings
  value: string[1]
  hint: strings stay on the host: keep them in an Array)"},
    {"undefined_tensor",
     [] {
       Tensor x;
       x + 1;
     },
     R"(ValueError: Tensor: expected a Tensor that holds a value, got an undefined one (Tensor()))"},
    {"assign_another_shape",
     [] { Variable(zeros({2}), {.name = "state"}).assign(zeros({3})); },
     R"(ShapeError: Variable "state": expected a value of shape (2,), got (3,)
  variable: float32[2]
  value: float32[3]
  at: <line>)"},
    {"value_read_in_a_loop_body",
     [] {
       Variable total(constant(0.0), {.name = "total"});
       for_loop(3, [&](const Tensor& i) {
         if ((total + i).item<float>() > 1) total.assign(0);
       });
     },
     R"(ValueError: Tensor.numpy: a value can not be read inside a loop body: code there runs when it is recorded, the value exists when it is launched
  tensor: float32[]
  hint: use where to decide on values, or return the Tensor and read it after the step
  at: <line>)"},
    {"variable_read_in_a_loop_body",
     [] {
       Variable total(constant(0.0), {.name = "total"});
       for_loop(3, [&](const Tensor&) { total.numpy(); });
     },
     R"(ValueError: Variable "total": its value can not be read inside a loop body: code there runs when it is recorded, the value exists when it is launched
  hint: use the Variable itself in ops, or read it after the step
  at: <line>)"},
    {"loop_value_of_another_shape",
     [] {
       while_loop([](const std::vector<Tensor>& v) { return sum(v[0]) < 9; },
                  [](const std::vector<Tensor>& v) {
                    return std::vector{concatenate({v[0], v[0]}, 0)};
                  },
                  {zeros({2})});
     },
     R"(ShapeError: while_loop: expected value 0 to keep its spec float32[2], got float32[4] from the body
  hint: shapes and dtypes are fixed on the device; cast or reshape the value in the body
  at: <line>)"},
    {"tape_used_twice",
     [] {
       Variable w(ones({2}), {.name = "w"});
       GradientTape tape;
       const Tensor loss = sum(square(w));
       tape.gradient(loss, w);
       tape.gradient(loss, w);
     },
     R"(ValueError: GradientTape.gradient: the tape has been used up by its first gradient()
  hint: make it persistent: GradientTape tape({.persistent = true})
  at: <line>)"},
    {"gradient_of_something_else",
     [] {
       Variable w(ones({2}), {.name = "w"});
       GradientTape tape;
       tape.gradient(sum(zeros({2})), w);
     },
     R"(ValueError: GradientTape.gradient: nothing that depends on the sources was computed while the tape was recording
  target: float32[]
  source: w float32[2]
  hint: compute the target after the tape was made; call watch() for a Tensor that is not a trainable Variable
  at: <line>)"},
    {"gradient_through_argmax",
     [] {
       Variable w(ones({2}), {.name = "w"});
       GradientTape tape;
       tape.gradient(cast(argmax(w), DType::float32), w);
     },
     R"(ValueError: GradientTape.gradient: the target does not depend on any of the sources
  target: float32[]
  source: w float32[2]
  hint: is the target computed from these sources, without a read to the host or a stop_gradient in between?
  at: <line>)"},
};

INSTANTIATE_MISTAKES(Values, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
