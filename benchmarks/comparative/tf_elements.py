#!/usr/bin/env python3
"""Times small elements through tf.data; elements.cc is our side of it."""
import argparse
import json
import os
import resource
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

BATCH = 200


def resident_mb():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def main():
    import numpy as np
    import tensorflow as tf
    data = tf.data.Dataset

    def images(count):
        return data.from_tensor_slices(np.zeros((count, 28, 28), "uint8"))

    # Elements, passes, pipeline.
    tasks = {
        "map": (100_000, 3, lambda n: images(n).map(lambda x: 255 - x)),
        "map_float": (100_000, 3, lambda n: images(n).map(
            lambda x: tf.cast(x, tf.float32) / 255.0)),
        "shuffle": (100_000, 3,
                    lambda n: images(n).shuffle(10_000, seed=1)),
        "cache": (100_000, 3, lambda n: images(n).cache()),
        "large_shuffle": (10_000_000, 1,
                          lambda n: data.range(n).shuffle(n, seed=1)),
    }
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=tasks, default="map")
    count, passes, make = tasks[parser.parse_args().task]
    before = resident_mb()
    dataset = make(count).batch(BATCH)

    def once():
        begin = time.perf_counter()
        seen = sum(int(x.shape[0]) for x in dataset)
        assert seen == count
        return (time.perf_counter() - begin) / count * 1e6

    best = min(once() for _ in range(passes))
    print(json.dumps({"program": "tf.data",
                      "us_per_element": round(best, 4),
                      "resident_mb": round(resident_mb() - before, 1)}),
          flush=True)


if __name__ == "__main__":
    main()
