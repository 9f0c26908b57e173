"""Constraints: what they make of a weight."""
import keras

from golden_file import Case, short_normal

CASES = [
    ("MaxNorm", (4, 3), {}), ("MaxNorm", (4, 3), {"max_value": 0.5}),
    ("MaxNorm", (3, 2, 2, 3), {"max_value": 1.0, "axis": [0, 1, 2]}),
    ("NonNeg", (4, 3), {}),
    ("UnitNorm", (4, 3), {}), ("UnitNorm", (4, 3), {"axis": 1}),
    ("MinMaxNorm", (4, 3), {}),
    ("MinMaxNorm", (5, 4), {"min_value": 1.5, "max_value": 2.0,
                            "rate": 0.5, "axis": [1]}),
]


def record(family, arguments):
    cases = []
    for name, shape, config in CASES:
        case = Case(f"{name} {config}", {"class_name": name, "config": {
            k: [v] if k == "axis" and isinstance(v, int) else v
            for k, v in config.items()}})
        w = short_normal(case.random(), shape)
        case.add("input", w)
        config = {k: tuple(v) if isinstance(v, list) else v
                  for k, v in config.items()}
        case.add("output", getattr(keras.constraints, name)(**config)(w))
        cases.append(case)
    return cases
