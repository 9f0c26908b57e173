#include "systolic/data/dataset_base.h"

#include <utility>

namespace systolic::data {

TransformBase::TransformBase(std::shared_ptr<const DatasetBase> input,
                             std::string kind, const std::string& user_name)
    : input_(std::move(input)), name_(std::move(kind)) {
  if (!user_name.empty()) name_ += " \"" + user_name + '"';
}

}  // namespace systolic::data
