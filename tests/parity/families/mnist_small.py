"""The small convolution model on real MNIST: what each epoch reaches, by seed,
and the loss of each step from given weights on rows in order."""
import gzip
import time

import numpy as np

from golden_file import Case

SEEDS = range(6)
EPOCHS = 5
BATCH = 200
STEPS = 60
FILES = {"x_train": ("train-images-idx3-ubyte", 16),
         "y_train": ("train-labels-idx1-ubyte", 8),
         "x_test": ("t10k-images-idx3-ubyte", 16),
         "y_test": ("t10k-labels-idx1-ubyte", 8)}
# Name in the golden file -> name in the history.
LOGS = {"loss": "loss", "accuracy": "sparse_categorical_accuracy",
        "validation_loss": "val_loss",
        "validation_accuracy": "val_sparse_categorical_accuracy"}


def record(family, arguments):
    if arguments.mnist is None:
        raise SystemExit("record.py: mnist_small needs --mnist FOLDER with "
                         + ", ".join(name for name, _ in FILES.values()))
    data = {key: read(arguments.mnist, *file) for key, file in FILES.items()}
    x = {k: data[k].reshape(-1, 28, 28, 1).astype("float32") / 255
         for k in ("x_train", "x_test")}
    case = Case("Adam 1e-3", {
        "optimizer": {"class_name": "Adam",
                      "config": {"learning_rate": 0.001}},
        "batch_size": BATCH, "epochs": EPOCHS, "seeds": list(SEEDS)})
    by_seed = []
    for seed in SEEDS:
        start = time.time()
        by_seed.append(train(seed, x["x_train"], data["y_train"], x["x_test"],
                             data["y_test"]))
        print(f"seed {seed}: "
              f"{by_seed[-1]['val_sparse_categorical_accuracy'][-1]:.4f} in "
              f"{time.time() - start:.0f} s", flush=True)
    accuracies = [round(history["val_sparse_categorical_accuracy"][-1], 4)
                  for history in by_seed]
    case.expected["validation_accuracy"] = accuracies
    case.expected["mean"] = round(float(np.mean(accuracies)), 5)
    for name, log in LOGS.items():
        case.expected[f"{name}_by_epoch"] = [
            [round(value, 6) for value in history[log]] for history in by_seed]
    return [case, in_order(x["x_train"], data["y_train"])]


def in_order(x, y):
    """Every weight is a fraction of Glorot's limit that its place gives."""
    case = Case("in order", {
        "optimizer": {"class_name": "Adam",
                      "config": {"learning_rate": 0.001}},
        "batch_size": BATCH, "steps": STEPS})
    model = compiled(steps_per_execution=1)
    first = 1
    weights = []
    for weight in model.weights:
        shape = tuple(weight.shape)
        places = np.arange(first, first + weight.numpy().size, dtype=np.uint64)
        first += places.size
        fractions = (places * 2654435761 % 2**32) / 2**31 - 1
        field = int(np.prod(shape[:-2]))
        limit = (6 / (field * (shape[-2] + shape[-1]))) ** 0.5 \
            if len(shape) > 1 else 0
        weights.append((limit * fractions).astype("float32").reshape(shape))
    model.set_weights(weights)
    losses, accuracies = [], []
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        loss, accuracy = model.train_on_batch(x[rows], y[rows])
        model.reset_metrics()
        losses.append(round(float(loss), 6))
        accuracies.append(round(float(accuracy), 6))
    case.expected["losses"] = losses
    case.expected["accuracies"] = accuracies
    return case


def read(folder, name, header):
    for path, opener in ((folder / name, open),
                         (folder / f"{name}.gz", gzip.open)):
        if path.exists():
            with opener(path, "rb") as file:
                return np.frombuffer(file.read(), np.uint8, offset=header)
    raise SystemExit(f"record.py: neither {name} nor {name}.gz is in "
                     f"{folder}")


def compiled(steps_per_execution):
    import keras
    from families.text import SMALL
    from families.training import build
    model = build(SMALL)
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["sparse_categorical_accuracy"],
        steps_per_execution=steps_per_execution)
    return model


def train(seed, x, y, x_test, y_test):
    import keras
    keras.backend.clear_session()
    keras.utils.set_random_seed(seed)
    model = compiled(steps_per_execution=50)
    history = model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0,
                        validation_data=(x_test, y_test))
    return history.history
