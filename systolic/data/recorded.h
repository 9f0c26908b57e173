// Passes that are written to disk as they are read: what cache(filename) and
// snapshot() share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// Takes the elements of one pass. What is destroyed before finish() leaves
// nothing behind.
class Recording {
 public:
  virtual ~Recording() = default;
  virtual void append(const Element& element) = 0;
  // The pass is complete: from here on others read what was recorded.
  virtual void finish() = 0;
};

// Where a pass comes from and goes to.
struct RecordedPass {
  std::string name;  // the node's
  const DatasetBase& input;
  // Null where nothing is recorded yet.
  std::function<std::unique_ptr<IteratorBase>()> open_recorded;
  std::function<std::unique_ptr<Recording>()> record;
};

// Gives what is recorded, or passes the elements of the input on and records
// them. A pass that ends early, or that lost an element to an exception,
// records nothing. One that is restored in its middle reads the elements before
// that again, from where it began, and records them too.
std::unique_ptr<IteratorBase> make_recorded_iterator(
    RecordedPass pass, const IteratorContext& context);

}  // namespace systolic::data::detail
