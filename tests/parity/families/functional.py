"""Functional models and a step of one's own: a few steps from given weights."""
import keras
import numpy as np
import tensorflow as tf

from golden_file import Case, short_normal

STEPS = 3


def record(family, arguments):
    return [summary(), two_by_two(), shared_layer(), own_step()]


def summary():
    case = Case("summary", {})
    keras.backend.clear_session()
    a = keras.Input((8,), name="left")
    b = keras.Input((8,), name="right")
    dense = keras.layers.Dense(4, name="shared")
    x, y = dense(a), dense(b)
    model = keras.Model([a, b], keras.layers.Dense(1, name="out")(x + y))
    lines = []
    model.summary(line_length=76, print_fn=lines.append)
    case.texts["summary"] = "".join(lines)
    return case


def give_weights(case, random, model):
    for v in model.weights:
        v.assign(short_normal(random, v.shape,
                              scale=1 / np.sqrt(max(1, v.shape[0]))))
        case.add(f"weights/{v.path}", v)


def run(case, model, batch):
    for step in range(STEPS):
        x, y, options = batch(step)
        logs = model.train_on_batch(x, y, return_dict=True, **options)
        for key, value in logs.items():
            case.add(f"logs/{step}/{key}", np.float32(value))
    for v in model.weights:
        case.add(f"final/{v.path}", v)
    return case


def keep(case, step, named):
    for name, value in named.items():
        case.add(f"{name}/{step}", value)


def two_by_two():
    case = Case("two inputs, two outputs", {"steps": STEPS})
    random = case.random()
    keras.backend.clear_session()
    a = keras.Input((3,), name="a")
    b = keras.Input((2,), name="b")
    x = keras.layers.Dense(4, activation="relu", name="hidden")(
        keras.ops.concatenate([a, b], axis=-1))
    price = keras.layers.Dense(1, name="price")(x)
    kind = keras.layers.Dense(3, name="kind")(x)
    model = keras.Model([a, b], [price, kind])
    give_weights(case, random, model)
    model.compile(
        optimizer=keras.optimizers.SGD(0.1),
        loss={"price": "mse",
              "kind": keras.losses.SparseCategoricalCrossentropy(
                  from_logits=True)},
        loss_weights={"price": 0.5, "kind": 2.0},
        metrics={"price": ["mae"], "kind": ["accuracy"]},
        weighted_metrics={"kind": ["accuracy"]})

    def batch(step):
        n = 8 if step < STEPS - 1 else 5
        named = {"a": short_normal(random, (n, 3)),
                 "b": short_normal(random, (n, 2)),
                 "price": short_normal(random, (n, 1)),
                 "kind": random.integers(0, 3, n).astype("int32"),
                 "price_weight": np.round(random.random(n) * 2,
                                          2).astype("float32"),
                 "kind_weight": np.round(random.random(n) * 2,
                                         2).astype("float32")}
        keep(case, step, named)
        return ([named["a"], named["b"]], [named["price"], named["kind"]],
                {"sample_weight": [named["price_weight"],
                                   named["kind_weight"]]})

    return run(case, model, batch)


def shared_layer():
    case = Case("shared layer, class weights", {"steps": STEPS})
    random = case.random()
    keras.backend.clear_session()
    a = keras.Input((3,), name="a")
    b = keras.Input((3,), name="b")
    dense = keras.layers.Dense(4, activation="tanh", name="shared")
    x, y = dense(a), dense(b)
    model = keras.Model([a, b], keras.layers.Dense(3, name="out")(x * y - x))
    give_weights(case, random, model)
    model.compile(optimizer=keras.optimizers.Adam(0.01),
                  loss=keras.losses.SparseCategoricalCrossentropy(
                      from_logits=True),
                  metrics=["accuracy"])

    def batch(step):
        named = {"a": short_normal(random, (6, 3)),
                 "b": short_normal(random, (6, 3)),
                 "y": random.integers(0, 3, 6).astype("int32")}
        keep(case, step, named)
        return ([named["a"], named["b"]], named["y"],
                {"class_weight": {0: 1.0, 1: 0.5, 2: 3.0}})

    return run(case, model, batch)


class OwnStep(keras.Model):
    """As Keras's guide to custom train_step has it."""

    def __init__(self):
        super().__init__()
        self.first = keras.layers.Dense(4, activation="relu", name="first")
        self.last = keras.layers.Dense(1, name="last")
        self.loss_tracker = keras.metrics.Mean(name="loss")
        self.mae_metric = keras.metrics.MeanAbsoluteError(name="mae")

    def call(self, x):
        return self.last(self.first(x))

    def train_step(self, data):
        x, y = data[0], data[1]
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = keras.ops.mean(keras.losses.mean_squared_error(y, y_pred))
            loss = loss + 0.1 * keras.ops.sum(
                keras.ops.square(self.last.kernel))
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply(gradients, self.trainable_variables)
        self.loss_tracker.update_state(loss)
        self.mae_metric.update_state(y, y_pred)
        return {"loss": self.loss_tracker.result(),
                "mae": self.mae_metric.result()}

    @property
    def metrics(self):
        return [self.loss_tracker, self.mae_metric]


def own_step():
    case = Case("step of one's own", {"steps": STEPS})
    random = case.random()
    keras.backend.clear_session()
    model = OwnStep()
    model.build((None, 3))
    model(np.zeros((1, 3), "float32"))
    give_weights(case, random, model)
    model.compile(optimizer=keras.optimizers.SGD(0.1))

    def batch(step):
        named = {"x": short_normal(random, (8, 3)),
                 "y": short_normal(random, (8, 1))}
        keep(case, step, named)
        return named["x"], named["y"], {}

    return run(case, model, batch)
