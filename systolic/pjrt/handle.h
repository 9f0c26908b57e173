// Unique ownership of what a PJRT plugin hands out, counted per noun.
//
//   class Buffer : public Handle<abi::Buffer> { ... };
//   EXPECT_EQ(live_handles(), before);  // nothing leaked
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "systolic/pjrt/abi_fwd.h"

namespace systolic::internal::pjrt {

// How many of each noun exist now in this process.
struct LiveHandles {
  int64_t errors = 0;
  int64_t events = 0;
  int64_t clients = 0;
  int64_t buffers = 0;
  int64_t executables = 0;
  int64_t loaded_executables = 0;
  int64_t topologies = 0;
  bool operator==(const LiveHandles&) const = default;
};

// The counts at this moment.
LiveHandles live_handles();

// The count of one noun.
template <class Raw>
std::atomic<int64_t>& live_count() {
  static std::atomic<int64_t> count{0};
  return count;
}

// Give a handle back to the plugin. What the plugin says against it goes to
// the log: destructors do not throw.
void destroy(const abi::Api* api, abi::Error* raw) noexcept;
void destroy(const abi::Api* api, abi::Event* raw) noexcept;
void destroy(const abi::Api* api, abi::Client* raw) noexcept;
void destroy(const abi::Api* api, abi::Buffer* raw) noexcept;
void destroy(const abi::Api* api, abi::Executable* raw) noexcept;
void destroy(const abi::Api* api, abi::LoadedExecutable* raw) noexcept;
void destroy(const abi::Api* api, abi::TopologyDescription* raw) noexcept;

// The one owner of a plugin's object; moving empties the source.
template <class Raw>
class Handle {
 public:
  Handle() = default;
  Handle(const abi::Api* api, Raw* raw) : api_(api), raw_(raw) {
    if (raw_ != nullptr) ++live_count<Raw>();
  }
  Handle(Handle&& other) noexcept
      : api_(other.api_), raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      api_ = other.api_;
      raw_ = std::exchange(other.raw_, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }

  // Gives the object back now.
  void reset() noexcept {
    if (raw_ == nullptr) return;
    destroy(api_, std::exchange(raw_, nullptr));
    --live_count<Raw>();
  }

  Raw* raw() const { return raw_; }
  const abi::Api* api() const { return api_; }
  explicit operator bool() const { return raw_ != nullptr; }

 private:
  const abi::Api* api_ = nullptr;
  Raw* raw_ = nullptr;
};

}  // namespace systolic::internal::pjrt
