#!/usr/bin/env bash
# Installs the build, then builds and runs a project outside the repository
# that knows only find_package(systolic).
set -euo pipefail
cd "$(dirname "$0")/../.."
build="${SYSTOLIC_BUILD_DIR:-build}"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >"$work/log"

compiler="$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")"
cmake -G Ninja -S tests/install/project -B "$work/project" \
  -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DCMAKE_BUILD_TYPE=Release >"$work/log"
cmake --build "$work/project" >"$work/log" || {
  cat "$work/log"
  exit 1
}

answer="$("$work/project/stranger")"
if [ "$answer" != "[11 22 33]" ]; then
  echo "expected [11 22 33], got $answer"
  exit 1
fi
if [ -x "$build/bin/systolic" ] && [ ! -x "$work/prefix/bin/systolic" ]; then
  echo "the command systolic is built and not installed"
  exit 1
fi
