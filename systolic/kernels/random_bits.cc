// Philox 4x32-10, as stablehlo.rng_bit_generator gives it. XLA:CPU expands each
// of those into a hundred instructions, which take it 110 ms to compile.
#include <algorithm>
#include <array>

#include "systolic/kernels/clones.h"
#include "systolic/kernels/kernels.h"
#include "systolic/kernels/threads.h"

namespace systolic::internal::kernels {
namespace {

using pjrt::FfiBuffer;
using pjrt::FfiCall;
using pjrt::FfiError;
using pjrt::ffi_abi::ElementType;
using pjrt::ffi_abi::ErrorCode;

constexpr int64_t kWords = 4;   // of one counter value
constexpr int64_t kLanes = 16;  // counter values side by side
// So many words take a thread about 50 us.
constexpr int64_t kSliceWords = int64_t{1} << 16;

using Lanes = std::array<uint32_t, kLanes>;

// What the words are made of: the counter's halves and the key.
struct State {
  uint64_t counter;
  uint64_t upper;
  uint64_t key;

  // The one so many counter values on; the halves are one number.
  State after(uint64_t count) const {
    const uint64_t lower = counter + count;
    return {lower, upper + (lower < counter ? 1 : 0), key};
  }
};

// The words of the counter values from `state` on, which systolic/base's
// philox gives one by one. The rounds of all lanes go side by side.
SYSTOLIC_KERNEL_CLONES
void write_lanes(const State& state, uint32_t* words) {
  constexpr uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  auto k0 = static_cast<uint32_t>(state.key);
  auto k1 = static_cast<uint32_t>(state.key >> 32);
  Lanes a, b, c, d;
  for (int64_t i = 0; i < kLanes; ++i) {
    const State here = state.after(static_cast<uint64_t>(i));
    a[i] = static_cast<uint32_t>(here.counter);
    b[i] = static_cast<uint32_t>(here.counter >> 32);
    c[i] = static_cast<uint32_t>(here.upper);
    d[i] = static_cast<uint32_t>(here.upper >> 32);
  }
  for (int round = 0; round < 10; ++round) {
    for (int64_t i = 0; i < kLanes; ++i) {
      const uint64_t p0 = kMultiplier0 * a[i], p1 = kMultiplier1 * c[i];
      a[i] = static_cast<uint32_t>(p1 >> 32) ^ b[i] ^ k0;
      b[i] = static_cast<uint32_t>(p1);
      c[i] = static_cast<uint32_t>(p0 >> 32) ^ d[i] ^ k1;
      d[i] = static_cast<uint32_t>(p0);
    }
    k0 += kWeyl0;
    k1 += kWeyl1;
  }
  for (int64_t i = 0; i < kLanes; ++i) {
    words[i * kWords] = a[i];
    words[i * kWords + 1] = b[i];
    words[i * kWords + 2] = c[i];
    words[i * kWords + 3] = d[i];
  }
}

// `count` words, the first of which is the first of the state.
void write_words(State state, uint32_t* words, int64_t count) {
  constexpr int64_t kBlock = kLanes * kWords;
  int64_t at = 0;
  for (; at + kBlock <= count; at += kBlock, state = state.after(kLanes)) {
    write_lanes(state, words + at);
  }
  if (at == count) return;
  std::array<uint32_t, kBlock> last;
  write_lanes(state, last.data());
  std::copy_n(last.begin(), count - at, words + at);
}

void random_bits(const FfiCall& call) {
  const FfiBuffer state = call.argument(0, ElementType::uint64, 1);
  const FfiBuffer bits =
      call.result(0, ElementType::uint32, call.result(0).rank());
  if (state.elements() != 2 && state.elements() != 3) {
    throw FfiError(ErrorCode::invalid_argument,
                   "expected a state of key and counter, 2 or 3 numbers, got " +
                       state.to_string());
  }
  const auto* numbers = static_cast<const uint64_t*>(state.data);
  // Two numbers have the key in the counter's upper half as well, as XLA has.
  const State first{.counter = numbers[1],
                    .upper = state.elements() == 3 ? numbers[2] : numbers[0],
                    .key = numbers[0]};
  auto* words = static_cast<uint32_t*>(bits.data);
  const int64_t count = bits.elements();
  parallel((count + kSliceWords - 1) / kSliceWords, threads_of(call),
           [&](int64_t slice) {
             const int64_t from = slice * kSliceWords;
             write_words(first.after(static_cast<uint64_t>(from / kWords)),
                         words + from, std::min(kSliceWords, count - from));
           });
}

}  // namespace

pjrt::ffi_abi::Error* systolic_random_bits(pjrt::ffi_abi::CallFrame* frame) {
  return pjrt::serve_ffi_call(frame, "systolic_random_bits", &random_bits);
}

}  // namespace systolic::internal::kernels
