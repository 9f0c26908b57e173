"""Dtype promotion: keras.backend.result_type for every pair."""
from keras.backend import result_type

from golden_file import Case

DTYPES = ["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16",
          "int32", "int64", "bfloat16", "float16", "float32", "float64",
          "complex64", "complex128"]
PYTHON = {"python bool": bool, "python int": int, "python float": float}


def record(family, arguments):
    """One row for each left operand: {left, right: {name: result}}.

    A Python scalar is weak: it takes part by its kind alone. Keras on the
    TensorFlow backend has both 64-bit kinds.
    """
    case = Case("result_type", {})
    operands = {**{d: d for d in DTYPES}, **PYTHON}
    case.expected["table"] = {
        left: {right: result_type(operands[left], operands[right])
               for right in operands}
        for left in operands}
    return [case]
