#include "systolic/plan/trips.h"

#include <gtest/gtest.h>

#include "systolic/plan/test_modules.h"

namespace systolic::internal::plan {
namespace {

TEST(Trips, StandAtTheEndOfTheName) {
  EXPECT_EQ(trips_of_name("fit/while [trips=50]"), 50);
  EXPECT_EQ(trips_of_name("fit/while"), 0);
  EXPECT_EQ(trips_of_name("fit/while [trips=]"), 0);
  EXPECT_EQ(trips_of_name("fit/while [trips=5x]"), 0);
  EXPECT_EQ(trips_of_name("fit/while [trips=50] more"), 0);
}

// The first "while" of a module's entry.
int64_t trips(const HloModule& module) {
  for (const HloInstruction& one : module.entry().instructions) {
    if (one.opcode == "while") return trips_of(module, module.entry(), one);
  }
  return -1;
}

// The first instruction of an opcode in a computation whose name begins so.
HloInstruction& find(HloModule& module, std::string_view computation,
                     std::string_view opcode) {
  for (auto& [id, candidate] : module.computations) {
    if (!candidate.name.starts_with(computation)) continue;
    for (HloInstruction& one : candidate.instructions) {
      if (one.opcode == opcode) return one;
    }
  }
  throw std::out_of_range("no such instruction");
}

HloModule recorded() {
  return read_hlo_module(recorded_module("constant_loop_v3.pb"));
}

// From 3 below 18 in steps of 2.
TEST(Trips, AreCountedBetweenConstants) {
  HloModule module = recorded();
  EXPECT_EQ(trips(module), 8);
  find(module, "wide.region_1", "compare").comparison = "LE";
  EXPECT_EQ(trips(module), 8);
  find(module, "wide.region_1", "constant").constant = 19;
  EXPECT_EQ(trips(module), 9);
  find(module, "wide.region_0", "constant").constant = 1;
  EXPECT_EQ(trips(module), 17);
}

TEST(Trips, OtherLoopsAreNotGuessed) {
  HloModule module = recorded();
  find(module, "wide.region_1", "compare").comparison = "NE";
  EXPECT_EQ(trips(module), 0);
  module = recorded();
  find(module, "wide.region_0", "add").opcode = "multiply";
  EXPECT_EQ(trips(module), 0);
  module = recorded();
  find(module, "wide.region_0", "constant").constant = 0;
  EXPECT_EQ(trips(module), 0);
  module = recorded();
  find(module, "wide.region_1", "constant").constant.reset();
  EXPECT_EQ(trips(module), 0);
  module = recorded();
  find(module, "main", "constant").constant = 100;
  EXPECT_EQ(trips(module), 0);
}

TEST(Trips, TheCompilersNoteComesFirst) {
  HloModule module = recorded();
  find(module, "main", "while").trips = 5;
  EXPECT_EQ(trips(module), 5);
}

// The limit is an argument of the program: the name says it.
TEST(Trips, NamesSayWhatConstantsDoNot) {
  EXPECT_EQ(trips(read_hlo_module(recorded_module("loop_v3.pb"))), 6);
}

// As some compilers have it: the limit is carried along.
TEST(Trips, LimitsMayBeCarriedUnchanged) {
  HloModule module = recorded();
  HloInstruction& limit = find(module, "wide.region_1", "constant");
  limit.opcode = "get-tuple-element";
  limit.constant.reset();
  limit.tuple_index = 2;
  // The third value that is carried is the constant 2, the step.
  EXPECT_EQ(trips(module), 0);
  HloInstruction& from = find(module, "main", "constant");
  from.constant = -3;
  EXPECT_EQ(trips(module), 3);
}

}  // namespace
}  // namespace systolic::internal::plan
