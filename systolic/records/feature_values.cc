// Tested by: systolic/records/parse_example_test.cc
#include "systolic/records/feature_values.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <utility>

#include "systolic/base/error.h"
#include "systolic/records/record_format.h"

namespace systolic::data::detail {
namespace {

using internal::WireKind;
using internal::WireMessage;
using internal::WireReader;

// The fields of a map's entry, and of all other messages here.
constexpr int kEntry = 1;
constexpr int kKey = 1;
constexpr int kValue = 2;
constexpr int kList = 1;

// The key and value of a map's entry.
struct Entry {
  std::string_view key;
  WirePieces value;
  bool has_value = false;
};

Entry parse_entry(std::string_view bytes, const WireMessage& what) {
  Entry entry;
  for (WireReader reader(bytes, what); reader.next();) {
    if (reader.field() == kKey) {
      entry.key = reader.bytes();
    } else if (reader.field() == kValue) {
      entry.value.add(reader.bytes(), !entry.has_value);
      entry.has_value = true;
    }
  }
  return entry;
}

}  // namespace

std::string_view name(ValueKind kind) {
  switch (kind) {
    case ValueKind::bytes:
      return "bytes";
    case ValueKind::floats:
      return "float32";
    case ValueKind::ints:
      return "int64";
    case ValueKind::none:
      break;
  }
  return "nothing";
}

ValueKind kind_of(DType dtype) {
  if (dtype == DType::int64) return ValueKind::ints;
  return dtype == DType::float32 ? ValueKind::floats : ValueKind::bytes;
}

FeatureValues parse_feature(const WirePieces& feature,
                            const WireMessage& what) {
  FeatureValues values;
  feature.each([&](std::string_view piece) {
    for (WireReader reader(piece, what); reader.next();) {
      const int field = reader.field();
      if (field > static_cast<int>(ValueKind::ints)) continue;
      // One of several fields: the last kind counts, its lists add up.
      const auto kind = static_cast<ValueKind>(field);
      values.lists.add(reader.bytes(), kind != values.kind);
      values.kind = kind;
    }
  });
  return values;
}

int64_t FeatureValues::count(const WireMessage& what) const {
  if (kind == ValueKind::none) return 0;
  ValueColumn column(kind == ValueKind::ints     ? DType::int64
                     : kind == ValueKind::floats ? DType::float32
                                                 : DType::string);
  return column.append(*this, what);
}

void find_keys(std::string_view map, const std::vector<std::string>& keys,
               const WireMessage& what, std::vector<KeyedMessage>* found) {
  for (WireReader reader(map, what); reader.next();) {
    if (reader.field() != kEntry) continue;
    Entry entry = parse_entry(reader.bytes(), what);
    const auto at = std::lower_bound(keys.begin(), keys.end(), entry.key);
    if (at == keys.end() || *at != entry.key) continue;
    KeyedMessage& place = (*found)[static_cast<size_t>(at - keys.begin())];
    place.present = true;
    place.value = std::move(entry.value);
  }
}

std::map<std::string, FeatureValues> all_features(std::string_view example,
                                                  const WireMessage& what) {
  std::map<std::string, FeatureValues> features;
  for (WireReader reader(example, what); reader.next();) {
    if (reader.field() != kEntry) continue;
    for (WireReader map(reader.bytes(), what); map.next();) {
      if (map.field() != kEntry) continue;
      const Entry entry = parse_entry(map.bytes(), what);
      features[std::string(entry.key)] = parse_feature(entry.value, what);
    }
  }
  return features;
}

std::map<std::string, std::vector<FeatureValues>> all_feature_lists(
    std::string_view example, const WireMessage& what) {
  constexpr int kFeatureLists = 2;
  std::map<std::string, std::vector<FeatureValues>> lists;
  for (WireReader reader(example, what); reader.next();) {
    if (reader.field() != kFeatureLists) continue;
    for (WireReader map(reader.bytes(), what); map.next();) {
      if (map.field() != kEntry) continue;
      const Entry entry = parse_entry(map.bytes(), what);
      std::vector<FeatureValues>& steps = lists[std::string(entry.key)];
      steps.clear();  // of two with one key the last counts
      entry.value.each([&](std::string_view piece) {
        for (WireReader list(piece, what); list.next();) {
          if (list.field() != kList) continue;
          steps.push_back(parse_feature({list.bytes(), {}}, what));
        }
      });
    }
  }
  return lists;
}

namespace {

constexpr WireMessage kAnyMap{"features", "features"};

// "key (what `describe` says of its value), ...".
template <class F>
std::string map_text(std::string_view map, const F& describe) {
  std::map<std::string, std::string> texts;
  try {
    for (WireReader reader(map, kAnyMap); reader.next();) {
      if (reader.field() != kEntry) continue;
      const Entry entry = parse_entry(reader.bytes(), kAnyMap);
      texts[std::string(entry.key)] = describe(entry.value);
    }
  } catch (const DataError&) {
    // What comes behind is not readable: an error says that elsewhere.
  }
  std::string text;
  for (const auto& [key, values] : texts) {
    text += (text.empty() ? "" : ", ") + key + " (" + values + ")";
  }
  return text.empty() ? "none" : text;
}

std::string counted(int64_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string features_text(std::string_view features) {
  return map_text(features, [](const WirePieces& value) {
    const FeatureValues values = parse_feature(value, kAnyMap);
    return std::string(name(values.kind)) + ", " +
           counted(values.count(kAnyMap), "value");
  });
}

std::string feature_lists_text(std::string_view feature_lists) {
  return map_text(feature_lists, [](const WirePieces& value) {
    int64_t steps = 0;
    value.each([&](std::string_view piece) {
      for (WireReader reader(piece, kAnyMap); reader.next();) {
        if (reader.field() == kList) ++steps;
      }
    });
    return counted(steps, "step");
  });
}

int64_t ValueColumn::size() const {
  return static_cast<int64_t>(ints_.size() + floats_.size() + strings_.size());
}

int64_t ValueColumn::append(const FeatureValues& values,
                            const WireMessage& what) {
  const int64_t before = size();
  if (values.kind != ValueKind::none) {
    values.lists.each([&](std::string_view list) {
      if (dtype_ == DType::int64) {
        append_ints(list, what);
      } else if (dtype_ == DType::float32) {
        append_floats(list, what);
      } else {
        append_bytes(list, what);
      }
    });
  }
  return size() - before;
}

void ValueColumn::append_ints(std::string_view list, const WireMessage& what) {
  for (WireReader reader(list, what); reader.next();) {
    if (reader.field() == kList) reader.add_numbers(ints_);
  }
}

void ValueColumn::append_floats(std::string_view list,
                                const WireMessage& what) {
  for (WireReader reader(list, what); reader.next();) {
    if (reader.field() != kList) continue;
    const std::string_view bytes = reader.raw();
    if (reader.kind() != WireKind::bytes &&
        reader.kind() != WireKind::fixed32) {
      reader.fail("there is no float where one belongs");
    }
    if (bytes.size() % sizeof(float) != 0) {
      reader.fail("floats end within one");
    }
    if (bytes.empty()) continue;
    const size_t before = floats_.size();
    floats_.resize(before + bytes.size() / sizeof(float));
    if constexpr (std::endian::native == std::endian::little) {
      std::memcpy(floats_.data() + before, bytes.data(), bytes.size());
    } else {
      for (size_t i = 0; before + i < floats_.size(); ++i) {
        floats_[before + i] = std::bit_cast<float>(
            load_little<uint32_t>(bytes.data() + i * sizeof(float)));
      }
    }
  }
}

void ValueColumn::append_bytes(std::string_view list, const WireMessage& what) {
  for (WireReader reader(list, what); reader.next();) {
    if (reader.field() == kList) strings_.emplace_back(reader.bytes());
  }
}

void ValueColumn::append_fill(const Array& scalar, int64_t count) {
  const auto n = static_cast<size_t>(count);
  const bool is_set = scalar.is_set();
  if (dtype_ == DType::int64) {
    ints_.insert(ints_.end(), n, is_set ? scalar.item<int64_t>() : 0);
  } else if (dtype_ == DType::float32) {
    floats_.insert(floats_.end(), n, is_set ? scalar.item<float>() : 0.F);
  } else {
    strings_.insert(strings_.end(), n,
                    is_set ? scalar.item<std::string>() : std::string());
  }
}

void ValueColumn::append_array(const Array& array) {
  if (dtype_ == DType::int64) {
    const auto values = array.span<int64_t>();
    ints_.insert(ints_.end(), values.begin(), values.end());
  } else if (dtype_ == DType::float32) {
    const auto values = array.span<float>();
    floats_.insert(floats_.end(), values.begin(), values.end());
  } else {
    const auto values = array.span<std::string>();
    strings_.insert(strings_.end(), values.begin(), values.end());
  }
}

void ValueColumn::reorder(const std::vector<int64_t>& order) {
  const auto apply = [&](auto& values) {
    auto sorted = values;
    for (size_t i = 0; i < values.size(); ++i) {
      sorted[i] = std::move(values[static_cast<size_t>(order[i])]);
    }
    values = std::move(sorted);
  };
  if (dtype_ == DType::int64) {
    apply(ints_);
  } else if (dtype_ == DType::float32) {
    apply(floats_);
  } else {
    apply(strings_);
  }
}

Array ValueColumn::take(const Shape& shape) {
  if (dtype_ == DType::int64) {
    return Array::from(std::exchange(ints_, {}), shape);
  }
  if (dtype_ == DType::float32) {
    return Array::from(std::exchange(floats_, {}), shape);
  }
  return Array::from_strings(std::exchange(strings_, {}), shape);
}

}  // namespace systolic::data::detail
