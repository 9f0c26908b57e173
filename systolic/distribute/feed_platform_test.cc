// Rows on their way to replicas: split, filled up, stacked.
#include <gtest/gtest.h>

#include "systolic/array/manipulation.h"
#include "systolic/distribute/feed.h"
#include "systolic/graph/evaluate.h"

namespace systolic::internal::distribute {
namespace {

const graph::Placement& four() {
  static const auto* placement = [] {
    auto devices = runtime::Client::open({.device_count = 8}).devices();
    devices.resize(4);
    return graph::Placement::replicas(devices);
  }();
  return *placement;
}

Array numbers(std::vector<int32_t> values) { return Array::from(values); }

std::string parts(const Tensor& tensor) {
  std::string text;
  for (const Array& part : graph::storage_of(tensor.ref())->replicas()) {
    text += (text.empty() ? "" : " | ") + part.to_string();
  }
  return text;
}

TEST(FeedPlatformTest, OneArrayIsSplitInOrder) {
  const Array rows = numbers({1, 2, 3, 4, 5});
  const int64_t share = share_of(5, four());
  EXPECT_EQ(share, 2);
  const Tensor sent = send_rows(std::span(&rows, 1), share, four());
  EXPECT_EQ(sent.shape(), (Shape{2}));
  EXPECT_EQ(parts(sent), "[1 2] | [3 4] | [5 0] | [0 0]");
  EXPECT_EQ(real_rows_of(5, share, four()), (std::vector<int32_t>{2, 2, 1, 0}));
}

// Devices are sent the batch's own memory: nothing is copied to split it.
TEST(FeedPlatformTest, SplittingCopiesNothing) {
  const Array rows = Array::ones({8, 3});
  const size_t share_bytes = 2 * 3 * sizeof(float);
  for (size_t replica = 0; replica < 4; ++replica) {
    const Array part = rows_of_replica(std::span(&rows, 1), replica, 2);
    EXPECT_EQ(part.shape(), (Shape{2, 3}));
    EXPECT_EQ(part.data(), rows.data() + replica * share_bytes);
  }
  const std::vector<Array> own(4, rows);
  EXPECT_EQ(rows_of_replica(own, 3, 8).data(), rows.data());
  // Only the last share of a batch that does not divide is filled up.
  const Array seven = Array::ones({7, 3});
  EXPECT_EQ(rows_of_replica(std::span(&seven, 1), 2, 2).data(),
            seven.data() + 2 * share_bytes);
  EXPECT_NE(rows_of_replica(std::span(&seven, 1), 3, 2).data(),
            seven.data() + 3 * share_bytes);
}

TEST(FeedPlatformTest, ArraysOfReplicasStayApart) {
  const std::vector<Array> rows{numbers({1, 2}), numbers({3}), numbers({4, 5}),
                                numbers({})};
  EXPECT_EQ(parts(send_rows(rows, 2, four())), "[1 2] | [3 0] | [4 5] | [0 0]");
}

TEST(FeedPlatformTest, StackHasRoomAtItsEnd) {
  const std::vector<Array> batches{numbers({1, 2, 3, 4}), numbers({5, 6, 7})};
  const std::vector<HostPart> stack{{&batches[0], 1}, {&batches[1], 1}};
  const Tensor sent = send_stack(stack, 3, 1, four());
  EXPECT_EQ(sent.shape(), (Shape{3, 1}));
  const std::vector<Array> got = graph::storage_of(sent.ref())->replicas();
  EXPECT_EQ(squeeze(got[1], 1).to_string(), "[2 6 0]");
  EXPECT_EQ(squeeze(got[3], 1).to_string(), "[4 0 0]");
}

TEST(FeedPlatformTest, ValuesAreEachReplicasOwnOrOneForAll) {
  const std::vector<Array> own{Array::scalar(1), Array::scalar(2),
                               Array::scalar(3), Array::scalar(4)};
  EXPECT_EQ(parts(send_values(own, four())), "1 | 2 | 3 | 4");
  EXPECT_EQ(parts(send_values(std::span(own).first(1), four())),
            "1 | 1 | 1 | 1");
}

TEST(FeedPlatformTest, StacksAreOfLimitedSize) {
  EXPECT_EQ(stack_capacity(100, 5), 5);
  EXPECT_EQ(stack_capacity(100, 1000), 64);
  EXPECT_EQ(stack_capacity(size_t{100} << 20, 1000), 2);
  EXPECT_EQ(stack_capacity(size_t{1} << 30, 1000), 1);
  EXPECT_EQ(stack_capacity(0, 3), 3);
}

}  // namespace
}  // namespace systolic::internal::distribute
