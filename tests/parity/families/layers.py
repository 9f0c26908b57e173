"""Layers: forward, and gradients to the input and to each weight."""
import keras
import numpy as np
import tensorflow as tf

from golden_file import Case, short_normal


def record(family, arguments):
    return {"layers_dense": dense, "layers_conv2d": conv2d,
            "layers_max_pooling2d": max_pooling2d, "layers_flatten": flatten,
            "layers_dropout": dropout,
            "layers_activation": activation}[family]()


def run(case, layer, x, training=None):
    """Calls the layer on x with short weights; keeps values and gradients."""
    x = tf.constant(x)
    layer.build(x.shape)
    run_all(case, layer, [x], lambda: layer(x, training=training))
    case.expected["output_shape"] = list(
        layer.compute_output_shape(x.shape))
    return case


def run_all(case, layer, inputs, call):
    """The same for several inputs of a built layer, which `call` calls."""
    random = case.random("weights")
    several = len(inputs) > 1
    for i, x in enumerate(inputs):
        case.add(f"inputs/{i}" if several else "input", x)
    names = [w.path.removeprefix(layer.name + "/") for w in layer.weights]
    for name, weight in zip(names, layer.weights):
        fan = max(1, int(np.prod(weight.shape[:-1])))
        value = short_normal(random, weight.shape, scale=1 / np.sqrt(fan))
        if name == "moving_variance":
            value = np.abs(value) + 0.5
        weight.assign(value)
        case.add(f"weights/{name}", weight)
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = call()
        cotangent = short_normal(random, y.shape, y.dtype.as_numpy_dtype)
        total = tf.reduce_sum(y * cotangent)
    trained = [w.value for w in layer.weights if w.trainable]
    floats = [x for x in inputs if x.dtype.is_floating]
    gradients = tape.gradient(total, floats + trained)
    case.add("output", y)
    case.add("output_gradient", cotangent)
    for i, gradient in enumerate(gradients[:len(floats)]):
        case.add(f"input_gradients/{i}" if several else "input_gradient",
                 gradient)
    gradients = gradients[len(floats):]
    for name, weight in zip(names, layer.weights):
        if weight.trainable:
            case.add(f"weight_gradients/{name}",
                     tf.convert_to_tensor(gradients.pop(0)))
        else:
            case.add(f"after/{name}", weight)
    return case


def floats(case, shape):
    dtype = case.options.get("dtype", "float32")
    dtype = tf.as_dtype(dtype.removeprefix("mixed_")).as_numpy_dtype
    return short_normal(case.random("input"), shape, dtype)


def dense():
    cases = []

    def one(name, shape, **options):
        case = Case(name, options)
        cases.append(run(case, keras.layers.Dense(**options),
                         floats(case, shape)))

    one("plain", (3, 5), units=4)
    one("without bias", (3, 5), units=4, use_bias=False)
    one("one row, one unit", (1, 7), units=1)
    one("rank 3", (2, 3, 5), units=4, activation="tanh")
    one("rank 4", (2, 2, 3, 4), units=2)
    for name in ("relu", "sigmoid", "tanh", "softmax", "gelu", "elu",
                 "softplus", "silu"):
        one(f"activation {name}", (4, 6), units=5, activation=name)
    for dtype in ("float64", "float16", "bfloat16", "mixed_bfloat16"):
        one(f"dtype {dtype}", (3, 5), units=4, activation="relu",
            dtype=dtype)
    one("wide", (2, 40), units=17, activation="relu")
    return cases


def conv2d():
    cases = []

    def one(name, shape, **options):
        case = Case(name, options)
        cases.append(run(case, keras.layers.Conv2D(**options),
                         floats(case, shape)))

    one("3x3 valid", (2, 6, 7, 3), filters=4, kernel_size=3)
    one("3x3 same", (2, 6, 7, 3), filters=4, kernel_size=3, padding="same")
    one("1x1", (2, 4, 5, 3), filters=6, kernel_size=1)
    one("5x3 same, relu", (1, 8, 7, 2), filters=3, kernel_size=(5, 3),
        padding="same", activation="relu")
    one("2x2 same", (2, 5, 6, 2), filters=3, kernel_size=2, padding="same")
    one("4x4 same, strides 2", (1, 7, 8, 2), filters=3, kernel_size=4,
        strides=2, padding="same")
    one("strides 2 valid", (2, 8, 7, 3), filters=4, kernel_size=3,
        strides=2)
    one("strides 2 same", (2, 8, 7, 3), filters=4, kernel_size=3,
        strides=2, padding="same")
    one("strides (1, 3) same", (1, 5, 9, 2), filters=2, kernel_size=3,
        strides=(1, 3), padding="same")
    one("strides beyond the kernel", (1, 9, 9, 2), filters=2,
        kernel_size=2, strides=3)
    one("without bias", (2, 5, 5, 1), filters=3, kernel_size=3,
        use_bias=False)
    one("dilation 2 valid", (1, 8, 8, 2), filters=3, kernel_size=3,
        dilation_rate=2)
    one("dilation (2, 1) same", (1, 7, 6, 2), filters=2, kernel_size=3,
        dilation_rate=(2, 1), padding="same")
    one("groups 2", (2, 6, 6, 4), filters=6, kernel_size=3, groups=2)
    one("groups 4 same, strides 2", (1, 7, 7, 4), filters=4,
        kernel_size=3, groups=4, strides=2, padding="same")
    one("relu, wide channels", (1, 5, 5, 16), filters=8, kernel_size=3,
        activation="relu")
    for dtype in ("float64", "float16", "bfloat16", "mixed_bfloat16"):
        one(f"dtype {dtype}", (1, 5, 6, 2), filters=3, kernel_size=3,
            padding="same", dtype=dtype)
    return cases


