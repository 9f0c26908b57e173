#!/usr/bin/env bash
# Builds and runs a stranger's project that has the sources inside its own
# build (add_subdirectory). The library is compiled anew there, once: the folder
# stays in the build.
set -euo pipefail
cd "$(dirname "$0")/../.."
build="${SYSTOLIC_BUILD_DIR:-build}"
folder="$build/stranger"
mkdir -p "$folder"

compiler="$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")"
# No build type, as strangers often have it: that compiles fastest, too.
for step in "cmake -G Ninja -S tests/install/project -B $folder
    -DCMAKE_CXX_COMPILER=$compiler -DCMAKE_BUILD_TYPE=
    -DSYSTOLIC_SOURCES=$PWD" \
  "cmake --build $folder --parallel 2" \
  "$folder/stranger"; do
  # shellcheck disable=SC2086  # the words of the command
  $step >"$folder/log" 2>&1 || {
    tail -n 60 "$folder/log"
    exit 1
  }
done
cat "$folder/log"
