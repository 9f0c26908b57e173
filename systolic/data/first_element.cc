// Tested by: systolic/data/scan_test.cc
#include "systolic/data/first_element.h"

namespace systolic::data::detail {

bool first_element(const DatasetBase& dataset, Element* out) {
  return dataset.make_iterator({.peek = true})->get_next(out);
}

ElementSpec LazySpec::get(const std::function<ElementSpec()>& find) {
  std::lock_guard lock(mutex_);
  if (!spec_) spec_ = find();
  return *spec_;
}

ElementSpec LazySpec::of_first(const DatasetBase& dataset,
                               const ElementSpec& otherwise) {
  return get([&] {
    Element element;
    return first_element(dataset, &element) ? element.spec() : otherwise;
  });
}

}  // namespace systolic::data::detail
