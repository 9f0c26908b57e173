#include "systolic/data/dataset_base.h"

#include <utility>

namespace systolic::data {

std::string detail::node_name(std::string kind, const std::string& user_name) {
  if (!user_name.empty()) kind += " \"" + user_name + '"';
  return kind;
}

TransformBase::TransformBase(std::shared_ptr<const DatasetBase> input,
                             std::string kind, const std::string& user_name)
    : input_(std::move(input)),
      name_(detail::node_name(std::move(kind), user_name)) {}

}  // namespace systolic::data
