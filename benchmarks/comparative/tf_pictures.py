#!/usr/bin/env python3
"""Times a pipeline that decodes pictures in tf.data; pictures.cc is ours."""
import argparse
import glob
import json
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

BATCH = 32
PASSES = 5
CROP = 256


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", required=True)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--autotuned", action="store_true")
    arguments = parser.parse_args()
    import tensorflow as tf

    def whole(contents):
        picture = tf.image.decode_jpeg(contents, channels=3)
        return tf.image.random_crop(picture, [CROP, CROP, 3])

    def part(contents):
        shape = tf.image.extract_jpeg_shape(contents)
        start = [tf.random.uniform([], 0, shape[i] - CROP + 1, tf.int32)
                 for i in (0, 1)]
        return tf.image.decode_and_crop_jpeg(
            contents, tf.stack([*start, CROP, CROP]), channels=3)

    def parsed(record):
        return tf.io.parse_single_example(record, {
            "image": tf.io.FixedLenFeature([], tf.string),
            "class": tf.io.FixedLenFeature([], tf.int64)})

    files = sorted(glob.glob(os.path.join(arguments.files, "*.tfrec")))

    def pipeline(decode):
        def load(record):
            example = parsed(record)
            picture = decode(example["image"])
            return (tf.image.random_flip_left_right(picture),
                    example["class"])

        dataset = tf.data.TFRecordDataset(
            files, num_parallel_reads=tf.data.AUTOTUNE)
        dataset = dataset.map(load, num_parallel_calls=arguments.threads)
        return dataset.batch(BATCH).prefetch(tf.data.AUTOTUNE)

    def autotuned():
        options = tf.data.Options()
        options.deterministic = False

        def load(record):
            example = parsed(record)
            picture = tf.image.decode_jpeg(example["image"], channels=3)
            picture = tf.image.random_crop(
                tf.cast(picture, tf.float32) / 255.0, [CROP, CROP, 3])
            return (tf.image.random_flip_left_right(picture),
                    example["class"])

        dataset = tf.data.TFRecordDataset(
            files, num_parallel_reads=tf.data.AUTOTUNE).with_options(options)
        dataset = dataset.map(load, num_parallel_calls=tf.data.AUTOTUNE)
        return (dataset.shuffle(512).batch(BATCH, drop_remainder=True)
                .prefetch(tf.data.AUTOTUNE))

    def once(dataset):
        begin = time.perf_counter()
        seen = sum(int(x.shape[0]) for x, _ in dataset)
        return (time.perf_counter() - begin) / seen * 1e6

    tasks = {"us_per_picture": pipeline(whole),
             "part_us_per_picture": pipeline(part)}
    if arguments.autotuned:
        tasks = {"autotuned_us_per_picture": autotuned()}
    best = {}
    for key, dataset in tasks.items():
        once(dataset)
        best[key] = round(min(once(dataset) for _ in range(PASSES)), 1)
    print(json.dumps({"program": "tf.data", "threads": arguments.threads,
                      **best}), flush=True)


if __name__ == "__main__":
    main()
