#!/usr/bin/env python3
"""make_tables.py: the tables that table_dataset_test reads, by pyarrow.

  python3 -m pip install pyarrow==26.0.1
  python3 systolic/records/testdata/make_tables.py
"""

import pathlib

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

FOLDER = pathlib.Path(__file__).parent
ROWS = 10


def table():
  rows = range(ROWS)
  return pa.table({
      "id": pa.array(rows, pa.int64()),
      "small": pa.array([-i for i in rows], pa.int8()),
      "real": pa.array([i / 4 for i in rows], pa.float32()),
      "odd": pa.array([i % 2 == 1 for i in rows], pa.bool_()),
      "text": pa.array(["t" * i for i in rows], pa.string()),
      "bytes": pa.array([bytes([i, 0, 255]) for i in rows], pa.binary()),
      "list": pa.array([list(range(i % 4)) for i in rows],
                       pa.list_(pa.int32())),
      "pair": pa.array([[i, i + 0.5] for i in rows],
                       pa.list_(pa.float64(), 2)),
      "time": pa.array([i * 1000 for i in rows], pa.timestamp("ms")),
  })


def main():
  whole = table()
  pyarrow.parquet.write_table(whole, FOLDER / "rows.parquet",
                              row_group_size=4)
  with pa.OSFile(str(FOLDER / "rows.arrow"), "wb") as file:
    with pa.ipc.new_file(file, whole.schema) as writer:
      for batch in whole.to_batches(max_chunksize=3):
        writer.write_batch(batch)
  pyarrow.parquet.write_table(
      pa.table({"id": pa.array([1, 2, None]),
                "map": pa.array([{"a": 1}, {"a": 2}, {"a": 3}])}),
      FOLDER / "missing.parquet")
  # Each value once, as pandas has categories.
  names = pa.array(["red", "blue", "red", "red"]).dictionary_encode()
  years = pa.array([2001, 1999, 2001, 1999], pa.int32()).dictionary_encode()
  missing = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1, 0]),
                                           pa.array(["there", None]))
  pyarrow.parquet.write_table(pa.table({"name": names, "year": years}),
                              FOLDER / "categories.parquet")
  pyarrow.feather.write_feather(pa.table({"missing": missing}),
                                FOLDER / "categories.arrow",
                                compression="uncompressed")
  # Rows without values, and a list without one of its own.
  gaps = pa.table({
      "id": pa.array([0, None, 2], pa.int64()),
      "real": pa.array([None, None, 2.5], pa.float32()),
      "odd": pa.array([True, None, False], pa.bool_()),
      "text": pa.array(["a", None, ""], pa.string()),
      "name": pa.array(["red", None, "red"]).dictionary_encode(),
      "list": pa.array([[1, 2], None, []], pa.list_(pa.int32())),
      "pair": pa.array([[1, 2], None, [3, 4]], pa.list_(pa.float64(), 2)),
      "inner": pa.array([[1], [2], [3, None]], pa.list_(pa.int32())),
  })
  pyarrow.parquet.write_table(gaps, FOLDER / "gaps.parquet")
  pyarrow.feather.write_feather(gaps, FOLDER / "gaps.arrow",
                                compression="uncompressed")


if __name__ == "__main__":
  main()
