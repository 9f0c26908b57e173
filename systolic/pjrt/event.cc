#include "systolic/pjrt/event.h"

#include <memory>
#include <utility>

#include "systolic/pjrt/call.h"

namespace systolic::internal::pjrt {
namespace {

struct Waiting {
  const abi::Api* api;
  std::function<void(std::exception_ptr)> callback;
};

void fire(abi::Error* error, void* user_arg) {
  const std::unique_ptr<Waiting> waiting(static_cast<Waiting*>(user_arg));
  waiting->callback(to_exception(waiting->api, error, kEventOnReady.name));
}

}  // namespace

bool Event::is_ready() const { return get(api(), kEventIsReady, raw()); }

void Event::await() const {
  Padded<abi::NounArgs<abi::Event>> args;
  args->noun = raw();
  call(api(), kEventAwait, args);
}

void Event::on_ready(std::function<void(std::exception_ptr)> callback) const {
  auto waiting = std::make_unique<Waiting>(Waiting{api(), std::move(callback)});
  Padded<abi::EventOnReadyArgs> args;
  args->event = raw();
  args->callback = &fire;
  args->user_arg = waiting.get();
  abi::Error* error = invoke(api(), kEventOnReady, args);
  if (error == nullptr) (void)waiting.release();  // `fire` owns it now
  check(api(), error, kEventOnReady.name);
}

}  // namespace systolic::internal::pjrt
