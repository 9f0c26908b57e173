// Tested by: systolic/data/saved_dataset_test.cc
#include "systolic/data/spec_state.h"

#include <string>
#include <utility>
#include <vector>

namespace systolic::data::detail {

void write_spec(const ElementSpec& spec, StateWriter& state) {
  state.write_int(static_cast<int64_t>(spec.kind()));
  if (spec.kind() == ElementKind::array) {
    state.write_bool(spec.array().has_value());
    if (!spec.array()) return;
    state.write_string(name(spec.array()->dtype));
    const Shape& shape = spec.array()->shape;
    state.write_int(shape.is_set() ? shape.rank() : -1);
    for (int64_t length : shape) state.write_int(length);
    return;
  }
  state.write_int(static_cast<int64_t>(spec.items().size()));
  for (size_t i = 0; i < spec.items().size(); ++i) {
    if (spec.kind() == ElementKind::dict) state.write_string(spec.keys()[i]);
    write_spec(spec.items()[i], state);
  }
}

ElementSpec read_spec(StateReader& state) {
  const auto kind = static_cast<ElementKind>(state.read_int());
  if (kind == ElementKind::array) {
    if (!state.read_bool()) return ElementSpec::any_array();
    TensorSpec spec;
    spec.dtype = dtype_from_name(state.read_string());
    const int64_t rank = state.read_int();
    if (rank >= 0) spec.shape = Shape::scalar();
    for (int64_t i = 0; i < rank; ++i) spec.shape.push_back(state.read_int());
    return ElementSpec(spec);
  }
  std::vector<std::pair<std::string, ElementSpec>> entries;
  for (int64_t left = state.read_int(); left > 0; --left) {
    std::string key;
    if (kind == ElementKind::dict) key = state.read_string();
    entries.emplace_back(std::move(key), read_spec(state));
  }
  if (kind == ElementKind::dict) return ElementSpec::dict(std::move(entries));
  std::vector<ElementSpec> items;
  for (auto& [key, item] : entries) items.push_back(std::move(item));
  if (kind == ElementKind::dataset && items.size() == 1) {
    return ElementSpec::dataset(std::move(items.front()));
  }
  return kind == ElementKind::unknown ? ElementSpec()
                                      : ElementSpec::tuple(std::move(items));
}

}  // namespace systolic::data::detail
