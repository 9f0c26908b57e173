// The inside of DistributedIterator. Inside of this room.
#pragma once

#include <deque>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "systolic/distribute/distributed_dataset.h"
#include "systolic/distribute/host_step.h"

namespace systolic::distribute {

struct DistributedIterator::State {
  State(std::shared_ptr<internal::distribute::DistributedSource> of,
        data::Iterator from)
      : source(std::move(of)), iterator(std::move(from)) {}

  /// Goes on where save() was called.
  static std::unique_ptr<State> restored(
      std::shared_ptr<internal::distribute::DistributedSource> of,
      std::string_view state);

  /// The position as bytes.
  std::string save();
  /// The next step's batch, or nothing at the end.
  std::optional<internal::distribute::HostStep> read();

  static constexpr std::string_view kWho = "distribute_dataset";

  std::shared_ptr<internal::distribute::DistributedSource> source;
  data::Iterator iterator;
  /// Read already: they did not fit into a stack, or could not be sent.
  std::deque<internal::distribute::HostStep> kept;
  /// What the data threw behind them, where nobody has been told of it yet.
  std::exception_ptr failure;
  /// Read already of the step behind that: making the next element failed.
  std::vector<data::Element> begun;
};

}  // namespace systolic::distribute
