// Tested by: systolic/initializers/initializer_test.cc
#include "systolic/initializers/catalog.h"

#include <algorithm>
#include <array>

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"
#include "systolic/initializers/constant.h"
#include "systolic/initializers/random.h"
#include "systolic/initializers/variance_scaling.h"

namespace systolic::initializers {

namespace {

struct Row {
  std::string_view name;
  std::string_view class_name;
  std::string_view alias;
  MakeInitializer make;
};

template <class T>
Initializer make() {
  return T();
}

constexpr std::array kRows{
    Row{"zeros", "Zeros", "zero", make<Zeros>},
    Row{"ones", "Ones", "one", make<Ones>},
    Row{"constant", "Constant", "", make<Constant>},
    Row{"identity", "Identity", "IdentityInitializer", make<Identity>},
    Row{"random_uniform", "RandomUniform", "uniform", make<RandomUniform>},
    Row{"random_normal", "RandomNormal", "normal", make<RandomNormal>},
    Row{"truncated_normal", "TruncatedNormal", "", make<TruncatedNormal>},
    Row{"variance_scaling", "VarianceScaling", "", make<VarianceScaling>},
    Row{"glorot_uniform", "GlorotUniform", "", make<GlorotUniform>},
    Row{"glorot_normal", "GlorotNormal", "", make<GlorotNormal>},
    Row{"he_uniform", "HeUniform", "", make<HeUniform>},
    Row{"he_normal", "HeNormal", "", make<HeNormal>},
    Row{"lecun_uniform", "LecunUniform", "", make<LecunUniform>},
    Row{"lecun_normal", "LecunNormal", "", make<LecunNormal>},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kRows.size()> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = kRows[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> names() { return kNames; }

MakeInitializer find(std::string_view name, const SourceLocation& where) {
  for (const Row& row : kRows) {
    if (name == row.name || name == row.class_name ||
        (!row.alias.empty() && name == row.alias)) {
      return row.make;
    }
  }
  internal::Message message("initializer");
  message.expected(internal::list_names(kNames)).got("'", name, "'");
  const std::string_view nearest = internal::closest_name(name, kNames);
  if (!nearest.empty()) message.hint("did you mean '", nearest, "'?");
  message.at(where).raise<ValueError>();
}

std::string_view name_of(MakeInitializer make) {
  const auto row = std::ranges::find(kRows, make, &Row::make);
  return row == kRows.end() ? std::string_view() : row->class_name;
}

}  // namespace systolic::initializers
