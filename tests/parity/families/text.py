"""What Keras prints: model.summary(), and fit's progress at a pipe."""
import ast
import contextlib
import io
import pathlib
import re
import subprocess
import sys

from golden_file import Case

SMALL = [{"class_name": "Input", "shape": [28, 28, 1]},
         {"class_name": "Conv2D", "filters": 32, "kernel_size": 3,
          "activation": "relu"},
         {"class_name": "MaxPooling2D"},
         {"class_name": "Conv2D", "filters": 64, "kernel_size": 3,
          "activation": "relu"},
         {"class_name": "MaxPooling2D"},
         {"class_name": "Flatten"},
         {"class_name": "Dense", "units": 10}]
GUIDE = [{"class_name": "Input", "shape": [28, 28, 1]},
         {"class_name": "Conv2D", "filters": 256, "kernel_size": 3,
          "activation": "relu"},
         {"class_name": "Conv2D", "filters": 256, "kernel_size": 3,
          "activation": "relu"},
         {"class_name": "Flatten"},
         {"class_name": "Dense", "units": 256, "activation": "relu"},
         {"class_name": "Dense", "units": 128, "activation": "relu"},
         {"class_name": "Dense", "units": 10}]
DROPOUT = [{"class_name": "Input", "shape": [4]},
           {"class_name": "Dense", "units": 3,
            "name": "a_dense_layer_of_a_rather_long_name"},
           {"class_name": "Dropout", "rate": 0.5},
           {"class_name": "Activation", "activation": "softmax"}]


def record(family, arguments):
    return ([summary("guide", GUIDE), summary("small", SMALL),
             summary("small, compiled and trained", SMALL, trained=True),
             summary("dropout and a long name", DROPOUT), unbuilt(),
             weights("small", SMALL)]
            + [progress(v) for v in (1, 2)])


def fresh(layers):
    import keras
    from families.training import build
    keras.backend.clear_session()
    return build(layers)


def summary(name, layers, trained=False):
    """The table at a terminal of 80 columns, without colour."""
    import numpy as np
    case = Case(f"summary of {name}", {"layers": layers, "trained": trained})
    model = fresh(layers)
    if trained:
        model.compile("adam", "mse")
        model.train_on_batch(np.zeros((1, *model.input_shape[1:])),
                             np.zeros((1, *model.output_shape[1:])))
    lines = []
    model.summary(print_fn=lines.append)
    case.texts["summary"] = "".join(lines)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        model.summary()
    assert printed.getvalue().strip() == case.texts["summary"].strip()
    case.expected["model_name"] = model.name
    case.expected["count_params"] = model.count_params()
    return case


def unbuilt():
    """Without an Input nothing is known until the first call."""
    case = Case("summary of an unbuilt model", {"layers": SMALL[1:]})
    model = fresh(SMALL[1:])
    lines = []
    model.summary(print_fn=lines.append)
    case.texts["summary"] = "".join(lines)
    return case


def weights(name, layers):
    """Paths and shapes of all variables, optimizer included."""
    import numpy as np
    case = Case(f"variables of {name}", {"layers": layers})
    model = fresh(layers)
    model.compile("adam", "mse", metrics=["mae"])
    model.train_on_batch(np.zeros((1, *model.input_shape[1:])),
                         np.zeros((1, *model.output_shape[1:])))
    case.expected["weights"] = {v.path: list(v.shape)
                                for v in model.weights}
    case.expected["optimizer"] = {v.path: list(v.shape)
                                  for v in model.optimizer.variables}
    case.expected["metrics"] = [m.name for m in model.metrics]
    return case


FIT = """
import sys
sys.path.insert(0, {here!r})
import numpy as np, keras
from families.training import DENSE, build
keras.utils.set_random_seed(7)
model = build(DENSE)
model.compile(keras.optimizers.SGD(0.01),
              keras.losses.SparseCategoricalCrossentropy(from_logits=True),
              metrics=["sparse_categorical_accuracy"])
r = np.random.default_rng(7)
x = r.normal(size=(32, 6)).astype("float32")
y = r.integers(0, 3, 32)
print("fit:")
history = model.fit(x, y, batch_size=8, epochs=2, verbose={verbose},
                    validation_data=(x, y))
print("evaluate:")
model.evaluate(x, y, verbose={verbose})
print("predict:")
model.predict(x, verbose={verbose})
print("fit without validation, steps unknown:")
import tensorflow as tf
g = tf.data.Dataset.from_generator(
    lambda: ((x[i:i + 8], y[i:i + 8]) for i in range(0, 32, 8)),
    output_signature=(tf.TensorSpec((None, 6)), tf.TensorSpec((None,))))
model.fit(g, epochs=2, verbose={verbose})
print("history:", list(history.history), history.epoch, history.params)
"""


def without_times(text):
    """Every duration reads TIME, a run of backspaces is one: both depend on
    how quick the machine was."""
    text = re.sub(r"\d+(s|ms|us)(?=/step)", "TIME", text)
    text = re.sub(r"(?<=\x1b\[1m)\d+s|(?<= - )\d+s", "TIME", text)
    text = re.sub("\b+", "\b", text)
    return re.sub(" +\n", "\n", text)


def progress(verbose):
    here = str(pathlib.Path(__file__).resolve().parent.parent)
    case = Case(f"progress, verbose={verbose}", {"verbose": verbose})
    result = subprocess.run(
        [sys.executable, "-c", FIT.format(here=here, verbose=verbose)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    text = result.stdout.decode()
    body, _, history = text.rpartition("history: ")
    marks = ["fit:\n", "evaluate:\n", "predict:\n",
             "fit without validation, steps unknown:\n"]
    names = ["fit", "evaluate", "predict", "fit_unknown_steps"]
    for i, mark in enumerate(marks):
        body = body.split(mark, 1)[1]
        end = body.find(marks[i + 1]) if i + 1 < len(marks) else len(body)
        case.texts[names[i]] = without_times(body[:end])
    keys, epochs, params = ast.literal_eval(
        "(" + history.strip().replace("] ", "], ") + ")")
    case.expected.update(history_keys=keys, history_epoch=epochs,
                         history_params=params)
    return case
