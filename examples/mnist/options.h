// What the mnist example can be told, and what it says at its end.
#pragma once

#include <systolic/systolic.h>

#include <cstdint>
#include <string>

namespace examples {

struct MnistOptions {
  std::string tpu = "virtual:v3-8";
  std::string model = "small";
  int epochs = 5;
  int64_t batch_size = 200;
  int64_t steps_per_epoch = 300;
  int64_t steps_per_execution = 50;  // the guide's model: 1
  uint64_t seed = 0;
};

/// Reads the flags; prints the usage and ends the program where they are
/// wrong or --help is asked for.
MnistOptions parse_mnist_options(int argc, char** argv);

/// Says what the guide's model costs on this many virtual cores; throws where
/// this machine has not the memory for it.
void check_memory_for_guide(int cores);

/// For steps that take seconds: prints loss and memory after each.
systolic::callbacks::Callback step_report();

/// Prints losses, accuracies and the process's peak memory.
void report(const systolic::callbacks::History& history,
            const systolic::models::Model& model);

}  // namespace examples
