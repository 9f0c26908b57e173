"""Ops on whole arrays: what Keras's ops, TensorFlow and NumPy give."""
import numpy as np
import tensorflow as tf
from keras import ops

from golden_file import Case, short_normal

X = np.array([[3, -1, 2, 0.5], [1, 5, -4, 2.5], [0, 7, 1.5, -2]], "float32")
CUBE = np.arange(24, dtype="float32").reshape(2, 3, 4)
INTS = np.array([3, 1, 4, 1, 5, 1, 2, 6, 3], "int32")
LINE = np.array([1, 2, 2, 4, 7], "float32")
AT = np.array([[0, 1], [2, 3], [0, 0]], "int32")
ROWS = np.array([2, 0, 2], "int32")


def unique(x, size, fill):
    values = np.unique(x)[:size]
    return np.pad(values, (0, size - len(values)), constant_values=fill)


# The C++ test has one call of each name.
ARRAY = {
    "gather": {
        "gather_nd": ([X, AT], lambda x, i: tf.gather_nd(x, i)),
        "gather_nd rows": ([X, ROWS[:, None]],
                           lambda x, i: tf.gather_nd(x, i)),
        "gather_nd of rows of rows": (
            [CUBE, AT[None, :2]], lambda x, i: tf.gather_nd(x, [[[0, 1],
                                                                [1, 2]]])),
        "update": ([X, AT, np.float32([10, 20, 30])],
                   tf.tensor_scatter_nd_update),
        "add": ([X, ROWS[:, None], np.ones((3, 4), "float32")],
                tf.tensor_scatter_nd_add),
        "sub": ([X, AT, np.float32([10, 20, 30])], tf.tensor_scatter_nd_sub),
        "max": ([X, AT, np.float32([2, -20, 30])], tf.tensor_scatter_nd_max),
        "min": ([X, AT, np.float32([2, -20, 30])], tf.tensor_scatter_nd_min),
        "scatter_nd": ([ROWS[:, None], np.float32([1, 2, 3])],
                       lambda i, u: ops.scatter(i, u, (4,))),
        "take_along_axis": ([X, np.array([[1, -1], [0, 2], [3, 3]])],
                            lambda x, i: np.take_along_axis(x, i, 1)),
        "take_along_axis 0": ([X, np.array([[1, 0, 2, -1]])],
                              lambda x, i: np.take_along_axis(x, i, 0)),
        "take_along_axis broadcast": (
            [CUBE, np.array([[[2, 0]]])],
            lambda x, i: ops.take_along_axis(x, i, 2)),
        "take_along_axis flat": ([X, np.array([7, 0, -1])],
                                 lambda x, i: ops.take_along_axis(x, i, None)),
    },
    "sort": {
        "sort": ([X], lambda x: ops.sort(x)),
        "sort 0": ([X], lambda x: ops.sort(x, axis=0)),
        "sort flat": ([X], lambda x: ops.sort(x, axis=None)),
        "sort descending": ([X], lambda x: tf.sort(x, direction="DESCENDING")),
        "argsort": ([INTS], lambda x: tf.argsort(x, stable=True)),
        "argsort descending": (
            [INTS], lambda x: tf.argsort(x, direction="DESCENDING",
                                         stable=True)),
        "top_k": ([INTS], lambda x: tuple(ops.top_k(x, 4))),
        "top_k rows": ([X], lambda x: tuple(ops.top_k(x, 2))),
        "in_top_k": ([np.array([1, 2, 3]), X],
                     lambda t, p: ops.in_top_k(t, p, 2)),
        "searchsorted": ([LINE, np.float32([[0, 2], [3, 9]])],
                         lambda s, v: np.searchsorted(s, v).astype("int32")),
        "searchsorted right": (
            [LINE, np.float32([[0, 2], [3, 9]])],
            lambda s, v: np.searchsorted(s, v, "right").astype("int32")),
        "searchsorted rows": (
            [np.float32([[1, 3, 5], [2, 4, 6]]), np.float32([[3], [3]])],
            lambda s, v: tf.searchsorted(s, v)),
        "digitize": ([X, LINE], lambda x, b: np.digitize(x, b)
                     .astype("int32")),
        "unique": ([INTS], lambda x: unique(x, 4, 0)),
        "unique filled": ([INTS], lambda x: unique(x, 9, -1)),
        "unique_with_counts": ([INTS], lambda x: tuple(
            v.astype("int32") for v in np.unique(
                x, return_inverse=True, return_counts=True))),
        "argwhere": ([X], lambda x: np.argwhere(x).astype("int32")),
        "bincount": ([INTS], lambda x: np.bincount(x).astype("int32")),
        "bincount weights": (
            [INTS, np.float32([1, 2, 3, 4, 5, 6, 7, 8, 9]) / 2],
            lambda x, w: np.bincount(x, w).astype("float32")[:5]),
        "histogram": ([X], lambda x: tuple(
            v.astype(d) for v, d in zip(np.histogram(x, 4),
                                        ("int32", "float32")))),
        "histogram range": ([X], lambda x: tuple(
            v.astype(d) for v, d in zip(np.histogram(x, 3, (0, 3)),
                                        ("int32", "float32")))),
    },
    "creation": {
        "arange": ([], lambda: ops.arange(2, 11, 3, dtype="int32")),
        "arange down": ([], lambda: np.arange(5, 0, -2, "int32")),
        "arange real": ([], lambda: np.arange(0.5, 2, 0.25, "float32")),
        "linspace": ([], lambda: ops.linspace(0, 1, 7)),
        "linspace open": ([], lambda: ops.linspace(2, 3, 5, endpoint=False)),
        "linspace of vectors": (
            [np.float32([0, 1]), np.float32([1, 3])],
            lambda a, b: ops.linspace(a, b, 3, axis=1)),
        "logspace": ([], lambda: ops.logspace(0, 2, 3)),
        "full_like": ([X], lambda x: ops.full_like(x, 2)),
        "eye": ([], lambda: ops.eye(3, 4, k=1)),
        "eye below": ([], lambda: ops.eye(3, k=-2, dtype="int32")),
        "identity": ([], lambda: ops.identity(2)),
        "tri": ([], lambda: ops.tri(3, 4, k=1)),
        "diag": ([LINE], lambda x: ops.diag(x)),
        "diag 1": ([LINE], lambda x: ops.diag(x, k=1)),
        "diag -2": ([LINE], lambda x: ops.diag(x, k=-2)),
        "diag of a matrix": ([X], lambda x: ops.diag(x, k=1)),
        "diagflat": ([X[:2, :2]], lambda x: np.diagflat(x, 1)),
        "diagonal": ([CUBE], lambda x: ops.diagonal(x)),
        "diagonal 1": ([CUBE], lambda x: ops.diagonal(
            x, offset=1, axis1=2, axis2=1)),
        "trace": ([CUBE], lambda x: ops.trace(x, offset=-1, axis1=1,
                                              axis2=2)),
        "tril": ([CUBE], lambda x: ops.tril(x)),
        "triu": ([CUBE], lambda x: ops.triu(x, k=1)),
        "meshgrid": ([LINE[:2], LINE[2:]], lambda x, y: tuple(
            ops.meshgrid(x, y))),
        "meshgrid ij": ([LINE[:2], LINE[2:]], lambda x, y: tuple(
            ops.meshgrid(x, y, indexing="ij"))),
    },
    "rearrange": {
        "ravel": ([X], lambda x: ops.ravel(x)),
        "moveaxis": ([CUBE], lambda x: ops.moveaxis(x, 0, -1)),
        "moveaxis several": ([CUBE], lambda x: ops.moveaxis(
            x, (0, 2), (1, 0))),
        "swapaxes": ([CUBE], lambda x: ops.swapaxes(x, -1, 0)),
        "rot90": ([X], lambda x: np.rot90(x)),
        "rot90 2": ([X], lambda x: np.rot90(x, 2)),
        "rot90 -1": ([CUBE], lambda x: np.rot90(x, -1, (1, 2))),
        "roll": ([X], lambda x: ops.roll(x, 5)),
        "roll 1": ([X], lambda x: ops.roll(x, -1, axis=1)),
        "roll several": ([X], lambda x: np.roll(x, (1, -2), (0, 1))),
        "tile": ([X], lambda x: ops.tile(x, (2, 1))),
        "tile more axes": ([LINE], lambda x: ops.tile(x, (2, 1, 2))),
        "tile fewer axes": ([X], lambda x: ops.tile(x, (2,))),
        "repeat": ([X], lambda x: ops.repeat(x, 2)),
        "repeat 1": ([X], lambda x: ops.repeat(x, 3, axis=1)),
        "repeat each": ([X], lambda x: ops.repeat(
            x, np.array([2, 0, 1]), axis=0)),
        "split": ([X], lambda x: tuple(ops.split(x, 2, axis=1))),
        "split at": ([LINE], lambda x: tuple(ops.split(x, [1, 3]))),
        "unstack": ([X], lambda x: tuple(ops.unstack(x, axis=1))),
        "hstack": ([LINE, LINE], lambda x, y: ops.hstack([x, y])),
        "vstack": ([LINE, LINE], lambda x, y: np.vstack([x, y])),
        "pad reflect": ([X], lambda x: ops.pad(
            x, ((1, 2), (3, 0)), mode="reflect")),
        "pad symmetric": ([X], lambda x: ops.pad(
            x, ((3, 1), (0, 2)), mode="symmetric")),
        "pad edge": ([X], lambda x: np.pad(x, ((2, 0), (1, 4)), "edge")),
        "space_to_depth": ([CUBE.reshape(1, 4, 6, 1)],
                           lambda x: tf.nn.space_to_depth(x, 2)),
        "depth_to_space": ([CUBE.reshape(1, 2, 3, 4)],
                           lambda x: tf.nn.depth_to_space(x, 2)),
    },
}


