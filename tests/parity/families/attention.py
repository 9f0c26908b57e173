"""Layers of attention, and what masks do in layers."""
import keras
import numpy as np
import tensorflow as tf
from keras.src import backend

from families.layers import run_all
from golden_file import Case, short_normal


def record(family, arguments):
    return globals()[family.removeprefix("layers_")]()


def multi_head_attention():
    cases = []

    def one(name, query, value, key=None, mask=None, call=None, **options):
        case = Case(name, {**options, "call": call or {}})
        layer = keras.layers.MultiHeadAttention(**options)
        dtype = options.get("dtype", "float32").removeprefix("mixed_")
        random = case.random("input")
        inputs = [tf.constant(np.round(random.normal(size=s), 3), dtype)
                  for s in (query, value, key) if s]
        layer.build(*[tuple(x.shape) for x in inputs])
        more = dict(call or {})
        if mask:
            more["attention_mask"] = tf.constant(
                random.integers(0, 2, mask).astype(bool))
            case.add("mask", more["attention_mask"].numpy())
        run_all(case, layer, inputs, lambda: layer(*inputs, **more))
        case.expected["output_shape"] = [*query[:-1],
                                         options.get("output_shape",
                                                     query[-1])]
        cases.append(case)

    x, other = (2, 4, 6), (2, 5, 3)
    one("self", x, x, num_heads=2, key_dim=3)
    one("cross", x, other, num_heads=2, key_dim=3)
    one("key", x, other, (2, 5, 4), num_heads=2, key_dim=3)
    one("causal", x, x, num_heads=2, key_dim=3,
        call={"use_causal_mask": True})
    one("mask", x, other, mask=(2, 4, 5), num_heads=2, key_dim=3)
    one("mask of each head", x, x, mask=(2, 2, 4, 4), num_heads=2, key_dim=3)
    one("mask and causal", x, x, mask=(2, 4, 4), num_heads=3, key_dim=2,
        call={"use_causal_mask": True})
    one("value_dim", x, x, num_heads=2, key_dim=3, value_dim=5)
    one("output_shape", x, x, num_heads=2, key_dim=3, output_shape=7)
    one("without bias", x, x, num_heads=1, key_dim=4, use_bias=False)
    one("gate", x, x, num_heads=2, key_dim=3, use_gate=True)
    one("window", x, x, num_heads=2, key_dim=3, sliding_window=2)
    one("mixed", x, x, num_heads=2, key_dim=3, dtype="mixed_bfloat16")
    one("float64", x, other, num_heads=2, key_dim=3, dtype="float64")
    grid = (2, 3, 2, 4)
    one("two axes", grid, (2, 2, 3, 5), num_heads=2, key_dim=3)
    one("the second axis", grid, grid, num_heads=2, key_dim=3,
        attention_axes=[2])
    one("the first axis", grid, grid, num_heads=2, key_dim=3,
        attention_axes=[1])
    one("two axes, mask", grid, grid, mask=(2, 3, 2, 3, 2), num_heads=2,
        key_dim=3)
    return cases


def group_query_attention():
    cases = []

    def one(name, query, value, call=None, **options):
        case = Case(name, {**options, "call": call or {}})
        layer = keras.layers.GroupQueryAttention(**options)
        random = case.random("input")
        inputs = [tf.constant(short_normal(random, s)) for s in (query, value)]
        layer.build(*[tuple(x.shape) for x in inputs])
        run_all(case, layer, inputs, lambda: layer(*inputs, **(call or {})))
        case.expected["output_shape"] = list(query)
        cases.append(case)

    x, other = (2, 4, 6), (2, 5, 3)
    one("self", x, x, head_dim=3, num_query_heads=4, num_key_value_heads=2)
    one("cross, one for all", x, other, head_dim=2, num_query_heads=3,
        num_key_value_heads=1, use_bias=False)
    one("causal", x, x, head_dim=3, num_query_heads=4, num_key_value_heads=2,
        call={"use_causal_mask": True})
    return cases


def attention():
    cases = []

    def one(class_name, *shapes, call=None, **options):
        case = Case(f"{class_name} {options} {len(shapes)} {call or ''}",
                    {"class_name": class_name, **options, "call": call or {}})
        layer = getattr(keras.layers, class_name)(**options)
        random = case.random("input")
        inputs = [tf.constant(short_normal(random, s)) for s in shapes]
        layer.build([tuple(x.shape) for x in inputs])
        run_all(case, layer, inputs, lambda: layer(inputs, **(call or {})))
        case.expected["output_shape"] = list(layer.compute_output_shape(
            [tuple(x.shape) for x in inputs]))
        cases.append(case)

    query, value = (2, 3, 4), (2, 5, 4)
    key, other = (2, 5, 4), (2, 5, 6)
    for name in ("Attention", "AdditiveAttention"):
        one(name, query, value)
        one(name, query, other, key)
        one(name, value, value, call={"use_causal_mask": True})
    one("Attention", query, value, use_scale=True)
    one("Attention", query, value, score_mode="concat")
    one("Attention", query, value, score_mode="concat", use_scale=True)
    one("AdditiveAttention", query, value, use_scale=False)
    return cases


