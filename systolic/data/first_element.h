// The spec of elements that shows only on the first of them: what a function
// of the user's returns.
#pragma once

#include <functional>
#include <mutex>
#include <optional>

#include "systolic/data/dataset_base.h"

namespace systolic::data::detail {

// Puts the first element of `dataset` into `*out`, or returns false where it
// is empty; starts no thread, fills no buffer.
bool first_element(const DatasetBase& dataset, Element* out);

// A spec that is found once, by the first that asks for it. Thread safe.
class LazySpec {
 public:
  // The spec; `find` is called the first time. What it throws is passed on
  // and tried again the next time.
  ElementSpec get(const std::function<ElementSpec()>& find);
  // The spec of the first element of `dataset`; `otherwise` where it has none.
  ElementSpec of_first(const DatasetBase& dataset,
                       const ElementSpec& otherwise);

 private:
  std::mutex mutex_;
  std::optional<ElementSpec> spec_;
};

}  // namespace systolic::data::detail
