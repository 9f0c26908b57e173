// The random numbers of one element of a data set: inside of map() everything
// that draws a seed draws it for the element, so that a pipeline gives equal
// values whatever the number of its threads.
//   ElementSeedScope scope({.seed = seed, .pass = 0, .index = 17});
//   uint64_t first = draw_seed();
#pragma once

#include <cstdint>
#include <optional>

namespace systolic::internal {

// Which element it is: of which node (by its seed), in which pass over it.
struct ElementKey {
  uint64_t seed = 0;
  uint64_t pass = 0;
  uint64_t index = 0;
};

// As long as it lives, draw_seed() of this thread depends on the key alone and
// on how often it was called in the scope. Scopes may be nested.
class ElementSeedScope {
 public:
  explicit ElementSeedScope(const ElementKey& key);
  ~ElementSeedScope();
  ElementSeedScope(const ElementSeedScope&) = delete;
  ElementSeedScope& operator=(const ElementSeedScope&) = delete;

  // Whether a seed was drawn in the scope.
  bool has_drawn() const { return drawn_ > 0; }

 private:
  friend std::optional<uint64_t> draw_element_seed();

  const ElementKey key_;
  uint64_t drawn_ = 0;
  ElementSeedScope* const outer_;
};

// The next seed of the innermost scope of this thread; none outside of all.
std::optional<uint64_t> draw_element_seed();

// Whether set_random_seed() was called: other processes may have the same
// seeds.
bool has_random_seed();

// The seed of a node of a pipeline: of a sequence of its own, so that adding a
// node changes no other seed of the program. Within a scope, the element's.
uint64_t draw_pipeline_seed();

}  // namespace systolic::internal
