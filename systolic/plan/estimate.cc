#include "systolic/plan/estimate.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "systolic/plan/collectives.h"
#include "systolic/plan/nearest.h"
#include "systolic/plan/units.h"

namespace systolic::internal::plan {
namespace {

using platforms::TpuGeneration;
using platforms::TpuSlice;
using systolic::plan::Operation;
using systolic::plan::Plan;

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kMega = 1e6;
constexpr size_t kSlowest = 10;
// The guide's convnet on a v3-8 that is reached over a network: 24 ms a step
// at one step a launch, 10 at 50.
constexpr double kNetworkLaunchSeconds = 14e-3;
// From the TPU's own host nobody publishes it: what a launch on eight devices
// of the CPU takes with this library.
constexpr double kHostLaunchSeconds = 0.1e-3;

// What one device of a slice does in a second.
struct Speeds {
  double cycles = 0;
  double flops = 0;
  double bytes = 0;
};

Speeds speeds_of(const TpuGeneration& generation) {
  const double devices = generation.devices_per_chip;
  return {generation.clock_mhz * kMega,
          generation.tflops_per_chip * kTera / devices,
          generation.memory_gb_per_second * kGiga / devices};
}

// v2 and v3 are the generations that can be reached over a network.
bool is_reached_over_network(const TpuGeneration& generation) {
  return generation.name == "v2" || generation.name == "v3";
}

double share(double part, double all) {
  return all > 0 ? std::clamp(part / all, 0.0, 1.0) : 0;
}

void fill_memory(const Request& request, const TpuSlice& slice,
                 const Compiled& compiled, Plan& plan) {
  systolic::plan::Memory& memory = plan.memory;
  memory.available = slice.memory_per_device();
  memory.weights = request.weight_bytes;
  memory.optimizer = request.optimizer_bytes;
  const int64_t variables = memory.weights + memory.optimizer;
  if (!compiled.refusal) {
    const pjrt::ProgramMemory& said = compiled.memory;
    memory.inputs = std::max<int64_t>(0, said.arguments - variables);
    memory.activations = said.temporary;
    memory.code = said.code;
    const int64_t sum =
        said.arguments + said.outputs - said.aliased + said.temporary;
    memory.peak = said.peak > 0 ? said.peak : sum;
    plan.fits = memory.peak <= memory.available;
    if (!plan.fits) {
      plan.refusal = "needs " + bytes_text(static_cast<double>(memory.peak)) +
                     ", has " +
                     bytes_text(static_cast<double>(memory.available));
    }
    return;
  }
  const Refusal& refusal = *compiled.refusal;
  plan.fits = false;
  plan.refusal = refusal.line;
  plan.largest = refusal.largest;
  if (refusal.available > 0) memory.available = refusal.available;
  memory.inputs =
      std::max<int64_t>(refusal.arguments - variables,
                        request.input_bytes * request.steps_in_program /
                            std::max(plan.replicas, 1));
  memory.peak = refusal.wanted;
  // Where the compiler does not tell them apart: what is left.
  memory.activations =
      refusal.temporaries > 0
          ? refusal.temporaries
          : std::max<int64_t>(0, memory.peak - variables - memory.inputs);
}

Operation make_operation(const OperationWork& work, const Speeds& speeds,
                         double steps) {
  Operation operation{
      .layer = work.layer, .name = work.name, .where = work.where};
  const double all =
      work.cycles / speeds.cycles + work.unpriced_bytes / speeds.bytes;
  operation.seconds = all / steps;
  operation.matrix_unit = share(work.flops, speeds.flops * all);
  operation.padding_waste =
      work.padded_flops > 0 ? 1 - share(work.flops, work.padded_flops) : 0;
  return operation;
}

void fill_compute(const Compiled& compiled, const Speeds& speeds, double steps,
                  Plan& plan) {
  double flops = 0;
  double padded = 0;
  double bytes = compiled.work.overlapped_copies / steps;
  for (const OperationWork& work : compiled.work.operations) {
    Operation operation = make_operation(work, speeds, steps);
    plan.compute_seconds += operation.seconds;
    flops += work.flops / steps;
    padded += work.padded_flops / steps;
    bytes += work.bytes / steps;
    plan.slowest.push_back(std::move(operation));
  }
  // What is copied beside the work is hidden by it only as far as the memory
  // keeps up.
  const double moving = bytes / speeds.bytes;
  if (compiled.work.overlapped_copies > 0 && moving > plan.compute_seconds) {
    plan.slowest.push_back({.name = "waiting for copies",
                            .seconds = moving - plan.compute_seconds});
    plan.compute_seconds = moving;
  }
  for (Operation& operation : plan.slowest) {
    operation.share = share(operation.seconds, plan.compute_seconds);
  }
  std::ranges::stable_sort(plan.slowest, std::ranges::greater(),
                           &Operation::seconds);
  plan.flops = flops;
  plan.matrix_unit = share(flops, speeds.flops * plan.compute_seconds);
  plan.memory_bandwidth = share(bytes, speeds.bytes * plan.compute_seconds);
  plan.padding_waste = padded > 0 ? 1 - share(flops, padded) : 0;
}

// What of the collectives nothing hides, and what computing beside them does.
std::pair<double, double> collective_times(const Compiled& compiled,
                                           const Links& links,
                                           const Speeds& speeds, int replicas,
                                           double steps) {
  double open = 0;
  double hidden = 0;
  for (CollectiveWork work : compiled.work.collectives) {
    if (work.replicas == 0) work.replicas = replicas;
    const double all = collective_seconds(work, links) / steps;
    const double beside = work.times * work.beside / speeds.cycles / steps;
    hidden += std::min(all, beside);
    open += all - std::min(all, beside);
  }
  return {open, hidden};
}

void fill_input(const Request& request, const TpuSlice& slice, Plan& plan) {
  const TpuGeneration* known =
      nearest_known(*slice.generation, &TpuGeneration::host_gb_per_second);
  if (known == nullptr || request.input_bytes == 0) return;
  // Chips without a replica get nothing.
  const int per_chip = slice.generation->devices_per_chip;
  const int chips =
      std::clamp((plan.replicas + per_chip - 1) / per_chip, 1, slice.chips);
  const double speed = known->host_gb_per_second * kGiga * chips;
  plan.input_seconds = static_cast<double>(request.input_bytes) / speed;
  std::string text =
      "input: " + bytes_text(static_cast<double>(request.input_bytes)) +
      " a step over " + number_text(speed / kGiga) +
      " GB/s, the chips' links to their hosts together";
  if (known != slice.generation) {
    text += "; that of " + std::string(known->name) + ", since that of " +
            std::string(slice.generation->name) + " is not published";
  }
  plan.assumptions.push_back(
      text + " (" + std::string(describe(known->host_gb_per_second.source)) +
      "). It overlaps with computing");
}

void fill_launch(const TpuGeneration& generation, Plan& plan) {
  const bool is_far = is_reached_over_network(generation);
  const double launch = is_far ? kNetworkLaunchSeconds : kHostLaunchSeconds;
  plan.launch_seconds = launch / std::max(plan.steps_per_execution, 1);
  plan.assumptions.push_back(
      is_far ? "launch: 14 ms, of a v3-8 that is reached over a network (24 "
               "and 10 ms a step of the guide's model at 1 and 50 steps a "
               "launch); from the TPU's own host far less"
             : "launch: 0.1 ms from the TPU's own host; nobody publishes it, "
               "it is what eight devices take on a CPU");
}

void describe_compute(const Compiled& compiled, const TpuSlice& slice,
                      const Speeds& speeds, double steps, Plan& plan) {
  const TpuGeneration& generation = *slice.generation;
  plan.assumptions.push_back(
      "compute: the compiler's own cycles at " +
      number_text(generation.clock_mhz) + " MHz (" +
      std::string(describe(generation.clock_mhz.source)) + ")");
  if (generation.name == "v4") {
    plan.assumptions.emplace_back(
        "v4: this compiler's cycles seem to leave out the chip's 128 MiB of "
        "CMEM; ResNet-50 comes out at 1.5 times the published time");
  }
  double unpriced = 0;
  for (const OperationWork& work : compiled.work.operations) {
    unpriced += work.unpriced_bytes / speeds.bytes / steps;
  }
  if (unpriced > 0.01 * plan.compute_seconds) {
    plan.assumptions.push_back(
        percent_text(share(unpriced, plan.compute_seconds)) +
        " of the time is of operations without cycles: their bytes at " +
        number_text(speeds.bytes / kGiga) + " GB/s");
  }
  if (compiled.work.overlapped_copies > 0) {
    plan.assumptions.push_back(
        "copies between memories, " +
        bytes_text(compiled.work.overlapped_copies / steps) +
        " a step, overlap with computing");
  }
  if (compiled.work.loops_of_unknown_length > 0) {
    plan.assumptions.push_back(
        std::to_string(compiled.work.loops_of_unknown_length) +
        " loops of unknown length are counted once");
  }
  if (compiled.work.branches > 0) {
    plan.assumptions.emplace_back(
        "of branches the one that takes longest is counted");
  }
}

void describe_collectives(const Links& links, double hidden, Plan& plan) {
  if (plan.collective_seconds == 0) return;
  std::string text = "collectives: " + links.to_string() +
                     "; all links of a chip at once, at their full speed";
  if (links.devices > links.chips) {
    text += "; the cores of a chip share them";
  }
  text += hidden > 0 ? "; " + seconds_text(hidden) + " overlap with computing"
                     : "; they do not overlap with computing";
  plan.assumptions.push_back(std::move(text));
}

void fill_bottleneck(double feed, Plan& plan) {
  // The nearer of the two limits of computing.
  const bool is_memory =
      plan.memory_bandwidth > plan.matrix_unit && plan.memory_bandwidth > 0.5;
  const std::array<std::pair<double, const char*>, 4> terms{{
      {plan.compute_seconds, is_memory ? "memory" : "compute"},
      {plan.collective_seconds, "collectives"},
      {std::max(plan.input_seconds, feed), "input"},
      {plan.launch_seconds, "launch"},
  }};
  plan.bottleneck = std::ranges::max_element(
                        terms, {}, &std::pair<double, const char*>::first)
                        ->second;
}

}  // namespace

Plan estimate(const Request& request, const TpuSlice& slice,
              const Compiled& compiled) {
  Plan plan;
  plan.topology = slice.name();
  plan.chips = slice.chips;
  plan.cores = slice.cores;
  plan.replicas = request.replicas;
  plan.program = request.program;
  plan.where = request.where;
  plan.batch_size = request.batch_size;
  plan.steps_per_execution = std::max(request.steps_per_execution, 1);
  plan.compile_seconds = compiled.seconds;
  plan.from_cache = compiled.from_cache;
  fill_memory(request, slice, compiled, plan);
  if (compiled.refusal) return plan;

  const Speeds speeds = speeds_of(*slice.generation);
  const auto steps =
      static_cast<double>(std::max<int64_t>(request.steps_in_program, 1));
  fill_compute(compiled, speeds, steps, plan);
  describe_compute(compiled, slice, speeds, steps, plan);
  if (plan.slowest.size() > kSlowest) plan.slowest.resize(kSlowest);
  const Links links = links_of(slice);
  const auto [open, hidden] =
      collective_times(compiled, links, speeds, plan.replicas, steps);
  plan.collective_seconds = open + hidden;
  describe_collectives(links, hidden, plan);
  fill_input(request, slice, plan);
  fill_launch(*slice.generation, plan);

  const double device = plan.compute_seconds + open;
  plan.step_seconds =
      std::max(device, plan.input_seconds) + plan.launch_seconds;
  double feed = 0;
  if (request.examples_per_second && request.batch_size > 0) {
    feed =
        static_cast<double>(request.batch_size) / *request.examples_per_second;
    plan.step_seconds = std::max(plan.step_seconds, feed);
  }
  plan.idle = 1 - share(device, plan.step_seconds);
  fill_bottleneck(feed, plan);
  return plan;
}

}  // namespace systolic::internal::plan
