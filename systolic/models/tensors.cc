#include "systolic/models/tensors.h"

#include <algorithm>

#include "systolic/base/message.h"

namespace systolic::models {

using internal::Message;

Tensors::Tensors(Tensor tensor) {
  if (tensor.is_defined()) tensors_.push_back(std::move(tensor));
}

Tensors::Tensors(const std::vector<Entry>& entries) {
  for (const auto& [name, tensor] : entries) {
    if (std::ranges::find(names_, name) != names_.end()) {
      Message("Tensors")
          .expected("different names")
          .got("\"", name, "\" twice")
          .raise<ValueError>();
    }
    names_.push_back(name);
    tensors_.push_back(tensor);
  }
}

const Tensor& Tensors::single() const {
  static const Tensor none;
  if (tensors_.empty()) return none;
  if (tensors_.size() > 1) {
    Message message("Tensors");
    message.expected("one Tensor").got(tensors_.size());
    for (size_t i = 0; i < tensors_.size(); ++i) {
      message.detail(names_.empty() ? std::to_string(i) : names_[i],
                     tensors_[i].spec());
    }
    message.hint("take one: [0] or [\"name\"]").raise<ValueError>();
  }
  return tensors_.front();
}

const Tensor& Tensors::operator[](size_t index) const {
  if (index >= tensors_.size()) {
    Message("Tensors")
        .expected("a place below ", tensors_.size())
        .got(index)
        .raise<OutOfRangeError>();
  }
  return tensors_[index];
}

const Tensor& Tensors::operator[](std::string_view name) const {
  std::string names;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return tensors_[i];
    names += (names.empty() ? "" : ", ") + names_[i];
  }
  Message("Tensors")
      .expected("one of: ", names.empty() ? "(they have no names)" : names)
      .got("\"", name, "\"")
      .raise<NotFoundError>();
}

Tensors Tensors::like(std::vector<Tensor> tensors) const {
  Tensors out(std::move(tensors));
  if (out.size() == names_.size()) out.names_ = names_;
  return out;
}

}  // namespace systolic::models