def max_pooling2d():
    cases = []

    def one(name, shape, tied=False, **options):
        case = Case(name, options)
        if tied:  # as after relu: many equal values, the first one wins
            x = case.random().integers(0, 3, shape).astype("float32")
        else:  # no two values equal
            count = int(np.prod(shape))
            x = (case.random().permutation(count) - count // 2) / 8
            dtype = tf.as_dtype(options.get("dtype", "float32"))
            x = x.reshape(shape).astype(dtype.as_numpy_dtype)
        cases.append(run(case, keras.layers.MaxPooling2D(**options), x))

    one("default", (2, 6, 8, 3))
    one("odd size, valid", (2, 7, 5, 2), pool_size=2)
    one("odd size, same", (2, 7, 5, 2), pool_size=2, padding="same")
    one("3x3, strides 2", (1, 9, 8, 2), pool_size=3, strides=2)
    one("3x3 same, strides 2", (1, 9, 8, 2), pool_size=(3, 3),
        strides=(2, 2), padding="same")
    one("3x3 same, strides 1", (1, 5, 6, 2), pool_size=3, strides=1,
        padding="same")
    one("2x3, strides (2, 1)", (1, 6, 7, 2), pool_size=(2, 3),
        strides=(2, 1))
    one("equal values", (2, 6, 6, 2), tied=True)
    one("equal values, overlapping", (1, 7, 7, 2), tied=True, pool_size=3,
        strides=2)
    one("dtype float64", (1, 4, 6, 2), dtype="float64")
    one("dtype bfloat16", (1, 4, 6, 2), dtype="bfloat16")
    one("dtype float16", (1, 4, 6, 2), dtype="float16")
    return cases


def flatten():
    cases = []

    def one(name, shape, **options):
        case = Case(name, options)
        cases.append(run(case, keras.layers.Flatten(**options),
                         floats(case, shape)))

    one("rank 4", (2, 3, 4, 2))
    one("rank 3", (3, 2, 5))
    one("rank 2", (3, 4))
    one("rank 1", (4,))
    one("channels_first", (2, 3, 2, 4), data_format="channels_first")
    one("dtype bfloat16", (2, 3, 4), dtype="bfloat16")
    return cases


def dropout():
    """Inference exactly; in training the share kept and the scale."""
    cases = []
    for rate in (0.0, 0.1, 0.5, 0.8):
        options = {"rate": rate}
        case = Case(f"inference, rate {rate}", {**options,
                                                "training": False})
        cases.append(run(case, keras.layers.Dropout(**options),
                         floats(case, (3, 5)), training=False))
        case = Case(f"training, rate {rate}", {**options, "training": True})
        case.expected["scale"] = 1 / (1 - rate)
        case.expected["dropped"] = rate
        ones = np.ones((200, 500), "float32")
        y = keras.layers.Dropout(**options, seed=1)(ones, training=True)
        y = y.numpy()
        case.expected["recorded_dropped"] = float((y == 0).mean())
        case.expected["recorded_scale"] = float(y.max())
        assert abs((y == 0).mean() - rate) < 0.01
        assert abs(y.max() - 1 / (1 - rate)) < 1e-5
        cases.append(case)
    rows = np.ones((300, 4, 5), "float32")
    case = Case("noise_shape, one draw for each row and last axis",
                {"rate": 0.5, "noise_shape": [None, 1, 5],
                 "training": True})
    layer = keras.layers.Dropout(0.5, noise_shape=(None, 1, 5), seed=1)
    y = layer(rows, training=True).numpy()
    assert (y == y[:, :1]).all()
    case.expected["recorded_dropped"] = float((y == 0).mean())
    cases.append(case)
    return cases


def activation():
    cases = []
    for name in ("relu", "softmax", "tanh", "linear"):
        options = {"activation": name}
        case = Case(name, options)
        cases.append(run(case, keras.layers.Activation(**options),
                         floats(case, (3, 5))))
    case = Case("softmax, rank 3, bfloat16",
                {"activation": "softmax", "dtype": "bfloat16"})
    cases.append(run(case, keras.layers.Activation(**case.options),
                     floats(case, (2, 3, 4))))
    return cases
