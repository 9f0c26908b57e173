// Puts a function of the fake plugin into its table, behind what a test may
// wish for.
//   install<kEventDestroy, &event_destroy>();
#pragma once

#include <string>
#include <string_view>

#include "systolic/testing/fake_pjrt.h"
#include "tests/fake_plugin/plugin/objects.h"

namespace systolic::internal::pjrt::fake {

// The one table; its functions are all of the files beside this one.
FakeApi& table();

template <class Args>
Args args_of(const Function<Args>&);

// An error in the words of XLA's plugins for a struct of the wrong size.
template <class Args>
abi::Error* check_size(const char* name, size_t got) {
  const Wishes& wishes = control().wishes;
  const size_t expected = sizeof(Args) + wishes.grown;
  const bool is_right = wishes.is_strict ? got == expected : got >= expected;
  // What went wrong must be tellable.
  if (is_right || name == std::string_view(kErrorGetCode.name)) return nullptr;
  return refuse("Unexpected " + std::string(name) + "_Args size: expected " +
                std::to_string(expected) + ", got " + std::to_string(got) +
                ". Check installed software versions.");
}

template <const auto& kFunction, class Args,
          abi::Error* (*kImplementation)(Args*)>
abi::Error* guarded(Args* args) {
  Wishes& wishes = control().wishes;
  control().calls[kFunction.index] += 1;
  if (wishes.failing == kFunction.index && wishes.calls_before-- <= 0) {
    // What cannot be destroyed is gone all the same, so that a test can count.
    if (std::string_view(kFunction.name).ends_with("Destroy")) {
      kImplementation(args);
    }
    return new abi::Error(wishes.code, "wished for");
  }
  if (abi::Error* error = check_size<Args>(kFunction.name, args->struct_size)) {
    return error;
  }
  if (wishes.giving_nothing == kFunction.index) return nullptr;
  return kImplementation(args);
}

template <const auto& kFunction,
          abi::Error* (*kImplementation)(decltype(args_of(kFunction))*)>
void install() {
  using Args = decltype(args_of(kFunction));
  table().set(kFunction, &guarded<kFunction, Args, kImplementation>);
  control().names[kFunction.index] = kFunction.name;
}

}  // namespace systolic::internal::pjrt::fake
