// Rows split over replicas, with padding where they do not divide.
#include <gtest/gtest.h>

#include "systolic/graph/evaluate.h"
#include "systolic/models/feed.h"
#include "systolic/models/test_helpers.h"
#include "systolic/testing/runtime_fixture.h"

namespace systolic::internal::models {
namespace {

const graph::Placement& eight() {
  static const auto* placement = graph::Placement::replicas(
      runtime::Client::open({.device_count = 8}).devices());
  return *placement;
}

HostBatch numbered(int64_t rows, float first = 1) {
  HostBatch batch;
  std::vector<float> x;
  for (int64_t i = 0; i < rows; ++i) x.push_back(first + static_cast<float>(i));
  batch.x = Array::from(x, {rows, 1});
  batch.rows = rows;
  return batch;
}

std::vector<Array> parts(const Tensor& tensor) {
  return graph::storage_of(tensor.ref())->replicas();
}

template <class T>
std::vector<T> flat(const Tensor& tensor) {
  std::vector<T> all;
  for (const Array& part : parts(tensor)) {
    for (T value : part.span<T>()) all.push_back(value);
  }
  return all;
}

TEST(FeedPlatformTest, RowsThatDivideAreSplitInOrder) {
  const DeviceBatch sent = send(numbered(16), eight());
  EXPECT_EQ(sent.x[0].shape(), (Shape{2, 1}));
  EXPECT_EQ(parts(sent.x).size(), 8u);
  std::vector<float> all = flat<float>(sent.x);
  EXPECT_EQ(all.front(), 1);
  EXPECT_EQ(all.back(), 16);
  EXPECT_FALSE(sent.valid_rows.is_defined());
  EXPECT_FALSE(sent.mean_rows.is_defined());
  EXPECT_FALSE(sent.y.is_defined());
}

TEST(FeedPlatformTest, RowsThatDoNotAreFilledUpWithZeros) {
  const DeviceBatch sent = send(numbered(10), eight());
  EXPECT_EQ(sent.x[0].shape(), (Shape{2, 1}));
  EXPECT_EQ(flat<float>(sent.x), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9,
                                                     10, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(flat<int32_t>(sent.valid_rows),
            (std::vector<int32_t>{2, 2, 2, 2, 2, 0, 0, 0}));
  for (const float mean : flat<float>(sent.mean_rows)) EXPECT_EQ(mean, 1.25f);
}

TEST(FeedPlatformTest, OneRowIsTheFirstReplicas) {
  const DeviceBatch sent = send(numbered(1), eight());
  EXPECT_EQ(flat<float>(sent.x), (std::vector<float>{1, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(flat<int32_t>(sent.valid_rows),
            (std::vector<int32_t>{1, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(FeedPlatformTest, StackHoldsItsBatchesAndZeros) {
  const std::vector<HostBatch> batches{numbered(3, 1), numbered(3, 11)};
  const DeviceBatch sent = send(batches, 4, eight());
  EXPECT_EQ(sent.x[0].shape(), (Shape{4, 1, 1}));
  EXPECT_EQ(flat<int32_t>(sent.count)[7], 2);
  const std::vector<float> all = flat<float>(sent.x);
  EXPECT_EQ(std::vector<float>(all.begin(), all.begin() + 12),
            (std::vector<float>{1, 11, 0, 0, 2, 12, 0, 0, 3, 13, 0, 0}));
  EXPECT_EQ(flat<int32_t>(sent.valid_rows),
            (std::vector<int32_t>{1, 1, 1, 0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace systolic::internal::models
