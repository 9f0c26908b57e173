// Compiled programs: an Executable can be looked at and serialized, a
// LoadedExecutable can run.
//
//   LoadedExecutable program = client.compile(text, encode({}));
//   program.execute({.arguments = lists, .num_arguments = 2, .outputs = outs});
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "systolic/pjrt/handle.h"
#include "systolic/pjrt/named_value.h"

namespace systolic::internal::pjrt {

// The bytes that a program needs on one device.
struct ProgramMemory {
  int64_t code = 0;
  int64_t arguments = 0;
  int64_t outputs = 0;
  int64_t aliased = 0;  // arguments whose memory outputs take over
  int64_t temporary = 0;
  int64_t peak = 0;  // 0 where the plugin does not say
};

// The compiler's estimates of one run on one device; unset what it does not
// say. A loop whose trip count it can not tell counts once.
struct ProgramCost {
  std::optional<double> flops;            // floating-point operations
  std::optional<double> transcendentals;  // exp, log, tanh ...
  std::optional<double> bytes_accessed;   // of the device's memory
  std::optional<double> seconds;          // its "optimal_seconds"
  NamedValues all = {};                   // everything that it says
};

// The program as the compiler has left it.
struct OptimizedProgram {
  std::string format;  // "hlo", "hlo_with_config", "mlir"
  std::string bytes;   // a serialized HloModuleProto (WithConfig), or a text
};

// A compiled program that is not on a device.
class Executable : public Handle<abi::Executable> {
 public:
  Executable() = default;
  Executable(const abi::Api* api, abi::Executable* raw) : Handle(api, raw) {}

  std::string name() const;
  size_t num_outputs() const;
  // A form that the same plugin loads again.
  std::string serialize() const;
  // What it needs of the device's memory; nothing where not known.
  std::optional<ProgramMemory> memory() const;
  // The compiler's estimates; nothing is set where it has none.
  ProgramCost cost() const;
  // What the compiler made of the text; nothing where it does not tell.
  std::optional<OptimizedProgram> optimized() const;
};

// One launch: argument and output handles by device.
struct LaunchCall {
  std::span<abi::Buffer* const* const> arguments;  // [device][argument]
  size_t num_arguments = 0;
  std::span<abi::Buffer** const> outputs;  // [device][output], filled in
  std::span<const int64_t> non_donatable;
  abi::Device* device = nullptr;         // of a portable program, else null
  std::span<abi::Event*> complete = {};  // [device], filled in if not empty
};

// A compiled program on its devices.
class LoadedExecutable : public Handle<abi::LoadedExecutable> {
 public:
  LoadedExecutable() = default;
  LoadedExecutable(const abi::Api* api, abi::LoadedExecutable* raw)
      : Handle(api, raw) {}

  // The program itself.
  Executable executable() const;
  // Starts it; the outputs are new buffers that the caller owns. Failures of
  // the run show in the outputs, those of the start are thrown.
  void execute(const LaunchCall& launch) const;
};

}  // namespace systolic::internal::pjrt
