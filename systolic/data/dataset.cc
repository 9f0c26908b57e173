#include "systolic/data/dataset.h"

#include "systolic/base/message.h"

namespace systolic::data {

Dataset::Dataset(std::shared_ptr<const DatasetBase> node)
    : node_(std::move(node)) {
  if (node_ == nullptr) {
    internal::Message("data::Dataset")
        .expected("a node")
        .got("a null pointer")
        .raise<ValueError>();
  }
}

}  // namespace systolic::data
