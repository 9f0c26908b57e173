// A compiled program and its launches.
//
//   ExecutablePtr step = compile(client, text, {.num_replicas = 8});
//   auto outputs = launch(*step, arguments, output_specs, {});
//   // outputs[replica][output]
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "systolic/array/array.h"
#include "systolic/runtime/buffer.h"
#include "systolic/runtime/client.h"

namespace systolic::internal::runtime {

// A compiler option of the platform, as its flags are called there.
using OptionValue = std::variant<std::string, bool, int64_t, double>;

// How a program is compiled.
struct CompileOptions {
  int num_replicas = 1;
  // The device index of each replica; empty: 0, 1, 2 ...
  std::vector<int> device_ids = {};
  // One replica that can run on any device, named at each launch.
  bool portable = false;
  // A small program that runs once: compiling it fast is worth more than what
  // comes out.
  bool runs_once = false;
  // Platform options by name; one the platform does not know is an error.
  std::vector<std::pair<std::string, OptionValue>> overrides = {};
};

// A compiled program, loaded on its devices. Safe to launch from several
// threads.
class Executable {
 public:
  struct Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  ~Executable();

  int num_outputs() const;
  int num_replicas() const;
  bool is_portable() const;
  // The devices of the replicas; empty for a portable program.
  const std::vector<Device>& devices() const;
  // The arguments whose memory the program takes (tf.aliasing_output or
  // jax.buffer_donor in its text), in rising order.
  const std::vector<int64_t>& donated_arguments() const;
  // How long the compiler took, or the loading, in seconds.
  double compile_seconds() const;
  // The plugin's serialized form, loadable by the same plugin only.
  std::string serialize() const;

  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

using ExecutablePtr = std::shared_ptr<Executable>;

// Compiles a StableHLO module in text form. A program that does not compile
// is written to a file that the PlatformError names.
ExecutablePtr compile(Client& client, const std::string& stablehlo_text,
                      const CompileOptions& options = {});

// Loads what Executable::serialize gave; the text is the same program's, for
// its donated arguments.
ExecutablePtr load(Client& client, const std::string& serialized,
                   const std::string& stablehlo_text,
                   const CompileOptions& options = {});

// What may change from launch to launch.
struct LaunchOptions {
  // Arguments that keep their memory although the program would take it.
  std::vector<int64_t> non_donatable = {};
  // Where a portable program runs; unset: where its first argument lies.
  const Device* execute_device = nullptr;
  // What traces call the work on the devices.
  std::string_view name = {};
  // Launches that each device may have left, this one included: it waits for
  // older ones to end. 0: as many as the plugin takes; each has its own
  // temporary memory from the time it is started.
  int most_in_flight = 0;
};

// Starts a program: arguments[replica][argument] in, outputs[replica][output]
// out, one spec per output. Returns before the values are computed; a failure
// shows when one of them is read. Donated arguments are marked so. Throws
// PlatformError if the launch itself is refused.
std::vector<std::vector<BufferPtr>> launch(
    Executable& executable, std::span<const std::vector<BufferPtr>> arguments,
    std::span<const TensorSpec> output_specs,
    const LaunchOptions& options = {});

}  // namespace systolic::internal::runtime
