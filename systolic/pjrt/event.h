// A PJRT event: something that will have happened, or will have failed.
//
//   Event done = buffer.ready();
//   done.await();  // throws PlatformError with the failure
#pragma once

#include <chrono>
#include <exception>
#include <functional>

#include "systolic/pjrt/handle.h"

namespace systolic::internal::pjrt {

// Owns one event. An empty one stands for something that has happened: plugins
// give none where there is nothing to wait for.
class Event : public Handle<abi::Event> {
 public:
  Event() = default;
  Event(const abi::Api* api, abi::Event* raw) : Handle(api, raw) {}

  // Whether it has happened or failed; does not wait.
  bool is_ready() const;
  // Waits; throws PlatformError if what the event stands for failed.
  void await() const;
  // The same for at most `limit`; false if it has not happened by then. What
  // the event stands for goes on.
  bool await_for(std::chrono::duration<double> limit) const;
  // Calls `callback` once it has happened, with the failure or null, on a
  // thread of the plugin or at once. The event may be destroyed before. The
  // callback must not throw.
  void on_ready(std::function<void(std::exception_ptr)> callback) const;
};

}  // namespace systolic::internal::pjrt
