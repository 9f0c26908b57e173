#!/usr/bin/env bash
# That the comparison with the published headers is complete and can fail: it
# names every function and struct that is declared, and does not compile with a
# header in which something lies elsewhere.
set -euo pipefail
build="${SYSTOLIC_BUILD_DIR:-build}"
headers="${XDG_CACHE_HOME:-$HOME/.cache}/systolic/headers"

# compared <names> <file>: that each name occurs in the test.
compared() {
  local name
  for name in $1; do
    grep -qE "\b$name\b" "$2" || { echo "$2 does not compare $name"; exit 1; }
  done
}
compared "$(grep -oE '"PJRT_\w+"' systolic/pjrt/functions.h | tr -d '"')" \
  tests/abi/pjrt_functions_test.cc
# Without those that are compared through the functions, and the extension,
# whose header is in no package.
compared "$(sed -nE 's/^struct (\w+) \{$/\1/p' systolic/pjrt/abi.h \
  systolic/pjrt/abi_buffer.h systolic/pjrt/abi_program.h |
  grep -vE '^(Api|Noun|Get|List|Counted|Ffi)')" tests/abi/pjrt_structs_test.cc
compared "$(sed -nE 's/^struct (\w+) \{$/\1/p' systolic/pjrt/ffi_abi.h |
  grep -v SystolicKernel)" tests/abi/ffi_structs_test.cc

if [ ! -f "$headers/pjrt/PINNED" ] || [ ! -f "$headers/ffi/PINNED" ]; then
  echo "skipped: no published headers; run scripts/install-headers"
  exit 77
fi
compiler="$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# compiles <test>: with the headers in $work.
compiles() {
  "$compiler" -std=c++20 -fsyntax-only -I. -isystem "$work/pjrt" \
    -isystem "$work/ffi" "tests/abi/$1" >"$work/log" 2>&1
}

# noticed <header> <edit> <test> <words>: that the test does not compile with
# the edited header, for the reason given.
noticed() {
  rm -rf "$work/pjrt" "$work/ffi"
  cp -R "$headers/pjrt" "$headers/ffi" "$work"
  sed -i -E "$2" "$work/$1"
  ! cmp -s "$headers/$1" "$work/$1" || { echo "nothing edited: $2"; exit 1; }
  if compiles "$3"; then
    echo "$3 compiles although the header has: $2"
    exit 1
  fi
  grep -qF "$4" "$work/log" || { cat "$work/log"; exit 1; }
}

cp -R "$headers/pjrt" "$headers/ffi" "$work"
compiles pjrt_structs_test.cc || { cat "$work/log"; exit 1; }
pjrt=pjrt/pjrt_c_api.h
noticed $pjrt 's/^  int launch_id;/  int64_t launch_id, added;/' \
  pjrt_structs_test.cc "PJRT_ExecuteOptions.context lies elsewhere"
noticed $pjrt 's/^(  bool bytes_limit_is_set)/  int added; \1/' \
  pjrt_structs_test.cc "Stats.bytes_limit_is_set lies elsewhere"
noticed $pjrt 's/^  PJRT_Buffer_Type_F16,/  added,&/' \
  pjrt_structs_test.cc "PJRT_Buffer_Type_F32 has another number"
noticed $pjrt 's/^.*_FIELD\(PJRT_Client_LookupDevice\);/&void* added;/' \
  pjrt_functions_test.cc "PJRT_Client_Compile stands elsewhere"
noticed $pjrt 's/^  bool is_ready;/  int64_t is_ready;/' \
  pjrt_functions_test.cc "PJRT_Event_IsReady_Args.is_ready has another size"
noticed ffi/xla/ffi/api/c_api.h 's/^  XLA_FFI_ExecutionStage stage;/void* a;&/' \
  ffi_structs_test.cc "XLA_FFI_CallFrame.args lies elsewhere"
