#include "systolic/pjrt/error.h"

#include <gtest/gtest.h>

#include "systolic/pjrt/event.h"
#include "systolic/testing/fake_pjrt.h"

namespace systolic::internal::pjrt {
namespace {

abi::NounArgs<abi::Event>* const kNoArgs = nullptr;

TEST(Error, BecomesAnExceptionWithCallAndCode) {
  FakeApi fake;
  fake.set(kEventAwait, &FakeApi::fail<abi::NounArgs<abi::Event>>);
  const Event event(fake.api(), fake.make<abi::Event>());
  try {
    event.await();
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_STREQ(error.what(),
                 "PJRT_Event_Await: INVALID_ARGUMENT: the fake says no");
    EXPECT_EQ(error.call(), "PJRT_Event_Await");
    EXPECT_EQ(error.code(), 3);
  }
  EXPECT_EQ(fake.destroyed_errors, 1);
}

TEST(Error, CodeNameIsNotRepeated) {
  FakeApi fake;
  fake.error_code = 8;
  fake.error_message = "RESOURCE_EXHAUSTED: out of memory";
  try {
    check(fake.api(), fake.make<abi::Error>(), "PJRT_X");
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_STREQ(error.what(), "PJRT_X: RESOURCE_EXHAUSTED: out of memory");
  }
}

TEST(Error, NoErrorThrowsNothing) {
  FakeApi fake;
  EXPECT_NO_THROW(check(fake.api(), nullptr, "PJRT_X"));
  EXPECT_EQ(to_exception(fake.api(), nullptr, "PJRT_X"), nullptr);
}

TEST(Error, AsAValueHoldsTheSameException) {
  FakeApi fake;
  const std::exception_ptr value =
      to_exception(fake.api(), fake.make<abi::Error>(), "PJRT_X");
  ASSERT_NE(value, nullptr);
  EXPECT_THROW(std::rethrow_exception(value), PlatformError);
  EXPECT_EQ(fake.destroyed_errors, 1);
}

TEST(Error, FunctionBeyondTheTableIsNamedWithTheVersion) {
  FakeApi fake;
  fake.api()->struct_size = sizeof(abi::Api) + 8 * sizeof(void*);
  const Event event(fake.api(), fake.make<abi::Event>());
  try {
    event.await();
    FAIL() << "nothing was thrown";
  } catch (const PlatformError& error) {
    EXPECT_STREQ(error.what(),
                 "PJRT_Event_Await: the plugin's API 0.90 does not have this "
                 "function\n  hint: install a newer plugin");
    EXPECT_EQ(error.code(), 12);
  }
}

TEST(Error, EmptySlotIsAMissingFunction) {
  FakeApi fake;
  EXPECT_FALSE(has_function(fake.api(), kEventAwait));
  EXPECT_TRUE(has_function(fake.api(), kEventDestroy));
}

TEST(Error, ArgumentStructsLeaveRoomForNewerPlugins) {
  FakeApi fake;
  fake.set(kEventAwait, &FakeApi::fail<abi::NounArgs<abi::Event>>);
  const Event event(fake.api(), fake.make<abi::Event>());
  EXPECT_THROW(event.await(), PlatformError);
  EXPECT_GE(fake.last_struct_size, sizeof(*kNoArgs) + 100);
}

TEST(Error, UnimplementedIsNoErrorWhereItMayBeMissing) {
  FakeApi fake;
  fake.set(kEventAwait, &FakeApi::fail<abi::NounArgs<abi::Event>>);
  Padded<abi::NounArgs<abi::Event>> args;
  EXPECT_THROW(call_if_implemented(fake.api(), kEventAwait, args),
               PlatformError);
  fake.error_code = kUnimplemented;
  EXPECT_FALSE(call_if_implemented(fake.api(), kEventAwait, args));
}

TEST(Error, CodesHaveNames) {
  EXPECT_EQ(code_name(0), "OK");
  EXPECT_EQ(code_name(12), "UNIMPLEMENTED");
  EXPECT_EQ(code_name(16), "UNAUTHENTICATED");
  EXPECT_EQ(code_name(99), "UNKNOWN");
  EXPECT_EQ(code_name(-1), "UNKNOWN");
}

}  // namespace
}  // namespace systolic::internal::pjrt
