"""The small convolution model on real MNIST: validation accuracy by seed."""
import gzip
import time

import numpy as np

from golden_file import Case

SEEDS = range(6)
EPOCHS = 5
BATCH = 200
FILES = {"x_train": ("train-images-idx3-ubyte", 16),
         "y_train": ("train-labels-idx1-ubyte", 8),
         "x_test": ("t10k-images-idx3-ubyte", 16),
         "y_test": ("t10k-labels-idx1-ubyte", 8)}


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
    accuracies = []
    losses = []
    for seed in SEEDS:
        start = time.time()
        history = train(seed, x["x_train"], data["y_train"], x["x_test"],
                        data["y_test"])
        accuracies.append(round(
            history["val_sparse_categorical_accuracy"][-1], 4))
        losses.append([round(v, 6) for v in history["loss"]])
        print(f"seed {seed}: {accuracies[-1]} in "
              f"{time.time() - start:.0f} s", flush=True)
    case.expected["validation_accuracy"] = accuracies
    case.expected["mean"] = round(float(np.mean(accuracies)), 5)
    case.expected["loss_by_epoch"] = losses
    return [case]


def read(folder, name, header):
    for path, opener in ((folder / name, open),
                         (folder / f"{name}.gz", gzip.open)):
        if path.exists():
            with opener(path, "rb") as file:
                return np.frombuffer(file.read(), np.uint8, offset=header)
    raise SystemExit(f"record.py: neither {name} nor {name}.gz is in "
                     f"{folder}")


def train(seed, x, y, x_test, y_test):
    import keras
    from families.text import SMALL
    from families.training import build
    keras.backend.clear_session()
    keras.utils.set_random_seed(seed)
    model = build(SMALL)
    model.compile(
        optimizer=keras.optimizers.Adam(1e-3),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["sparse_categorical_accuracy"], steps_per_execution=50)
    history = model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, verbose=0,
                        validation_data=(x_test, y_test))
    return history.history
