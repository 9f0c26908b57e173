#!/usr/bin/env python3
"""Times reading of record files in tf.data; records.cc is our side of it."""
import argparse
import glob
import json
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

FILES, RECORDS, BATCH, PASSES = 8, 1500, 32, 5


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    folder = parser.parse_args().folder
    import tensorflow as tf
    auto = tf.data.AUTOTUNE
    features = {"image": tf.io.FixedLenFeature([], tf.string),
                "class": tf.io.FixedLenFeature([], tf.int64)}

    def read(kind, compression_type):
        paths = sorted(glob.glob(os.path.join(folder, kind + "*.tfrec")))
        assert len(paths) == FILES
        options = tf.data.Options()
        options.deterministic = False
        return tf.data.TFRecordDataset(
            paths, compression_type,
            num_parallel_reads=auto).with_options(options)

    def best(dataset):
        dataset = dataset.prefetch(auto)

        def once():
            begin = time.perf_counter()
            assert sum(1 for _ in dataset) > 0
            return (time.perf_counter() - begin) / (FILES * RECORDS) * 1e6

        return round(min(once() for _ in range(PASSES)), 3)

    plain = read("plain", "")
    print(json.dumps({
        "program": "tf.data",
        "records_us": best(plain),
        "parsed_us": best(plain.map(
            lambda r: tf.io.parse_single_example(r, features),
            num_parallel_calls=auto)),
        "batches_us": best(plain.batch(BATCH).map(
            lambda r: tf.io.parse_example(r, features),
            num_parallel_calls=auto)),
        "gzip_us": best(read("gzip", "GZIP"))}), flush=True)


if __name__ == "__main__":
    main()
