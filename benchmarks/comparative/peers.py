#!/usr/bin/env python3
"""Times one training task on a peer; train_steps.cc is our side of it.

  peers.py --peer keras|jax|torch --task TASK [--spe K]

Tasks: mlp32, mlp200  784-128-10, batch 32 or 200
       cnn200         Conv 32, pool, Conv 64, pool, Flatten, Dense 10
       guide32, guide200
                      Conv 256, Conv 256, Flatten, Dense 256-128-10

Each trains with Adam on cross entropy of logits and counts the accuracy, over
fixed random batches that it sees again and again. --spe K runs K steps in one
execution: Keras's steps_per_execution, a scan in JAX; PyTorch has none.
Prints one JSON line: microseconds a step (the best of three passes), seconds
from the start of the program to the end of its first step, the last loss.
"""
import argparse
import json
import os
import time

START = time.time()
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")

TASKS = {"mlp32": ("mlp", 32), "mlp200": ("mlp", 200),
         "cnn200": ("cnn", 200), "guide32": ("guide", 32),
         "guide200": ("guide", 200)}
STEPS = {"mlp": 300, "cnn": 60, "guide": 6}
PASSES = 3


def random_batches(model, batch, steps):
    import numpy as np
    random = np.random.default_rng(0)
    shape = (784,) if model == "mlp" else (28, 28, 1)
    x = random.random((steps, batch, *shape), dtype="float32")
    return x, random.integers(0, 10, (steps, batch)).astype("int32")


def best_of(steps, run):
    """Microseconds a step in the quickest of the passes."""
    seconds = []
    for _ in range(PASSES):
        begin = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - begin)
    return min(seconds) / steps * 1e6


def keras_model(model):
    import keras
    layers = keras.layers
    if model == "mlp":
        return keras.Sequential([
            keras.Input((784,)), layers.Dense(128, activation="relu"),
            layers.Dense(10)])
    image = keras.Input((28, 28, 1))
    if model == "cnn":
        return keras.Sequential([
            image, layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(), layers.Conv2D(64, 3, activation="relu"),
            layers.MaxPooling2D(), layers.Flatten(), layers.Dense(10)])
    return keras.Sequential([
        image, layers.Conv2D(256, 3, activation="relu"),
        layers.Conv2D(256, 3, activation="relu"), layers.Flatten(),
        layers.Dense(256, activation="relu"),
        layers.Dense(128, activation="relu"), layers.Dense(10)])


def run_keras(name, batch, steps, spe):
    import keras
    import tensorflow as tf
    batches = random_batches(name, batch, steps)
    dataset = tf.data.Dataset.from_tensor_slices(batches)
    dataset = dataset.cache().repeat().prefetch(4)
    model = keras_model(name)
    model.compile(
        optimizer="adam",
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["sparse_categorical_accuracy"], steps_per_execution=spe)

    def fit(n):
        return model.fit(dataset, steps_per_epoch=n, epochs=1, verbose=0)

    fit(spe)
    first = time.time() - START
    step = best_of(steps, lambda: fit(steps))
    return first, step, fit(spe).history["loss"][-1]


