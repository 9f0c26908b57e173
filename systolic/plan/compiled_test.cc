#include "systolic/plan/compiled.h"

#include <gtest/gtest.h>

namespace systolic::internal::plan {
namespace {

Compiled made_up() {
  Compiled compiled;
  compiled.memory = {.code = 1,
                     .arguments = 2,
                     .outputs = 3,
                     .aliased = 4,
                     .temporary = 5,
                     .peak = 6};
  compiled.work.operations = {{.layer = "conv1",
                               .name = "convolution",
                               .where = "a.cc:1",
                               .cycles = 1.5,
                               .unpriced_bytes = 2,
                               .bytes = 3,
                               .flops = 4,
                               .padded_flops = 5}};
  compiled.work.collectives = {{.kind = CollectiveKind::permute,
                                .bytes = 7,
                                .replicas = 8,
                                .times = 9,
                                .beside = 3}};
  compiled.work.loops_of_unknown_length = 10;
  compiled.work.branches = 11;
  compiled.work.overlapped_copies = 12;
  compiled.seconds = 13;
  return compiled;
}

TEST(Compiled, ComesBackFromItsText) {
  const std::string text = to_text(made_up());
  const std::optional<Compiled> back = from_text(text);
  ASSERT_TRUE(back);
  EXPECT_TRUE(back->from_cache);
  EXPECT_FALSE(back->refusal);
  EXPECT_EQ(back->memory.peak, 6);
  EXPECT_EQ(back->work.operations[0].where, "a.cc:1");
  EXPECT_EQ(back->work.collectives[0].kind, CollectiveKind::permute);
  EXPECT_EQ(to_text(*back), text);
}

TEST(Compiled, RefusalsAreKept) {
  Compiled compiled = made_up();
  compiled.refusal = Refusal{.line = "Ran out of memory",
                             .wanted = 20,
                             .available = 15,
                             .temporaries = 18,
                             .arguments = 2};
  compiled.refusal->largest = {{7, "f32[2]", "conv1/convolution"}};
  const std::optional<Compiled> back = from_text(to_text(compiled));
  ASSERT_TRUE(back && back->refusal);
  EXPECT_EQ(back->refusal->wanted, 20);
  EXPECT_EQ(back->refusal->largest[0].shape, "f32[2]");
  EXPECT_EQ(to_text(*back), to_text(compiled));
}

TEST(Compiled, DamagedTextsAreNone) {
  const std::string text = to_text(made_up());
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(from_text(text.substr(0, size))) << size;
  }
  EXPECT_FALSE(from_text("{\"version\": 0}"));
  EXPECT_FALSE(from_text("[]"));
  std::string other = text;
  other.replace(other.find("\"memory\":["), 10, "\"memory\":{");
  EXPECT_FALSE(from_text(other));
}

}  // namespace
}  // namespace systolic::internal::plan
