#include "systolic/pjrt/device.h"
#include "systolic/testing/pjrt_fixture.h"

namespace systolic::internal::pjrt {
namespace {

using DevicePlatformTest = PlatformTest;

TEST_F(DevicePlatformTest, DescribesItself) {
  const Client client = make_client(3);
  const std::vector<Device> devices = client.devices();
  EXPECT_EQ(devices[2].description().id(), 2);
  EXPECT_EQ(devices[2].description().kind(), "cpu");
  EXPECT_FALSE(devices[2].description().to_string().empty());
  EXPECT_NO_THROW(devices[2].description().attributes());
}

TEST_F(DevicePlatformTest, MemoryFiguresMayBeMissing) {
  const Client client = make_client();
  const auto memory = client.devices()[0].memory_stats();
  EXPECT_TRUE(!memory || memory->bytes_in_use >= 0);
}

}  // namespace
}  // namespace systolic::internal::pjrt
