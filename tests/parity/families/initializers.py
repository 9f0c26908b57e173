"""Initializers: fans, limits and deviations; values where not random."""
import keras
import numpy as np
from keras.src.initializers.random_initializers import compute_fans

from golden_file import Case

SHAPES = [(784, 128), (128, 10), (3, 3, 1, 32), (3, 3, 32, 64), (5, 4, 6, 2),
          (7,), (2, 3, 4, 5, 6)]
# A truncated normal of unit scale has this deviation.
TRUNCATED = 0.87962566103423978


def record(family, arguments):
    cases = []
    for shape in SHAPES:
        for name in ("GlorotUniform", "GlorotNormal", "HeUniform",
                     "HeNormal", "LecunUniform", "LecunNormal"):
            cases.append(scaled(name, {}, shape))
    for config in (
            {}, {"scale": 2.0, "mode": "fan_out"},
            {"scale": 0.5, "mode": "fan_avg", "distribution": "uniform"},
            {"scale": 3.0, "mode": "fan_in",
             "distribution": "untruncated_normal"},
            {"scale": 1.5, "mode": "fan_avg",
             "distribution": "truncated_normal"}):
        for shape in ((784, 128), (3, 3, 32, 64)):
            cases.append(scaled("VarianceScaling", config, shape))
    for name, config, expected in (
            ("RandomUniform", {},
             {"distribution": "uniform", "minval": -0.05, "maxval": 0.05}),
            ("RandomUniform", {"minval": 2.0, "maxval": 5.0},
             {"distribution": "uniform", "minval": 2.0, "maxval": 5.0}),
            ("RandomNormal", {},
             {"distribution": "untruncated_normal", "mean": 0.0,
              "stddev": 0.05}),
            ("RandomNormal", {"mean": 1.0, "stddev": 0.5},
             {"distribution": "untruncated_normal", "mean": 1.0,
              "stddev": 0.5}),
            ("TruncatedNormal", {},
             {"distribution": "truncated_normal", "mean": 0.0,
              "stddev": 0.05, "limit": 0.1}),
            ("TruncatedNormal", {"mean": -1.0, "stddev": 0.25},
             {"distribution": "truncated_normal", "mean": -1.0,
              "stddev": 0.25, "limit": 0.5})):
        case = new(name, config, (300, 200))
        case.expected.update(expected)
        statistics(case, sample(name, config, (300, 200)))
        cases.append(case)
    for config, shape in (({}, (6, 6)), ({"gain": 2.0}, (8, 3)),
                          ({}, (3, 8)), ({}, (3, 3, 4, 5))):
        cases.append(orthogonal(config, shape))
    for name, config, shape in (
            ("Zeros", {}, (2, 3)), ("Ones", {}, (4,)),
            ("Constant", {"value": 2.5}, (2, 2)), ("Constant", {}, (3,)),
            ("Identity", {}, (3, 3)), ("Identity", {"gain": 0.5}, (2, 4))):
        case = new(name, config, shape)
        case.add("output", sample(name, config, shape))
        cases.append(case)
    return cases


def new(name, config, shape):
    shown = ", ".join(f"{k}={v}" for k, v in config.items())
    return Case(f"{name}({shown}) {tuple(shape)}",
                {"class_name": name, "config": config,
                 "shape": list(shape)})


def sample(name, config, shape):
    takes_seed = "seed" in getattr(
        keras.initializers, name)().get_config()
    seed = {"seed": 3} if takes_seed else {}
    initializer = getattr(keras.initializers, name)(**config, **seed)
    return initializer(shape, dtype="float32").numpy()


def statistics(case, values):
    case.expected["recorded"] = {
        "mean": float(values.mean()), "stddev": float(values.std()),
        "min": float(values.min()), "max": float(values.max())}


def scaled(name, config, shape):
    """What VarianceScaling makes of its arguments, checked on a sample."""
    case = new(name, config, shape)
    initializer = getattr(keras.initializers, name)(**config)
    fan_in, fan_out = compute_fans(shape)
    fan = {"fan_in": fan_in, "fan_out": fan_out,
           "fan_avg": (fan_in + fan_out) / 2}[initializer.mode]
    variance = initializer.scale / max(1.0, fan)
    expected = case.expected
    expected.update(fan_in=fan_in, fan_out=fan_out, variance=variance,
                    distribution=initializer.distribution)
    values = sample(name, config, shape)
    largest = float(np.abs(values).max())
    if initializer.distribution == "uniform":
        expected["limit"] = float(np.sqrt(3 * variance))
        assert largest <= expected["limit"] * (1 + 1e-6)
    elif initializer.distribution == "truncated_normal":
        expected["stddev"] = float(np.sqrt(variance) / TRUNCATED)
        expected["limit"] = 2 * expected["stddev"]
        assert largest <= expected["limit"] * (1 + 1e-6)
    else:
        expected["stddev"] = float(np.sqrt(variance))
    if values.size > 10_000:
        assert abs(values.std() / np.sqrt(variance) - 1) < 0.03, case.name
    statistics(case, values)
    return case


def orthogonal(config, shape):
    case = new("Orthogonal", config, shape)
    values = sample("Orthogonal", config, shape)
    rows = values.reshape(-1, shape[-1])
    gain = config.get("gain", 1.0)
    by_columns = rows.shape[0] >= rows.shape[1]
    product = rows.T @ rows if by_columns else rows @ rows.T
    assert np.allclose(product, gain**2 * np.eye(len(product)), atol=1e-5)
    case.expected.update(gain=gain, orthonormal="columns" if by_columns
                         else "rows")
    return case
