#!/usr/bin/env python3
"""The page of the predictions quotes the table that is kept."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "plan-truth.md"


def main():
  table = subprocess.run(
      [sys.executable, str(ROOT / "benchmarks" / "truth" / "run"), "--stored"],
      stdout=subprocess.PIPE, text=True, check=True).stdout
  if table.strip() not in PAGE.read_text():
    sys.exit(f"{PAGE.name}: expected the table of benchmarks/truth/run "
             f"--stored:\n{table}")


main()
