#!/usr/bin/env python3
"""TensorFlow reads our record files, and we read its.

Needs the environment that benchmarks/comparative/setup-peers makes; without it
the test is skipped.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from random import Random

BUILD = pathlib.Path(os.environ.get("SYSTOLIC_BUILD_DIR", "build"))
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or
                     pathlib.Path.home() / ".cache")
PEERS = pathlib.Path(os.environ.get("SYSTOLIC_PEERS") or
                     CACHE / "systolic-peers")
PYTHON = PEERS / "keras/bin/python"
TYPES = ["NONE", "GZIP", "ZLIB"]


def exchange(*words):
  """What the program of this folder prints."""
  return subprocess.run(
      [BUILD / "bin/exchange", *words], stdout=subprocess.PIPE, check=True,
      text=True).stdout


def skip(why):
  print(f"skipped: {why}: benchmarks/comparative/setup-peers makes it")
  sys.exit(77)


def enter_environment():
  """Runs this file by the Python that has TensorFlow."""
  if pathlib.Path(sys.prefix) == PYTHON.parent.parent:
    return
  if not PYTHON.exists():
    skip(f"{PYTHON} is not there")
  os.execv(PYTHON, [PYTHON, *sys.argv])


def text_of(tf, record):
  """An Example as data::example_text() prints it."""
  lines = []
  example = tf.train.Example.FromString(record)
  for key, feature in sorted(example.features.feature.items()):
    kind = feature.WhichOneof("kind")
    values = list(getattr(feature, kind).value)
    if kind == "bytes_list":
      texts = [f'"{value.decode()}"' for value in values]
      text = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    else:
      name = "int64" if kind == "int64_list" else "float32"
      text = f"{name} [{', '.join(map(str, values))}]"
    lines.append(f"{key}: {text}\n")
  return "".join(lines)


def lines(tf, name, value):
  """What the program prints of parsed features."""
  if isinstance(value, dict):
    for key in sorted(value):
      yield from lines(tf, f"{name}/{key}", value[key])
  elif isinstance(value, tf.SparseTensor):
    for part in ("dense_shape", "indices", "values"):
      yield from lines(tf, f"{name}/{part}", getattr(value, part))
  elif isinstance(value, tf.RaggedTensor):
    for i, splits in enumerate(value.nested_row_splits):
      yield from lines(tf, f"{name}/row_splits/{i}", splits)
    yield from lines(tf, f"{name}/values", value.flat_values)
  else:
    shape = ", ".join(map(str, value.shape))
    texts = [v.decode() if isinstance(v, bytes) else f"{v:g}"
             for v in value.numpy().ravel().tolist()]
    yield " ".join([f"{name} {value.dtype.name}[{shape}]:", *texts])


def features_of(tf):
  """Those of program/exchange.cc."""
  Rows = tf.io.RaggedFeature

  def rows(*partitions, **options):
    return Rows(tf.int64, "v", partitions, **options)

  return {
      "ints": tf.io.VarLenFeature(tf.int64),
      "floats": tf.io.VarLenFeature(tf.float32),
      "words": tf.io.VarLenFeature(tf.string),
      "sparse": tf.io.SparseFeature(["x", "y"], "weight", tf.float32, [5, 7]),
      "line": tf.io.SparseFeature("x", "weight", tf.float32, 5),
      "v": rows(),
      "lengths": rows(Rows.RowLengths("n")),
      "wide": Rows(tf.int64, "w", [Rows.RowSplits("s")], tf.int64),
      "starts": rows(Rows.RowStarts("b")),
      "limits": rows(Rows.RowLimits("e")),
      "ids": rows(Rows.ValueRowIds("i")),
      "pairs": rows(Rows.UniformRowLength(2)),
      "deep": rows(Rows.RowLengths("m"), Rows.UniformRowLength(2)),
      "nested": rows(Rows.RowLengths("k"), Rows.RowLengths("n")),
      "steps": tf.io.FixedLenSequenceFeature([2], tf.int64, True)}


def lists_of(tf):
  Rows = tf.io.RaggedFeature
  return {
      "fixed": tf.io.FixedLenSequenceFeature([2], tf.int64, True),
      "ints": tf.io.VarLenFeature(tf.int64),
      "words": tf.io.VarLenFeature(tf.string),
      "v": Rows(tf.int64),
      "lengths": Rows(tf.int64, "v", [Rows.RowLengths("n")]),
      "wide": Rows(tf.int64, "w", [Rows.RowSplits("s")], tf.int64),
      "nested": Rows(tf.int64, "v", [Rows.RowLengths("k"),
                                     Rows.RowLengths("n")])}


def cut(random, count):
  """Row lengths that add up to a number."""
  lengths = []
  while sum(lengths) < count:
    lengths.append(random.randint(0, count - sum(lengths)))
  return lengths


def splits(lengths):
  return [sum(lengths[:i]) for i in range(len(lengths) + 1)]


class Exchange(unittest.TestCase):

  def setUp(self):
    self.folder = tempfile.TemporaryDirectory()
    self.addCleanup(self.folder.cleanup)

  def path(self, name):
    return os.path.join(self.folder.name, name)

  def read(self, path, kind):
    return [record.numpy() for record in tf.data.TFRecordDataset(
        path, compression_type="" if kind == "NONE" else kind)]

  def write(self, path, kind, records):
    options = tf.io.TFRecordOptions("" if kind == "NONE" else kind)
    with tf.io.TFRecordWriter(path, options) as writer:
      for record in records:
        writer.write(record)

  def test_records_go_both_ways(self):
    records = [b"", b"one", bytes(range(256)) * 3000, b"last"]
    for kind in TYPES:
      for other in TYPES:
        self.write(self.path("theirs"), kind, records)
        exchange("copy", self.path("theirs"), kind, self.path("ours"), other)
        self.assertEqual(self.read(self.path("ours"), other), records)

  def test_bytes_are_the_same(self):
    records = [b"", b"one", b"x" * 1000]
    self.write(self.path("theirs"), "NONE", records)
    exchange("copy", self.path("theirs"), "NONE", self.path("ours"), "NONE")
    self.assertEqual(pathlib.Path(self.path("ours")).read_bytes(),
                     pathlib.Path(self.path("theirs")).read_bytes())

  def test_tensorflow_parses_our_examples(self):
    exchange("build", self.path("ours"), "GZIP")
    features = {
        "index": tf.io.FixedLenFeature([], tf.int64),
        "floats": tf.io.FixedLenFeature([2], tf.float32),
        "ints": tf.io.RaggedFeature(tf.int64),
        "words": tf.io.FixedLenFeature([2], tf.string)}
    records = self.read(self.path("ours"), "GZIP")
    self.assertEqual(len(records), 100)
    for i, record in enumerate(records):
      example = tf.io.parse_single_example(record, features)
      self.assertEqual(example["index"], i)
      self.assertEqual(example["floats"].numpy().tolist(), [0.5 * i, -1])
      self.assertEqual(example["ints"].numpy().tolist(), [-i] * (i % 4))
      self.assertEqual(example["words"].numpy().tolist(),
                       [b"word", str(i).encode()])

  def test_tensorflow_parses_our_sequences(self):
    exchange("sequences", self.path("ours"), "NONE")
    for i, record in enumerate(self.read(self.path("ours"), "NONE")):
      context, lists = tf.io.parse_single_sequence_example(
          record, {"index": tf.io.FixedLenFeature([], tf.int64)},
          {"steps": tf.io.FixedLenSequenceFeature([2], tf.int64)})
      self.assertEqual(context["index"], i)
      self.assertEqual(lists["steps"].numpy().tolist(),
                       [[i, step] for step in range(i % 3)])

  def test_we_parse_tensorflows_examples(self):
    records = []
    for i in range(50):
      records.append(tf.train.Example(features=tf.train.Features(feature={
          "ints": tf.train.Feature(int64_list=tf.train.Int64List(
              value=range(-i, i))),
          "floats": tf.train.Feature(float_list=tf.train.FloatList(
              value=[i / 4, -i])),
          "words": tf.train.Feature(bytes_list=tf.train.BytesList(
              value=[b"a word"] * (1 + i % 3)))})).SerializeToString())
    self.write(self.path("theirs"), "ZLIB", records)
    self.assertEqual(exchange("text", self.path("theirs"), "ZLIB"),
                     "".join(text_of(tf, record) for record in records))

  def feature(self, key, values):
    if key == "words":
      return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if key in ("floats", "weight"):
      return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))

  def example(self, random):
    count = 2 * random.randint(0, 4)
    lengths = cut(random, count)
    ends = splits(lengths)
    places = random.sample(range(35), random.randint(0, 6))
    # Places of a line must differ too.
    places = list({place // 7: place for place in places}.values())
    random.shuffle(places)
    values = {
        "ints": [random.randint(-9, 9) for _ in range(random.randint(0, 3))],
        "floats": [random.randint(-9, 9) / 4
                   for _ in range(random.randint(0, 3))],
        "words": [b"word%d" % i for i in range(random.randint(0, 3))],
        "x": [place // 7 for place in places],
        "y": [place % 7 for place in places],
        "weight": [place / 2 for place in places],
        "v": list(range(count)), "w": list(range(count)),
        "n": lengths, "s": ends, "b": ends[:-1], "e": ends[1:],
        "i": [i for i, n in enumerate(lengths) for _ in range(n)],
        "m": cut(random, count // 2), "k": cut(random, len(lengths)),
        "steps": [random.randint(0, 9)
                  for _ in range(2 * random.randint(0, 3))]}
    # Nothing is there of a feature without values, now and then.
    return tf.train.Example(features=tf.train.Features(feature={
        key: self.feature(key, value) for key, value in values.items()
        if value or random.random() < 0.5})).SerializeToString()

  def test_features_are_parsed_as_tensorflow_parses_them(self):
    random = Random(1)
    records = [self.example(random) for _ in range(60)]
    self.write(self.path("theirs"), "NONE", records)
    features = features_of(tf)
    expected = [line for record in records for line in lines(
        tf, "one", tf.io.parse_single_example(record, features))]
    expected += lines(tf, "batch", tf.io.parse_example(records, features))
    self.assertEqual(exchange("parse", self.path("theirs")).splitlines(),
                     expected)

  def sequence(self, random):
    steps = random.randint(0, 3)
    counts = [random.randint(0, 4) for _ in range(steps)]
    lengths = [cut(random, count) for count in counts]
    lists = {
        "fixed": [[step, random.randint(0, 9)]
                  for step in range(random.randint(0, 3))],
        "ints": [[random.randint(0, 9)] * random.randint(0, 3)
                 for _ in range(random.randint(0, 3))],
        "words": [[b"word"] * random.randint(0, 2)
                  for _ in range(random.randint(0, 3))],
        "v": [list(range(count)) for count in counts],
        "w": [list(range(count)) for count in counts],
        "n": lengths, "s": [splits(n) for n in lengths],
        "k": [cut(random, len(n)) for n in lengths]}
    context = {key: [random.randint(0, 9)] * random.randint(0, 2)
               for key in ("c", "d")}
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={
            key: self.feature(key, value) for key, value in context.items()}),
        feature_lists=tf.train.FeatureLists(feature_list={
            key: tf.train.FeatureList(feature=[
                self.feature(key, step) for step in steps]) for key, steps in lists.items()})
    ).SerializeToString()

  def test_sequences_are_parsed_as_tensorflow_parses_them(self):
    random = Random(2)
    records = [self.sequence(random) for _ in range(60)]
    self.write(self.path("theirs"), "NONE", records)
    context = {"c": tf.io.RaggedFeature(tf.int64),
               "d": tf.io.VarLenFeature(tf.int64)}
    lists = lists_of(tf)
    expected = []
    for record in records:
      first, second = tf.io.parse_single_sequence_example(
          record, context, lists)
      expected += lines(tf, "context", first)
      expected += lines(tf, "lists", second)
    first, second, counts = tf.io.parse_sequence_example(
        records, context, lists)
    expected += lines(tf, "contexts", first)
    expected += lines(tf, "batch", second)
    expected += lines(tf, "counts", counts)
    self.assertEqual(
        exchange("parse_sequences", self.path("theirs")).splitlines(),
        expected)


if __name__ == "__main__":
  enter_environment()
  os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
  try:
    import tensorflow as tf
  except ImportError:
    skip("TensorFlow is not in it")
  tf.get_logger().setLevel("ERROR")  # SparseFeature warns at each use
  unittest.main()
