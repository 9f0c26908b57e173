// A plugin that is a table in memory, for tests of what real plugins seldom
// do: fail, be too old, be of another major version.
//
//   FakeApi fake;
//   fake.set(kEventAwait, &FakeApi::fail);
//   Event event(fake.api(), fake.make<abi::Event>());
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "systolic/pjrt/call.h"

namespace systolic::internal::pjrt {

// The table and what its functions saw. One at a time.
class FakeApi {
 public:
  static constexpr int kFunctions = 120;

  FakeApi() {
    current_ = this;
    words_.assign(sizeof(abi::Api) / sizeof(void*) + kFunctions, nullptr);
    api()->struct_size = words_.size() * sizeof(void*);
    api()->version = {sizeof(abi::Version), nullptr, 0, 90};
    set(kErrorDestroy, &FakeApi::destroy_error);
    set(kErrorMessage, &FakeApi::message);
    set(kErrorGetCode, &FakeApi::code);
    set(kPluginInitialize, &FakeApi::initialize);
    set(kEventDestroy, &FakeApi::destroy_event);
  }
  ~FakeApi() { current_ = nullptr; }

  abi::Api* api() { return reinterpret_cast<abi::Api*>(words_.data()); }

  template <class Args, class Result>
  void set(const Function<Args>& function, Result (*implementation)(Args*)) {
    const size_t head = sizeof(abi::Api) / sizeof(void*);
    words_[head + static_cast<size_t>(function.index)] =
        reinterpret_cast<void*>(implementation);
  }

  // An object of a noun; only its address means something.
  template <class Noun>
  Noun* make() {
    return reinterpret_cast<Noun*>(&words_);
  }

  // Fails with `error_code` and `error_message`.
  template <class Args>
  static abi::Error* fail(Args* args) {
    current_->last_struct_size = args->struct_size;
    return current_->make<abi::Error>();
  }

  int error_code = 3;
  std::string error_message = "the fake says no";
  int destroyed_errors = 0;
  int destroyed_events = 0;
  size_t last_struct_size = 0;

 private:
  static void destroy_error(abi::NounArgs<abi::Error>*) {
    current_->destroyed_errors += 1;
  }
  static void message(abi::ListArgs<abi::Error, char>* args) {
    args->items = current_->error_message.data();
    args->count = current_->error_message.size();
  }
  static abi::Error* code(abi::GetArgs<abi::Error, int32_t>* args) {
    args->value = current_->error_code;
    return nullptr;
  }
  static abi::Error* initialize(abi::PluginInitializeArgs*) { return nullptr; }
  static abi::Error* destroy_event(abi::NounArgs<abi::Event>*) {
    current_->destroyed_events += 1;
    return nullptr;
  }

  static inline FakeApi* current_ = nullptr;
  std::vector<void*> words_;
};

}  // namespace systolic::internal::pjrt
