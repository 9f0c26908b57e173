"""Complex numbers: TensorFlow's values and gradients."""
import numpy as np
import tensorflow as tf

from golden_file import Case

Z = np.array([[0.5 + 1.25j, -0.75 + 0.5j, 1.5 - 0.25j],
              [0.25 - 1j, 1 + 0.75j, -1.25 - 0.5j]])
W = np.array([[1.5 - 0.5j, 0.25 + 1j, -0.5 + 0.75j],
              [0.75 + 0.25j, -1 + 0.5j, 1.25 - 1.5j]])
X = np.array([[1.5, -0.25, 0.75], [-1, 2, 0.5]])
Y = np.array([[0.5, 1.25, -1.75], [2, -0.25, 1]])
INDICES = np.array([2, 0, 2])
IDS = np.array([1, 1])

# The C++ test has one call of each name; what is not a float or complex array
# stands in both.
CALLS = {
    "complex": ([X, Y], tf.complex),
    "real": ([Z], tf.math.real),
    "imag": ([Z], tf.math.imag),
    "conj": ([Z], tf.math.conj),
    "angle": ([Z], tf.math.angle),
    "abs": ([Z], tf.abs),
    "cast": ([X], lambda x: tf.cast(x, tf.complex128) * W),
    "exp": ([Z], tf.exp),
    "expm1": ([Z], tf.math.expm1),
    "log": ([Z], tf.math.log),
    "log1p": ([Z], tf.math.log1p),
    "sqrt": ([Z], tf.sqrt),
    "rsqrt": ([Z], tf.math.rsqrt),
    "square": ([Z], tf.square),
    "reciprocal": ([Z], tf.math.reciprocal),
    "sin": ([Z], tf.sin),
    "cos": ([Z], tf.cos),
    "tan": ([Z], tf.tan),
    "sinh": ([Z], tf.sinh),
    "cosh": ([Z], tf.cosh),
    "tanh": ([Z], tf.tanh),
    "asinh": ([Z], tf.asinh),
    "acosh": ([Z], tf.acosh),
    "atanh": ([Z], tf.atanh),
    "sigmoid": ([Z], tf.sigmoid),
    "add": ([Z, W[0]], tf.add),
    "subtract": ([Z, W[0]], tf.subtract),
    "multiply": ([Z, W], tf.multiply),
    "divide": ([Z, W], tf.divide),
    "power": ([Z, W], tf.pow),
    "matmul": ([Z, W], lambda z, w: tf.matmul(z, w, transpose_b=True)),
    "matmul adjoint": ([Z, W], lambda z, w: tf.matmul(z, w, adjoint_a=True)),
    "einsum": ([Z, W], lambda z, w: tf.einsum("ij,kj->ik", z, w)),
    "tensordot": ([Z, W], lambda z, w: tf.tensordot(z, w, [[0, 1], [0, 1]])),
    "sum": ([Z], lambda z: tf.reduce_sum(z, 0)),
    "mean": ([Z], tf.reduce_mean),
    "prod": ([Z], lambda z: tf.reduce_prod(z, 1)),
    "cumsum": ([Z], lambda z: tf.cumsum(z, 1)),
    "cumprod": ([Z], lambda z: tf.math.cumprod(z, 1)),
    "where": ([Z, W], lambda z, w: tf.where(X > 0, z * w, z)),
    "concatenate": ([Z, W], lambda z, w: tf.concat([z * w, w], 0)),
    "take": ([Z], lambda z: tf.gather(z, INDICES, axis=1) * Z),
    "pad": ([Z], lambda z: tf.pad(z, [[1, 0], [0, 2]])),
    "transpose": ([Z], lambda z: tf.transpose(z) * np.transpose(W)),
    "segment_sum": ([Z], lambda z: tf.math.unsorted_segment_sum(z, IDS, 2)),
    "fft": ([Z], lambda z: tf.signal.fft(z) * W),
    "ifft": ([Z], lambda z: tf.signal.ifft(z) * W),
    "fft2": ([Z], lambda z: tf.signal.fft2d(z) * W),
    # A real loss, whose gradient points uphill.
    "loss": ([Z, W], lambda z, w: tf.reduce_sum(
        tf.abs(tf.exp(z) * w - 1) ** 2)),
}


# TensorFlow's gradient of cumprod lacks the conjugate (compare differences).
WITHOUT_GRADIENT = {"cumprod"}


def record(family, arguments):
    cases = []
    for name, (inputs, call) in CALLS.items():
        case = Case(name, {})
        tensors = [tf.constant(x) for x in inputs]
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            output = call(*tensors)
        for i, x in enumerate(inputs):
            case.add(f"input/{i}", x)
        case.add("output", output)
        if name in WITHOUT_GRADIENT:
            cases.append(case)
            continue
        for i, gradient in enumerate(tape.gradient(output, tensors)):
            case.add(f"gradient/{i}", gradient)
        cases.append(case)
    return cases
