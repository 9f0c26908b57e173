// The main program of the tests: GoogleTest's, with the program cache off, so
// that a test that counts compilations counts the same ones at each run. Tests
// of the cache set SYSTOLIC_CACHE to folders of their own. Functions are
// recorded at each call and compared (SYSTOLIC_CHECK_FUNCTIONS).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("SYSTOLIC_CACHE", "off", 1);
  setenv("SYSTOLIC_CHECK_FUNCTIONS", "1", 1);
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