def masking():
    """Layers whose inputs have masks: `masks/<n>`, `output_mask`."""
    cases = []

    def one(class_name, *shapes, masked=None, training=None, listed=False,
            **options):
        shown = f"{options or ''} {len(shapes)} {masked} {training or ''}"
        case = Case(f"{class_name} {shown}", {
            "class_name": class_name, **options})
        if training:
            case.options["training"] = True
        layer = getattr(keras.layers, class_name)(**options)
        random = case.random("input")
        inputs = [tf.constant(short_normal(random, s)) for s in shapes]
        shape = [tuple(x.shape) for x in inputs]
        masks = [None] * len(inputs)
        for i in range(len(inputs)) if masked is None else masked:
            mask = random.integers(0, 3, shapes[i][:2]) > 0
            mask[:, 0] = True
            case.add(f"masks/{i}", mask)
            masks[i] = tf.constant(mask)
        if listed or len(inputs) == 1:
            layer.build(shape if listed else shape[0])
        else:
            layer.build(*shape)

        def call():
            for x, mask in zip(inputs, masks):
                if mask is not None:
                    backend.set_keras_mask(x, mask)
            more = {} if training is None else {"training": training}
            if listed or len(inputs) == 1:
                y = layer(inputs if listed else inputs[0], **more)
            else:
                y = layer(*inputs, **more)
            mask = backend.get_keras_mask(y)
            if mask is not None:
                case.add("output_mask", mask)
            return y

        run_all(case, layer, inputs, call)
        case.expected["output_shape"] = list(case.arrays["output"].shape)
        cases.append(case)

    one("GlobalAveragePooling1D", (3, 5, 2))
    one("GlobalAveragePooling1D", (3, 5, 2), keepdims=True)
    one("BatchNormalization", (3, 5, 2), training=True)
    one("BatchNormalization", (3, 5, 2))
    one("LayerNormalization", (3, 5, 2))
    one("Dense", (3, 5, 2), units=3)
    one("MultiHeadAttention", (2, 4, 6), (2, 5, 6), num_heads=2, key_dim=3)
    one("MultiHeadAttention", (2, 4, 6), (2, 5, 6), masked=[1], num_heads=2,
        key_dim=3)
    one("Attention", (2, 3, 4), (2, 5, 4), listed=True)
    one("AdditiveAttention", (2, 3, 4), (2, 5, 4), listed=True, masked=[1])
    one("Add", (2, 3, 4), (2, 3, 4), listed=True)
    one("Add", (2, 3, 4), (2, 3, 4), listed=True, masked=[0])
    one("Concatenate", (2, 3, 4), (2, 3, 2), listed=True)
    one("Concatenate", (2, 3, 4), (2, 2, 4), listed=True, masked=[0], axis=1)
    one("Flatten", (2, 3, 4))
    return cases


def masked_fit():
    """Sequences of unequal length: what fit makes of the mask's loss."""
    cases = []
    for weighted in (False, True):
        case = Case("sample weights" if weighted else "plain",
                    {"weighted": weighted, "steps": 3})
        random = case.random()
        keras.backend.clear_session()
        model = keras.Sequential([
            keras.Input([6], dtype="int32"),
            keras.layers.Embedding(9, 4, mask_zero=True),
            keras.layers.Dense(3)])
        for v in model.weights:
            v.assign(short_normal(random, v.shape))
            case.add(f"weights/{v.path}", v)
        model.compile(
            keras.optimizers.SGD(0.1),
            keras.losses.SparseCategoricalCrossentropy(from_logits=True),
            metrics=["accuracy"],
            weighted_metrics=["accuracy"] if weighted else None)
        for step in range(3):
            lengths = random.integers(1, 7, (8, 1))
            x = random.integers(1, 9, (8, 6)) * (np.arange(6) < lengths)
            y = random.integers(0, 3, (8, 6))
            case.add(f"x/{step}", x.astype("int32"))
            case.add(f"y/{step}", y.astype("int32"))
            weight = None
            if weighted:
                weight = np.round(random.random((8, 6)), 2).astype("float32")
                case.add(f"sample_weight/{step}", weight)
            logs = model.train_on_batch(x, y, weight, return_dict=True)
            for key, value in logs.items():
                case.add(f"logs/{step}/{key}", np.float32(value))
        for v in model.weights:
            case.add(f"final/{v.path}", v)
        cases.append(case)
    return cases
