// What stays the same when the TPU system is initialised again, as before each
// fold of a cross-validation.
#include <gtest/gtest.h>

#include "systolic/models/test_helpers.h"
#include "systolic/ops/manipulation.h"
#include "systolic/pjrt/handle.h"
#include "systolic/testing/error_text.h"

namespace systolic::models {
namespace {

// The losses of a model that is made and trained anew, and the buffers that
// are alive while it is.
std::pair<std::vector<double>, int64_t> run_fold() {
  const auto resolver = distribute::TPUClusterResolver::connect("virtual:v3-8");
  const distribute::TPUStrategy strategy(resolver);
  const auto scope = strategy.scope();
  const Sequential model = classifier();
  const auto history =
      model.fit(batches(40, 16), {.epochs = 3, .verbose = Verbose::silent});
  return {history["loss"], internal::pjrt::live_handles().buffers};
}

TEST(ReinitialisePlatformTest, EachFoldTrainsAsInAFreshProcess) {
  const auto [losses, buffers] = run_fold();
  EXPECT_LT(losses.back(), losses.front());
  for (int fold = 1; fold < 5; ++fold) {
    const auto [again, more] = run_fold();
    EXPECT_EQ(again, losses) << "fold " << fold;
    EXPECT_EQ(more, buffers) << "fold " << fold;
  }
}

TEST(ReinitialisePlatformTest, ModelOfBeforeNamesTheFirstOfItsVariables) {
  const auto resolver = distribute::TPUClusterResolver::connect("virtual:v3-8");
  const distribute::TPUStrategy strategy(resolver);
  const auto scope = strategy.scope();
  const Sequential model = classifier();
  const auto data = batches(40, 16);
  model.fit(data, {.verbose = Verbose::silent});
  const int64_t before = internal::pjrt::live_handles().buffers;
  distribute::initialize_tpu_system(resolver);
  EXPECT_LT(internal::pjrt::live_handles().buffers, before)
      << "the model is alive, its memory is free";
  const auto text = internal::text_of<ValueError>(
      [&] { model.fit(data, {.verbose = Verbose::silent}); });
  EXPECT_TRUE(
      text.starts_with("Variable \"loss/total\": its memory was freed "
                       "when the TPU system was initialised again"))
      << text;
}

}  // namespace
}  // namespace systolic::models
