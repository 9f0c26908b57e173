"""fit from given weights: mixed precision, accumulation, clipping; and what
LossScaleOptimizer makes of gradients that are not finite."""
import keras
import numpy as np

from golden_file import Case, short_normal

ROWS, FEATURES, CLASSES, BATCH, EPOCHS = 61, 6, 3, 16, 3
# Name, dtype policy, optimizer, its options, those of its LossScaleOptimizer.
FITS = [
    ("mixed_bfloat16", "mixed_bfloat16", "Adam", {"learning_rate": 0.01},
     None),
    ("mixed_float16", "mixed_float16", "Adam", {"learning_rate": 0.01}, None),
    ("mixed_float16, overflows", "mixed_float16", "SGD",
     {"learning_rate": 0.1},
     {"initial_scale": 2.0 ** 24, "dynamic_growth_steps": 2000}),
    ("mixed_float16, grows", "mixed_float16", "SGD", {"learning_rate": 0.1},
     {"initial_scale": 4.0, "dynamic_growth_steps": 3}),
    ("accumulation of 3", "float32", "Adam",
     {"learning_rate": 0.01, "gradient_accumulation_steps": 3}, None),
    ("global_clipnorm", "float32", "SGD",
     {"learning_rate": 0.5, "global_clipnorm": 0.1}, None),
]


def record(family, arguments):
    return {"fit": fits, "loss_scale": loss_scale}[family]()


class Scales(keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.scales = []

    def on_train_batch_end(self, batch, logs=None):
        scale = getattr(self.model.optimizer, "dynamic_scale", None)
        self.scales.append(1.0 if scale is None else float(scale))


def fits():
    cases = []
    for name, policy, optimizer, config, scaling in FITS:
        options = {"policy": policy, "optimizer": optimizer, "config": config,
                   "batch_size": BATCH, "epochs": EPOCHS}
        if scaling is not None:
            options["loss_scale"] = scaling
        case = Case(name, options)
        random = np.random.default_rng(5)  # one set of data for all of them
        keras.backend.clear_session()
        keras.config.set_dtype_policy(policy)
        model = keras.Sequential([
            keras.Input([FEATURES]),
            keras.layers.Dense(8, activation="relu"),
            keras.layers.Dense(CLASSES)])
        keras.config.set_dtype_policy("float32")
        for v in model.weights:
            v.assign(short_normal(random, v.shape, scale=0.5))
            case.add(f"weights/{v.path}", v)
        x = short_normal(random, (ROWS, FEATURES))
        y = random.integers(0, CLASSES, ROWS).astype("int32")
        case.add("x", x)
        case.add("y", y)
        made = getattr(keras.optimizers, optimizer)(**config)
        if scaling is not None:
            made = keras.optimizers.LossScaleOptimizer(made, **scaling)
        model.compile(made, keras.losses.SparseCategoricalCrossentropy(
            from_logits=True), metrics=["accuracy"])
        scales = Scales()
        history = model.fit(x, y, batch_size=BATCH, epochs=EPOCHS,
                            shuffle=False, verbose=0, callbacks=[scales])
        case.add("losses", np.float32(history.history["loss"]))
        case.add("accuracies", np.float32(history.history["accuracy"]))
        case.add("scales", np.float32(scales.scales))
        for v in model.weights:
            assert v.dtype == "float32"
            case.add(f"final/{v.path}", v)
        cases.append(case)
    return cases


def loss_scale():
    """Each step's gradient: a factor of ones, or what is not finite."""
    cases = []
    inf, nan = float("inf"), float("nan")
    for name, inner, scaling, factors in (
            ("SGD", {"learning_rate": 0.5},
             {"initial_scale": 8.0, "dynamic_growth_steps": 2},
             [8, 8, 16, inf, 8, nan, 4, 4, 8]),
            ("SGD", {"learning_rate": 0.1, "momentum": 0.9},
             {"initial_scale": 1.0}, [-inf, nan, 1, 0.25]),
            ("Adam", {"learning_rate": 0.1},
             {"initial_scale": 64.0, "dynamic_growth_steps": 3},
             [1, inf, 2, 3, 4, nan, 5]),
            ("Adam", {"learning_rate": 0.1, "global_clipnorm": 0.5},
             {"initial_scale": 4.0}, [4, inf, 8, 2])):
        case = Case(f"{name} {inner} {scaling}", {
            "class_name": name, "config": inner, "loss_scale": scaling})
        v = keras.Variable([1.0, -2.0], name="v")
        optimizer = keras.optimizers.LossScaleOptimizer(
            getattr(keras.optimizers, name)(**inner), **scaling)
        optimizer.build([v])
        gradients = [np.float32([f, 1.0]) for f in factors]
        values, scales, steps, iterations = [], [], [], []
        for gradient in gradients:
            optimizer.apply([keras.ops.convert_to_tensor(gradient)], [v])
            values.append(v.numpy())
            scales.append(float(optimizer.dynamic_scale))
            steps.append(int(optimizer.step_counter))
            iterations.append(int(optimizer.inner_optimizer.iterations))
        case.add("gradients", np.stack(gradients))
        case.add("values", np.stack(values))
        case.add("scales", np.float32(scales))
        case.add("step_counters", np.int32(steps))
        case.add("iterations", np.int32(iterations))
        cases.append(case)
    return cases
