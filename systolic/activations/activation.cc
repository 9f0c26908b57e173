#include "systolic/activations/activation.h"

#include <algorithm>

#include "systolic/activations/catalog.h"
#include "systolic/base/message.h"
#include "systolic/base/suggest.h"

namespace systolic::activations {

namespace {

// The catalogue's own text, which outlives the caller's.
std::string_view known_name(std::string_view name,
                            const SourceLocation& where) {
  const auto all = names();
  const auto found = std::ranges::find(all, name);
  if (found != all.end()) return *found;
  internal::Message message("activation");
  message.expected(internal::list_names(all)).got("'", name, "'");
  const std::string_view nearest = internal::closest_name(name, all);
  if (!nearest.empty()) message.hint("did you mean '", nearest, "'?");
  message.at(where).raise<ValueError>();
}

}  // namespace

Activation::Activation(const char* name, SourceLocation where)
    : name_(known_name(internal::name_text(name, "activation", where), where)),
      function_(find(name_)) {}

Activation::Activation(const std::string& name, SourceLocation where)
    : name_(known_name(name, where)), function_(find(name_)) {}

Tensor Activation::operator()(const Tensor& x) const {
  return is_linear() ? x : function_(x);
}

}  // namespace systolic::activations
