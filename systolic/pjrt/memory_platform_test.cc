#include "systolic/pjrt/memory.h"
#include "systolic/testing/pjrt_fixture.h"

namespace systolic::internal::pjrt {
namespace {

using MemoryPlatformTest = PlatformTest;

TEST_F(MemoryPlatformTest, HasAKind) {
  const Client client = make_client();
  EXPECT_FALSE(client.devices()[0].memory().kind().empty());
}

}  // namespace
}  // namespace systolic::internal::pjrt
