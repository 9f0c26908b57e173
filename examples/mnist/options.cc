#include "examples/mnist/options.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace examples {

namespace {

// Seen on virtual cores: 6.3 GB for eight, 1.4 GB for one. Each holds a copy
// of the weights and of the optimizer's state, and its part of the batch.
constexpr int64_t kGuideBytes = int64_t{700} << 20;
constexpr int64_t kGuideBytesPerCore = int64_t{750} << 20;

[[noreturn]] void usage(int status) {
  (status == 0 ? std::cout : std::cerr)
      << "usage: mnist [options]\n"
         "  --tpu NAME               virtual:v3-8 (default), local, \"\"\n"
         "  --model small|guide      the convnet (default small)\n"
         "  --epochs N               default 5\n"
         "  --batch-size N           default 200\n"
         "  --steps-per-epoch N      default 300\n"
         "  --steps-per-execution N  default 50 (guide: 1)\n"
         "  --seed N                 default 0\n";
  std::exit(status);
}

// A flag's value, from `least` to what an int holds.
int64_t number(const char* flag, const char* text, int64_t least) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  char* end = nullptr;
  const int64_t value = std::strtoll(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > kMost) {
    std::cerr << "mnist: " << flag << ": expected a whole number from " << least
              << " to " << kMost << ", got \"" << text << "\"\n";
    std::exit(2);
  }
  return value;
}

int64_t available_bytes() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t kilobytes = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    fields >> key >> kilobytes;
    if (key == "MemAvailable:") return kilobytes * 1024;
  }
  return std::numeric_limits<int64_t>::max();
}

// Resident memory of this process in MB.
int64_t resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE) >> 20;
}

// Loss since the epoch's start, and memory, after each execution.
class StepReport : public systolic::callbacks::CallbackBase {
 public:
  void on_train_batch_end(int64_t batch,
                          const systolic::callbacks::Logs& logs) override {
    std::printf("step %lld: loss %.4f, memory %lld MB\n",
                static_cast<long long>(batch + 1), logs.at("loss"),
                static_cast<long long>(resident_megabytes()));
    std::fflush(stdout);
  }
};

}  // namespace

MnistOptions parse_mnist_options(int argc, char** argv) {
  MnistOptions options;
  bool execution_given = false;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--help" || flag == "-h") usage(0);
    if (i + 1 == argc) {
      std::cerr << "mnist: " << flag << " needs a value\n";
      usage(2);
    }
    const char* value = argv[++i];
    if (flag == "--tpu") {
      options.tpu = value;
    } else if (flag == "--model") {
      options.model = value;
      if (options.model != "small" && options.model != "guide") {
        std::cerr << "mnist: --model: expected small or guide, got \"" << value
                  << "\"\n";
        std::exit(2);
      }
    } else if (flag == "--epochs") {
      options.epochs = static_cast<int>(number("--epochs", value, 1));
    } else if (flag == "--batch-size") {
      options.batch_size = number("--batch-size", value, 1);
    } else if (flag == "--steps-per-epoch") {
      options.steps_per_epoch = number("--steps-per-epoch", value, 1);
    } else if (flag == "--steps-per-execution") {
      options.steps_per_execution = number("--steps-per-execution", value, 1);
      execution_given = true;
    } else if (flag == "--seed") {
      options.seed = static_cast<uint64_t>(number("--seed", value, 0));
    } else {
      std::cerr << "mnist: unknown option " << flag << "\n";
      usage(2);
    }
  }
  if (options.model == "guide" && !execution_given) {
    options.steps_per_execution = 1;
  }
  return options;
}

void check_memory_for_guide(int cores) {
  const int64_t needed = kGuideBytes + cores * kGuideBytesPerCore;
  std::cout << "The guide's model on " << cores << " virtual cores needs about "
            << (needed >> 20)
            << " MB of memory and seconds for each step; --model small is "
               "quick.\n";
  const int64_t available = available_bytes();
  if (available >= needed) return;
  std::ostringstream text;
  text << "mnist: expected " << (needed >> 20)
       << " MB of free memory for the guide's model, got " << (available >> 20)
       << " MB\n  hint: use --model small, or fewer cores, such as "
          "--tpu virtual:v3-2";
  throw std::runtime_error(text.str());
}

systolic::callbacks::Callback step_report() {
  return systolic::callbacks::make<StepReport>();
}

void report(const systolic::callbacks::History& history,
            const systolic::models::Model& model) {
  const auto& losses = history["loss"];
  // Nine digits hold a float to the last bit.
  std::printf("loss %.9g", losses.back());
  for (const auto& [name, values] : history.history()) {
    if (name != "loss") std::printf(", %s %.4f", name.c_str(), values.back());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "\nsteps %lld, peak memory %.0f MB\n",
      static_cast<long long>(model.optimizer().iterations().item<int64_t>()),
      static_cast<double>(usage.ru_maxrss) / 1024);
}

}  // namespace examples
