#include <gmock/gmock.h>

#include "systolic/graph/miss_history.h"
#include "systolic/graph/test_fixture.h"

namespace systolic::internal::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class MissHistoryPlatformTest : public GraphTest {
 protected:
  std::string explain(const Tensor& root, const Placement* placement = one()) {
    const Root only{root.ref(), {}};
    const Program program(std::span(&only, 1), placement);
    return history_.explain(program);
  }
  // Always the same two lines.
  static Tensor site(const Tensor& x, std::vector<Tensor>* keep = nullptr) {
    Tensor hidden = exp(x);
    const Tensor more = hidden * x;
    if (keep != nullptr) *keep = {hidden, more};
    hidden = Tensor();
    return more + x;
  }
  MissHistory history_;
};

TEST_F(MissHistoryPlatformTest, FirstOfItsKind) {
  const std::string reason = explain(site(vector({1, 2})));
  EXPECT_THAT(reason, StartsWith("new program: 3 operations, 1 arguments, 1 "
                                 "outputs kept, last add at miss_history_"
                                 "platform_test.cc:"));
}

TEST_F(MissHistoryPlatformTest, OtherShape) {
  explain(site(vector({1, 2})));
  EXPECT_THAT(explain(site(vector({1, 2, 3}))),
              StartsWith("known program, but an argument is float32[3] that "
                         "was float32[2]: 3 operations"));
  EXPECT_THAT(explain(site(vector({1, 2}))), Not(HasSubstr("argument is")))
      << "same structure, same outputs: not asked in practice";
}

TEST_F(MissHistoryPlatformTest, OtherLiveOutputs) {
  std::vector<Tensor> keep;
  explain(site(vector({1, 2})));
  const std::string more = explain(site(vector({1, 2}), &keep));
  EXPECT_THAT(more, StartsWith("other values are kept alive, now exp at "
                               "miss_history_platform_test.cc:"));
  EXPECT_THAT(more, HasSubstr(", multiply at miss_history_platform_test.cc:"));
  keep.clear();
  const std::string less = explain(site(vector({1, 2})));
  EXPECT_THAT(less, StartsWith("other values are kept alive, no longer exp at "
                               "miss_history_platform_test.cc:"));
}

TEST_F(MissHistoryPlatformTest, ManyValuesAreNotAllNamed) {
  const auto chain = [](bool is_kept) {
    std::vector<Tensor> all{vector({1, 2})};
    for (int i = 0; i < 20; ++i) all.push_back(exp(all.back()));
    if (is_kept) return all;
    return std::vector{all.back()};
  };
  explain(chain(false).back());
  const auto kept = chain(true);
  const std::string reason = explain(kept.back());
  EXPECT_THAT(reason, HasSubstr(", ...: 20 operations"));
}

TEST_F(MissHistoryPlatformTest, HashDependsOnEveryWordAndItsPlace) {
  const std::vector<uint64_t> a{1, 2, 3}, b{1, 3, 2}, c{1, 2};
  EXPECT_EQ(hash_words(a), hash_words(a));
  EXPECT_NE(hash_words(a), hash_words(b));
  EXPECT_NE(hash_words(a), hash_words(c));
}

}  // namespace
}  // namespace systolic::internal::graph
