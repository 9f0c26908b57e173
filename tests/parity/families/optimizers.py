"""Optimizers: five steps on two fixed variables with fixed gradients."""
import keras

from golden_file import Case, short_normal

STEPS = 5
CONFIGS = [
    ("SGD", {}), ("SGD", {"learning_rate": 0.1}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.9, "nesterov": True}),
    ("SGD", {"learning_rate": 0.1, "weight_decay": 0.04}),
    ("SGD", {"learning_rate": 0.1, "momentum": 0.5, "weight_decay": 0.1}),
    ("SGD", {"learning_rate": 0.1, "clipnorm": 0.5}),
    ("SGD", {"learning_rate": 0.1, "clipvalue": 0.3}),
    ("SGD", {"learning_rate": 0.1, "global_clipnorm": 0.7}),
    ("Adam", {}), ("Adam", {"learning_rate": 0.05}),
    ("Adam", {"learning_rate": 0.05, "amsgrad": True}),
    ("Adam", {"learning_rate": 0.05, "beta_1": 0.8, "beta_2": 0.95,
              "epsilon": 1e-4}),
    ("Adam", {"learning_rate": 0.05, "weight_decay": 0.1}),
    ("Adam", {"learning_rate": 0.05, "clipnorm": 0.5}),
    ("Adam", {"learning_rate": 0.05, "global_clipnorm": 0.5}),
    ("AdamW", {}), ("AdamW", {"learning_rate": 0.05}),
    ("AdamW", {"learning_rate": 0.05, "weight_decay": 0.2,
               "amsgrad": True}),
    ("RMSprop", {}), ("RMSprop", {"learning_rate": 0.05}),
    ("RMSprop", {"learning_rate": 0.05, "rho": 0.7, "epsilon": 1e-3}),
    ("RMSprop", {"learning_rate": 0.05, "momentum": 0.9}),
    ("RMSprop", {"learning_rate": 0.05, "centered": True}),
    ("RMSprop", {"learning_rate": 0.05, "momentum": 0.8, "centered": True,
                 "weight_decay": 0.05}),
    ("Adagrad", {"learning_rate": 0.1}),
    ("Adagrad", {"learning_rate": 0.1, "initial_accumulator_value": 0.5,
                 "epsilon": 1e-3}),
    ("Adadelta", {"learning_rate": 1.0}),
    ("Adadelta", {"learning_rate": 0.5, "rho": 0.8, "epsilon": 1e-4}),
    ("Adamax", {"learning_rate": 0.05}),
    ("Adamax", {"learning_rate": 0.05, "beta_1": 0.8, "beta_2": 0.9}),
    ("Nadam", {"learning_rate": 0.05}),
    ("Nadam", {"learning_rate": 0.05, "beta_1": 0.8, "beta_2": 0.9}),
    ("Lion", {"learning_rate": 0.05}),
    ("Lion", {"learning_rate": 0.05, "beta_1": 0.8, "weight_decay": 0.1}),
    ("Ftrl", {"learning_rate": 0.1}),
    ("Ftrl", {"learning_rate": 0.1, "l1_regularization_strength": 0.01,
              "l2_regularization_strength": 0.02, "beta": 0.1,
              "l2_shrinkage_regularization_strength": 0.03}),
    ("SGD", {"learning_rate": 0.1, "use_ema": True, "ema_momentum": 0.5}),
    ("Adam", {"learning_rate": 0.05, "use_ema": True, "ema_momentum": 0.8,
              "ema_overwrite_frequency": 2}),
    ("SGD", {"learning_rate": 0.1, "loss_scale_factor": 4.0}),
    ("SGD", {"learning_rate": 0.1, "gradient_accumulation_steps": 2}),
    ("Adam", {"learning_rate": 0.05, "gradient_accumulation_steps": 2,
              "weight_decay": 0.1}),
]


def record(family, arguments):
    cases = [one(name, config) for name, config in CONFIGS]
    cases.append(one("Adam", {"learning_rate": 0.05}, "float64"))
    cases.append(one("SGD", {"learning_rate": 0.1, "momentum": 0.9},
                     "bfloat16"))
    cases.append(one("Adam", {"learning_rate": 0.05}, "bfloat16"))
    return cases


def one(name, config, dtype="float32"):
    shown = ", ".join(f"{k}={v}" for k, v in config.items())
    case = Case(f"{name}({shown}) {dtype}",
                {"class_name": name, "config": config, "steps": STEPS,
                 "dtype": dtype})
    random = case.random()
    variables = []
    for variable, shape in (("kernel", (3, 2)), ("bias", (4,))):
        start = short_normal(random, shape)
        variables.append(keras.Variable(start, dtype=dtype, name=variable))
        case.add(f"variables/{variable}", variables[-1])
    optimizer = getattr(keras.optimizers, name)(**config)
    optimizer.build(variables)
    for step in range(STEPS):
        gradients = []
        for v in variables:
            g = keras.ops.cast(short_normal(random, v.shape), dtype)
            gradients.append(g)
            case.add(f"gradients/{step}/{v.name}", g)
        optimizer.apply(gradients, variables)
        for v in variables:
            case.add(f"after/{step}/{v.name}", v)
    case.expected["state_paths"] = [v.path for v in optimizer.variables]
    for i, v in enumerate(optimizer.variables):
        case.add(f"state/{i}", v)
    return case
