#!/usr/bin/env python3
"""Records outputs of real Keras for the C++ tests: goldens/<family>.json.

  record.py [FAMILY ...]                 all quick families by default
  record.py mnist_small --mnist FOLDER   trains six seeds on real MNIST
  record.py flowers --flowers FOLDER     three on what scripts/make-flowers makes

README.md says what a golden file holds; requirements.txt which Keras.
"""
import argparse
import importlib
import os
import pathlib
import sys

# One thread and no oneDNN: the same bits on every run of one machine.
os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ["COLUMNS"] = "80"
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

HERE = pathlib.Path(__file__).resolve().parent
# Module in families/ -> the golden files it records.
MODULES = {
    "layers": ["layers_dense", "layers_conv2d", "layers_max_pooling2d",
               "layers_flatten", "layers_dropout", "layers_activation"],
    "more_layers": ["layers_average_pooling2d", "layers_batch_normalization",
                    "layers_borders", "layers_conv1d",
                    "layers_depthwise_conv2d", "layers_embedding",
                    "layers_global_pooling", "layers_merge",
                    "layers_pooling", "layers_reshape", "layers_row_normalization",
                    "layers_separable_conv"],
    "attention": ["layers_attention", "layers_group_query_attention",
                  "layers_masking", "layers_multi_head_attention",
                  "masked_fit"],
    "constraints": ["constraints"],
    "activations": ["activations"],
    "initializers": ["initializers"],
    "losses": ["losses"],
    "metrics": ["metrics"],
    "optimizers": ["optimizers"],
    "schedules": ["schedules"],
    "training": ["training"],
    "functional": ["functional"],
    "fit": ["fit", "loss_scale"],
    "text": ["text"],
    "dtypes": ["dtypes"],
    "complex_numbers": ["complex"],
    "datasets": ["datasets"],
    "ops": ["ops_array", "ops_windows", "ops_image", "ops_nn"],
    "pictures": ["image_decode", "image_gradients", "image_ops",
                 "image_random"],
    "mnist_small": ["mnist_small"],
    "flowers": ["flowers"],
}
SLOW = {"mnist_small", "flowers"}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", metavar="FAMILY",
                        help="golden names or modules: " + ", ".join(
                            sorted({*MODULES, *sum(MODULES.values(), [])})))
    parser.add_argument("--goldens", type=pathlib.Path,
                        default=HERE / "goldens", help="folder to write")
    parser.add_argument("--mnist", type=pathlib.Path,
                        help="folder with MNIST's four idx files, raw or .gz")
    parser.add_argument("--flowers", type=pathlib.Path,
                        help="folder that scripts/make-flowers has written")
    arguments = parser.parse_args()

    wanted = arguments.families or [m for m in MODULES if m not in SLOW]
    known = {*MODULES, *sum(MODULES.values(), [])}
    if unknown := sorted(set(wanted) - known):
        parser.error(f"unknown family {', '.join(unknown)}")

    sys.path.insert(0, str(HERE))
    import golden_file
    golden_file.check_versions(HERE / "requirements.txt")
    import tensorflow
    tensorflow.get_logger().setLevel("ERROR")  # retracing is expected here
    arguments.goldens.mkdir(parents=True, exist_ok=True)
    for module, families in MODULES.items():
        chosen = [f for f in families if module in wanted or f in wanted]
        if not chosen:
            continue
        recorder = importlib.import_module(f"families.{module}")
        for family in chosen:
            cases = recorder.record(family, arguments)
            path = arguments.goldens / f"{family}.json"
            golden_file.write(path, family, cases)
            print(f"{family}: {len(cases)} cases, "
                  f"{path.stat().st_size / 1024:.0f} KiB", flush=True)


if __name__ == "__main__":
    main()
