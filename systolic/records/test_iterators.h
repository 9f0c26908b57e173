// What tests of this room's data sets do with their iterators.
#pragma once

#include <string>
#include <vector>

#include "systolic/data/dataset.h"

namespace systolic::data {

// The string scalars of a data set, in its order.
inline std::vector<std::string> strings(const Dataset& dataset) {
  std::vector<std::string> result;
  for (const std::string& value : dataset.as<std::string>()) {
    result.push_back(value);
  }
  return result;
}

// Saves an iterator before each element and at the end, and reads on from
// there. Returns what differs from reading through; empty where nothing does.
inline std::string saved_anywhere(const Dataset& dataset) {
  std::vector<Element> all;
  Iterator through = dataset.iterator();
  for (Element element; through.get_next(&element);) all.push_back(element);
  for (size_t read = 0; read <= all.size(); ++read) {
    Iterator first = dataset.iterator();
    for (size_t i = 0; i < read; ++i) first.next();
    Iterator second(dataset.node(), first.save());
    Element element;
    for (size_t i = read; i < all.size(); ++i) {
      if (!second.get_next(&element) || !element_equal(element, all[i])) {
        return "saved before element " + std::to_string(read) + ", element " +
               std::to_string(i) + " is " + element.to_string() + ", not " +
               all[i].to_string();
      }
    }
    if (second.get_next(&element)) return "there are more elements";
  }
  return {};
}

}  // namespace systolic::data
