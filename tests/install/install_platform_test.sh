#!/usr/bin/env bash
# scripts/install-platform without a network: what it says when packages cannot
# be had, which one it takes then, and where it puts it. The wheel is one of
# ours with a text in place of the plugin.
set -euo pipefail

scratch="$(mktemp -d)"
trap 'rm -rf "$scratch"' EXIT
export XDG_DATA_HOME="$scratch/data" PIP_NO_INDEX=1
export PIP_FIND_LINKS="$scratch/wheels" PIP_CONFIG_FILE=/dev/null
mkdir "$scratch/wheels" "$scratch/bin" "$scratch/copy"
# Beside no build: a command that is built there would test what is installed.
cp -r scripts "$scratch/copy/scripts"
folder="$XDG_DATA_HOME/systolic/platforms/cpu"

# run <arguments>: the script; expect <text>: that it said the text.
said() { printf '%s\n' "$output"; exit 1; }
run() { output="$("$scratch/copy/scripts/install-platform" "$@" 2>&1)"; }
expect() { grep -qF -- "$1" <<<"$output" || { echo "missing: $1"; said; }; }

if run cpu; then said; fi
expect "lammps-jax-pjrt-cpu cannot be had; taking the next package"
expect "fastatomstruct-xla-cpu cannot be had; taking the next package"
expect "none of these could be fetched: lammps-jax-pjrt-cpu"

if run cpu --from xla-cpu-pjrt; then said; fi
expect "none of these could be fetched: xla-cpu-pjrt; with a network"
if run cpu --from nothing; then said; fi
expect "not in a package \"nothing\"; those known here: lammps-jax-pjrt-cpu"
if run gpu; then said; fi
expect "no platform is called \"gpu\"; those known here: cpu"
run --help || said
expect "--from PACKAGE"

# A wheel of the second package.
python3 - "$scratch/wheels" <<'PYTHON'
import sys
import zipfile

name, version = "fastatomstruct_xla_cpu", "2026.6.23"
info = f"{name}-{version}.dist-info"
with zipfile.ZipFile(f"{sys.argv[1]}/{name}-{version}-py3-none-any.whl",
                     "w") as wheel:
  wheel.writestr(f"{name}/libpjrt_cpu.so", "a plugin")
  wheel.writestr(f"{info}/METADATA",
                 f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
  wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
  wheel.writestr(f"{info}/LICENSE", "a licence")
  wheel.writestr(f"{info}/RECORD", "")
PYTHON

# Its SHA-256 is not the pinned one.
if run cpu; then said; fi
expect "the wheel of fastatomstruct-xla-cpu 2026.6.23 has another SHA-256"
[ -z "$(find "$folder" -type f)" ] || { find "$folder"; exit 1; }

# Now it is: the program that counts is replaced.
pinned="$(sed -n '/fastatomstruct-xla-cpu)/,/;;/s/.*sha256="\(.*\)"/\1/p' \
  scripts/install-platform)"
cat >"$scratch/bin/sha256sum" <<STUB
#!/usr/bin/env bash
case "\$1" in
  *.whl) echo "$pinned  \$1" ;;
  *) exec "$(command -v sha256sum)" "\$@" ;;
esac
STUB
chmod +x "$scratch/bin/sha256sum"
export PATH="$scratch/bin:$PATH"

run cpu || said
expect "taking the next package"
expect "Installed the platform cpu fastatomstruct-xla-cpu-2026.6.23"
expect "or with SYSTOLIC_PLATFORM_CPU=$folder/fastatomstruct-xla-cpu-2026.6.23"
[ "$(cat "$folder/fastatomstruct-xla-cpu-2026.6.23/libpjrt_cpu.so")" = \
  "a plugin" ]
[ -f "$folder/fastatomstruct-xla-cpu-2026.6.23/LICENSE" ]
run cpu --from=fastatomstruct-xla-cpu || said
expect "is installed: $folder/fastatomstruct-xla-cpu-2026.6.23"
