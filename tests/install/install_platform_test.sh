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
expect "no platform is called \"gpu\"; those known here: cpu tpu"
run --help || said
expect "--from PACKAGE"

# A wheel of the second package for the CPU, and one for the TPU, which keeps its
# licence beside the plugin and names a Python that need not be this one.
python3 - "$scratch/wheels" <<'PYTHON'
import sys
import zipfile


def write(name, version, tags, plugin, licence):
  info = f"{name}-{version}.dist-info"
  with zipfile.ZipFile(f"{sys.argv[1]}/{name}-{version}-{tags}.whl",
                       "w") as wheel:
    wheel.writestr(f"{name}/{plugin}", "a plugin")
    wheel.writestr(f"{name}/__init__.py", "")
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\n"
                   f"Version: {version}\n")
    wheel.writestr(f"{info}/WHEEL", f"Wheel-Version: 1.0\nTag: {tags}\n")
    wheel.writestr(licence.format(info=info, name=name), "a licence")
    wheel.writestr(f"{info}/RECORD", "")


write("fastatomstruct_xla_cpu", "2026.6.23", "py3-none-any", "libpjrt_cpu.so",
      "{info}/LICENSE")
write("libtpu", "0.0.52", "cp311-cp311-manylinux_2_31_x86_64", "libtpu.so",
      "{name}/LICENSE")
PYTHON

# Its SHA-256 is not the pinned one.
if run cpu; then said; fi
expect "the wheel of fastatomstruct-xla-cpu 2026.6.23 has another SHA-256"
[ -z "$(find "$folder" -type f)" ] || { find "$folder"; exit 1; }

# Now it is: the program that counts is replaced.
pinned() { sed -n "/ $1)\$/,/;;/s/.*sha256=\"\(.*\)\"/\1/p" scripts/install-platform; }
cat >"$scratch/bin/sha256sum" <<STUB
#!/usr/bin/env bash
case "\$1" in
  */libtpu*.whl) echo "$(pinned libtpu)  \$1" ;;
  *.whl) echo "$(pinned fastatomstruct-xla-cpu)  \$1" ;;
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

run tpu || said
expect "Fetching the platform tpu: libtpu"
expect "Its licence: Google Cloud Platform Terms of Service"
tpu="$XDG_DATA_HOME/systolic/platforms/tpu/0.0.52"
expect "Installed the platform tpu 0.0.52: $tpu"
[ "$(cat "$tpu/libtpu.so") $(cat "$tpu/LICENSE")" = "a plugin a licence" ]
[ ! -e "$tpu/__init__.py" ]
run tpu || said
expect "is installed: $tpu"
# A file that changed is no whole plugin any more.
echo more >>"$tpu/libtpu.so"
run tpu || said
expect "Installed the platform tpu 0.0.52: $tpu"
[ "$(cat "$tpu/libtpu.so")" = "a plugin" ]
