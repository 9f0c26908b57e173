// What a program will cost on a TPU that is not there: does it fit, how long
// does a step take, and what to change.
//
//   plan::Plan plan = model.plan({.topology = "v3-8", .batch_size = 1024});
//   std::cout << plan.to_string();
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace systolic::plan {

// Bytes of one device's memory.
struct Memory {
  int64_t available = 0;    // what the device has
  int64_t weights = 0;      // variables of the model
  int64_t optimizer = 0;    // variables of the optimizer
  int64_t inputs = 0;       // the other arguments: batches, of one launch
  int64_t activations = 0;  // the compiler's temporaries
  int64_t code = 0;         // the program itself
  int64_t peak = 0;         // most at one time; where refused, what it wanted
};

// One operation of the optimised program, or several alike: those of one
// place in the program are one.
struct Operation {
  std::string layer = {};    // "conv1_conv"; empty: not known
  std::string name = {};     // "convolution": the op
  std::string where = {};    // "resnet50.cc:58"; empty: not known
  double seconds = 0;        // of a step
  double share = 0;          // of the time that is computed, 0 to 1
  double matrix_unit = 0;    // flops over peak, 0 to 1; 0: uses none
  double padding_waste = 0;  // of the matrix unit's tiles, 0 to 1
};

// One allocation of a program that does not fit, as the compiler lists it.
struct Allocation {
  int64_t bytes = 0;
  std::string shape = {};  // "bf16[128,112,112,64]"
  std::string name = {};   // the op it is for
};

// What there is to know of one program on one slice. Seconds are those of one
// step, that is one global batch; shares are from 0 to 1.
struct Plan {
  std::string topology = {};  // "v3-8"
  int chips = 0;
  int cores = 0;
  int replicas = 0;
  std::string program = {};  // "fit step of resnet50"
  std::string where = {};    // the user's line; may be empty
  int64_t batch_size = 0;    // of all replicas; 0: not known
  int steps_per_execution = 1;

  bool fits = true;
  std::string refusal = {};              // the compiler's line, if it does not
  std::vector<Allocation> largest = {};  // of the memory, if it does not
  Memory memory = {};

  double compute_seconds = 0;
  double collective_seconds = 0;
  double input_seconds = 0;
  double launch_seconds = 0;
  double step_seconds = 0;      // what overlaps taken into account
  double flops = 0;             // of one device
  double matrix_unit = 0;       // flops over peak while it computes
  double memory_bandwidth = 0;  // bytes over peak while it computes
  double padding_waste = 0;     // of the matrix unit's work
  double idle = 0;              // of the step; at the input rate, if given
  // What bounds the step: "compute", "memory" (its bandwidth), "collectives",
  // "input" or "launch".
  std::string bottleneck = {};
  std::vector<Operation> slowest = {};  // ten, the slowest first
  std::vector<std::string> advice = {};
  std::vector<std::string> assumptions = {};
  double compile_seconds = 0;  // of the compiler, also where remembered
  bool from_cache = false;

  // A report of at most 80 columns, for people.
  std::string to_string() const;
  // The same as one JSON object: the names of the members, bytes, seconds.
  std::string to_json() const;
};

}  // namespace systolic::plan
