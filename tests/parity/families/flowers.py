"""The model of examples/flowers by Keras and tf.data on the files that
scripts/make-flowers writes: what each epoch reaches, by seed."""
import pathlib
import time

import numpy as np

from golden_file import Case

SEEDS = range(3)
EPOCHS = 8
BATCH = 32
SIDE = 192
# Halved each hundred steps, so that the last epochs are alike.
LEARNING_RATE = {"initial_learning_rate": 3e-3, "decay_steps": 100,
                 "decay_rate": 0.5}


def record(family, arguments):
    if arguments.flowers is None:
        raise SystemExit("record.py: flowers needs --flowers FOLDER, made by "
                         "scripts/make-flowers FOLDER")
    files = sorted(map(str, pathlib.Path(arguments.flowers).glob("*.tfrec")))
    if not files:
        raise SystemExit(f"record.py: no .tfrec files in {arguments.flowers}")
    by_epoch = []
    for seed in SEEDS:
        start = time.time()
        by_epoch.append([round(value, 4) for value in train(seed, files)])
        print(f"seed {seed}: {by_epoch[-1]} in {time.time() - start:.0f} s",
              flush=True)
    case = Case("scripts/make-flowers", {
        "batch_size": BATCH, "epochs": EPOCHS, "seeds": list(SEEDS),
        "files": len(files),
        "optimizer": {"class_name": "Adam"},
        "learning_rate": {"class_name": "ExponentialDecay",
                          "config": LEARNING_RATE}})
    case.expected["validation_accuracy_by_epoch"] = by_epoch
    case.expected["mean"] = round(
        float(np.mean([epochs[-1] for epochs in by_epoch])), 5)
    return [case]


def pictures(files, training):
    import tensorflow as tf
    features = {"image": tf.io.FixedLenFeature([], tf.string),
                "class": tf.io.FixedLenFeature([], tf.int64)}

    def parse(record):
        example = tf.io.parse_single_example(record, features)
        image = tf.io.decode_jpeg(example["image"], channels=3)
        if training:
            image = tf.image.random_flip_left_right(
                tf.image.random_crop(image, [SIDE, SIDE, 3]))
        else:
            image = tf.image.resize_with_crop_or_pad(image, SIDE, SIDE)
        return tf.cast(image, tf.float32) / 255.0, example["class"]

    options = tf.data.Options()
    options.deterministic = not training
    dataset = tf.data.TFRecordDataset(
        files, num_parallel_reads=tf.data.AUTOTUNE).with_options(options)
    dataset = dataset.map(parse, num_parallel_calls=tf.data.AUTOTUNE)
    if training:
        dataset = dataset.shuffle(512)
    return dataset.batch(BATCH, drop_remainder=training).prefetch(
        tf.data.AUTOTUNE)


def train(seed, files):
    import keras
    layers = keras.layers
    keras.utils.set_random_seed(seed)
    model = keras.Sequential([
        keras.Input((SIDE, SIDE, 3)),
        layers.Conv2D(16, 5, strides=4, activation="relu"),
        layers.Conv2D(32, 3, strides=2, activation="relu"),
        layers.Conv2D(64, 3, strides=2, activation="relu"),
        layers.GlobalAveragePooling2D(),
        layers.Dense(64, activation="relu"),
        layers.Dense(5)])
    model.compile(
        optimizer=keras.optimizers.Adam(
            keras.optimizers.schedules.ExponentialDecay(**LEARNING_RATE)),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"])
    held_back = len(files) // 4
    history = model.fit(
        pictures(files[held_back:], True), epochs=EPOCHS, verbose=0,
        validation_data=pictures(files[:held_back], False))
    return history.history["val_accuracy"]
