// Mistakes with data sets and their functions.
#include <systolic/systolic.h>

#include <cmath>

#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

using data::Dataset;

// The numbers 0 ... 9.
Dataset numbers() { return Dataset::range(10); }

// Reads all elements.
void read(const Dataset& dataset) {
  for (auto iterator = dataset.iterator();;) {
    data::Element element;
    if (!iterator.get_next(&element)) return;
  }
}

const Mistake kMistakes[] = {
    {"batch_of_less_than_nothing", [] { read(numbers().batch(-2)); },
     R"(ValueError: batch: expected batch_size >= 1, got -2)"},
    {"no_threads",
     [] {
       read(numbers().map([](int64_t n) { return n; },
                          {.num_parallel_calls = 0}));
     },
     R"(ValueError: map: expected num_parallel_calls >= 1 or data::AUTOTUNE, got 0)"},
    {"take_less_than_all", [] { read(numbers().take(-5)); },
     R"(ValueError: take: expected count >= 0, or -1 for all elements, got -5)"},
    {"skip_less_than_all", [] { read(numbers().skip(-5)); },
     R"(ValueError: skip: expected count >= 0, or -1 for all elements, got -5)"},
    {"repeat_minus_5", [] { read(numbers().repeat(-5)); },
     R"(ValueError: repeat: expected count >= 0, or -1 for no end, got -5)"},
    {"prefetch_minus_2", [] { read(numbers().prefetch(-2)); },
     R"(ValueError: prefetch: expected buffer_size >= 0 or data::AUTOTUNE, got -2)"},
    {"range_without_a_step", [] { read(Dataset::range(0, 5, 0)); },
     R"(ValueError: range: expected a step other than 0, got 0)"},
    {"zip_of_nothing", [] { read(Dataset::zip(std::vector<Dataset>{})); },
     R"(ValueError: zip: expected at least one data set, got none)"},
    {"concatenate_other_dtypes",
     [] {
       read(numbers().concatenate(
           Dataset::from_tensor_slices(Array::zeros({3}))));
     },
     R"(TypeError: concatenate: expected data sets whose elements have the same tree, dtypes and ranks, got int64[] and float32[])"},
    {"concatenate_other_shapes",
     [] {
       read(Dataset::from_tensor_slices(Array::zeros({3, 2}))
                .concatenate(Dataset::from_tensor_slices(Array::zeros({3, 3})))
                .batch(6));
     },
     R"(ShapeError: batch: elements of one batch need equal shapes
  element 0 of the batch: float32[2]
  element 3 of the batch: float32[3]
  hint: resize or pad them in map())"},
    {"slices_of_nothing", [] { read(Dataset::from_tensor_slices(Array())); },
     R"(ValueError: from_tensor_slices: expected Arrays with a first axis to slice along, got an unset Array
  tensors: float32[...])"},
    {"key_twice",
     [] {
       read(Dataset::from_tensor_slices(data::Element::dict(
           {{"a", Array::zeros({2})}, {"a", Array::zeros({2})}})));
     },
     R"(ValueError: data::Element::dict: expected each key once, got two values for "a")"},
    {"map_numbers_as_text",
     [] { read(numbers().map([](std::string s) { return s; })); },
     R"(TypeError: map (element 0): data::Element: expected a string, got int64[]
  hint: numbers are read as numbers: int64_t, float)"},
    {"map_rows_as_numbers",
     [] {
       read(Dataset::from_tensor_slices(Array::zeros({3, 2})).map([](float x) {
         return x;
       }));
     },
     R"(ValueError: map (element 0): Array::item: expected an array of one element, got 2
  array: float32[2]
  hint: index it first, for example x[{0, 0}].item<float>())"},
    {"map_to_nothing",
     [] {
       read(numbers().map([](int64_t) { return Array(); }, {.name = "mine"}));
     },
     R"(ValueError: map "mine" (element 0): function: expected a result with elements, got an unset Array (Array()))"},
    {"map_without_a_function",
     [] {
       read(numbers().map(std::function<Array(Array)>(), {.name = "mine"}));
     },
     R"(ValueError: map: expected a function, got an empty one (a null pointer or std::function()))"},
    {"map_to_two_dtypes",
     [] {
       read(numbers()
                .map(
                    [](int64_t n) {
                      return n < 2 ? Array::zeros({2})
                                   : Array::zeros({2}, DType::int32);
                    },
                    {.name = "mine"})
                .batch(4));
     },
     R"(TypeError: batch: elements of one batch need equal dtypes
  element 0 of the batch: float32[2]
  element 2 of the batch: int32[2]
  hint: cast them in map())"},
    {"map_to_two_trees",
     [] {
       read(numbers()
                .map(
                    [](int64_t n) {
                      return n < 2 ? data::Element(Array::zeros({2}))
                                   : data::Element::tuple({Array::zeros({2}),
                                                           Array::zeros({2})});
                    },
                    {.name = "mine"})
                .batch(4));
     },
     R"(TypeError: batch: elements of one batch need the same tree
  element 0 of the batch: float32[2]
  element 2 of the batch: (float32[2], float32[2]))"},
    {"error_of_ones_own",
     [] {
       read(numbers().map(
           [](int64_t n) -> int64_t {
             if (n == 3) throw std::runtime_error("boom");
             return n;
           },
           {.name = "mine"}));
     },
     R"(DataError: map "mine" (element 3): boom)"},
    {"batches_of_different_sizes", [] { read(numbers().batch(4).batch(3)); },
     R"(ShapeError: batch: elements of one batch need equal shapes
  element 0 of the batch: int64[4]
  element 2 of the batch: int64[2]
  hint: resize or pad them in map())"},
    {"iterator_moved_away",
     [] {
       auto iterator = numbers().iterator();
       auto taken = std::move(iterator);
       iterator.next();
     },
     R"(ValueError: data::Iterator: expected an iterator, got one that was moved from)"},
    {"misspelt_key",
     [] {
       data::Element::dict({{"image", Array::zeros({1})}})["imgae"];
     },
     R"(NotFoundError: data::Element: expected a key of the dict, got "imgae"
  element: {"image": float32[1]})"},
    {"item_that_is_not_there",
     [] { data::Element::tuple({Array::zeros({1})})[3]; },
     R"(OutOfRangeError: data::Element: expected an item of a tuple, got item 3 of a tuple of 1
  element: (float32[1],))"},
    {"tuple_as_an_array",
     [] {
       data::Element::tuple({Array::zeros({1}), Array::zeros({1})}).array();
     },
     R"(TypeError: data::Element: expected an Array, got a tuple of 2
  element: (float32[1], float32[1]))"},
    {"filter_keeps_nothing_for_ever",
     [] { read(numbers().filter([](int64_t) { return false; }).repeat()); },
     R"(DataError: repeat: expected an element in each pass of a repetition without end, got a pass with none
  input: filter
  hint: check that the files or Arrays are not empty, that a filter keeps something, and that drop_remainder leaves a batch)"},
};

INSTANTIATE_MISTAKES(Pipelines, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
