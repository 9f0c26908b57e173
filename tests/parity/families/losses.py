"""Losses: value by each reduction, and the gradient to y_pred."""
import keras
import numpy as np
import tensorflow as tf

from golden_file import Case, short_normal


def record(family, arguments):
    cases = []
    sparse_categorical(cases)
    categorical(cases)
    binary(cases)
    for name in ("MeanSquaredError", "MeanAbsoluteError"):
        regression(cases, name)
    return cases


def one(cases, name, config, y_true, y_pred, sample_weight=None):
    config = dict(config)
    shown = ", ".join(f"{k}={v}" for k, v in config.items())
    shape = "x".join(map(str, y_pred.shape))
    label = f"{name}({shown}) {shape} {y_pred.dtype.name}"
    label += f" labels {y_true.dtype.name}"
    if y_true.ndim != y_pred.ndim - (name[0] == "S"):
        label += f" of rank {y_true.ndim}"
    if sample_weight is not None:
        label += f" weighted {'x'.join(map(str, sample_weight.shape))}"
    case = Case(label, {"class_name": name, "config": config})
    loss = getattr(keras.losses, name)(**config)
    y_pred = tf.constant(y_pred)
    with tf.GradientTape() as tape:
        tape.watch(y_pred)
        value = loss(y_true, y_pred, sample_weight)
        total = tf.reduce_sum(value)
    case.add("y_true", y_true)
    case.add("y_pred", y_pred)
    if sample_weight is not None:
        case.add("sample_weight", sample_weight)
    case.add("output", value)
    case.add("y_pred_gradient", tape.gradient(total, y_pred))
    cases.append(case)


def scores(random, shape, logits, dtype="float32"):
    y = short_normal(random, shape, "float32", 2)
    if not logits:
        e = np.exp(y)
        y = np.round(e / e.sum(-1, keepdims=True), 4).astype("float32")
    return y.astype(tf.as_dtype(dtype).as_numpy_dtype)


REDUCTIONS = ("sum_over_batch_size", "sum", "none", "mean",
              "mean_with_sample_weight")
WEIGHTS = np.array([0.5, 2, 0, 1], "float32")


def sparse_categorical(cases):
    random = np.random.default_rng(1)
    name = "SparseCategoricalCrossentropy"
    labels = np.array([0, 4, 2, 2], "int32")
    for logits in (True, False):
        y = scores(random, (4, 5), logits)
        one(cases, name, {"from_logits": logits}, labels, y)
        one(cases, name, {"from_logits": logits}, labels[:, None], y)
        one(cases, name, {"from_logits": logits}, labels, y, WEIGHTS)
        for reduction in REDUCTIONS:
            config = {"from_logits": logits, "reduction": reduction}
            one(cases, name, config, labels, y)
            one(cases, name, config, labels, y, WEIGHTS)
        y = scores(random, (2, 3, 4), logits)
        sequence = np.array([[0, 3, 1], [2, 2, 0]], "int32")
        one(cases, name, {"from_logits": logits}, sequence, y)
        one(cases, name, {"from_logits": logits}, sequence, y,
            np.array([[0.5], [2]], "float32"))
        one(cases, name, {"from_logits": logits}, sequence, y,
            np.array([[0.5, 2, 0], [1, 1, 3]], "float32"))
        one(cases, name, {"from_logits": logits, "ignore_class": 2},
            sequence, y)
        one(cases, name, {"from_logits": logits, "ignore_class": -1},
            np.array([[0, -1, 1], [-1, 2, 0]], "int32"), y)
    y = scores(random, (4, 5), True)
    for dtype in ("int64", "uint8", "float32"):
        one(cases, name, {"from_logits": True}, labels.astype(dtype), y)
    one(cases, name, {"from_logits": True}, labels,
        scores(random, (4, 5), True, "bfloat16"))
    one(cases, name, {"from_logits": True, "dtype": "float64"}, labels,
        scores(random, (4, 5), True, "float64"))
    # Zero and one: where the clipping by epsilon shows.
    one(cases, name, {}, labels, np.eye(5, dtype="float32")[[0, 4, 1, 3]])
    # Far logits: where a naive formula overflows.
    one(cases, name, {"from_logits": True, "reduction": "none"}, labels,
        scores(random, (4, 5), True) * np.float32(64))


