#include "systolic/plan/advice.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "systolic/plan/units.h"
#include "systolic/platforms/tpu_topology.h"

namespace systolic::internal::plan {
namespace {

using systolic::plan::Operation;
using systolic::plan::Plan;

// The guides: interesting from 8 a core on, best at 128, multiples of 8.
constexpr int64_t kLeastPerCore = 8;
constexpr int64_t kBestPerCore = 128;
constexpr int64_t kMultiple = 8;
// A share of the step that is worth a line.
constexpr double kNotable = 0.05;
// Of the memory, what a larger batch may fill.
constexpr double kMostFilled = 0.9;

class Advisor {
 public:
  Advisor(const Plan& plan, const Request& request)
      : plan_(plan), request_(request) {
    if (plan.batch_size > 0 && plan.replicas > 0) {
      per_core_ = (plan.batch_size - 1) / plan.replicas + 1;
    }
  }

  std::vector<std::string> run() {
    if (!plan_.fits) {
      make_fit();
      return std::move(lines_);
    }
    use_all_devices();
    improve_input();
    improve_launches();
    improve_collectives();
    improve_batch();
    improve_precision();
    improve_tiles();
    return std::move(lines_);
  }

 private:
  // Bytes of one core that grow with the batch.
  double scaling_bytes() const {
    return static_cast<double>(plan_.memory.activations + plan_.memory.inputs);
  }

  // The most examples a core that `budget` bytes hold, a multiple of 8.
  int64_t most_per_core(double budget) const {
    if (per_core_ < 1 || scaling_bytes() <= 0) return 0;
    const double each = scaling_bytes() / static_cast<double>(per_core_);
    const auto most = static_cast<int64_t>(budget / each);
    return most / kMultiple * kMultiple;
  }

  void make_fit() {
    const auto variables =
        static_cast<double>(plan_.memory.weights + plan_.memory.optimizer);
    const auto available = static_cast<double>(plan_.memory.available);
    if (variables >= available) {
      lines_.push_back(
          "weights and optimizer alone need " + bytes_text(variables) + " of " +
          bytes_text(available) +
          " a core: no batch is small enough, and more chips of this kind do "
          "not help, since each core has all weights; take a generation with "
          "more memory a core, a smaller model or an optimizer with fewer "
          "slots");
      return;
    }
    const int64_t most = most_per_core(available - variables);
    if (most >= kLeastPerCore && most < per_core_) {
      lines_.push_back("take at most about " + std::to_string(most) +
                       " examples a core (batch_size " +
                       std::to_string(most * plan_.replicas) +
                       "), by the share of memory that grows with the batch");
    } else if (per_core_ > 1) {
      lines_.emplace_back(
          "a smaller batch a core helps, but at 8 a core it may still not "
          "fit");
    }
    if (is_float32()) lines_.push_back(bfloat16_line("halves activations"));
    lines_.emplace_back(
        "more chips help only with a smaller batch a core: each core has all "
        "weights");
  }

  void use_all_devices() {
    if (plan_.topology.empty()) return;
    const int devices = platforms::parse_tpu(plan_.topology).devices;
    if (plan_.replicas >= devices) return;
    lines_.push_back(std::to_string(plan_.replicas) + " of " +
                     std::to_string(devices) +
                     " devices has work: make the model in the scope of a "
                     "TPUStrategy");
  }

  void improve_input() {
    if (plan_.bottleneck != "input") return;
    const double device = plan_.step_seconds * (1 - plan_.idle);
    if (request_.examples_per_second && plan_.batch_size > 0 && device > 0) {
      const double wanted = static_cast<double>(plan_.batch_size) / device;
      lines_.push_back(
          "the input gives " + number_text(*request_.examples_per_second) +
          " examples a second, the slice takes " + number_text(wanted) +
          ": read TFRecords with parallel interleave, map with AUTOTUNE, "
          "cache, prefetch, or take a smaller slice");
    } else {
      lines_.emplace_back(
          "the links to the hosts are the limit: send uint8 or bfloat16 and "
          "scale on the TPU");
    }
  }

