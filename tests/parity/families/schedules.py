"""Learning-rate schedules: the rates of some steps."""
import keras
import numpy as np

from golden_file import Case

CASES = [
    ("ExponentialDecay", [0.1, 10, 0.5], {}),
    ("ExponentialDecay", [0.1, 10, 0.5], {"staircase": True}),
    ("InverseTimeDecay", [0.1, 10, 0.5], {}),
    ("InverseTimeDecay", [0.1, 10, 0.5], {"staircase": True}),
    ("PolynomialDecay", [0.1, 20], {}),
    ("PolynomialDecay", [0.1, 10], {"power": 2.0, "cycle": True,
                                    "end_learning_rate": 0.01}),
    ("PiecewiseConstantDecay", [[5, 12], [1.0, 0.5, 0.1]], {}),
    ("CosineDecay", [0.1, 20], {}),
    ("CosineDecay", [0.1, 20], {"alpha": 0.1}),
    ("CosineDecay", [0.0, 15], {"warmup_target": 0.2, "warmup_steps": 5}),
    ("CosineDecayRestarts", [0.1, 7], {}),
    ("CosineDecayRestarts", [0.1, 8], {"t_mul": 1.0, "m_mul": 0.5,
                                       "alpha": 0.1}),
]
STEPS = [0, 1, 2, 4, 5, 6, 9, 10, 11, 12, 13, 15, 18, 20, 21, 30]


def record(family, arguments):
    cases = []
    for name, positional, config in CASES:
        case = Case(f"{name}{positional} {config}",
                    {"class_name": name, "arguments": positional,
                     "config": config})
        schedule = getattr(keras.optimizers.schedules, name)(*positional,
                                                             **config)
        rates = [float(np.asarray(schedule(np.int64(s)))) for s in STEPS]
        case.add("steps", np.asarray(STEPS, "int32"))
        case.add("rates", np.asarray(rates, "float32"))
        cases.append(case)
    return cases
