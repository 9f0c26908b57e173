#!/usr/bin/env bash
# Kernels that compute wrong, or crash, are found by `systolic platforms
# --check`, named, and not used by the processes after it.
set -euo pipefail
systolic="${SYSTOLIC_BUILD_DIR:?}/bin/systolic"
[ -x "$systolic" ] || exit 77

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
export SYSTOLIC_KERNELS_CPU="$SYSTOLIC_BUILD_DIR/lib/wrong_kernels.so"

# expect <words> <file>: fails when the file does not have the words.
expect() {
  grep -q -e "$1" "$2" && return
  echo "expected: $1" >&2
  cat "$2" >&2
  exit 1
}

for how in wrong crash; do
  export WRONG_KERNELS="$how" XDG_CACHE_HOME="$work/$how"
  "$systolic" platforms cpu | grep '^  kernels' >"$work/before"
  expect "kernels   1 in $SYSTOLIC_KERNELS_CPU" "$work/before"
  if "$systolic" platforms cpu --check >"$work/check"; then
    echo "nothing was found" >&2
    exit 1
  fi
  expect '^matmul float32 ok$' "$work/check"
  if [ "$how" = wrong ]; then
    expect '^kernel convolution float32 FAILED: output 0, .* element \[' \
      "$work/check"
    expect '^the plugin passed ' "$work/check"
  else
    expect '^kernel convolution float32 ended by signal 6$' "$work/check"
  fi
  expect '^our kernels FAILED the check kernel convolution float32; rem' \
    "$work/check"
  "$systolic" platforms cpu >"$work/after"
  expect 'they failed their self-test on .*: kernel convolution float32' \
    "$work/after"
done
