#!/usr/bin/env bash
# Installs the build, then builds and runs a stranger's project outside the
# repository: by find_package(systolic), and by pkg-config.
set -euo pipefail
cd "$(dirname "$0")/../.."
build="${SYSTOLIC_BUILD_DIR:-build}"
sources="$PWD/tests/install/project"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/first" >"$work/log"
# Moved, so that no path of the first place is left in what is installed.
mv "$work/first" "$work/prefix"

# check <what> <command...>: a line; and the command's output where it fails.
check() {
  echo "$1"
  shift
  "$@" >"$work/log" 2>&1 || {
    tail -n 60 "$work/log"
    exit 1
  }
}

compiler="$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")"
check "find_package: configure" \
  cmake -G Ninja -S "$sources" -B "$work/project" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix"
check "find_package: build" cmake --build "$work/project" --parallel 2
check "find_package: train" "$work/project/stranger"
check "find_package: the stranger's own test" "$work/project/mine_test"

export PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig"
# shellcheck disable=SC2046  # the flags are words
check "pkg-config: build" \
  "$compiler" -std=c++20 -o "$work/by_pkg_config" "$sources/stranger.cc" \
  $(pkg-config --cflags --libs systolic)
check "pkg-config: train" "$work/by_pkg_config"

if [ -x "$build/bin/systolic" ] && [ ! -x "$work/prefix/bin/systolic" ]; then
  echo "the command systolic is built and not installed"
  exit 1
fi
