"""Layers of a ResNet and a Transformer; as layers.py has it."""
import keras
import numpy as np
import tensorflow as tf

from families.layers import floats, run, run_all
from golden_file import Case


def record(family, arguments):
    return globals()[family.removeprefix("layers_")]()


class Cases(list):
    """Cases of layers that are given by class and options."""

    def one(self, class_name, shape, x=None, training=None, **options):
        shown = ", ".join(f"{k}={v}" for k, v in options.items())
        name = f"{class_name}({shown}) {tuple(shape)}"
        kept = {"class_name": class_name, **options}
        if training is not None:
            name += ", training" if training else ", inference"
            kept["training"] = training
        case = Case(name, kept)
        layer = getattr(keras.layers, class_name)(**options)
        x = floats(case, shape) if x is None else x
        self.append(run(case, layer, x, training))


def average_pooling2d():
    cases = Cases()

    def one(shape, **options):
        options = {"pool_size": 2, **options}
        cases.one("AveragePooling2D", shape, **options)

    one((2, 6, 8, 3))
    one((2, 7, 5, 2), pool_size=2)
    one((2, 7, 5, 2), pool_size=2, padding="same")
    one((1, 9, 8, 2), pool_size=3, strides=2)
    one((1, 9, 8, 2), pool_size=3, strides=2, padding="same")
    one((1, 5, 6, 2), pool_size=3, strides=1, padding="same")
    one((1, 6, 7, 2), pool_size=(2, 3), strides=(2, 1))
    for dtype in ("float64", "bfloat16", "float16"):
        one((1, 4, 6, 2), dtype=dtype)
    return cases


def global_pooling():
    cases = Cases()
    for kind in ("Average", "Max"):
        cases.one(f"Global{kind}Pooling1D", (2, 5, 3))
        cases.one(f"Global{kind}Pooling1D", (2, 3, 5), keepdims=True,
                  data_format="channels_first")
        cases.one(f"Global{kind}Pooling2D", (2, 4, 3, 5))
        cases.one(f"Global{kind}Pooling2D", (2, 4, 3, 5), keepdims=True)
        cases.one(f"Global{kind}Pooling2D", (2, 4, 3, 5), dtype="bfloat16")
        cases.one(f"Global{kind}Pooling3D", (2, 2, 3, 2, 4))
    return cases


def pooling():
    cases = Cases()
    for kind in ("Max", "Average"):
        one = f"{kind}Pooling1D"
        cases.one(one, (2, 6, 3), pool_size=2)
        cases.one(one, (2, 7, 3), pool_size=3, strides=2, padding="same")
        cases.one(one, (1, 7, 2), pool_size=3, strides=1)
        three = f"{kind}Pooling3D"
        cases.one(three, (1, 4, 4, 4, 2), pool_size=2)
        cases.one(three, (1, 3, 4, 5, 2), pool_size=[2, 3, 2],
                  strides=[1, 2, 2], padding="same")
    return cases


def separable_conv():
    cases = Cases()
    cases.one("SeparableConv1D", (2, 6, 3), filters=4, kernel_size=3)
    cases.one("SeparableConv1D", (2, 7, 2), filters=3, kernel_size=2,
              padding="same", strides=2, depth_multiplier=2,
              activation="relu")
    cases.one("SeparableConv1D", (1, 8, 2), filters=3, kernel_size=3,
              dilation_rate=2, use_bias=False)
    cases.one("SeparableConv2D", (2, 5, 6, 3), filters=4, kernel_size=3)
    cases.one("SeparableConv2D", (1, 6, 7, 2), filters=3, kernel_size=[3, 2],
              padding="same", strides=2, depth_multiplier=2,
              activation="tanh")
    return cases


def reshape():
    cases = Cases()
    cases.one("Reshape", (2, 6, 4), target_shape=[8, 3])
    cases.one("Reshape", (2, 6, 4), target_shape=[-1, 2, 3])
    cases.one("Reshape", (3, 4), target_shape=[4])
    cases.one("Permute", (2, 3, 4), dims=[2, 1])
    cases.one("Permute", (2, 3, 4, 2), dims=[3, 1, 2])
    cases.one("RepeatVector", (2, 3), n=4)
    return cases


def borders():
    cases = Cases()
    cases.one("ZeroPadding1D", (2, 4, 3), padding=2)
    cases.one("ZeroPadding1D", (2, 4, 3), padding=[1, 2])
    cases.one("ZeroPadding2D", (2, 3, 4, 2), padding=[[1, 2], [0, 3]])
    cases.one("ZeroPadding2D", (2, 2, 3, 4), padding=[[1, 1], [2, 2]],
              data_format="channels_first")
    cases.one("Cropping1D", (2, 6, 3), cropping=[1, 2])
    cases.one("Cropping2D", (2, 5, 6, 2), cropping=[[1, 0], [2, 1]])
    cases.one("UpSampling1D", (2, 3, 2), size=3)
    cases.one("UpSampling2D", (2, 3, 4, 2), size=[2, 3])
    cases.one("UpSampling2D", (1, 3, 4, 2), size=[2, 3],
              interpolation="bilinear")
    cases.one("UpSampling2D", (1, 3, 3, 1), size=2, interpolation="bicubic")
    cases.one("ZeroPadding3D", (1, 2, 3, 2, 2),
              padding=[[1, 0], [0, 2], [1, 1]])
    cases.one("Cropping3D", (1, 3, 4, 5, 2),
              cropping=[[1, 0], [1, 1], [0, 2]])
    cases.one("UpSampling3D", (1, 2, 3, 2, 2), size=[2, 1, 3])
    return cases


