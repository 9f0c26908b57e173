# Compiler, standard, warnings, sanitizers, ccache, and the libraries that the
# sources use. Settings go to the interface target systolic_options, which our
# own targets link privately, so that nothing leaks into a user's project.

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
   AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "Systolic needs g++ 12 or newer, got "
          "${CMAKE_CXX_COMPILER_VERSION}: run scripts/install-dependencies, "
          "then configure with -DCMAKE_CXX_COMPILER=g++-12.")
endif()

if(SYSTOLIC_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

if(SYSTOLIC_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(SYSTOLIC_CCACHE_PROGRAM ccache)
  mark_as_advanced(SYSTOLIC_CCACHE_PROGRAM)
  if(SYSTOLIC_CCACHE_PROGRAM)
    # ccache keeps objects built with a precompiled header only when told that
    # the header's macros and times need not match to the letter.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        "${CMAKE_COMMAND}" -E env
        "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
        "${SYSTOLIC_CCACHE_PROGRAM}")
  endif()
endif()

add_library(systolic_options INTERFACE)
target_compile_options(systolic_options INTERFACE -Wall -Wextra)
# Options structs are written with designated initializers that name a few
# members: that is the style, not a slip.
target_compile_options(systolic_options INTERFACE
                       -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  if(SYSTOLIC_PCH)
    target_compile_options(systolic_options INTERFACE -fpch-preprocess)
  endif()
  # The optimiser's guesses about std::string, optional and variant are false
  # alarms in g++ 12 and 13 (GCC bugs 105651, 105329, 105562).
  target_compile_options(
    systolic_options
    INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow
              -Wno-stringop-overread -Wno-maybe-uninitialized)
endif()
if(SYSTOLIC_WERROR)
  target_compile_options(systolic_options INTERFACE -Werror)
endif()
if(SYSTOLIC_SANITIZE)
  target_compile_options(
    systolic_options INTERFACE "-fsanitize=${SYSTOLIC_SANITIZE}"
                               -fno-omit-frame-pointer
                               -fno-sanitize-recover=all)
  target_link_options(systolic_options INTERFACE
                      "-fsanitize=${SYSTOLIC_SANITIZE}")
endif()

set(SYSTOLIC_MISSING "")
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
find_package(fmt QUIET)
if(NOT fmt_FOUND)
  list(APPEND SYSTOLIC_MISSING "fmt (libfmt-dev)")
endif()
find_package(nlohmann_json QUIET)
if(NOT nlohmann_json_FOUND)
  list(APPEND SYSTOLIC_MISSING "nlohmann/json (nlohmann-json3-dev)")
endif()
find_package(ZLIB QUIET)
if(NOT ZLIB_FOUND)
  list(APPEND SYSTOLIC_MISSING "zlib (zlib1g-dev)")
endif()
find_package(OpenSSL QUIET)
if(NOT OPENSSL_FOUND)
  list(APPEND SYSTOLIC_MISSING "OpenSSL (libssl-dev)")
endif()
# What decodes pictures.
foreach(each "JPEG;libjpeg-dev" "PNG;libpng-dev" "GIF;libgif-dev")
  list(GET each 0 format)
  list(GET each 1 package)
  find_package(${format} QUIET)
  if(NOT ${format}_FOUND)
    list(APPEND SYSTOLIC_MISSING "the library of ${format} (${package})")
  endif()
endforeach()
find_path(SYSTOLIC_WEBP_INCLUDE_DIR webp/decode.h)
find_library(SYSTOLIC_WEBP_LIBRARY webp)
mark_as_advanced(SYSTOLIC_WEBP_INCLUDE_DIR SYSTOLIC_WEBP_LIBRARY)
if(NOT SYSTOLIC_WEBP_INCLUDE_DIR OR NOT SYSTOLIC_WEBP_LIBRARY)
  list(APPEND SYSTOLIC_MISSING "libwebp (libwebp-dev)")
endif()
find_package(CURL QUIET)
if(NOT CURL_FOUND)
  message(STATUS "No fetching of data sets from a program: libcurl is not "
                 "installed (scripts/install-dependencies)")
endif()
if(SYSTOLIC_BUILD_TOOLS OR SYSTOLIC_BUILD_EXAMPLES)
  find_package(CLI11 QUIET)
  if(NOT CLI11_FOUND)
    list(APPEND SYSTOLIC_MISSING "CLI11 (libcli11-dev)")
  endif()
endif()
if(SYSTOLIC_MISSING)
  list(JOIN SYSTOLIC_MISSING ", " SYSTOLIC_MISSING)
  message(FATAL_ERROR "Not installed: ${SYSTOLIC_MISSING}. "
          "Run scripts/install-dependencies.")
endif()
