// CallSite: where a function was called, as its last parameter. Unlike a
// SourceLocation nothing in braces becomes one, so overloads stay apart.
//
//   History fit(const Data& data, CallSite where = SourceLocation::current());
#pragma once

#include "systolic/base/error.h"

namespace systolic::internal {

class CallSite {
 public:
  /// The place that it says.
  CallSite(const SourceLocation& where)  // NOLINT: conversions are the point
      : where_(where) {}

  const SourceLocation& where() const { return where_; }

 private:
  SourceLocation where_;
};

}  // namespace systolic::internal