def jax_apply(name):
    """The initial weights' shapes, and the model as a function of them."""
    import jax
    from jax import lax
    relu = jax.nn.relu

    def convolution(x, w, b):
        y = lax.conv_general_dilated(
            x, w, (1, 1), "VALID",
            dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return relu(y + b)

    def pool(x):
        return lax.reduce_window(x, -float("inf"), lax.max, (1, 2, 2, 1),
                                 (1, 2, 2, 1), "VALID")

    def flat(x):
        return x.reshape(x.shape[0], -1)

    def mlp(p, x):
        return relu(x @ p[0] + p[1]) @ p[2] + p[3]

    def cnn(p, x):
        x = pool(convolution(x, p[0], p[1]))
        x = pool(convolution(x, p[2], p[3]))
        return flat(x) @ p[4] + p[5]

    def guide(p, x):
        x = convolution(convolution(x, p[0], p[1]), p[2], p[3])
        x = relu(flat(x) @ p[4] + p[5])
        return relu(x @ p[6] + p[7]) @ p[8] + p[9]

    return {"mlp": ([(784, 128), (128, 10)], mlp),
            "cnn": ([(3, 3, 1, 32), (3, 3, 32, 64), (1600, 10)], cnn),
            "guide": ([(3, 3, 1, 256), (3, 3, 256, 256), (147456, 256),
                       (256, 128), (128, 10)], guide)}[name]


def run_jax(name, batch, steps, spe):
    import jax
    import jax.numpy as jnp
    import optax
    x, y = random_batches(name, batch, steps)
    shapes, apply = jax_apply(name)
    initializer = jax.nn.initializers.glorot_uniform()
    weights = []
    for key, shape in zip(jax.random.split(jax.random.key(0), len(shapes)),
                          shapes):
        weights += [initializer(key, shape), jnp.zeros(shape[-1])]
    adam = optax.adam(1e-3)

    def loss_of(weights, x, y):
        logits = apply(weights, x)
        loss = optax.softmax_cross_entropy_with_integer_labels(logits, y)
        return loss.mean(), (logits.argmax(-1) == y).sum()

    def step(state, batch):
        weights, slots, right = state
        (loss, n), gradients = jax.value_and_grad(loss_of, has_aux=True)(
            weights, *batch)
        updates, slots = adam.update(gradients, slots, weights)
        return (optax.apply_updates(weights, updates), slots,
                right + n), loss

    if spe == 1:
        program = jax.jit(step, donate_argnums=0)
        feed = [(x[i], y[i]) for i in range(steps)]
    else:
        program = jax.jit(lambda state, batch: jax.lax.scan(
            step, state, batch), donate_argnums=0)
        feed = [(x[i:i + spe], y[i:i + spe])
                for i in range(0, steps, spe)]
    state, loss = program((weights, adam.init(weights), jnp.int32(0)),
                          feed[0])
    loss.block_until_ready()
    first = time.time() - START

    def run():
        nonlocal state, loss
        for batch in feed:
            state, loss = program(state, batch)
        loss.block_until_ready()

    return first, best_of(steps, run), float(loss if spe == 1 else loss[-1])


def torch_model(name):
    from torch import nn
    relu = nn.ReLU()
    return nn.Sequential(*{
        "mlp": lambda: [nn.Linear(784, 128), relu, nn.Linear(128, 10)],
        "cnn": lambda: [
            nn.Conv2d(1, 32, 3), relu, nn.MaxPool2d(2),
            nn.Conv2d(32, 64, 3), relu, nn.MaxPool2d(2), nn.Flatten(),
            nn.Linear(1600, 10)],
        "guide": lambda: [
            nn.Conv2d(1, 256, 3), relu, nn.Conv2d(256, 256, 3), relu,
            nn.Flatten(), nn.Linear(147456, 256), relu,
            nn.Linear(256, 128), relu, nn.Linear(128, 10)],
    }[name]())


def run_torch(name, batch, steps, spe):
    import torch
    x, y = map(torch.from_numpy, random_batches(name, batch, steps))
    y = y.long()
    if name != "mlp":
        x = x.permute(0, 1, 4, 2, 3).contiguous()
    model = torch_model(name)
    adam = torch.optim.Adam(model.parameters(), fused=True)
    right = torch.zeros((), dtype=torch.int64)

    def step(i):
        adam.zero_grad()
        logits = model(x[i])
        loss = torch.nn.functional.cross_entropy(logits, y[i])
        loss.backward()
        adam.step()
        right.add_((logits.argmax(-1) == y[i]).sum())
        return loss

    step(0)
    first = time.time() - START
    best = best_of(steps, lambda: [step(i) for i in range(steps)])
    return first, best, float(step(0))


PEERS = {"keras": run_keras, "jax": run_jax, "torch": run_torch}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", required=True, choices=PEERS)
    parser.add_argument("--task", required=True, choices=TASKS)
    parser.add_argument("--spe", type=int, default=1,
                        help="steps per execution")
    a = parser.parse_args()
    if a.spe < 1:
        parser.error("--spe wants a number of steps of at least 1")
    if a.peer == "torch":
        a.spe = 1
    name, batch = TASKS[a.task]
    # Whole executions only, so that every step counted was a full one.
    steps = max(STEPS[name] // a.spe, 1) * a.spe
    first, step, loss = PEERS[a.peer](name, batch, steps, a.spe)
    print(json.dumps({
        "program": a.peer, "task": a.task, "spe": a.spe,
        "us_per_step": round(step, 1),
        "start_to_first_step_s": round(first, 3),
        "loss": round(float(loss), 4)}), flush=True)


if __name__ == "__main__":
    main()
