// NameScope: whose operations are being recorded: a layer's, an optimizer's.
// Programs that are written with places carry it to the compiler.
//
//   const NameScopes kept;                    // from now on scopes are noted
//   const NameScope scope("dense", where);    // nodes say "dense"
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "systolic/base/error.h"

namespace systolic::internal::graph {

/// What a scope is called, and the user's line that opened it.
struct ScopeName {
  std::string name;
  SourceLocation where;
};

/// Has this process note scopes until the last guard goes; else they cost
/// nothing and say nothing.
class NameScopes {
 public:
  NameScopes();
  ~NameScopes();
  NameScopes(const NameScopes&) = delete;
  NameScopes& operator=(const NameScopes&) = delete;

  static bool are_noted();
};

/// Names what this thread records until it goes.
class NameScope {
 public:
  /// A place inside of the library gives way to that of the scope around.
  explicit NameScope(std::string_view name, const SourceLocation& where);
  /// The gradient of what was recorded in scope `id`.
  explicit NameScope(uint32_t id);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

  /// The number of this thread's innermost scope; 0 where there is none.
  static uint32_t current();

  /// What a number stands for; empty for 0.
  static const ScopeName& of(uint32_t id);

 private:
  uint32_t previous_;
};

}  // namespace systolic::internal::graph
