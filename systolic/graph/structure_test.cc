#include "systolic/graph/structure.h"

#include <gtest/gtest.h>

namespace systolic::internal::graph {
namespace {

static_assert(Structured<Tensor> && Structured<int> && Structured<Variable>);
static_assert(Structured<const std::vector<std::pair<Tensor, double>>&>);
static_assert(Structured<std::map<std::string, std::optional<Tensor>>>);
static_assert(Structured<std::tuple<bool, std::string, std::array<int, 2>>>);
static_assert(!Structured<Array>);
static_assert(!Structured<int*> && !Structured<const char*>);
static_assert(!Structured<std::vector<Array>>);
static_assert(!Structured<std::tuple<Tensor, Array>>);
static_assert(!Structured<std::map<int, Tensor>>);

// Numbers and texts as they are met.
struct Listing {
  std::vector<std::string> all;
  void operator()(const Tensor& t) {
    all.emplace_back(t.is_defined() ? "tensor" : "none");
  }
  template <PlainValue T>
  void operator()(const T& value) {
    if constexpr (std::same_as<T, std::string>) {
      all.push_back(value);
    } else if constexpr (!std::same_as<T, Variable>) {
      all.push_back(std::to_string(static_cast<int>(value)));
    }
  }
};

TEST(StructureTest, PartsAreVisitedInOrderWithTheLengths) {
  const std::tuple<int, std::vector<std::pair<Tensor, float>>,
                   std::map<std::string, int>, std::optional<Tensor>>
      value{7, {{Tensor(), 1.f}, {Tensor(), 2.f}}, {{"b", 4}, {"a", 3}}, {}};
  Listing listing;
  visit_structure(value, listing);
  EXPECT_EQ(listing.all,
            (std::vector<std::string>{"7", "2", "none", "1", "none", "2", "2",
                                      "a", "3", "b", "4", "0"}));
}

TEST(StructureTest, PartsCanBeReplaced) {
  std::pair<std::array<int, 2>, std::optional<int>> value{{1, 2}, 3};
  visit_structure(value, [](auto& part) {
    using Part = std::remove_cvref_t<decltype(part)>;
    if constexpr (std::same_as<Part, int>) part *= 10;
  });
  EXPECT_EQ(value.first, (std::array<int, 2>{10, 20}));
  EXPECT_EQ(*value.second, 30);
}

}  // namespace
}  // namespace systolic::internal::graph