  void improve_launches() {
    if (plan_.launch_seconds < kNotable * plan_.step_seconds) return;
    // So many that launches take a twentieth of a step.
    const double busy = plan_.step_seconds - plan_.launch_seconds;
    const double launch = plan_.launch_seconds * plan_.steps_per_execution;
    const double wanted = busy > 0 ? launch / (kNotable * busy) : 1000;
    const auto steps = std::clamp<int64_t>(
        static_cast<int64_t>(std::ceil(wanted / 10) * 10), 10, 1000);
    if (steps <= plan_.steps_per_execution) return;
    lines_.push_back(
        "launches take " +
        percent_text(plan_.launch_seconds / plan_.step_seconds) +
        " of a step: steps_per_execution = " + std::to_string(steps) +
        (plan_.steps_per_execution > 1
             ? ", now " + std::to_string(plan_.steps_per_execution)
             : ""));
  }

  void improve_collectives() {
    if (plan_.bottleneck != "collectives") return;
    lines_.push_back(
        "collectives take " +
        percent_text(plan_.collective_seconds / plan_.step_seconds) +
        " of a step, whatever the batch: a larger batch a core or "
        "fewer chips make them count less");
  }

  void improve_batch() {
    if (per_core_ < 1) return;
    int64_t better = 0;
    std::string why;
    if (per_core_ < kBestPerCore) {
      better = largest_that_fits();
      why = per_core_ < kLeastPerCore
                ? "speed begins at 8 examples a core"
                : "the matrix units are kept busy best at 128 a core";
    } else if (per_core_ % kMultiple != 0) {
      better = (per_core_ + kMultiple - 1) / kMultiple * kMultiple;
      why = "rows of 8 are filled up with zeros";
    }
    if (better <= per_core_ || !is_worth(better)) {
      return;
    }
    std::string line = std::to_string(better) +
                       " examples a core in place of " +
                       std::to_string(per_core_) + " (batch_size " +
                       std::to_string(better * plan_.replicas) + "): " + why;
    lines_.push_back(line + learning_rate_clause(better));
  }

  // A few examples more are not worth a line, unless they fill rows.
  bool is_worth(int64_t better) const {
    return per_core_ > kBestPerCore || per_core_ < kLeastPerCore ||
           4 * better >= 5 * per_core_;
  }

  // Of 8, 16 ... 128 a core, the largest whose memory fits.
  int64_t largest_that_fits() const {
    const auto available =
        static_cast<double>(plan_.memory.available) * kMostFilled;
    const auto fixed =
        static_cast<double>(plan_.memory.weights + plan_.memory.optimizer);
    const int64_t most = most_per_core(available - fixed);
    if (most == 0) return kBestPerCore;
    return std::min(most, kBestPerCore);
  }

  std::string learning_rate_clause(int64_t better) const {
    if (!request_.trains) return "";
    if (request_.learning_rate <= 0) {
      return "; the learning rate grows with the batch";
    }
    const double scaled = request_.learning_rate * static_cast<double>(better) /
                          static_cast<double>(per_core_);
    return "; begin with a learning rate of " + number_text(scaled) + ", now " +
           number_text(request_.learning_rate);
  }

  void improve_precision() {
    const bool helps =
        plan_.bottleneck == "memory" || plan_.bottleneck == "compute";
    if (!helps || !is_float32() || plan_.memory_bandwidth < 2 * kNotable) {
      return;
    }
    lines_.push_back(bfloat16_line("halves the bytes of activations"));
  }

  // The operation that loses most time to tiles that are not full.
  void improve_tiles() {
    const auto lost = [](const Operation& one) {
      return one.matrix_unit > 0 ? one.share * one.padding_waste : 0;
    };
    const auto worst = std::ranges::max_element(plan_.slowest, {}, lost);
    if (worst == plan_.slowest.end() || lost(*worst) < kNotable) return;
    lines_.push_back(
        (worst->layer.empty() ? "" : worst->layer + "/") + worst->name +
        " fills " + percent_text(1 - worst->padding_waste) +
        " of the matrix units' tiles and takes " + percent_text(worst->share) +
        " of the time: a batch a core and features in multiples of "
        "128 fill them");
  }

  bool is_float32() const { return request_.matmul_dtype == "float32"; }

  static std::string bfloat16_line(std::string_view why) {
    return "mixed_precision::set_global_policy(\"mixed_bfloat16\") " +
           std::string(why);
  }

  const Plan& plan_;
  const Request& request_;
  int64_t per_core_ = 0;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> advice(const Plan& plan, const Request& request) {
  return Advisor(plan, request).run();
}

}  // namespace systolic::internal::plan
