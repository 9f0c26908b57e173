// What a test asks of the fake plugin: which call fails and how, when events
// fire, which version the table says. The plugin exports `fake_control`:
//   Control& control = fake::load(path);
//   control.failing = kClientCompile.index;
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "systolic/pjrt/abi.h"

namespace systolic::internal::pjrt::fake {

// When an event fires.
enum class Firing { at_once, never, failing };

// How events of one kind fire; those of other devices fire at once.
struct Events {
  Firing firing = Firing::at_once;
  int device = -1;  // -1: all
};

// What may be asked for; reset() brings these values back.
struct Wishes {
  int failing = -1;         // the index of the function that fails
  int calls_before = 0;     // how many calls of it succeed first
  int code = 13;            // its error's code
  int giving_nothing = -1;  // the index of the function that only says OK
  size_t grown = 0;         // bytes that its argument structs are longer
  bool is_strict = false;   // argument structs must have its size to the byte
  bool has_layout = true;   // row-major buffers; else read by transfer only
  int devices = 2;          // where the caller names no number
  bool ignores_options = false;
  Events ready;     // of buffers
  Events transfer;  // of reads
  Events upload;    // of host memory
  Events complete;  // of launches
};

// Objects that were made and not destroyed.
struct Live {
  int64_t errors = 0;
  int64_t events = 0;
  int64_t clients = 0;
  int64_t buffers = 0;
  int64_t executables = 0;
  int64_t loaded_executables = 0;
  int64_t topologies = 0;
  int64_t serialized = 0;
  bool operator==(const Live&) const = default;
};

inline constexpr size_t kFunctions = 120;

// The plugin's side, one per process.
struct Control {
  Wishes wishes;
  Live live;
  abi::Api* api = nullptr;                         // may be written to
  std::array<const char*, kFunctions> names = {};  // null: not implemented
  std::array<int, kFunctions> calls = {};          // since reset()
  // Brings the first wishes, the whole table and its version back, and fires
  // the events that have not.
  void (*reset)() = nullptr;
};

using ControlFunction = Control*();

}  // namespace systolic::internal::pjrt::fake
