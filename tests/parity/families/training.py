"""Small models from given weights: a few steps of train_on_batch."""
import keras
import numpy as np

from golden_file import Case, short_normal

STEPS = 3
DENSE = [{"class_name": "Input", "shape": [6]},
         {"class_name": "Dense", "units": 5, "activation": "relu"},
         {"class_name": "Dense", "units": 3}]
CONVOLUTION = [{"class_name": "Input", "shape": [8, 8, 2]},
               {"class_name": "Conv2D", "filters": 4, "kernel_size": 3,
                "activation": "relu"},
               {"class_name": "MaxPooling2D"},
               {"class_name": "Flatten"},
               {"class_name": "Dense", "units": 3}]
SPARSE = {"class_name": "SparseCategoricalCrossentropy",
          "config": {"from_logits": True}}
ADAM = {"class_name": "Adam", "config": {"learning_rate": 0.01}}
SGD = {"class_name": "SGD", "config": {"learning_rate": 0.1}}
MOMENTUM = {"class_name": "SGD", "config": {
    "learning_rate": 0.05, "momentum": 0.9, "nesterov": True}}
ACCURACY = ["sparse_categorical_accuracy"]


def record(family, arguments):
    cases = []
    for layers, title in ((DENSE, "dense"), (CONVOLUTION, "convolution")):
        for optimizer, name in ((ADAM, "Adam"), (SGD, "SGD"),
                                (MOMENTUM, "SGD nesterov")):
            cases.append(one(f"{title}, {name}", layers, optimizer, SPARSE,
                             ACCURACY))
    cases.append(one("dense, Adam, sample weights", DENSE, ADAM, SPARSE,
                     ACCURACY, weighted=True))
    cases.append(one("dense, mean squared error", DENSE, ADAM,
                     {"class_name": "MeanSquaredError", "config": {}},
                     ["mae"]))
    cases.append(one("dense, AdamW, clipped", DENSE,
                     {"class_name": "AdamW", "config": {
                         "learning_rate": 0.01, "weight_decay": 0.05,
                         "global_clipnorm": 0.5}}, SPARSE, ACCURACY))
    cases.append(one("dense, RMSprop", DENSE,
                     {"class_name": "RMSprop", "config": {
                         "learning_rate": 0.01}}, SPARSE, ACCURACY))
    return cases


def build(layers):
    made = []
    for layer in layers:
        options = {k: v for k, v in layer.items() if k != "class_name"}
        if layer["class_name"] == "Input":
            made.append(keras.Input(**options))
        else:
            made.append(getattr(keras.layers,
                                layer["class_name"])(**options))
    return keras.Sequential(made)


def one(name, layers, optimizer, loss, metrics, weighted=False):
    case = Case(name, {"layers": layers, "optimizer": optimizer,
                       "loss": loss, "metrics": metrics, "steps": STEPS,
                       "weighted": weighted})
    random = case.random()
    keras.backend.clear_session()
    model = build(layers)
    for v in model.weights:
        fan = max(1, int(np.prod(v.shape[:-1])))
        v.assign(short_normal(random, v.shape, scale=1 / np.sqrt(fan)))
        case.add(f"weights/{v.path}", v)
    model.compile(
        optimizer=getattr(keras.optimizers, optimizer["class_name"])(
            **optimizer["config"]),
        loss=getattr(keras.losses, loss["class_name"])(**loss["config"]),
        metrics=list(metrics),
        weighted_metrics=["sparse_categorical_accuracy"] if weighted
        else None)
    for step in range(STEPS):
        # The last batch is shorter, as a last batch is.
        n = 8 if step < STEPS - 1 else 5
        x = short_normal(random, (n, *layers[0]["shape"]))
        y = (random.integers(0, 3, n).astype("int32")
             if loss["class_name"].startswith("Sparse")
             else short_normal(random, (n, 3)))
        case.add(f"x/{step}", x)
        case.add(f"y/{step}", y)
        w = None
        if weighted:
            w = np.round(random.random(n) * 2, 2).astype("float32")
            case.add(f"sample_weight/{step}", w)
        logs = model.train_on_batch(x, y, w, return_dict=True)
        for key, value in logs.items():
            case.add(f"logs/{step}/{key}", np.float32(value))
    for v in model.weights:
        case.add(f"final/{v.path}", v)
    logs = model.test_on_batch(x, y, w, return_dict=True)
    for key, value in logs.items():
        case.add(f"test_logs/{key}", np.float32(value))
    case.add("prediction", model.predict_on_batch(x))
    case.expected["log_keys"] = list(logs)
    return case