def categorical(cases):
    random = np.random.default_rng(2)
    name = "CategoricalCrossentropy"
    one_hot = np.eye(5, dtype="float32")[[0, 4, 2, 2]]
    for logits in (True, False):
        y = scores(random, (4, 5), logits)
        soft = scores(random, (4, 5), False)
        base = {"from_logits": logits}
        one(cases, name, base, one_hot, y)
        one(cases, name, base, soft, y)
        one(cases, name, {**base, "label_smoothing": 0.1}, one_hot, y)
        one(cases, name, {**base, "label_smoothing": 0.25}, one_hot, y,
            WEIGHTS)
        for reduction in REDUCTIONS:
            config = {**base, "reduction": reduction}
            one(cases, name, config, one_hot, y)
            one(cases, name, config, one_hot, y, WEIGHTS)
        one(cases, name, base, np.eye(4, dtype="float32")[
            [[0, 3, 1], [2, 2, 0]]], scores(random, (2, 3, 4), logits))
        one(cases, name, {**base, "axis": 1}, np.eye(4, dtype="float32")[
            [[0, 3, 1], [2, 2, 0]]].transpose(0, 2, 1),
            scores(random, (2, 3, 4), logits).transpose(0, 2, 1))
    one(cases, name, {"from_logits": True}, one_hot.astype("int32"),
        scores(random, (4, 5), True))
    # Rows that do not add up to one are normalised.
    one(cases, name, {}, one_hot,
        scores(random, (4, 5), False) * np.float32(0.5))
    one(cases, name, {}, one_hot,
        np.eye(5, dtype="float32")[[0, 4, 1, 3]])


def binary(cases):
    random = np.random.default_rng(3)
    name = "BinaryCrossentropy"
    labels = np.array([[0, 1], [1, 1], [0, 0], [1, 0]], "float32")
    for logits in (True, False):
        y = short_normal(random, (4, 2), scale=2)
        if not logits:
            y = np.round(1 / (1 + np.exp(-y)), 4).astype("float32")
        base = {"from_logits": logits}
        one(cases, name, base, labels, y)
        one(cases, name, base, labels.astype("int32"), y)
        one(cases, name, {**base, "label_smoothing": 0.2}, labels, y)
        one(cases, name, base, labels, y, WEIGHTS)
        one(cases, name, base, labels[:, :1], y[:, :1], WEIGHTS)
        for reduction in REDUCTIONS:
            config = {**base, "reduction": reduction}
            one(cases, name, config, labels, y)
            one(cases, name, config, labels, y, WEIGHTS)
    one(cases, name, {}, labels,
        np.array([[0, 1], [1, 0], [0, 1], [1, 0]], "float32"))
    one(cases, name, {"from_logits": True}, labels,
        short_normal(random, (4, 2), scale=40))


def regression(cases, name):
    random = np.random.default_rng(4)
    y_true = short_normal(random, (4, 3))
    y_pred = short_normal(random, (4, 3))
    one(cases, name, {}, y_true, y_pred)
    one(cases, name, {}, y_true.astype("int32"), y_pred)
    one(cases, name, {}, y_true, y_pred, WEIGHTS)
    one(cases, name, {}, y_true, y_pred, WEIGHTS[:, None])
    one(cases, name, {}, y_true[:, 0], y_pred[:, :1])
    one(cases, name, {}, y_true[:, :1], y_pred[:, 0])
    one(cases, name, {}, y_true[:, 0], y_pred[:, 0])
    one(cases, name, {}, short_normal(random, (2, 3, 4)),
        short_normal(random, (2, 3, 4)),
        np.array([[0.5, 2, 0], [1, 1, 3]], "float32"))
    for reduction in REDUCTIONS:
        one(cases, name, {"reduction": reduction}, y_true, y_pred)
        one(cases, name, {"reduction": reduction}, y_true, y_pred, WEIGHTS)
    for dtype in ("bfloat16", "float64"):
        numpy_dtype = tf.as_dtype(dtype).as_numpy_dtype
        one(cases, name, {"dtype": dtype}, y_true.astype(numpy_dtype),
            y_pred.astype(numpy_dtype))
