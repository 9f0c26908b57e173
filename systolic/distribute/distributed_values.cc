// Tested by: systolic/distribute/run_platform_test.cc
#include "systolic/distribute/distributed_values.h"

#include <algorithm>
#include <ostream>

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"
#include "systolic/graph/context.h"

namespace systolic::distribute {

using internal::Message;

namespace {

std::string kind_text(const DistributedValues& values) {
  switch (values.kind()) {
    case DistributedValues::Kind::value:
      return "one value";
    case DistributedValues::Kind::tuple:
      return "a tuple of " + std::to_string(values.size());
    case DistributedValues::Kind::dict:
      return "a dict of " + std::to_string(values.size());
  }
  return {};
}

[[noreturn]] void raise_kind(std::string_view expected,
                             const DistributedValues& got,
                             std::string_view hint) {
  Message("strategy.run")
      .expected(expected)
      .got(kind_text(got))
      .hint(hint)
      .raise<TypeError>();
}

}  // namespace

DistributedValues DistributedValues::tuple(
    std::vector<DistributedValues> items) {
  DistributedValues values;
  values.items_ = std::move(items);
  return values;
}

DistributedValues DistributedValues::dict(
    std::vector<std::string> keys, std::vector<DistributedValues> items) {
  DistributedValues values;
  values.kind_ = Kind::dict;
  values.keys_ = std::move(keys);
  values.items_ = std::move(items);
  return values;
}

const DistributedValues& DistributedValues::operator[](size_t index) const {
  if (index >= items_.size()) {
    Message("DistributedValues")
        .expected("an item in 0 ... ", static_cast<int64_t>(items_.size()) - 1)
        .got(index)
        .raise<OutOfRangeError>();
  }
  return items_[index];
}

const DistributedValues& DistributedValues::operator[](
    std::string_view key) const {
  const auto found = std::ranges::find(keys_, key);
  if (found == keys_.end()) {
    std::vector<std::string_view> names(keys_.begin(), keys_.end());
    Message("DistributedValues")
        .expected("a key of the dict: ", internal::list_names(names))
        .got("\"", key, "\"")
        .raise<NotFoundError>();
  }
  return items_[static_cast<size_t>(found - keys_.begin())];
}

const PerReplica& DistributedValues::value() const {
  if (kind_ != Kind::value) {
    raise_kind("one value", *this,
               kind_ == Kind::tuple
                   ? "each item of a tuple is a parameter of its own, or the "
                     "parameter is a std::pair or std::tuple"
                   : "a dict is one parameter: std::map<std::string, Tensor>");
  }
  return value_;
}

PerReplica& DistributedValues::value() {
  static_cast<void>(std::as_const(*this).value());
  return value_;
}

void DistributedValues::require_tuple(size_t count) const {
  if (kind_ == Kind::tuple && items_.size() == count) return;
  raise_kind("a tuple of " + std::to_string(count), *this,
             "the parameter's type says what is expected");
}

void DistributedValues::require_dict() const {
  if (kind_ == Kind::dict) return;
  raise_kind("a dict", *this,
             "std::map<std::string, Tensor> is the type of a dict");
}

std::string DistributedValues::to_string(SourceLocation where) const {
  if (kind_ == Kind::value) return value_.to_string(where);
  std::string text = kind_ == Kind::tuple ? "(" : "{";
  for (size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) text += ", ";
    if (kind_ == Kind::dict) text += "\"" + keys_[i] + "\": ";
    text += items_[i].to_string(where);
  }
  return text + (kind_ == Kind::tuple ? ")" : "}");
}

std::ostream& operator<<(std::ostream& out, const DistributedValues& values) {
  return out << values.to_string();
}

DistributedValues detail::same_for_all(const Arg& value) {
  return PerReplica(value.tensor(),
                    internal::graph::Placement::current_default());
}

Tensor detail::tensor_of(const DistributedValues& values) {
  const PerReplica& value = values.value();
  return internal::graph::context().in_step ? value.whole() : Tensor(value);
}

}  // namespace systolic::distribute
