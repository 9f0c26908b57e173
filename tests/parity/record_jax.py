#!/usr/bin/env python3
"""Records first and second gradients of JAX: goldens/gradients.json.

  record_jax.py

Of each function f of some arrays: `value`, `gradient/<i>` of each array, and
`second/<i>`: the gradient of sum(gradient/0 * direction). All in float64.
"""
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

import golden_file

jax.config.update("jax_enable_x64", True)
HERE = pathlib.Path(__file__).resolve().parent


def tanh_chain(x, a, b):
    return jnp.sum(jnp.tanh(jnp.tanh(x @ a) @ b) ** 2)


def conv(x, kernel):
    y = jax.lax.conv_general_dilated(
        x, kernel, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jnp.sum(jnp.sin(y) * y)


def crossentropy(logits, targets):
    return -jnp.sum(targets * jax.nn.log_softmax(logits))


def rnn(w, u, xs, h):
    def step(h, x):
        h = jnp.tanh(h @ w + x @ u)
        return h, h
    last, all_h = jax.lax.scan(step, h, xs)
    return jnp.sum(last * last) + jnp.sum(all_h)


def newton(a):
    # The square roots of a, from a bounded loop: fori with a mask, since JAX
    # has no gradient of while_loop.
    def step(_, x):
        go_on = jnp.max(jnp.abs(x * x - a)) > 1e-12
        return jnp.where(go_on, (x + a / x) / 2, x)
    return jnp.sum(jax.lax.fori_loop(0, 20, step, jnp.ones_like(a)) ** 3)


def branch(x, y):
    return jax.lax.cond(jnp.sum(x) > 0, lambda: jnp.sum(jnp.exp(x) * y ** 2),
                        lambda: jnp.sum(x * jnp.cos(y * x)))


FUNCTIONS = [
    ("tanh_chain", tanh_chain, [(2, 3), (3, 4), (4, 2)], 0),
    ("conv", conv, [(1, 4, 4, 2), (2, 2, 2, 2)], 0),
    ("crossentropy", crossentropy, [(3, 4), (3, 4)], 0),
    ("rnn", rnn, [(3, 3), (2, 3), (4, 2, 2), (2, 3)], 0),
    ("newton", newton, [(3,)], 3),
    ("cond", branch, [(3,), (3,)], 2),
    ("cond", branch, [(3,), (3,)], -2),
]


def main():
    golden_file.check_versions(HERE / "requirements-jax.txt")
    cases = []
    for name, f, shapes, shift in FUNCTIONS:
        case = golden_file.Case(name, {"function": name, "shift": shift})
        inputs = [jnp.asarray(golden_file.short_normal(
            case.random(f"{shift}/{i}"), shape, "float64", 0.5)
            + (shift if i == 0 else 0)) for i, shape in enumerate(shapes)]
        numbers = tuple(range(len(inputs)))
        direction = jnp.asarray(golden_file.short_normal(
            case.random("direction"), shapes[0], "float64"))
        for i, value in enumerate(inputs):
            case.add(f"input/{i}", np.asarray(value))
        case.add("direction", np.asarray(direction))
        case.add("value", np.asarray(f(*inputs)))
        first = jax.grad(f, numbers)
        for i, value in enumerate(first(*inputs)):
            case.add(f"gradient/{i}", np.asarray(value))
        second = jax.grad(lambda *a: jnp.sum(first(*a)[0] * direction), numbers)
        for i, value in enumerate(second(*inputs)):
            case.add(f"second/{i}", np.asarray(value))
        cases.append(case)
    path = HERE / "goldens" / "gradients.json"
    golden_file.write(path, "gradients", cases, packages=("jax", "numpy"))
    print(f"gradients: {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