def normal(*shape):
    """Short values, the same for a shape on every run."""
    return short_normal(np.random.default_rng(sum(shape)), shape)


def windowed(function, shapes, **kwargs):
    return ([normal(*shape) for shape in shapes],
            lambda *inputs: function(*map(tf.constant, inputs), **kwargs))


WINDOWS = {
    "conv": {
        "conv 1d": windowed(ops.conv, [(2, 7, 2), (3, 2, 3)]),
        "conv 1d same, strides": windowed(
            ops.conv, [(1, 8, 2), (3, 2, 3)], strides=2, padding="same"),
        "conv 1d dilated": windowed(
            ops.conv, [(1, 8, 2), (3, 2, 3)], dilation_rate=2),
        "conv 3d": windowed(ops.conv, [(1, 3, 4, 4, 2), (2, 3, 2, 2, 3)],
                            strides=(1, 2, 1), padding="same"),
        "depthwise": windowed(
            ops.depthwise_conv, [(1, 5, 5, 2), (3, 2, 2, 3)], strides=2,
            padding="same"),
        "depthwise 1d": windowed(
            ops.depthwise_conv, [(1, 6, 3), (2, 3, 1)]),
        "separable": windowed(
            ops.separable_conv,
            [(1, 4, 5, 2), (3, 3, 2, 2), (1, 1, 4, 3)], padding="same"),
        "separable 1d": windowed(
            ops.separable_conv, [(1, 6, 2), (3, 2, 2), (1, 4, 3)]),
        "transpose": windowed(
            ops.conv_transpose, [(1, 3, 4, 2), (3, 2, 3, 2)], strides=2),
        "transpose same": windowed(
            ops.conv_transpose, [(1, 3, 4, 2), (3, 3, 3, 2)],
            strides=(2, 3), padding="same"),
        "transpose output_padding": windowed(
            ops.conv_transpose, [(1, 3, 4, 2), (3, 3, 3, 2)], strides=2,
            padding="same", output_padding=1),
        "transpose small window": windowed(
            ops.conv_transpose, [(1, 3, 4, 2), (2, 2, 3, 2)], strides=3),
        "transpose 1d": windowed(
            ops.conv_transpose, [(2, 4, 2), (3, 3, 2)], strides=2),
        "transpose 3d": windowed(
            ops.conv_transpose, [(1, 2, 2, 3, 2), (2, 3, 2, 2, 2)],
            strides=2, padding="same"),
    },
    "pool": {
        "max 1d": windowed(ops.max_pool, [(2, 7, 2)], pool_size=3, strides=2,
                           padding="same"),
        "max 3d": windowed(ops.max_pool, [(1, 4, 5, 4, 2)], pool_size=2),
        "average 1d": windowed(ops.average_pool, [(2, 7, 2)], pool_size=3,
                               strides=2, padding="same"),
        "average 3d": windowed(ops.average_pool, [(1, 4, 5, 4, 2)],
                               pool_size=(2, 3, 2), strides=(1, 2, 2)),
        "adaptive average": windowed(ops.adaptive_average_pool,
                                     [(1, 5, 7, 2)], output_size=(3, 4)),
        "adaptive max": windowed(ops.adaptive_max_pool, [(1, 5, 7, 2)],
                                 output_size=(3, 4)),
    },
}


