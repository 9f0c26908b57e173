#include "systolic/optimizers/catalog.h"

#include "systolic/base/message.h"
#include "systolic/base/suggest.h"
#include "systolic/optimizers/adagrad.h"
#include "systolic/optimizers/adam.h"
#include "systolic/optimizers/adamax.h"
#include "systolic/optimizers/ftrl.h"
#include "systolic/optimizers/rmsprop.h"
#include "systolic/optimizers/sgd.h"

namespace systolic::optimizers {
namespace {

struct Entry {
  std::string_view name;
  Optimizer (*make)();
};

template <class O>
Optimizer make() {
  return O();
}

constexpr Entry kCatalog[] = {
    {"sgd", make<SGD>},         {"adam", make<Adam>},
    {"adamw", make<AdamW>},     {"rmsprop", make<RMSprop>},
    {"adagrad", make<Adagrad>}, {"adadelta", make<Adadelta>},
    {"adamax", make<Adamax>},   {"nadam", make<Nadam>},
    {"lion", make<Lion>},       {"ftrl", make<Ftrl>},
};

}  // namespace

std::vector<std::string_view> names() {
  std::vector<std::string_view> all;
  for (const Entry& entry : kCatalog) all.push_back(entry.name);
  return all;
}

Optimizer get(const Identifier& identifier) {
  if (identifier.optimizer().is_defined()) return identifier.optimizer();
  std::string lower;
  for (char c : identifier.name()) {
    lower += c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
  }
  for (const Entry& entry : kCatalog) {
    if (entry.name == lower) return entry.make();
  }
  const std::vector<std::string_view> known = names();
  internal::Message message("optimizer");
  message.expected(internal::list_names(known));
  if (identifier.name().empty()) {
    message.got("none").raise<ValueError>();
  }
  message.got("'", identifier.name(), "'");
  const std::string_view closest =
      internal::closest_name(identifier.name(), known);
  if (!closest.empty()) message.hint("did you mean '", closest, "'?");
  message.raise<ValueError>();
}

}  // namespace systolic::optimizers
