// Mistakes with input pipelines, data sets on disk, TPU names and platforms.
#include <systolic/systolic.h>

#include <filesystem>
#include <fstream>

#include "systolic/datasets/idx.h"
#include "systolic/platforms/platform.h"
#include "systolic/testing/environment_guard.h"
#include "tests/mistakes/mistake.h"

namespace systolic::mistakes {
namespace {

using data::Dataset;
using distribute::TPUClusterResolver;
using testing::EnvironmentGuard;

// Loads MNIST from a folder whose first file has these bytes.
void load_mnist_from(const std::string& bytes) {
  const EnvironmentGuard cache("XDG_CACHE_HOME", folder() + "/cache");
  const EnvironmentGuard data("SYSTOLIC_DATA_DIR", folder());
  std::ofstream(folder() + "/train-images-idx3-ubyte", std::ios::binary)
      << bytes;
  datasets::mnist::load_data();
}

const Mistake kMistakes[] = {
    {"first_axes_that_differ",
     [] {
       Dataset::from_tensor_slices(Array::zeros({10, 4}), Array::zeros({9}));
     },
     R"(ValueError: from_tensor_slices: expected Arrays with equal first axes, got 10 and 9
  tensors: (float32[10, 4], float32[9]))"},
    {"scalar_to_slices",
     [] { Dataset::from_tensor_slices(Array::scalar(1.f)); },
     R"(ValueError: from_tensor_slices: expected Arrays with a first axis to slice along, got a scalar
  tensors: float32[])"},
    {"batch_of_0", [] { Dataset::range(10).batch(0); },
     R"(ValueError: batch: expected batch_size >= 1, got 0)"},
    {"shuffle_buffer_0", [] { Dataset::range(10).shuffle(0); },
     R"(ValueError: shuffle: expected buffer_size >= 1, got 0
  hint: the number of elements shuffles them fully)"},
    {"elements_that_each_host_orders_otherwise",
     [] { Dataset::range(10).shuffle(10).auto_shard(2, 0); },
     R"(ValueError: auto_shard: expected elements in one order on every host, which shares them out, got shuffle without a seed
  hint: set_random_seed(...), or {.seed = ...}; or shard(hosts, host) before it, and AutoShardPolicy::off)"},
    {"elements_of_different_shapes",
     [] {
       Dataset::range(1, 5)
           .map([](int64_t n) { return Array::zeros({n}); })
           .batch(2)
           .iterator()
           .next();
     },
     R"(ShapeError: batch: elements of one batch need equal shapes
  element 0 of the batch: float32[1]
  element 1 of the batch: float32[2]
  hint: resize or pad them in map())"},
    {"function_of_other_parameters",
     [] {
       Dataset::from_tensor_slices(Array::zeros({10, 4}), Array::zeros({10}))
           .map([](Array image) { return image; }, {.name = "prepare"});
     },
     R"(TypeError: map "prepare": expected a function of 2 parameters, got one of 1
  element: (float32[4], float32[])
  hint: each item of a tuple is a parameter of its own)"},
    {"function_that_throws",
     [] {
       auto iterator = Dataset::range(10)
                           .map(
                               [](int64_t n) {
                                 return n < 2 ? Array::zeros({2}).reshaped({2})
                                              : Array::zeros({2}).reshaped({3});
                               },
                               {.name = "prepare"})
                           .iterator();
       for (;;) iterator.next();
     },
     R"(ShapeError: map "prepare" (element 2): reshape: expected a shape of 2 elements, got (3,)
  input: float32[2])"},
    {"past_the_end",
     [] {
       auto iterator = Dataset::range(1).iterator();
       iterator.next();
       iterator.next();
     },
     R"(OutOfRangeError: range: the iterator is past its last element
  elements: int64[]
  hint: make a new iterator for another pass, or repeat() the data set)"},
    {"endless_repeat_of_nothing",
     [] { Dataset::range(0).repeat().iterator().next(); },
     R"(DataError: repeat: expected an element in each pass of a repetition without end, got a pass with none
  input: range
  hint: check that the files or Arrays are not empty, that a filter keeps something, and that drop_remainder leaves a batch)"},
    {"read_as_other_types", [] { Dataset::range(3).as<Array, Array>(); },
     R"(TypeError: as: expected one type for each item of the element, got <Array, Array>
  element: int64[])"},
    {"mnist_cut_short",
     [] {
       load_mnist_from(std::string("\0\0\x08\x03\0\0\xea\x60\0\0\0\x1c"
                                   "\0\0\0\x1c",
                                   16) +
                       std::string(100, '\0'));
     },
     R"(DataError: datasets: expected a size within the file, got 60000
  file: <folder>/train-images-idx3-ubyte
  check: axis 0
  offset: 4
  hint: replace the file in SYSTOLIC_DATA_DIR)"},
    {"mnist_that_is_a_page",
     [] { load_mnist_from("<html>404 Not Found</html>"); },
     R"(DataError: datasets: expected 00 00, a type (08 09 0b 0c 0d 0e) and a rank, got 3c 68 74 6d
  file: <folder>/train-images-idx3-ubyte
  check: magic number
  offset: 0
  hint: replace the file in SYSTOLIC_DATA_DIR)"},
    {"no_such_idx_file",
     [] { datasets::load_idx(folder() + "/images-idx3-ubyte"); },
     R"(NotFoundError: datasets: expected a file that can be read, got <folder>/images-idx3-ubyte)"},
    {"unknown_tpu_generation", [] { TPUClusterResolver("virtual:v9-8"); },
     R"(ValueError: TPU name: expected <generation>-<number>, for example v3-8, got 'v9-8'
  problem: no generation of this name is known
  generations: 'v2', 'v3', 'v4', 'v5e', 'v5p', 'v6e' or 'tpu7x')"},
    {"half_a_chip", [] { TPUClusterResolver("virtual:v3-7"); },
     R"(ValueError: TPU name: expected <generation>-<number>, for example v3-8, got 'v3-7'
  problem: a chip has 2 cores, so the number must be a multiple
  generations: 'v2', 'v3', 'v4', 'v5e', 'v5p', 'v6e' or 'tpu7x')"},
    {"wrong_tpu_name", [] { TPUClusterResolver("v3-8"); },
     R"(ValueError: TPUClusterResolver: expected "", "local" or "virtual:v<generation>-<cores>", got "v3-8"
  hint: for example "virtual:v3-8")"},
    {"tpu_on_the_network", [] { TPUClusterResolver("grpc://10.0.0.2:8470"); },
     R"(ValueError: TPUClusterResolver: TPUs behind a network address can not be reached by this version
  name: "grpc://10.0.0.2:8470"
  hint: run the program on the TPU's own host with "local", or rehearse it with "virtual:v3-8")"},
    {"strategy_before_initialisation",
     [] {
       distribute::TPUStrategy strategy(TPUClusterResolver("virtual:v3-8"));
     },
     R"(ValueError: TPUStrategy: the TPU system "virtual:v3-8" is not initialised
  hint: call distribute::initialize_tpu_system(resolver) first)"},
    {"plugin_that_is_not_there",
     [] {
       const EnvironmentGuard plugin("SYSTOLIC_PLATFORM_CPU",
                                     folder() + "/pjrt.so");
       internal::platforms::Platform::load("cpu");
     },
     R"(NotFoundError: platform "cpu": no plugin was found for this machine's processor
  looked at: <folder>/pjrt.so
  hint: run `scripts/install-platform cpu`, or set SYSTOLIC_PLATFORM_CPU to the plugin's file)"},
    {"plugin_that_is_none",
     [] {
       std::ofstream(folder() + "/pjrt.so") << "not a shared object";
       const EnvironmentGuard plugin("SYSTOLIC_PLATFORM_CPU",
                                     folder() + "/pjrt.so");
       internal::platforms::Platform::load("cpu");
     },
     R"(PlatformError: plugin <folder>/pjrt.so: the library does not load
  loader: <folder>/pjrt.so: file too short
  found by: SYSTOLIC_PLATFORM_CPU
  hint: `scripts/install-platform cpu` installs this platform with what it needs)"},
    {"unknown_platform", [] { internal::platforms::Platform::load("cup"); },
     R"(NotFoundError: platform: expected 'cpu', 'tpu' or 'cuda', got 'cup')"},
};

INSTANTIATE_MISTAKES(Input, kMistakes);

}  // namespace
}  // namespace systolic::mistakes
