# Functions that turn a folder into targets by the names of its files:
#   *_test.cc           into <name>_test           (label unit)
#   *_platform_test.cc  into <name>_platform_test  (label platform)
#   *_benchmark.cc      into <name>_benchmark
#   every other *.cc    into the library

# The headers most of our sources include anyway.
set(SYSTOLIC_PCH_HEADERS
    <algorithm>
    <array>
    <cmath>
    <cstdint>
    <functional>
    <map>
    <memory>
    <mutex>
    <numeric>
    <optional>
    <span>
    <sstream>
    <string>
    <string_view>
    <unordered_map>
    <utility>
    <variant>
    <vector>)

# systolic_glob(<prefix> <folder> [NO_RECURSE]) sets <prefix>_SOURCES, _TESTS,
# _PLATFORM_TESTS and _BENCHMARKS to the folder's files by the names above.
function(systolic_glob prefix folder)
  cmake_parse_arguments(ARG "NO_RECURSE" "" "" ${ARGN})
  set(mode GLOB_RECURSE)
  if(ARG_NO_RECURSE)
    set(mode GLOB)
  endif()
  file(${mode} all CONFIGURE_DEPENDS "${folder}/*.cc")
  set(platform_tests ${all})
  list(FILTER platform_tests INCLUDE REGEX "_platform_test\\.cc$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER tests EXCLUDE REGEX "_platform_test\\.cc$")
  set(benchmarks ${all})
  list(FILTER benchmarks INCLUDE REGEX "_benchmark\\.cc$")
  list(FILTER all EXCLUDE REGEX "_(test|benchmark)\\.cc$")
  set(${prefix}_SOURCES ${all} PARENT_SCOPE)
  set(${prefix}_TESTS ${tests} PARENT_SCOPE)
  set(${prefix}_PLATFORM_TESTS ${platform_tests} PARENT_SCOPE)
  set(${prefix}_BENCHMARKS ${benchmarks} PARENT_SCOPE)
endfunction()

# systolic_precompile(<target> [<owner>]) gives the target precompiled standard
# headers: its own, or those of <owner>, whose flags must be the same.
function(systolic_precompile target)
  if(NOT SYSTOLIC_PCH)
    return()
  endif()
  if(ARGC GREATER 1)
    target_precompile_headers(${target} REUSE_FROM ${ARGV1})
  else()
    target_precompile_headers(${target} PRIVATE ${SYSTOLIC_PCH_HEADERS})
  endif()
endfunction()

# systolic_skip_optimizing(<target>): with sanitizers tests take twice as long to
# compile if they are optimised, and hardly less to run. The library is optimised
# as ever, and so are tests without sanitizers.
function(systolic_skip_optimizing target)
  if(SYSTOLIC_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# systolic_executable(<target> SOURCES ... [LINK ...]) makes a program that
# finds the shared objects built beside it.
function(systolic_executable target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE systolic systolic_options
                                          ${ARG_LINK})
  if(TARGET systolic_kernels_cpu)
    add_dependencies(${target} systolic_kernels_cpu)
  endif()
  if(TARGET systolic_arrow)
    add_dependencies(${target} systolic_arrow)
  endif()
endfunction()

# systolic_tests(<target> <label> SOURCES ... [LINK ...] [TIMEOUT <seconds>])
# makes a GoogleTest program and registers each of its tests with ctest. The
# target systolic_<label>_tests builds all programs of a label.
function(systolic_tests target label)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SOURCES;LINK" ${ARGN})
  if(NOT SYSTOLIC_BUILD_TESTS OR NOT ARG_SOURCES)
    return()
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(SYSTOLIC_SANITIZE)
    math(EXPR ARG_TIMEOUT "${ARG_TIMEOUT} * 5")
  endif()
  systolic_executable(
    ${target}
    SOURCES ${ARG_SOURCES} "${PROJECT_SOURCE_DIR}/tests/test_main.cc"
    LINK systolic_testing GTest::gmock GTest::gtest fmt::fmt
         nlohmann_json::nlohmann_json ${ARG_LINK})
  systolic_skip_optimizing(${target})
  systolic_precompile(${target} systolic_test_pch)
  if(NOT TARGET systolic_${label}_tests)
    add_custom_target(systolic_${label}_tests)
  endif()
  add_dependencies(systolic_${label}_tests ${target})
  # Discovery just before a run keeps the build from running the programs.
  gtest_discover_tests(
    ${target}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    PROPERTIES LABELS "${label}" TIMEOUT ${ARG_TIMEOUT}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 120)
endfunction()

# systolic_benchmark(<target> SOURCES ... [LINK ...]) makes a Google Benchmark
# program; nothing when Google Benchmark is not installed.
function(systolic_benchmark target)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NOT SYSTOLIC_BUILD_BENCHMARKS OR NOT ARG_SOURCES)
    return()
  endif()
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "No ${target}: Google Benchmark is not installed "
                   "(scripts/install-dependencies test)")
    return()
  endif()
  systolic_executable(
    ${target}
    SOURCES ${ARG_SOURCES}
    LINK benchmark::benchmark benchmark::benchmark_main fmt::fmt
         nlohmann_json::nlohmann_json ${ARG_LINK})
endfunction()
