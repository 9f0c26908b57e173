#!/usr/bin/env python3
"""The custom training loop on real MNIST: prints the guide's lines, reaches
what Keras reaches (tests/parity/goldens/mnist_small.json), and goes on learning
with the loop on the devices."""

import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EPOCHS = 5
STEPS = 300
NEAR = 0.003
LINE = re.compile(r"Current step: (\d+), training loss: ([0-9.e-]+), "
                  r"accuracy: ([0-9.]+)%")


def keras():
  """Keras's loss and accuracy of each epoch, the mean of its seeds."""
  golden = json.loads(
      (ROOT / "tests/parity/goldens/mnist_small.json").read_text())
  case = next(c for c in golden["cases"] if c["name"] == "Adam 1e-3")
  def mean(name):
    seeds = case["expected"][name]
    return [sum(values) / len(seeds) for values in zip(*seeds)]
  return list(zip(mean("loss_by_epoch"), mean("accuracy_by_epoch")))


def main():
  program = f"{os.environ['SYSTOLIC_BUILD_DIR']}/bin/custom_training_loop"
  lines = subprocess.run([program], stdout=subprocess.PIPE, text=True,
                         stderr=subprocess.DEVNULL,
                         check=True).stdout.splitlines()
  print("\n".join(lines))
  if len(lines) != 2 * EPOCHS + 1:
    sys.exit(f"expected {2 * EPOCHS + 1} lines, got {len(lines)}")
  reached = []
  for number, line in enumerate(lines):
    if number < 2 * EPOCHS and number % 2 == 0:
      if line != f"Epoch: {number // 2}/{EPOCHS}":
        sys.exit(f"expected an epoch's line, got {line}")
      continue
    match = LINE.fullmatch(line)
    if not match or int(match[1]) != STEPS * (len(reached) + 1):
      sys.exit(f"expected the line of an epoch's end, got {line}")
    reached.append((float(match[2]), float(match[3]) / 100))

  loss, accuracy = keras()[-1]
  print(f"Keras: loss {loss:.4f}, accuracy {accuracy:.2%}")
  if abs(reached[EPOCHS - 1][1] - accuracy) > NEAR:
    sys.exit(f"expected an accuracy within {NEAR} of Keras's")
  if abs(reached[EPOCHS - 1][0] - loss) > NEAR:
    sys.exit(f"expected a loss within {NEAR} of Keras's")
  if not accuracy - NEAR <= reached[EPOCHS][1] <= 1:
    sys.exit("expected the loop on the devices to go on learning")


main()
