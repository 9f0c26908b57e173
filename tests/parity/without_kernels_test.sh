#!/usr/bin/env bash
# The random bits of XLA itself, as TPUs and GPUs draw them: without our kernels
# a CPU draws TensorFlow's numbers too.
set -euo pipefail
export SYSTOLIC_KERNELS_CPU=off

log="$(mktemp)"
trap 'rm -f "$log"' EXIT

# passes <program> <tests> <number>: fails unless so many tests pass.
passes() {
  local program="${SYSTOLIC_BUILD_DIR:?}/bin/$1"
  [ -x "$program" ] || exit 77
  "$program" --gtest_filter="$2" >"$log" 2>&1 || true
  grep -q -F "[  PASSED  ] $3 test" "$log" && return
  echo "expected $3 tests of $1 to pass: $2" >&2
  cat "$log" >&2
  exit 1
}

passes ops_platform_test \
  'ImageRandom.StatesAreTensorFlows:ImageRandom.BitsAreTheHosts' 2
passes image_platform_test 'Tensors.SeedsGiveTensorFlowsPictures' 1