PICTURE = np.round(np.random.default_rng(3).uniform(size=(1, 5, 6, 3)), 3
                   ).astype("float32")
PICTURE[0, 0, 0] = 0.25  # without a colour
PICTURE[0, 0, 1] = 0  # black
BYTES = (PICTURE * 255).astype("uint8")


def resized(size, interpolation, antialias=False, x=PICTURE):
    return ([x], lambda x: tf.image.resize(
        x, size, method=interpolation, antialias=antialias))


def tf_image(name, *arguments, x=PICTURE):
    return ([x], lambda x: getattr(tf.image, name)(tf.constant(x),
                                                   *arguments))


IMAGE = {
    "resize": {
        "nearest up": resized((7, 11), "nearest"),
        "nearest down": resized((3, 4), "nearest", x=BYTES),
        "bilinear up": resized((8, 9), "bilinear"),
        "bilinear down": resized((2, 4), "bilinear"),
        "bilinear antialias": resized((2, 4), "bilinear", True),
        "bilinear bytes": resized((4, 7), "bilinear", x=BYTES),
        # Without antialias TensorFlow rounds the bicubic weights.
        "bicubic up": resized((7, 9), "bicubic", True),
        "bicubic antialias": resized((3, 2), "bicubic", True),
        "lanczos3": resized((8, 5), "lanczos3"),
        "lanczos3 antialias": resized((3, 3), "lanczos3", True),
        "lanczos5": resized((8, 5), "lanczos5"),
        "gaussian": resized((3, 8), "gaussian", True),
        "mitchellcubic": resized((3, 8), "mitchellcubic"),
        "one image": resized((3, 3), "bilinear", x=PICTURE[0]),
    },
    "image": {
        "crop": tf_image("crop_to_bounding_box", 1, 2, 3, 4),
        "pad": tf_image("pad_to_bounding_box", 1, 2, 7, 9),
        "central_crop": tf_image("central_crop", 0.5),
        "crop or pad": tf_image("resize_with_crop_or_pad", 4, 9),
        "left right": tf_image("flip_left_right"),
        "up down": tf_image("flip_up_down"),
        "rot90": tf_image("rot90", 3),
        "grayscale": tf_image("rgb_to_grayscale"),
        "rgb": tf_image("grayscale_to_rgb", x=PICTURE[..., :1]),
        "hsv": tf_image("rgb_to_hsv"),
        "from hsv": tf_image("hsv_to_rgb"),
        "brightness": tf_image("adjust_brightness", 0.25),
        "contrast": tf_image("adjust_contrast", 1.5),
        "gamma": tf_image("adjust_gamma", 2.0, 0.5),
        "saturation": tf_image("adjust_saturation", 1.5),
        "hue": tf_image("adjust_hue", -0.2),
        "standardization": tf_image("per_image_standardization"),
    },
}


