// The C++ types that go into a step of Strategy::run and come out of it.
// Included by distributed_values.h, which has the example.
//
//   distribute(value)   as DistributedValues, before the step
//   build(values)       as T: of Tensors inside the step, or of PerReplica
//   flatten(value, out) appends the Tensors of a step's result
//   gather(value, next) such a result of the PerReplica that `next` gives
#pragma once

#include <concepts>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "systolic/distribute/distributed_values.h"

namespace systolic::distribute {

namespace detail {

/// Hands out the values of a step's results in their order.
class ResultReader {
 public:
  explicit ResultReader(const std::vector<PerReplica>& values)
      : values_(values) {}
  PerReplica next() { return values_[next_++]; }

 private:
  const std::vector<PerReplica>& values_;
  size_t next_ = 0;
};

/// The value on every replica.
DistributedValues same_for_all(const Arg& value);

/// Inside a step this replica's Tensor; outside the one replica's.
Tensor tensor_of(const DistributedValues& values);

}  // namespace detail

template <>
struct StepTraits<Tensor> {
  static DistributedValues distribute(const Tensor& value) {
    return detail::same_for_all(value);
  }
  static Tensor build(const DistributedValues& values) {
    return detail::tensor_of(values);
  }
  static void flatten(const Tensor& value, std::vector<Tensor>& out) {
    out.push_back(value);
  }
  static PerReplica gather(const Tensor&, detail::ResultReader& results) {
    return results.next();
  }
};

template <>
struct StepTraits<PerReplica> {
  static DistributedValues distribute(const PerReplica& value) { return value; }
  static PerReplica build(const DistributedValues& values) {
    return values.value();
  }
};

/// Values that are no Tensor yet: they are made one before the step.
template <class T>
requires(std::same_as<T, Array> || std::same_as<T, Variable> ||
         std::integral<T> || std::floating_point<T>) struct StepTraits<T> {
  static DistributedValues distribute(const T& value) {
    return detail::same_for_all(value);
  }
};

template <>
struct StepTraits<DistributedValues> {
  static DistributedValues distribute(DistributedValues values) {
    return values;
  }
};

template <class... Ts>
struct StepTraits<std::tuple<Ts...>> {
  static DistributedValues distribute(const std::tuple<Ts...>& value) {
    return std::apply(
        [](const Ts&... item) {
          return DistributedValues::tuple(
              {StepTraits<Ts>::distribute(item)...});
        },
        value);
  }
  static std::tuple<Ts...> build(const DistributedValues& values) {
    values.require_tuple(sizeof...(Ts));
    return build_items(values, std::index_sequence_for<Ts...>());
  }
  static void flatten(const std::tuple<Ts...>& value,
                      std::vector<Tensor>& out) {
    std::apply(
        [&](const Ts&... item) { (StepTraits<Ts>::flatten(item, out), ...); },
        value);
  }
  static auto gather(const std::tuple<Ts...>& value,
                     detail::ResultReader& results) {
    return std::apply(
        [&](const Ts&... item) {
          // Braces: the items are taken in their order.
          return std::tuple<decltype(StepTraits<Ts>::gather(item, results))...>{
              StepTraits<Ts>::gather(item, results)...};
        },
        value);
  }

 private:
  template <size_t... I>
  static std::tuple<Ts...> build_items(const DistributedValues& values,
                                       std::index_sequence<I...>) {
    return {StepTraits<Ts>::build(values.items()[I])...};
  }
};

template <class A, class B>
struct StepTraits<std::pair<A, B>> {
  static DistributedValues distribute(const std::pair<A, B>& value) {
    return DistributedValues::tuple({StepTraits<A>::distribute(value.first),
                                     StepTraits<B>::distribute(value.second)});
  }
  static std::pair<A, B> build(const DistributedValues& values) {
    values.require_tuple(2);
    return {StepTraits<A>::build(values.items()[0]),
            StepTraits<B>::build(values.items()[1])};
  }
  static void flatten(const std::pair<A, B>& value, std::vector<Tensor>& out) {
    StepTraits<A>::flatten(value.first, out);
    StepTraits<B>::flatten(value.second, out);
  }
  static auto gather(const std::pair<A, B>& value,
                     detail::ResultReader& results) {
    // Braces: the items are taken in their order.
    return std::pair{StepTraits<A>::gather(value.first, results),
                     StepTraits<B>::gather(value.second, results)};
  }
};

template <class T>
struct StepTraits<std::vector<T>> {
  static DistributedValues distribute(const std::vector<T>& value) {
    std::vector<DistributedValues> items;
    items.reserve(value.size());
    for (const T& item : value) {
      items.push_back(StepTraits<T>::distribute(item));
    }
    return DistributedValues::tuple(std::move(items));
  }
  static std::vector<T> build(const DistributedValues& values) {
    values.require_tuple(values.items().size());
    std::vector<T> all;
    all.reserve(values.items().size());
    for (const DistributedValues& item : values.items()) {
      all.push_back(StepTraits<T>::build(item));
    }
    return all;
  }
  static void flatten(const std::vector<T>& value, std::vector<Tensor>& out) {
    for (const T& item : value) StepTraits<T>::flatten(item, out);
  }
  static auto gather(const std::vector<T>& value,
                     detail::ResultReader& results) {
    std::vector<decltype(StepTraits<T>::gather(value.front(), results))> all;
    all.reserve(value.size());
    for (const T& item : value) {
      all.push_back(StepTraits<T>::gather(item, results));
    }
    return all;
  }
};

template <class T>
struct StepTraits<std::map<std::string, T>> {
  using Map = std::map<std::string, T>;
  static DistributedValues distribute(const Map& value) {
    std::vector<std::string> keys;
    std::vector<DistributedValues> items;
    for (const auto& [key, item] : value) {
      keys.push_back(key);
      items.push_back(StepTraits<T>::distribute(item));
    }
    return DistributedValues::dict(std::move(keys), std::move(items));
  }
  static Map build(const DistributedValues& values) {
    values.require_dict();
    Map all;
    for (size_t i = 0; i < values.size(); ++i) {
      all.emplace(values.keys()[i], StepTraits<T>::build(values.items()[i]));
    }
    return all;
  }
  static void flatten(const Map& value, std::vector<Tensor>& out) {
    for (const auto& [key, item] : value) StepTraits<T>::flatten(item, out);
  }
  static auto gather(const Map& value, detail::ResultReader& results) {
    using Value =
        decltype(StepTraits<T>::gather(std::declval<const T&>(), results));
    std::map<std::string, Value> all;
    for (const auto& [key, item] : value) {
      all.emplace(key, StepTraits<T>::gather(item, results));
    }
    return all;
  }
};

}  // namespace systolic::distribute
