#!/usr/bin/env bash
# That the CPU kernels compile with oneDNN 3 as they do with oneDNN 2: Debian 12
# has the one, Ubuntu 24.04 the other.
set -euo pipefail
build="${SYSTOLIC_BUILD_DIR:-build}"
headers="${XDG_CACHE_HOME:-$HOME/.cache}/systolic/headers/onednn"
if [ ! -f "$headers/PINNED" ]; then
  echo "skipped: no headers of oneDNN 3; run scripts/install-headers"
  exit 77
fi
compiler="$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
printf '%s\n' '#include <oneapi/dnnl/dnnl_version.h>' \
  'static_assert(DNNL_VERSION_MAJOR == 3);' >"$work/version.h"

# All sources that see oneDNN, which no header of ours that others include does.
mapfile -t sources < <(grep -lE 'oneapi/dnnl/|onednn_version\.h' \
  systolic/kernels/*.cc)
[ ${#sources[@]} -ge 2 ] || { echo "found only ${sources[*]}"; exit 1; }
for source in "${sources[@]}"; do
  echo "$source"
  "$compiler" -std=c++20 -Wall -Wextra -Werror -fopenmp -O1 -c -I. \
    -isystem "$headers" -include "$work/version.h" "$source" \
    -o "$work/object.o"
done
