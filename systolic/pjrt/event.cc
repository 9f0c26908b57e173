#include "systolic/pjrt/event.h"

#include <future>
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

bool Event::is_ready() const {
  return raw() == nullptr || get(api(), kEventIsReady, raw());
}

void Event::await() const {
  if (raw() == nullptr) return;
  Padded<abi::NounArgs<abi::Event>> args;
  args->noun = raw();
  call(api(), kEventAwait, args);
}

// The C API has no wait that ends; a callback on a value of ours has.
bool Event::await_for(std::chrono::duration<double> limit) const {
  if (!is_ready()) {
    auto fired = std::make_shared<std::promise<void>>();
    std::future<void> has_fired = fired->get_future();
    on_ready([fired](const std::exception_ptr&) { fired->set_value(); });
    if (has_fired.wait_for(limit) != std::future_status::ready) return false;
  }
  await();  // at once, with the failure
  return true;
}

void Event::on_ready(std::function<void(std::exception_ptr)> callback) const {
  if (raw() == nullptr) {
    callback(nullptr);
    return;
  }
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
