#!/usr/bin/env python3
"""The flowers example on drawn flowers: JPEG records, decoded, cropped and
flipped in parallel, reach the validation accuracy that Keras and tf.data reach
on the same files (tests/parity/goldens/flowers.json), as the mean of the same
seeds."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ["SYSTOLIC_BUILD_DIR"]) / "bin"
NEAR = 0.02


def run(*command):
  result = subprocess.run([str(part) for part in command], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
  if result.returncode != 0:
    sys.exit(f"{command[0]} ended with {result.returncode}:\n{result.stderr}")
  return result.stdout


def main():
  golden = json.loads((ROOT / "tests/parity/goldens/flowers.json").read_text())
  case = golden["cases"][0]
  options = case["options"]
  with tempfile.TemporaryDirectory() as folder:
    run(BIN / "make_flowers", folder, "--files", options["files"])
    reached = []
    for seed in options["seeds"]:
      said = run(BIN / "flowers", "--data", folder, "--seed", seed,
                 "--epochs", options["epochs"],
                 "--batch-size", options["batch_size"])
      print(said.splitlines()[-2])
      if not re.search(r"^[0-9.]+ images/s, devices idle [0-9.]+ %", said,
                       re.M):
        sys.exit(f"expected a line of images/s and idle %, got\n{said}")
      reached.append(float(said.splitlines()[-1].split()[-1]))
  mean = sum(reached) / len(reached)
  expected = case["expected"]["mean"]
  print(f"validation accuracy {reached}, mean {mean:.4f}; Keras {expected}")
  if abs(mean - expected) > NEAR:
    sys.exit(f"expected a mean within {NEAR} of Keras's")


main()
