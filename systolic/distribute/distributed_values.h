// DistributedValues: a tree of PerReplica: one value, or a tuple or dict of
// such; what goes into Strategy::run and what its result is made of.
//
//   DistributedValues batch = iterator.next();
//   PerReplica images = batch[0];
//   strategy.run([](Tensor image, Tensor label) { ... }, batch);
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "systolic/distribute/per_replica.h"
#include "systolic/graph/arg.h"
#include "systolic/graph/variable.h"

namespace systolic::distribute {

class DistributedValues;

/// How the C++ type T becomes DistributedValues, and is made of Tensors of
/// one replica. Specialised in step_traits.h.
template <class T>
struct StepTraits;

/// A type that can be an argument of Strategy::run.
template <class T>
concept StepArgument = requires(const T& value) {
  {StepTraits<T>::distribute(value)};
};

class DistributedValues {
 public:
  enum class Kind { value, tuple, dict };

  /// The empty tuple.
  DistributedValues() = default;
  /// One value for each replica.
  DistributedValues(PerReplica value)  // NOLINT: conversions are the point
      : kind_(Kind::value), value_(std::move(value)) {}
  /// A Tensor, Array, number, pair, tuple, vector or map: the same for all.
  template <class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, DistributedValues> &&
           !std::is_same_v<std::remove_cvref_t<T>, PerReplica> &&
           StepArgument<std::decay_t<T>>)
      DistributedValues(T&& value)  // NOLINT
      : DistributedValues(StepTraits<std::decay_t<T>>::distribute(value)) {}

  /// A tuple of `items`.
  static DistributedValues tuple(std::vector<DistributedValues> items);
  /// A dict; as many `keys` as `items`.
  static DistributedValues dict(std::vector<std::string> keys,
                                std::vector<DistributedValues> items);

  Kind kind() const { return kind_; }
  /// The number of items; 1 for one value.
  size_t size() const { return kind_ == Kind::value ? 1 : items_.size(); }
  /// The keys of a dict; empty for anything else.
  const std::vector<std::string>& keys() const { return keys_; }
  /// The items of a tuple or dict; empty for one value.
  const std::vector<DistributedValues>& items() const { return items_; }
  std::vector<DistributedValues>& items() { return items_; }

  /// Item `index` of a tuple. Throws OutOfRangeError past the end.
  const DistributedValues& operator[](size_t index) const;
  /// The value of a dict's `key`. Throws NotFoundError that lists the keys.
  const DistributedValues& operator[](std::string_view key) const;

  /// The one value. Throws TypeError for a tuple or dict.
  const PerReplica& value() const;
  PerReplica& value();
  operator const PerReplica&() const { return value(); }

  /// As a pair, tuple, vector or map of PerReplica. Throws TypeError where
  /// the tree is another.
  template <class T>
  T to() const {
    return StepTraits<T>::build(*this);
  }

  /// The values as PerReplica prints them, in brackets where there are
  /// several. Throws as PerReplica::to_string.
  std::string to_string(SourceLocation where = SourceLocation::current()) const;

  /// Prints to_string(). A friend: what merely converts is printed as it is.
  friend std::ostream& operator<<(std::ostream& out,
                                  const DistributedValues& values);

  /// For this room: throws TypeError unless it is a tuple of `count`, or a
  /// dict.
  void require_tuple(size_t count) const;
  void require_dict() const;

 private:
  Kind kind_ = Kind::tuple;
  PerReplica value_;
  std::vector<DistributedValues> items_;
  std::vector<std::string> keys_;
};

}  // namespace systolic::distribute

#include "systolic/distribute/step_traits.h"
