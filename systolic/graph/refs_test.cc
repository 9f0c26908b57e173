#include "systolic/graph/refs.h"

#include <gtest/gtest.h>

#include "systolic/graph/node.h"
#include "systolic/graph/ref_table.h"

namespace systolic::internal::graph {
namespace {

std::vector<Ref> some_refs(int count) {
  std::vector<Ref> refs;
  for (int i = 0; i < count; ++i) {
    refs.push_back({make_literal(DType::int32, int64_t{i}), i});
  }
  return refs;
}

// Three lie in the object, more outside it: both must behave alike.
TEST(RefsTest, HoldsAnyNumber) {
  for (int count = 0; count < 8; ++count) {
    const std::vector<Ref> wanted = some_refs(count);
    Refs refs{std::vector<Ref>(wanted)};
    ASSERT_EQ(refs.size(), wanted.size());
    EXPECT_EQ(refs.empty(), count == 0);
    EXPECT_TRUE(std::equal(refs.begin(), refs.end(), wanted.begin()));
    Refs moved = std::move(refs);
    EXPECT_EQ(refs.size(), 0u);
    EXPECT_TRUE(std::equal(moved.begin(), moved.end(), wanted.begin()));
    refs = std::move(moved);
    EXPECT_EQ(refs.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(refs[i], wanted[i]);
      EXPECT_EQ(wanted[i].node.use_count(), 2);
    }
    refs.clear();
    EXPECT_TRUE(refs.empty());
    for (const Ref& ref : wanted) EXPECT_EQ(ref.node.use_count(), 1);
  }
}

TEST(RefsTest, ListsAreCopied) {
  const std::vector<Ref> r = some_refs(5);
  const Refs two{r[0], r[1]}, five{r[0], r[1], r[2], r[3], r[4]};
  EXPECT_TRUE(std::equal(two.begin(), two.end(), r.begin()));
  EXPECT_TRUE(std::equal(five.begin(), five.end(), r.begin()));
  EXPECT_EQ(r[0].node.use_count(), 3);
}

TEST(RefTableTest, FindsWhatWasInserted) {
  RefTable<int> table;
  EXPECT_EQ(table.find(some_refs(1)[0]), nullptr);
  const NodePtr two = make_node(NodeKind::operation, 2);
  std::vector<Ref> refs = some_refs(1000);
  for (int output = 0; output < 1000; ++output) refs.push_back({two, output});
  for (size_t i = 0; i < refs.size(); ++i) {
    const auto [entry, is_new] =
        table.insert(refs[i].node.get(), refs[i].output);
    EXPECT_TRUE(is_new);
    EXPECT_EQ(*entry, 0);
    *entry = static_cast<int>(i);
  }
  EXPECT_EQ(table.size(), refs.size());
  for (size_t i = 0; i < refs.size(); ++i) {
    ASSERT_NE(table.find(refs[i]), nullptr);
    EXPECT_EQ(*table.find(refs[i]), static_cast<int>(i));
    EXPECT_FALSE(table.insert(refs[i].node.get(), refs[i].output).second);
  }
  EXPECT_EQ(table.find(two.get(), 1000), nullptr);
}

}  // namespace
}  // namespace systolic::internal::graph
