// What interleave() and flat_map() have in common: data sets made of an
// input's elements, of which some are read in turn.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "systolic/data/dataset_base.h"
#include "systolic/data/pass_seed.h"

namespace systolic::data::detail {

// The user's function: the data set of an element.
using MakeDataset = std::function<std::shared_ptr<const DatasetBase>(Element&)>;

// How a cycle is read.
struct CycleSettings {
  std::string who;
  const DatasetBase* node = nullptr;  // whose cycle it is
  MakeDataset make;
  int64_t cycle_length = 1;  // data sets that are read in turn
  int64_t block_length = 1;  // elements of one before the next one's turn
  int64_t num_parallel_calls = 1;
  // The data sets wait for a network: AUTOTUNE begins with all its threads,
  // since to find out how many there must be takes as long as several answers.
  bool waits = false;
  std::optional<bool> deterministic = {};
  PassSeed* seeds = nullptr;  // of the node, for what the function draws
};

// One place of the cycle: the element that it was made of, to save it, the
// data set and the position in it.
struct CyclePlace {
  Element input;
  int64_t index = 0;  // of the element in the input's pass
  std::shared_ptr<const DatasetBase> dataset;
  std::unique_ptr<IteratorBase> iterator;  // destroyed before the data set

  bool is_open() const { return iterator != nullptr; }
  // Begins the data set of `element`, which is the input's `number`-th in the
  // pass. Throws what the user's function does, with `who` and the number.
  void open(const CycleSettings& settings, const PassSeed::Pass& pass,
            Element element, int64_t number, const IteratorContext& context);
  void close();
  void save(StateWriter& state) const;
  void restore(StateReader& state, const CycleSettings& settings,
               const PassSeed::Pass& pass, const IteratorContext& context);
};

// A pass over a node of these settings begins.
PassSeed::Pass begin_pass(const CycleSettings& settings,
                          const IteratorContext& context);

// Reads the data sets in the reading thread.
std::unique_ptr<IteratorBase> make_cycle_iterator(
    const CycleSettings& settings, const DatasetBase& input,
    const IteratorContext& context);

}  // namespace systolic::data::detail
