// What the runtime did, counted since the process started.
//
//   uint64_t before = counters().compiles;
//   step();
//   EXPECT_EQ(counters().compiles, before);
#pragma once

#include <atomic>
#include <cstdint>

namespace systolic::internal::runtime {

// Each is raised by the call it counts, on any thread.
struct Counters {
  std::atomic<uint64_t> compiles{0};
  std::atomic<uint64_t> compile_microseconds{0};
  // Programs that were loaded as they had been compiled before.
  std::atomic<uint64_t> loads{0};
  std::atomic<uint64_t> load_microseconds{0};
  std::atomic<uint64_t> launches{0};
  std::atomic<uint64_t> host_to_device_transfers{0};
  std::atomic<uint64_t> host_to_device_bytes{0};
  std::atomic<uint64_t> device_to_host_transfers{0};
  std::atomic<uint64_t> device_to_host_bytes{0};
  std::atomic<uint64_t> device_to_device_copies{0};
  std::atomic<uint64_t> device_to_device_bytes{0};
  // Copies between two clients: each goes over the host.
  std::atomic<uint64_t> client_to_client_copies{0};
};

// The process's counters.
Counters& counters();

}  // namespace systolic::internal::runtime
