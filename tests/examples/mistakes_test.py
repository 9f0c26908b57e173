#!/usr/bin/env python3
"""What the programs answer to flags that they do not take."""

import os
import subprocess
import sys

# A command line, its exit status, and the first line that it writes of errors.
MISTAKES = [
    (["mnist", "--epochs", "0"], 2,
     'mnist: --epochs: expected a whole number from 1 to 2147483647, got "0"'),
    (["mnist", "--epochs", "4294967297"], 2,
     "mnist: --epochs: expected a whole number from 1 to 2147483647, "
     'got "4294967297"'),
    (["mnist", "--batch-size", "2k"], 2,
     'mnist: --batch-size: expected a whole number from 1 to 2147483647, '
     'got "2k"'),
    (["mnist", "--seed", "-1"], 2,
     'mnist: --seed: expected a whole number from 0 to 2147483647, got "-1"'),
    (["mnist", "--model", "large"], 2,
     'mnist: --model: expected small or guide, got "large"'),
    (["mnist", "--epochs"], 2, "mnist: --epochs needs a value"),
    (["mnist", "--epoch", "5"], 2, "mnist: unknown option --epoch"),
    (["mnist", "--tpu", "virtual:v3-7"], 1,
     "TPU name: expected <generation>-<number>, for example v3-8, got 'v3-7'"),
    (["systolic"], 106,
     "systolic: expected one of platforms, devices, cache, plan, records, got "
     "nothing"),
    (["systolic", "device"], 106,
     "systolic: expected one of platforms, devices, cache, plan, records, got "
     '"device"'),
    (["systolic", "devices", "--tup"], 109,
     "The following argument was not expected: --tup"),
    (["systolic", "platforms", "cup"], 1,
     "platform: expected 'cpu', 'tpu' or 'cuda', got 'cup'"),
    (["systolic", "devices", "--tpu", "v3-8"], 1,
     'TPUClusterResolver: expected "", "local" or '
     '"virtual:v<generation>-<cores>", got "v3-8"'),
]


def main():
  folder = f"{os.environ['SYSTOLIC_BUILD_DIR']}/bin"
  complaints = []
  for (program, *arguments), status, line in MISTAKES:
    got = subprocess.run([f"{folder}/{program}", *arguments],
                         capture_output=True, text=True, check=False)
    first = got.stderr.split("\n")[0]
    if (got.returncode, first) != (status, line):
      complaints.append(f"{program} {' '.join(arguments)}: expected {status}, "
                        f"{line!r}, got {got.returncode}, {first!r}")
  if complaints:
    sys.exit("\n".join(complaints))


main()