MASK = np.array([[[[1, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]]]], "bool")



def sparsemax(x, axis=-1):
    """The formula of the paper: Keras's TensorFlow backend does not sum to 1.
    """
    z = np.moveaxis(x, axis, -1)
    largest = -np.sort(-z, -1)
    sums = np.cumsum(largest, -1)
    count = np.arange(1, z.shape[-1] + 1)
    k = (1 + count * largest > sums).sum(-1, keepdims=True)
    tau = (np.take_along_axis(sums, k - 1, -1) - 1) / k
    y = np.maximum(z - tau, 0).astype("float32")
    assert np.allclose(y.sum(-1), 1)
    return np.moveaxis(y, -1, axis)


NN = {
    "activations": {
        "glu": windowed(ops.glu, [(3, 4)]),
        "glu 0": windowed(ops.glu, [(4, 3)], axis=0),
        "sparsemax": ([normal(3, 5)], sparsemax),
        "sparsemax 0": ([normal(4, 2)], lambda x: sparsemax(x, 0)),
        "threshold": windowed(ops.threshold, [(3, 4)], threshold=0.25,
                              default_value=-1),
        "swish": windowed(ops.silu, [(3, 4)]),
    },
    "normalization": {
        "moments": ([normal(3, 4, 2)], lambda x: tuple(
            ops.moments(tf.constant(x), axes=[0, 1]))),
        "moments keepdims": ([normal(3, 4, 2)], lambda x: tuple(
            ops.moments(tf.constant(x), axes=[-1], keepdims=True))),
        "normalize": windowed(ops.normalize, [(3, 4)]),
        "normalize 1": windowed(ops.normalize, [(3, 4)], axis=0, order=1),
        "normalize 3": windowed(ops.normalize, [(3, 4)], order=3),
        "l2_normalize": windowed(tf.nn.l2_normalize, [(3, 4)], axis=1),
        "batch": ([normal(2, 3, 4), normal(3), np.abs(normal(3)) + 0.5,
                   normal(3) + 1, normal(3) * 2],
                  lambda x, m, v, s, o: ops.batch_normalization(
                      tf.constant(x), m, v, axis=1, offset=o, scale=s)),
        "layer": ([normal(2, 3, 4), normal(4) + 1, normal(4)],
                  lambda x, g, b: ops.layer_normalization(
                      tf.constant(x), g, b, epsilon=1e-3)),
        "rms": ([normal(2, 3, 4), normal(4) + 1],
                lambda x, s: ops.rms_normalization(tf.constant(x), s)),
        "attention": windowed(ops.dot_product_attention, [
            (2, 3, 2, 4), (2, 5, 2, 4), (2, 5, 2, 4)]),
        "attention masked": (
            [normal(1, 3, 4, 2), normal(1, 4, 2, 2), normal(1, 4, 2, 2)],
            lambda q, k, v: ops.dot_product_attention(
                *map(tf.constant, (q, k, v)), mask=MASK, scale=0.5)),
        "attention causal, biased": (
            [normal(1, 4, 2, 2), normal(1, 4, 2, 2), normal(1, 4, 2, 2),
             normal(1, 1, 4, 4)],
            lambda q, k, v, b: ops.dot_product_attention(
                *map(tf.constant, (q, k, v)), bias=b, is_causal=True)),
    },
}


def record(family, arguments):
    del arguments
    return [one(header, name, inputs, function)
            for header, cases in TABLES[family].items()
            for name, (inputs, function) in cases.items()]


def one(header, name, inputs, function):
    case = Case(name, {"header": header})
    for i, value in enumerate(inputs):
        value = np.asarray(value)
        if value.dtype == np.int64:
            value = value.astype("int32")
        case.add(f"input/{i}", value)
    outputs = function(*inputs)
    if not isinstance(outputs, tuple):
        outputs = (outputs,)
    for i, value in enumerate(outputs):
        case.add(f"output/{i}", value)
    return case


TABLES = {"ops_array": ARRAY, "ops_windows": WINDOWS,
          "ops_image": IMAGE, "ops_nn": NN}
