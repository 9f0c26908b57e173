"""Metrics: several updates, the result after each, and after a reset."""
import keras
import numpy as np

from golden_file import Case, short_normal


def record(family, arguments):
    cases = []
    reductions(cases)
    accuracies(cases)
    top_k(cases)
    averages(cases)
    return cases


def one(cases, label, name, config, updates):
    """updates: lists of (values or (y_true, y_pred), weight or None)."""
    shown = ", ".join(f"{k}={v}" for k, v in config.items())
    case = Case(f"{name}({shown}) {label}",
                {"class_name": name, "config": config,
                 "updates": len(updates)})
    metric = getattr(keras.metrics, name)(**config)
    case.expected["name"] = metric.name
    for i, (values, weight) in enumerate(updates):
        if isinstance(values, tuple):
            case.add(f"updates/{i}/y_true", values[0])
            case.add(f"updates/{i}/y_pred", values[1])
        else:
            values = (values,)
            case.add(f"updates/{i}/values", values[0])
        if weight is not None:
            case.add(f"updates/{i}/sample_weight", weight)
        metric.update_state(*values, sample_weight=weight)
        case.add(f"results/{i}", metric.result())
    for variable in metric.variables:
        case.add(f"variables/{variable.name}", variable)
    metric.reset_state()
    case.add("result_after_reset", metric.result())
    cases.append(case)


def weights(random, shape):
    return np.round(random.random(shape) * 2, 2).astype("float32")


def reductions(cases):
    random = np.random.default_rng(11)
    for name in ("Mean", "Sum"):
        one(cases, "of vectors", name, {},
            [(short_normal(random, (4,)), None) for _ in range(3)])
        one(cases, "of scalars", name, {"name": "loss"},
            [(np.float32(v), None) for v in (0.5, 2.25, -1.0)])
        one(cases, "weighted by row", name, {},
            [(short_normal(random, (3, 2)), weights(random, (3,)))
             for _ in range(2)])
        one(cases, "weighted each", name, {},
            [(short_normal(random, (3, 2)), weights(random, (3, 2)))
             for _ in range(2)])
        one(cases, "of scalars, weighted", name, {},
            [(np.float32(0.5), np.float32(3)),
             (np.float32(2.0), np.float32(1))])
        one(cases, "all weights zero", name, {},
            [(short_normal(random, (3,)), np.zeros(3, "float32"))])
        one(cases, "of integers", name, {},
            [(np.array([1, 2, 4], "int32"), None)])


def accuracies(cases):
    random = np.random.default_rng(12)

    def rows(make, shapes, weighted=False):
        return [(make(s), weights(random, s) if weighted else None)
                for s in shapes]

    def exact(n):
        return (random.integers(0, 3, n).astype("int32"),
                random.integers(0, 3, n).astype("int32"))

    def two(n):
        return (random.integers(0, 2, (n, 2)).astype("float32"),
                np.round(random.random((n, 2)), 2).astype("float32"))

    def one_hot(n):
        return (np.eye(4, dtype="float32")[random.integers(0, 4, n)],
                short_normal(random, (n, 4)))

    def sparse(n):
        return (random.integers(0, 4, n).astype("int32"),
                short_normal(random, (n, 4)))

    def column(n):
        return (random.integers(0, 4, (n, 1)).astype("int64"),
                short_normal(random, (n, 4)))

    def sequence(n):
        return (random.integers(0, 4, (n, 3)).astype("int32"),
                short_normal(random, (n, 3, 4)))

    for name, make in (("Accuracy", exact), ("BinaryAccuracy", two),
                       ("CategoricalAccuracy", one_hot),
                       ("SparseCategoricalAccuracy", sparse)):
        one(cases, "batches 5, 5, 3", name, {}, rows(make, (5, 5, 3)))
        one(cases, "weighted", name, {}, rows(make, (5, 4), True))
    one(cases, "batches 6, 2", "BinaryAccuracy", {"threshold": 0.3},
        rows(two, (6, 2)))
    one(cases, "at the threshold", "BinaryAccuracy", {}, [
        ((np.array([[1], [0], [1]], "float32"),
          np.array([[0.5], [0.5], [0.51]], "float32")), None)])
    name = "SparseCategoricalAccuracy"
    one(cases, "labels (n, 1)", name, {}, rows(column, (5, 3)))
    one(cases, "sequences", name, {}, rows(sequence, (3, 2)))
    one(cases, "sequences weighted by row", name, {},
        rows(sequence, (3, 2), True))
    one(cases, "labels float32", name, {"name": "acc"}, [
        ((np.array([0, 3, 1], "float32"), short_normal(random, (3, 4))),
         None)])
    one(cases, "equal scores", name, {}, [
        ((np.array([0, 1, 2], "int32"), np.ones((3, 3), "float32")),
         None)])


def top_k(cases):
    random = np.random.default_rng(13)
    for k in (None, 1, 3):
        config = {} if k is None else {"k": k}
        for name in ("TopKCategoricalAccuracy",
                     "SparseTopKCategoricalAccuracy"):
            updates = []
            for n in (5, 4):
                labels = random.integers(0, 9, n).astype("int32")
                if name[0] == "T":
                    labels = np.eye(9, dtype="float32")[labels]
                updates.append(((labels, short_normal(random, (n, 9))),
                                weights(random, n) if k == 3 else None))
            one(cases, "weighted" if k == 3 else "batches 5, 4", name,
                config, updates)


def averages(cases):
    """Metrics that average a loss."""
    random = np.random.default_rng(14)
    for name in ("MeanSquaredError", "MeanAbsoluteError",
                 "RootMeanSquaredError"):
        one(cases, "batches 4, 3", name, {}, [
            ((short_normal(random, (n, 2)), short_normal(random, (n, 2))),
             None) for n in (4, 3)])
        one(cases, "weighted", name, {}, [
            ((short_normal(random, (n, 2)), short_normal(random, (n, 2))),
             weights(random, n)) for n in (4, 3)])
    for logits in (True, False):
        def scores(n):
            y = short_normal(random, (n, 4))
            if not logits:
                e = np.exp(y)
                y = np.round(e / e.sum(-1, keepdims=True), 4)
            return y.astype("float32")

        config = {"from_logits": logits}
        one(cases, "batches 4, 3", "SparseCategoricalCrossentropy", config,
            [((random.integers(0, 4, n).astype("int32"), scores(n)), None)
             for n in (4, 3)])
        one(cases, "batches 4, 3", "CategoricalCrossentropy", config,
            [((np.eye(4, dtype="float32")[random.integers(0, 4, n)],
               scores(n)), None) for n in (4, 3)])
        one(cases, "weighted", "BinaryCrossentropy", config,
            [((random.integers(0, 2, (n, 4)).astype("float32"), scores(n)),
              weights(random, n)) for n in (4, 3)])
