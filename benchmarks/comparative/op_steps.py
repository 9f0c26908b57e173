#!/usr/bin/env python3
"""Times convolution's and pooling's steps with TensorFlow, as op_steps.cc
does ours: a step is a tf.function of its own and, with "_in_loop" behind
its name, an iteration of a tf.while_loop. Prints one JSON line, microseconds.
"""
import argparse
import json
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
PASSES = 5
RATE = 1e-6


def tasks(tf):
    """Of each task its name and what one step does."""
    def variable(shape):
        return tf.Variable(tf.random.normal(shape))

    def move(tape, target, variables):
        for v, gradient in zip(variables, tape.gradient(target, variables)):
            v.assign_sub(RATE * gradient)

    def conv_gradient(shape, strides, padding):
        x, w, b = variable(shape), variable((3, 3, 32, 64)), variable((64,))

        def y():
            return tf.nn.relu(tf.nn.bias_add(
                tf.nn.conv2d(x, w, strides, padding), b))
        dy = variable(y().shape)

        def step():
            with tf.GradientTape() as tape:
                target = tf.reduce_sum(y() * dy)
            move(tape, target, [x, w, b])
        return step

    def max_pool_gradient(shape):
        x = variable(shape)
        dy = variable(tf.nn.max_pool2d(x, 2, 2, "VALID").shape)

        def step():
            with tf.GradientTape() as tape:
                target = tf.reduce_sum(
                    tf.nn.max_pool2d(x, 2, 2, "VALID") * dy)
            move(tape, target, [x])
        return step

    def average_pool(gradient):
        x = variable((32, 17, 17, 192))

        def step():
            with tf.GradientTape() as tape:
                y = tf.nn.avg_pool2d(x, 3, 1, "SAME")
                target = tf.reduce_sum(tf.square(y)) if gradient else None
            if gradient:
                move(tape, target, [x])
            else:
                x.assign_sub(RATE * y)
        return step

    return {"conv_gradient": conv_gradient((200, 13, 13, 32), 1, "VALID"),
            "strided_conv_gradient":
                conv_gradient((200, 28, 28, 32), 2, "SAME"),
            "max_pool_gradient": max_pool_gradient((200, 26, 26, 32)),
            "average_pool": average_pool(False),
            "average_pool_and_gradient": average_pool(True)}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=20,
                        help="steps in a pass (20)")
    steps = parser.parse_args().steps
    import tensorflow as tf

    def best(run):
        seconds = []
        for _ in range(PASSES + 1):
            begin = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - begin)
        return round(min(seconds[1:]) / steps * 1e6, 1)

    figures = {}
    for name, step in tasks(tf).items():
        plain = tf.function(step)

        @tf.function
        def loop(step=step):
            def body(i):
                step()
                return i + 1
            tf.while_loop(lambda i: i < steps, body, [tf.constant(0)],
                          parallel_iterations=1)

        figures[name] = best(lambda: [plain() for _ in range(steps)])
        figures[f"{name}_in_loop"] = best(loop)
    print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
