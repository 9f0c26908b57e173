// The seed of a node and the number of its passes: from both a pass draws its
// random numbers, and both are in the state of an iterator.
//   class MyDataset { mutable PassSeed seeds_{internal::draw_pipeline_seed()}
//   }; const PassSeed::Pass pass = seeds_.begin();
#pragma once

#include <cstdint>
#include <mutex>

#include "systolic/base/seed.h"
#include "systolic/data/iterator_state.h"

namespace systolic::data {

// Shared by the iterators of one node; its calls may come from any thread.
class PassSeed {
 public:
  // What one pass is told.
  struct Pass {
    uint64_t seed = 0;
    uint64_t number = 0;
    // A seed that is another one in each pass.
    uint64_t mixed() const { return internal::mix_seed(seed, number); }
  };

  // `advances`: whether passes differ; otherwise all are number 0.
  explicit PassSeed(uint64_t seed, bool advances = true)
      : seed_(seed), advances_(advances) {}

  // A pass begins.
  Pass begin() {
    std::lock_guard lock(mutex_);
    return {seed_, advances_ ? passes_++ : 0};
  }

  // Writes the pass that an iterator is in, and reads it in its place.
  static void save(const Pass& pass, StateWriter& state) {
    state.write_int(static_cast<int64_t>(pass.seed));
    state.write_int(static_cast<int64_t>(pass.number));
  }
  static Pass restore_pass(StateReader& state) {
    Pass pass;
    pass.seed = static_cast<uint64_t>(state.read_int());
    pass.number = static_cast<uint64_t>(state.read_int());
    return pass;
  }

  // Writes the seed and how many passes have begun, and reads them back.
  void save(StateWriter& state) const {
    std::lock_guard lock(mutex_);
    save({seed_, passes_}, state);
  }
  void restore(StateReader& state) {
    const Pass next = restore_pass(state);
    std::lock_guard lock(mutex_);
    seed_ = next.seed;
    passes_ = next.number;
  }

 private:
  mutable std::mutex mutex_;
  uint64_t seed_;
  const bool advances_;
  uint64_t passes_ = 0;  // begun so far
};

}  // namespace systolic::data
