"""Every activation Keras has: values and gradients."""
import keras
import numpy as np
import tensorflow as tf

from golden_file import Case, short_normal

# Where the pieces meet, and far out on both sides.
POINTS = [-30, -8, -3, -2.5, -1, -0.5, -1e-3, -0.0, 0, 1e-3, 0.5, 1, 2.5, 3,
          5.5, 6, 8, 30]
FUNCTIONS = [
    ("relu", {}), ("relu", {"negative_slope": 0.25}),
    ("relu", {"max_value": 2.0}),
    ("relu", {"negative_slope": 0.1, "max_value": 4.0, "threshold": 0.75}),
    ("leaky_relu", {}), ("leaky_relu", {"negative_slope": 0.05}),
    ("relu6", {}), ("elu", {}), ("elu", {"alpha": 0.5}), ("selu", {}),
    ("celu", {}), ("celu", {"alpha": 2.0}),
    ("gelu", {}), ("gelu", {"approximate": True}), ("sigmoid", {}),
    ("tanh", {}), ("softplus", {}), ("softsign", {}), ("silu", {}),
    ("swish", {}), ("exponential", {}), ("hard_sigmoid", {}),
    ("hard_silu", {}), ("hard_tanh", {}), ("log_sigmoid", {}),
    ("linear", {}), ("mish", {}), ("squareplus", {}), ("tanh_shrink", {}),
    ("soft_shrink", {}), ("hard_shrink", {}), ("softmax", {}),
    ("softmax", {"axis": 1}), ("log_softmax", {}),
    ("log_softmax", {"axis": 0}),
]


def record(family, arguments):
    cases = []
    for name, kwargs in FUNCTIONS:
        cases.append(one(name, kwargs, "float32"))
    for dtype in ("bfloat16", "float16", "float64"):
        for name in ("relu", "gelu", "sigmoid", "tanh", "softplus", "elu",
                     "silu", "softmax", "log_softmax"):
            cases.append(one(name, {}, dtype))
    return cases


def one(name, kwargs, dtype):
    shown = ", ".join(f"{k}={v}" for k, v in kwargs.items())
    case = Case(f"{name}({shown}) {dtype}",
                {"function": name, "arguments": kwargs, "dtype": dtype})
    function = keras.activations.get(name)
    dtype = tf.as_dtype(dtype)
    if "softmax" in name:
        x = short_normal(case.random(), (3, 4, 2), scale=3)
        x[0, 0, 0] = 25  # far ahead of the others
    else:
        x = np.array(POINTS)
        if name == "exponential":
            x = x / 2
    x = tf.constant(x.astype(dtype.as_numpy_dtype))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x, **kwargs)
        cotangent = short_normal(case.random("output"), y.shape,
                                 y.dtype.as_numpy_dtype)
        total = tf.reduce_sum(y * cotangent)
    case.add("input", x)
    case.add("output", y)
    case.add("output_gradient", cotangent)
    case.add("input_gradient", tape.gradient(total, x))
    return case
