// Every statement that the emitter writes compiles: on the CPU platform, and
// for a TPU v3 with eight cores where libtpu is installed (no TPU is needed).
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "systolic/pjrt/compile_options.h"
#include "systolic/pjrt/topology.h"
#include "systolic/platforms/platform.h"
#include "systolic/platforms/search.h"
#include "systolic/runtime/executable.h"
#include "systolic/stablehlo/emitter.h"

namespace systolic::internal::stablehlo {
namespace {

using Sizes = std::vector<int64_t>;

// A module that gives everything that was written into it.
class Module {
 public:
  explicit Module(int replicas) : e("main", replicas) {}

  Emitter e;
  Value keep(const Value& value) {
    results_.push_back(value);
    return value;
  }
  void keep(const std::vector<Value>& values) {
    results_.insert(results_.end(), values.begin(), values.end());
  }
  std::string text() {
    e.finish(results_);
    return e.module();
  }

 private:
  std::vector<Value> results_;
};

constexpr DType kFloats[] = {DType::float32, DType::bfloat16, DType::float16};
constexpr DType kIntegers[] = {DType::int8,   DType::int32,  DType::int64,
                               DType::uint8,  DType::uint16, DType::uint32,
                               DType::uint64, DType::boolean};

void write_elementwise(Module& m) {
  for (DType dtype : kFloats) {
    const Value x = m.e.argument({dtype, Shape{2, 3}});
    Value y = x;
    for (const char* op : {"abs", "sign", "sqrt", "rsqrt", "exponential",
                           "exponential_minus_one", "log", "log_plus_one",
                           "sine", "cosine", "tanh", "logistic", "floor",
                           "ceil", "round_nearest_even", "negate"}) {
      y = m.e.unary(op, y);
    }
    for (const char* op : {"add", "subtract", "multiply", "divide", "power",
                           "maximum", "minimum", "remainder"}) {
      y = m.e.binary(op, y, x);
    }
    m.keep(y);
    m.keep(m.e.statement("is_finite", {y}, {DType::boolean, Shape{2, 3}}));
    m.keep(m.e.statement(
        "clamp", {m.e.splat(x.spec, -INFINITY), x, m.e.splat(x.spec, 1e39)},
        x.spec));
  }
  for (DType dtype : kIntegers) {
    const TensorSpec spec{dtype, Shape{4}};
    const Value x = m.e.argument(spec);
    Value y = m.e.splat_integer(spec, -300);
    for (const char* op : {"and", "or", "xor", "maximum", "minimum"}) {
      y = m.e.binary(op, y, x);
    }
    y = m.keep(m.e.unary("not", y));
    const Value less = m.e.compare("LT", x, y);
    m.keep(m.e.select(less, x, y));
    m.keep(m.e.convert(m.e.convert(x, DType::float32), dtype));
  }
}

void write_movement(Module& m) {
  const Value x = m.e.argument({DType::float32, Shape{2, 3}});
  const Value at = m.e.argument({DType::int32, Shape::scalar()});
  m.keep(m.e.constant(Array::from({1.5f, -2.f})));
  m.keep(m.e.constant(Array::from({true, false}, {1, 2})));
  m.keep(m.e.constant(Array::zeros({0, 2})));
  m.keep(m.e.constant(Array::scalar(3)));
  m.keep(m.e.broadcast(x, {4, 2, 3}));
  m.keep(m.e.transpose(m.e.reshape(x, {3, 2}), Sizes{1, 0}));
  m.keep(m.e.reverse(x, Sizes{0, 1}));
  m.keep(m.e.iota({DType::int32, Shape{2, 3}}, 1));
  const Value both[] = {x, x};
  const Value wide = m.keep(m.e.concatenate(both, 0));
  m.keep(m.e.slice(wide, Sizes{1, 0}, Sizes{4, 3}, Sizes{2, 1}));
  m.keep(m.e.slice(wide, Sizes{0, 0}, Sizes{0, 3}, Sizes{1, 1}));
  const Value starts[] = {at, at};
  const Value block = m.e.dynamic_slice(wide, starts, Sizes{1, 2});
  m.keep(m.e.dynamic_update_slice(wide, block, starts));
  const EdgePadding edges[] = {{1, -1}, {0, 2}};
  m.keep(m.e.pad(x, m.e.splat({DType::float32, Shape::scalar()}, 0), edges,
                 Sizes{0, 1}));
  const Value places = m.e.reshape(at, {1});
  const Value rows = m.keep(m.e.take(x, places, 1));
  m.keep(m.e.scatter_add_rows({2, 3}, places, rows, 1));
}

void write_reductions(Module& m) {
  const Value x = m.e.argument({DType::float32, Shape{2, 3}});
  const Value n = m.e.argument({DType::int8, Shape{2, 3}});
  for (const Value& v : {x, n}) {
    for (Combine combine : {Combine::add, Combine::multiply, Combine::maximum,
                            Combine::minimum}) {
      m.keep(m.e.reduce(combine, v, Sizes{1}));
    }
    m.keep(m.e.arg_reduce(true, v, 1));
    m.keep(m.e.arg_reduce(false, v, 0));
  }
  const Value truth = m.e.convert(x, DType::boolean);
  m.keep(m.e.reduce(Combine::logical_and, truth, Sizes{0, 1}));
  m.keep(m.e.reduce(Combine::logical_or, truth, Sizes{0}));
  m.keep(m.e.arg_reduce(true, truth, 0));
}

void write_windows(Module& m) {
  const Value x = m.e.argument({DType::float32, Shape{2, 5, 5, 4}});
  const Value filter = m.e.argument({DType::float32, Shape{3, 2, 2, 6}});
  const Window pool{.size = {1, 2, 3, 1},
                    .strides = {1, 2, 1, 1},
                    .padding = {{0, 0}, {0, 1}, {1, 1}, {0, 0}},
                    .base_dilation = {},
                    .window_dilation = {}};
  const Value y = m.keep(m.e.reduce_window(Combine::maximum, x, pool));
  m.keep(m.e.select_and_scatter(x, y, pool));
  const Window window{.size = {},
                      .strides = {2, 1},
                      .padding = {{1, 1}, {0, -1}},
                      .base_dilation = {1, 2},
                      .window_dilation = {1, 2}};
  m.keep(m.e.convolution(x, filter, window, {2, 3, 6, 6}, 2));
  const Value a = m.e.argument({DType::bfloat16, Shape{3, 2, 4}});
  const Value b = m.e.argument({DType::bfloat16, Shape{3, 5, 4}});
  m.keep(m.e.dot_general(a, b, Sizes{0}, Sizes{0}, Sizes{2}, Sizes{2},
                         DType::float32));
}

using RegionBuilder = Emitter::RegionBuilder;

void write_control(Module& m) {
  const TensorSpec index{DType::int32, Shape::scalar()};
  const Value state = m.e.argument({DType::uint64, Shape{2}});
  const Value x = m.e.argument({DType::float32, Shape{3}});
  m.keep(m.e.random_bits(state, {DType::uint32, Shape{8}}));
  m.keep(m.e.random_bits(m.e.argument({DType::uint64, Shape{3}}),
                         {DType::uint32, Shape{8}}));
  const Value initial[] = {m.e.splat(index, 0), x};
  m.keep(m.e.while_loop(
      initial,
      [&](std::span<const Value> v) {
        return std::vector{m.e.compare("LT", v[0], m.e.splat(index, 5))};
      },
      [&](std::span<const Value> v) {
        return std::vector{m.e.binary("add", v[0], m.e.splat(index, 1)),
                           m.e.binary("multiply", v[1], v[1])};
      }));
  const auto twice = [&](auto) { return std::vector{m.e.binary("add", x, x)}; };
  const auto same = [&](auto) { return std::vector{x}; };
  const TensorSpec result[] = {x.spec};
  const Value is_true = m.e.compare("LT", initial[0], m.e.splat(index, 5));
  m.keep(m.e.choose(is_true, std::vector<RegionBuilder>{twice, same}, result));
  m.keep(m.e.choose(initial[0], std::vector<RegionBuilder>{twice, same, twice},
                    result));
}

void write_collectives(Module& m) {
  const Value x = m.e.argument({DType::float32, Shape{3}});
  const Value half = m.e.argument({DType::bfloat16, Shape{2, 2}});
  const Value values[] = {x, half,
                          m.e.convert(m.e.replica_id(), DType::float32)};
  m.keep(m.e.all_reduce(Combine::add, values, 8));
  m.keep(m.e.all_reduce(Combine::maximum, std::span(&x, 1), 8));
}

void write_complex(Module& m) {
  const TensorSpec part{DType::float32, Shape{2, 4}};
  const TensorSpec spec{DType::complex64, Shape{2, 4}};
  const Value x = m.e.argument(part);
  Value z = m.e.statement("complex", {x, x}, spec);
  for (const char* op :
       {"exponential", "exponential_minus_one", "log", "log_plus_one", "sqrt",
        "rsqrt", "sine", "cosine", "tanh", "logistic", "negate", "sign"}) {
    z = m.e.unary(op, z);
  }
  for (const char* op : {"add", "subtract", "multiply", "divide", "power"}) {
    z = m.e.binary(op, z, m.e.splat(spec, 2.5));
  }
  m.keep(m.e.convert(x, DType::complex64));
  m.keep(m.e.convert(z, DType::boolean));
  m.keep(m.e.compare("EQ", z, m.e.splat(spec, INFINITY)));
  m.keep(m.e.fft(z, true, 2));
  m.keep(m.e.reduce(Combine::add, z, Sizes{0}));
  m.keep(m.e.reduce(Combine::multiply, z, Sizes{1}));
  m.keep(m.e.dot_general(z, z, Sizes{0}, Sizes{0}, Sizes{1}, Sizes{1},
                         DType::complex64));
  for (const char* op : {"abs", "real", "imag"}) {
    m.keep(m.e.statement(op, {z}, part));
  }
}

struct Family {
  const char* name;
  void (*write)(Module&);
};

constexpr Family kFamilies[] = {
    {"elementwise", write_elementwise}, {"movement", write_movement},
    {"reductions", write_reductions},   {"windows", write_windows},
    {"control", write_control},         {"collectives", write_collectives},
    {"complex", write_complex}};

TEST(EmitterPlatform, EveryStatementCompiles) {
  runtime::Client& client = runtime::Client::open({.device_count = 8});
  for (const Family& family : kFamilies) {
    SCOPED_TRACE(family.name);
    const int replicas = family.write == write_collectives ? 8 : 1;
    Module m(replicas);
    family.write(m);
    const auto program =
        runtime::compile(client, m.text(), {.num_replicas = replicas});
    EXPECT_GT(program->num_outputs(), 0);
  }
}

TEST(EmitterPlatform, EveryStatementCompilesForATpuThatIsNotHere) {
  if (!platforms::search(platforms::find_row("tpu")).found) {
    GTEST_SKIP() << "libtpu is not installed";
  }
  const auto v3 = pjrt::Topology::create(
      platforms::Platform::load("tpu").plugin(), "v3:2x2x1");
  for (const Family& family : kFamilies) {
    SCOPED_TRACE(family.name);
    Module m(8);
    family.write(m);
    const pjrt::Executable program =
        v3.compile(m.text(), pjrt::encode({.num_replicas = 8}));
    EXPECT_GT(program.num_outputs(), 0u);
  }
}

// A constant reads back as it was given, whatever its dtype.
TEST(EmitterPlatform, ConstantsHoldTheirValues) {
  const std::vector<Array> arrays{
      Array::from({1.5f, -0.f, 3e38f}),
      Array::from(std::vector<int64_t>{-1, int64_t{1} << 40}),
      Array::from(std::vector<uint8_t>{0, 255}),
      Array::from({true, false, true}, {3, 1}),
      Array::full({2}, 0.1, DType::bfloat16),
      Array::zeros({2, 0}),
      Array::from(
          {std::complex<float>(1, -2), std::complex<float>(INFINITY, NAN)}),
      Array::full({2}, -1.5, DType::complex128),
      Array::full({3}, 0.75, DType::float8_e4m3fn),
      Array::full({3}, -6, DType::float8_e5m2),
      Array::scalar(-7)};
  Module m(1);
  std::vector<TensorSpec> specs;
  for (const Array& array : arrays) {
    m.keep(m.e.constant(array));
    specs.push_back(array.spec());
  }
  runtime::Client& client = runtime::Client::open({});
  const auto program = runtime::compile(client, m.text());
  const std::vector<std::vector<runtime::BufferPtr>> no_arguments(1);
  const auto results = runtime::launch(*program, no_arguments, specs, {});
  for (size_t i = 0; i < arrays.size(); ++i) {
    const Array got = runtime::to_host(*results[0][i]);
    EXPECT_EQ(got.spec(), arrays[i].spec());
    EXPECT_EQ(got.to_string(), arrays[i].to_string());
  }
}

}  // namespace
}  // namespace systolic::internal::stablehlo
