#include "systolic/base/seed.h"

#include <mutex>
#include <random>

#include "systolic/base/element_seed.h"

namespace systolic {
namespace {

uint64_t entropy() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

struct Sequence {
  std::mutex mutex;
  uint64_t seed = entropy();
  uint64_t drawn = 0;
  uint64_t nodes = 0;  // seeds drawn for pipelines
  bool is_set = false;
};

// Never destroyed: threads may draw while the process ends.
Sequence& sequence() {
  static Sequence* const instance = new Sequence;
  return *instance;
}

}  // namespace

void set_random_seed(uint64_t seed) {
  Sequence& s = sequence();
  std::lock_guard lock(s.mutex);
  s.seed = seed;
  s.drawn = 0;
  s.nodes = 0;
  s.is_set = true;
}

namespace internal {

uint64_t draw_seed() {
  if (const std::optional<uint64_t> seed = draw_element_seed()) return *seed;
  Sequence& s = sequence();
  std::lock_guard lock(s.mutex);
  return mix_seed(s.seed, s.drawn++);
}

bool has_random_seed() {
  Sequence& s = sequence();
  std::lock_guard lock(s.mutex);
  return s.is_set;
}

uint64_t draw_pipeline_seed() {
  if (const std::optional<uint64_t> seed = draw_element_seed()) return *seed;
  constexpr uint64_t kPipelines = 0x7069'7065'6C69'6E65u;
  Sequence& s = sequence();
  std::lock_guard lock(s.mutex);
  return mix_seed(s.seed ^ kPipelines, s.nodes++);
}

uint64_t mix_seed(uint64_t seed, uint64_t value) {
  uint64_t z = seed + 0x9E3779B97F4A7C15u * (value + 1);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace internal
}  // namespace systolic
