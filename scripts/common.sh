# Helpers that the scripts beside this file source; not a command.
# shellcheck shell=bash
# shellcheck disable=SC2034  # the scripts use what is set here

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
data_home="${XDG_DATA_HOME:-${HOME:-$(cd ~ && pwd)}/.local/share}"
cache_home="${XDG_CACHE_HOME:-${HOME:-$(cd ~ && pwd)}/.cache}"

# say <words>: one line about what happens now.
say() { printf '%s\n' "==> $*"; }

# fail <words>: the last line before a script ends without success.
fail() {
  printf '%s\n' "$(basename "$0"): $*" >&2
  exit 1
}

have() { command -v "$1" >/dev/null 2>&1; }

# need <command> <how to get it>: fails when the command is not there.
need() { have "$1" || fail "$1 is not installed; run: $2"; }

# help: the comment at the top of the script, without its marks.
help() { sed -n '2,/^[^#]/{/^#/{s/^# \{0,1\}//;p}}' "$0"; }

# has_sha256 <file> <sum>: whether the file is there and has this SHA-256.
has_sha256() {
  [ -f "$1" ] && [ "$(sha256sum "$1" | cut -d' ' -f1)" = "$2" ]
}

# fetch_wheel <folder> <package> <version> <sha256> [<arguments of pip>]: the
# pinned wheel into an empty folder, its SHA-256 checked. Says what went wrong
# on stderr and gives no success otherwise.
fetch_wheel() {
  local folder="$1" package="$2" version="$3" sha256="$4"
  shift 4
  # Newer versions of pip go on where a connection broke.
  local resume=()
  if python3 -m pip download --help 2>/dev/null | grep -q resume-retries; then
    resume=(--resume-retries 5)
  fi
  if ! python3 -m pip --disable-pip-version-check download --quiet --no-deps \
    --retries 2 "${resume[@]}" --only-binary=:all: --dest "$folder" "$@" \
    "$package==$version" >&2; then
    say "pip could not fetch $package==$version" >&2
    return 1
  fi
  local wheels=("$folder"/*.whl)
  if ! has_sha256 "${wheels[0]}" "$sha256"; then
    say "the wheel of $package $version has another SHA-256 than the pinned" \
      "$sha256, so it is not used" >&2
    return 1
  fi
}

# check_platform <name>: the self-test of the plugin that is found for a
# platform, if the command is built; what it printed only when it fails.
check_platform() {
  local command="$root/build/bin/systolic" report
  if ! [ -x "$command" ] || ! "$command" platforms --help | grep -q -e --check
  then
    return 0
  fi
  say "Checking what the platform $1 computes"
  if ! report="$("$command" platforms "$1" --check)"; then
    printf '%s\n' "$report" >&2
    fail "the platform $1 failed its self-test; what it said is above"
  fi
  grep ' passed ' <<<"$report"
}

# need_pip: fails when there is no Python with pip.
need_pip() {
  need python3 "scripts/install-dependencies"
  python3 -m pip --version >/dev/null 2>&1 ||
    fail "pip is not installed; run: scripts/install-dependencies"
}

# The compiler: $CXX, else a g++ that is new enough, else clang++.
find_compiler() {
  local candidate version
  for candidate in "${CXX:-}" g++ g++-14 g++-13 g++-12; do
    if [ -z "$candidate" ] || ! have "$candidate"; then continue; fi
    version="$("$candidate" -dumpversion 2>/dev/null | cut -d. -f1)"
    if [ "$candidate" = "${CXX:-}" ] || [ "${version:-0}" -ge 12 ]; then
      echo "$candidate"
      return
    fi
  done
  fail "no g++ 12 or newer is installed; run: scripts/install-dependencies"
}

# A clang++ of version 16 or newer; no line where none is installed.
find_clang() {
  local candidate
  for candidate in clang++ clang++-{16..22}; do
    if have "$candidate" &&
      [ "$("$candidate" -dumpversion | cut -d. -f1)" -ge 16 ]; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

# How many compilers run at once: one a core, fewer where memory is short
# (a compiler may take 1.5 GB).
jobs_here() {
  local cores memory
  cores="$(nproc)"
  memory="$(awk '/MemAvailable/ {print int($2 / 1500000)}' /proc/meminfo)"
  if [ "$memory" -lt 1 ]; then memory=1; fi
  if [ "$memory" -lt "$cores" ]; then echo "$memory"; else echo "$cores"; fi
}

# configure <preset> [<cmake arguments>]: quiet unless it fails. A build folder
# made by another checkout's path is made anew.
configure() {
  local preset="$1" folder="build" log
  shift
  [ "$preset" = release ] || folder="build-$preset"
  local cache="$root/$folder/CMakeCache.txt"
  if [ -f "$cache" ] &&
    ! grep -q "^CMAKE_HOME_DIRECTORY:INTERNAL=$root\$" "$cache"; then
    say "$folder/ belongs to another checkout: starting it anew"
    rm -rf "$cache" "${root:?}/$folder/CMakeFiles"
  fi
  log="$(mktemp)"
  if ! (cd "$root" && CXX="$(find_compiler)" cmake --preset "$preset" "$@") \
    >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "the configuration failed; what cmake said is above"
  fi
  grep '^-- No ' "$log" | sed 's/^-- /    /' || true
  rm -f "$log"
}