def batch_normalization():
    cases = Cases()
    for training in (False, True):
        def one(shape, **options):
            cases.one("BatchNormalization", shape, training=training,
                      **options)

        one((6, 4))
        one((3, 4, 5, 2))
        one((4, 3, 5), axis=1, momentum=0.9)
        one((5, 3), epsilon=0.1, momentum=0.5)
        one((5, 3), center=False)
        one((5, 3), scale=False)
        one((4, 3), dtype="float64")
        one((4, 3), dtype="mixed_bfloat16")
    return cases


def row_normalization():
    cases = Cases()
    cases.one("LayerNormalization", (3, 5))
    cases.one("LayerNormalization", (2, 4, 6), epsilon=1e-6)
    cases.one("LayerNormalization", (2, 4, 6), axis=[1, 2])
    cases.one("LayerNormalization", (2, 4, 6), axis=[1], scale=False)
    cases.one("LayerNormalization", (2, 4, 6), center=False)
    cases.one("LayerNormalization", (3, 4), dtype="float64")
    cases.one("LayerNormalization", (3, 4), dtype="mixed_bfloat16")
    cases.one("RMSNormalization", (2, 4, 6))
    cases.one("RMSNormalization", (3, 5), epsilon=0.01)
    cases.one("GroupNormalization", (2, 3, 4, 6), groups=3)
    cases.one("GroupNormalization", (2, 6), groups=2)
    cases.one("GroupNormalization", (2, 4, 3), groups=2, axis=1)
    cases.one("GroupNormalization", (2, 3, 4), groups=-1)
    return cases


def embedding():
    cases = Cases()
    for shape, dtype in (((3,), "int32"), ((2, 4), "int64"),
                         ((2, 3), "float32")):
        x = np.random.default_rng(len(shape)).integers(0, 7, shape)
        case = Case(f"{shape} {dtype}", {"input_dim": 7, "output_dim": 4})
        layer = keras.layers.Embedding(7, 4)
        x = tf.constant(x.astype(dtype))
        layer.build(x.shape)
        with_shape = run_all(case, layer, [x], lambda: layer(x))
        if dtype == "float32":
            del case.arrays["input_gradient"]
        with_shape.expected["output_shape"] = [*shape, 4]
        cases.append(with_shape)
    return cases


def conv1d():
    cases = Cases()

    def one(shape, **options):
        cases.one("Conv1D", shape, **options)

    one((2, 7, 3), filters=4, kernel_size=3)
    one((2, 7, 3), filters=4, kernel_size=3, padding="same", strides=2)
    one((2, 7, 3), filters=2, kernel_size=2, padding="causal")
    one((1, 9, 2), filters=3, kernel_size=3, padding="causal",
        dilation_rate=2, activation="relu")
    one((2, 6, 4), filters=6, kernel_size=2, groups=2, use_bias=False)
    one((2, 6, 3), filters=4, kernel_size=3, dtype="bfloat16")
    return cases


def depthwise_conv2d():
    cases = Cases()

    def one(shape, **options):
        cases.one("DepthwiseConv2D", shape, **options)

    one((2, 5, 6, 3), kernel_size=3)
    one((2, 5, 6, 3), kernel_size=3, padding="same", activation="relu")
    one((1, 7, 7, 2), kernel_size=3, strides=2, padding="same",
        depth_multiplier=2)
    one((1, 6, 6, 2), kernel_size=[3, 2], use_bias=False)
    return cases


def merge():
    cases = []

    def one(class_name, *shapes, dtype="float32", **options):
        case = Case(f"{class_name}({options}) {shapes} {dtype}",
                    {"class_name": class_name, **options, "dtype": dtype})
        layer = getattr(keras.layers, class_name)(dtype=dtype, **options)
        random = case.random("input")
        inputs = [tf.constant(np.round(random.normal(size=s), 3), dtype)
                  for s in shapes]
        layer.build([tuple(x.shape) for x in inputs])
        run_all(case, layer, inputs, lambda: layer(inputs))
        case.expected["output_shape"] = list(
            layer.compute_output_shape([tuple(x.shape) for x in inputs]))
        cases.append(case)

    for name in ("Add", "Multiply", "Average", "Maximum", "Minimum"):
        one(name, (3, 4), (3, 4))
        one(name, (2, 3, 4), (2, 3, 4), (2, 3, 4))
        one(name, (2, 3, 4), (2, 4))
        one(name, (2, 3, 1), (2, 1, 4))
    one("Add", (2, 3), (2, 3), dtype="bfloat16")
    one("Subtract", (3, 4), (3, 4))
    one("Subtract", (3, 4), (3, 1))
    one("Concatenate", (2, 3), (2, 4))
    one("Concatenate", (2, 3, 2), (2, 1, 2), (2, 2, 2), axis=1)
    one("Dot", (3, 4), (3, 4), axes=1)
    one("Dot", (2, 3, 4), (2, 3, 5), axes=1)
    one("Dot", (2, 3, 4), (2, 5, 4), axes=[2, 2])
    one("Dot", (3, 4), (3, 4), axes=-1, normalize=True)
    return cases
