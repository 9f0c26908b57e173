#include "systolic/data/dataset.h"

#include "systolic/base/message.h"

namespace systolic::data {

DatasetHandle::DatasetHandle(std::shared_ptr<const DatasetBase> node)
    : node_(std::move(node)) {
  if (node_ == nullptr) {
    internal::Message("data::Dataset")
        .expected("a node")
        .got("a null pointer")
        .raise<ValueError>();
  }
}

namespace {

// A data set of trees like `tree`, whose parts are data sets.
Dataset zipped(const Element& tree) {
  if (tree.kind() == ElementKind::dataset) return Dataset(tree.dataset());
  if (tree.is_array() || tree.size() == 0) {
    internal::Message("data::Dataset")
        .expected("a data set, or a tuple or dict of them")
        .got(tree.spec())
        .raise<TypeError>();
  }
  std::vector<Dataset> parts;
  for (const Element& item : tree.items()) parts.push_back(zipped(item));
  const Dataset tuples = Dataset::zip(std::move(parts));
  if (tree.kind() == ElementKind::tuple) return tuples;
  return tuples.map([tree](const Element& items) {
    const auto values = items.items();
    return Element::like(tree, {values.begin(), values.end()});
  });
}

}  // namespace

Dataset ElementTraits<Dataset>::from_element(const Element& element) {
  return zipped(element);
}

}  // namespace systolic::data
