#include "systolic/models/arrays.h"

#include "systolic/base/message.h"

namespace systolic::models {

using internal::Message;

Arrays Arrays::of(const data::Element& element, std::string_view who,
                  std::string_view what) {
  if (element.is_array()) return element.array();
  Arrays out;
  for (const data::Element& item : element.items()) {
    if (!item.is_array()) {
      Message(std::string(who))
          .expected("an Array, or a tuple or dict of Arrays, as ", what)
          .got(element.spec().to_string())
          .hint("map() the data set to pairs (x, y) of those")
          .raise<ValueError>();
    }
    out.arrays_.push_back(item.array());
  }
  for (const std::string& key : element.keys()) out.names_.push_back(key);
  return out;
}

const Array& Arrays::operator[](size_t index) const {
  if (index >= arrays_.size()) {
    Message("Arrays")
        .expected("a place below ", arrays_.size())
        .got(index)
        .raise<OutOfRangeError>();
  }
  return arrays_[index];
}

const Array& Arrays::operator[](std::string_view name) const {
  std::string names;
  for (size_t i = 0; i < names_.size(); ++i) {
    if (names_[i] == name) return arrays_[i];
    names += (names.empty() ? "" : ", ") + names_[i];
  }
  Message("Arrays")
      .expected("one of: ", names.empty() ? "(they have no names)" : names)
      .got("\"", name, "\"")
      .raise<NotFoundError>();
}

const Array& Arrays::single() const {
  if (arrays_.size() != 1) {
    Message("Arrays")
        .expected("one Array")
        .got(arrays_.size())
        .hint("take one: [0] or [\"name\"]")
        .raise<ValueError>();
  }
  return arrays_.front();
}

Arrays Arrays::like(std::vector<Array> arrays) const {
  Arrays out(std::move(arrays));
  if (out.size() == names_.size()) out.names_ = names_;
  return out;
}

data::Element Arrays::element() const {
  if (names_.empty() && arrays_.size() == 1) return arrays_.front();
  std::vector<data::Element> items(arrays_.begin(), arrays_.end());
  if (names_.empty()) return data::Element::tuple(std::move(items));
  std::vector<std::pair<std::string, data::Element>> entries;
  for (size_t i = 0; i < items.size(); ++i) {
    entries.emplace_back(names_[i], std::move(items[i]));
  }
  return data::Element::dict(std::move(entries));
}

}  // namespace systolic::models
