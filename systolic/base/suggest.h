// Finds the name that a misspelt one was meant to be.
//   closest_name("adm", {"sgd", "adam"})  // "adam"
// For the hint line of "unknown name" errors.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace systolic::internal {

// The candidate nearest to `name` by edit distance, ignoring case; empty where
// none is near (more than a third of the letters differ).
std::string_view closest_name(std::string_view name,
                              std::span<const std::string_view> candidates);

// The names as "'a', 'b' or 'c'", in the order given.
std::string list_names(std::span<const std::string_view> names);

}  // namespace systolic::internal
