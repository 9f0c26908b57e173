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


if __name__ == "__main__":
  enter_environment()
  os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
  try:
    import tensorflow as tf
  except ImportError:
    skip("TensorFlow is not in it")
  unittest.main()
