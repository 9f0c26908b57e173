#!/usr/bin/env python3
"""Plans of published programs are what they were, and near what was published.

Programs that are planned quickly, and ResNet-50 once, are planned again and
compared with the table in benchmarks/results/; that table keeps to its goal.
ResNet-50, which takes minutes to compile, is left out where CI is set.
"""

import importlib.machinery
import importlib.util
import os
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ["SYSTOLIC_BUILD_DIR"])

# What is planned again: the guide's model, products, ResNet-50 on v3-8.
AGAIN = ["26a", "26b", "tpu7x-512", "tpu7x-1024", "tpu7x-2048", "tpu7x-4096",
         "tpu7x-16384", "30", "2"]
# Another libtpu may schedule a little differently.
LEEWAY = 0.03


def load_run():
  path = str(ROOT / "benchmarks" / "truth" / "run")
  loader = importlib.machinery.SourceFileLoader("truth_run", path)
  module = importlib.util.module_from_spec(
      importlib.util.spec_from_loader("truth_run", loader))
  loader.exec_module(module)
  return module


def main():
  run = load_run()
  stored = run.latest()
  complaints = list(run.misses(stored))
  names = [row["row"] for row in stored["rows"]]
  published = run.published_rows()
  if names != [row["row"] for row in published]:
    complaints.append(f"the table has the rows {names}, rows.tsv others")
  if complaints:
    sys.exit("\n".join(complaints))
  print("the table that is kept keeps to its goal")

  if not run.has_libtpu():
    print("libtpu is not installed, so nothing is planned again; it comes by "
          "scripts/install-platform tpu")
    sys.exit(77)
  if not (BUILD / "bin" / "truth_programs").exists():
    print("nothing is planned again: the benchmarks are not built")
    sys.exit(77)
  kept = {row["row"]: row["predicted"] for row in stored["rows"]
          if "predicted" in row}
  for row in published:
    if row["row"] not in AGAIN or (row["row"] == "2" and "CI" in os.environ):
      continue
    got = run.judged(row, BUILD)["predicted"]
    want = kept[row["row"]]
    print(f"row {row['row']}: {got:.4g} ms, kept {want:.4g} ms")
    if abs(got / want - 1) > LEEWAY:
      complaints.append(f"row {row['row']}: expected {want:.4g} ms as in "
                        f"{run.RESULTS.name}/, got {got:.4g} ms")
  sys.exit("\n".join(complaints) or 0)


main()
