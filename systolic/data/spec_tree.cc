// Tested by: systolic/data/batch_test.cc
#include "systolic/data/spec_tree.h"

#include <utility>

#include "systolic/data/composite.h"

namespace systolic::data::detail {

ElementSpec spec_like(const ElementSpec& model,
                      std::vector<ElementSpec> items) {
  switch (model.kind()) {
    case ElementKind::tuple:
      return ElementSpec::tuple(std::move(items));
    case ElementKind::dataset:
      return ElementSpec::dataset(std::move(items[0]));
    case ElementKind::dict:
      break;
    case ElementKind::unknown:
    case ElementKind::array:
      return model;
  }
  if (items.empty()) return model;  // of unknown keys
  std::vector<std::pair<std::string, ElementSpec>> entries;
  for (size_t i = 0; i < items.size(); ++i) {
    entries.emplace_back(model.keys()[i], std::move(items[i]));
  }
  return ElementSpec::dict(std::move(entries));
}

ElementSpec map_leaves(
    const ElementSpec& spec,
    const std::function<TensorSpec(const TensorSpec&)>& change,
    const std::function<ElementSpec(const ElementSpec&)>& change_composite) {
  if (spec.kind() == ElementKind::array) {
    if (!spec.array() || !spec.array()->shape.is_set()) return spec;
    return ElementSpec(change(*spec.array()));
  }
  if (change_composite && composite_kind(spec) != Composite::none) {
    return change_composite(spec);
  }
  std::vector<ElementSpec> items;
  for (const ElementSpec& item : spec.items()) {
    items.push_back(map_leaves(item, change, change_composite));
  }
  return spec_like(spec, std::move(items));
}

bool is_static(const ElementSpec& spec) {
  bool known = spec.is_complete();
  map_leaves(spec, [&](const TensorSpec& leaf) {
    known = known && leaf.shape.is_known();
    return leaf;
  });
  return known;
}

ElementSpec with_unknown_lengths(const ElementSpec& spec) {
  return map_leaves(spec, [](const TensorSpec& leaf) {
    return TensorSpec{leaf.dtype, leaf.shape.rank() == 0
                                      ? Shape::scalar()
                                      : Shape::filled(leaf.shape.rank(), -1)};
  });
}

ElementSpec batched_spec(const ElementSpec& spec, int64_t length) {
  return map_leaves(
      spec,
      [length](const TensorSpec& leaf) {
        TensorSpec batch = leaf;
        batch.shape.insert(0, length);
        return batch;
      },
      [length](const ElementSpec& composite) {
        return batched_composite(composite, length);
      });
}

}  // namespace systolic::data::detail
