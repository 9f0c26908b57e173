#!/usr/bin/env python3
"""Each example prints what its banner says under "Expected:".

Examples of one file all have such a banner, main files of folders may. In it
`...` stands for any text without the end of a line.
"""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARK = "// Expected:"


def expected(source):
  """The banner's lines under Expected:, without their marks."""
  lines = source.read_text().splitlines()
  end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
  if MARK not in lines[:end]:
    sys.exit(f"{source.name}: the banner says nothing under \"// Expected:\"")
  start = lines.index(MARK)
  return [line.removeprefix("//   ") for line in lines[start + 1:end]]


def main():
  sources = sorted((ROOT / "examples").glob("*.cc"))
  for source in sorted((ROOT / "examples").glob("*/*.cc")):
    if source.stem == source.parent.name and MARK in source.read_text():
      sources.append(source)
  if not sources:
    sys.exit("expected examples, got none")
  for source in sources:
    program = f"{os.environ['SYSTOLIC_BUILD_DIR']}/bin/{source.stem}"
    got = subprocess.run([program], stdout=subprocess.PIPE, text=True,
                         check=True).stdout.splitlines()
    wanted = expected(source)
    for number in range(max(len(got), len(wanted))):
      has = got[number] if number < len(got) else "the end"
      want = wanted[number] if number < len(wanted) else "the end"
      pattern = "[^\n]*".join(map(re.escape, want.split("...")))
      if not re.fullmatch(pattern, has):
        sys.exit(f"{source.name}: line {number + 1} of the output: expected\n"
                 f"  {want}\ngot\n  {has}")
    print(f"{source.name}: {len(got)} lines as expected")


main()
