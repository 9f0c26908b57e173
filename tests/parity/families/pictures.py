"""Pictures: what tf.io decodes and what tf.image makes of them."""
import io

import numpy as np
import tensorflow as tf
from PIL import Image

from golden_file import Case, short_normal

image = tf.image


def scene(height, width, channels=3):
    """Smooth colours with some noise: what a JPEG is made for."""
    y, x = np.mgrid[0:height, 0:width].astype("float64")
    waves = [np.sin(x / 4) + np.cos(y / 5), np.cos(x / 7 + y / 3),
             np.sin((x - y) / 6), x / width - y / height]
    values = np.stack(waves[:channels], -1) * 60 + 128
    values += np.random.default_rng(5).normal(0, 6, values.shape)
    return values.clip(0, 255).astype("uint8")


COLORS = scene(21, 19)
ALPHA = scene(6, 7, 4)
SMALL = COLORS[:6, :7]
WIDE = (SMALL.astype("uint16") * 251 + 7).astype("uint16")


def saved(array, kind, mode=None, **options):
    picture = Image.fromarray(array) if isinstance(
        array, np.ndarray) else array
    out = io.BytesIO()
    (picture.convert(mode) if mode else picture).save(out, kind, **options)
    return out.getvalue()


def frames():
    """Two whole frames, then a part with transparent pixels."""
    colors = [Image.fromarray(x).quantize(16) for x in (SMALL, SMALL[:, ::-1])]
    return saved(colors[0], "GIF", save_all=True,
                 append_images=[colors[1], colors[0].transpose(1)],
                 disposal=1)


def moving():
    pictures = [Image.fromarray(x) for x in (SMALL, SMALL[:, ::-1], SMALL)]
    return saved(pictures[0], "WEBP", save_all=True, lossless=True,
                 append_images=pictures[1:])


def clear(array):
    """Sixteen colours, of which one is transparent."""
    return saved(Image.fromarray(array).quantize(16), "PNG", transparency=3)


def top_down(data):
    """A BMP whose first row is the top one."""
    data = bytearray(data)
    height = int.from_bytes(data[22:26], "little")
    data[22:26] = (-height).to_bytes(4, "little", signed=True)
    return bytes(data)


JPEG = saved(COLORS, "JPEG", quality=90)
FINE = saved(COLORS, "JPEG", quality=90, subsampling=0)
GRAY = saved(COLORS, "JPEG", "L")
CMYK = saved(COLORS, "JPEG", "CMYK", quality=95)
CUT = JPEG[:-120]
CROP = [3, 5, 11, 9]

# Name: bytes, function, options.
DECODE = {
    "plain": (JPEG, "decode_jpeg", {}),
    "accurate": (JPEG, "decode_jpeg", {"dct_method": "INTEGER_ACCURATE"}),
    "fast": (JPEG, "decode_jpeg", {"dct_method": "INTEGER_FAST"}),
    "not fancy": (JPEG, "decode_jpeg", {"fancy_upscaling": False}),
    "one channel": (JPEG, "decode_jpeg", {"channels": 1}),
    "halves": (JPEG, "decode_jpeg", {"ratio": 2}),
    "quarters": (JPEG, "decode_jpeg", {"ratio": 4}),
    "eighths": (JPEG, "decode_jpeg", {"ratio": 8}),
    "gray": (GRAY, "decode_jpeg", {}),
    "gray as RGB": (GRAY, "decode_jpeg", {"channels": 3}),
    "CMYK": (CMYK, "decode_jpeg", {}),
    "progressive": (saved(COLORS, "JPEG", quality=90, progressive=True),
                    "decode_jpeg", {}),
    "no subsampling": (FINE, "decode_jpeg", {}),
    "4:2:2": (saved(COLORS, "JPEG", quality=90, subsampling=1),
              "decode_jpeg", {}),
    "cut off": (CUT, "decode_jpeg", {"try_recover_truncated": True}),
    "crop": (FINE, "decode_and_crop_jpeg", {"crop_window": CROP}),
    "crop of halves": (FINE, "decode_and_crop_jpeg",
                       {"crop_window": [1, 2, 5, 6], "ratio": 2}),
    "shape": (JPEG, "extract_jpeg_shape", {}),
    "shape of gray": (GRAY, "extract_jpeg_shape", {}),
    "RGB": (saved(SMALL, "PNG"), "decode_png", {}),
    "RGB as gray": (saved(SMALL, "PNG"), "decode_png", {"channels": 1}),
    "RGB as RGBA": (saved(SMALL, "PNG"), "decode_png", {"channels": 4}),
    "RGBA": (saved(ALPHA, "PNG"), "decode_png", {}),
    "RGBA as RGB": (saved(ALPHA, "PNG"), "decode_png", {"channels": 3}),
    "L": (saved(SMALL, "PNG", "L"), "decode_png", {}),
    "L as RGB": (saved(SMALL, "PNG", "L"), "decode_png", {"channels": 3}),
    "LA as RGBA": (saved(ALPHA, "PNG", "LA"), "decode_png", {"channels": 4}),
    "one bit": (saved(SMALL, "PNG", "1"), "decode_png", {}),
    "palette": (saved(Image.fromarray(SMALL).quantize(16), "PNG"),
                "decode_png", {}),
    "clear palette": (clear(SMALL), "decode_png", {}),
    "clear palette as RGB": (clear(SMALL), "decode_png", {"channels": 3}),
    "wide": (tf.io.encode_png(WIDE).numpy(), "decode_png",
             {"dtype": "uint16"}),
    "wide as narrow": (tf.io.encode_png(WIDE).numpy(), "decode_png", {}),
    "narrow as wide": (saved(SMALL, "PNG"), "decode_png",
                       {"dtype": "uint16"}),
    "24 bits": (saved(SMALL, "BMP"), "decode_bmp", {}),
    "top down": (top_down(saved(SMALL, "BMP")), "decode_bmp", {}),
    "32 bits": (saved(ALPHA, "BMP"), "decode_bmp", {}),
    "8 bits": (saved(SMALL, "BMP", "L"), "decode_bmp", {}),
    "a frame": (saved(SMALL, "GIF"), "decode_gif", {}),
    "frames": (frames(), "decode_gif", {}),
    "lossless": (saved(SMALL, "WEBP", lossless=True), "decode_webp", {}),
    "lossless alpha": (saved(ALPHA, "WEBP", lossless=True), "decode_webp", {}),
    "moving": (moving(), "decode_webp", {}),
    "first of moving": (moving(), "decode_image",
                        {"channels": 4, "expand_animations": False}),
    "lossy": (saved(COLORS, "WEBP", quality=90), "decode_image", {}),
    "any JPEG": (JPEG, "decode_image", {"dtype": "float32"}),
    "any PNG": (saved(ALPHA, "PNG"), "decode_image",
                {"channels": 3, "dtype": "float32"}),
    "any BMP": (saved(SMALL, "BMP"), "decode_image", {"dtype": "uint16"}),
    "any GIF": (frames(), "decode_image", {}),
    "first of GIF": (frames(), "decode_image", {"expand_animations": False}),
}


def decoded(name, data, function, options):
    case = Case(name, {"function": function, **options})
    case.add("bytes", np.frombuffer(data, "uint8"))
    arguments = dict(options)
    if "dtype" in arguments:
        arguments["dtype"] = tf.as_dtype(arguments["dtype"])
    case.add("output", getattr(tf.io, function)(data, **arguments))
    return case


UNIT = np.round(np.random.default_rng(3).uniform(size=(5, 6, 3)), 3
                ).astype("float32")
UNIT[0, 0] = 0.25  # without a colour
UNIT[0, 1] = 0  # black
BYTES = (UNIT * 255).astype("uint8")
BATCH = np.stack([SMALL, SMALL[::-1]])
TALL = COLORS[:17, :6]
BOXES = np.float32([[0, 0, 1, 1], [0.25, 0.125, 0.75, 0.875],
                    [0.5, 0.5, 1.5, 1.25], [1, 0, 0, 1]])

EDGES = np.arange(1, 20 * 22 + 1, dtype="float32").reshape(1, 20, 22, 1)
ENDS = [(0, 1), (1, 0), (0.1, 1), (0.3, 1), (1, 0.7), (0.6, 1), (1, 0.35),
        (-0.4, 1), (1.3, 0), (0.123, 1), (0.9, 0)]
SIGNED = (np.arange(-9, 9) * 3641).astype("int16").reshape(2, 3, 3)

# Function: its inputs and options, by case.
OPS = {
    "resize": {
        f"{method} {size} {'antialias' if smooth else ''}".strip():
            (TALL, {"size": size, "method": method, "antialias": smooth})
        for method in ("nearest", "bilinear", "bicubic", "area", "lanczos3",
                       "lanczos5", "gaussian", "mitchellcubic")
        for size in ([7, 4], [20, 11])
        for smooth in (False, True)
        if not (smooth and method in ("nearest", "area"))
    } | {
        "aspect": (TALL, {"size": [8, 8], "preserve_aspect_ratio": True}),
        "batch": (BATCH, {"size": [4, 9]}),
    },
    "resize_with_pad": {
        "wide": (SMALL, {"target_height": 5, "target_width": 12}),
        "tall": (SMALL, {"target_height": 13, "target_width": 4,
                         "method": "nearest"}),
        "antialias": (TALL, {"target_height": 6, "target_width": 6,
                             "antialias": True}),
    },
    "resize_with_crop_or_pad": {
        "both": (SMALL, {"target_height": 4, "target_width": 9}),
        "odd": (SMALL, {"target_height": 9, "target_width": 2}),
    },
    "crop_and_resize": {
        "bilinear": (BATCH.astype("float32"), {
            "boxes": BOXES, "box_indices": np.int32([0, 1, 0, 1]),
            "crop_size": [4, 3], "extrapolation_value": 2.5}),
        "nearest": (BATCH.astype("float32"), {
            "boxes": BOXES, "box_indices": np.int32([1, 1, 0, 0]),
            "crop_size": [3, 5], "method": "nearest"}),
        "one pixel": (BATCH.astype("float32"), {
            "boxes": BOXES, "box_indices": np.int32([1, 1, 0, 0]),
            "crop_size": [1, 1]}),
        "bytes": (BATCH, {
            "boxes": BOXES[:2], "box_indices": np.int32([1, 0]),
            "crop_size": [3, 4], "extrapolation_value": -1.0}),
        "half": (BATCH.astype("float16"), {
            "boxes": BOXES[:2], "box_indices": np.int32([1, 0]),
            "crop_size": [3, 4]}),
        "one image": (BATCH[:1, ..., :1].astype("float64"), {
            "boxes": BOXES[1:], "box_indices": np.int32([0, 0, 0]),
            "crop_size": [2, 6]}),
        # Whether the last pixels are inside is a matter of the last bit.
        "edges": (EDGES, {
            "boxes": np.float32([[low, 0, high, 1] for low, high in ENDS]),
            "box_indices": np.zeros(len(ENDS), "int32"),
            "crop_size": [14, 12], "extrapolation_value": -1.0}),
    },
    "central_crop": {
        "half": (SMALL, {"central_fraction": 0.5}),
        "more": (COLORS, {"central_fraction": 0.7}),
    },
    "crop_to_bounding_box": {
        "one": (SMALL, {"offset_height": 1, "offset_width": 2,
                        "target_height": 3, "target_width": 4})},
    "pad_to_bounding_box": {
        "one": (SMALL, {"offset_height": 1, "offset_width": 2,
                        "target_height": 8, "target_width": 11})},
    "flip_left_right": {"one": (SMALL, {}), "batch": (BATCH, {})},
    "flip_up_down": {"one": (SMALL, {}), "batch": (BATCH, {})},
    "rot90": {f"by {k}": (SMALL, {"k": k}) for k in (-1, 1, 2, 3, 4)},
    "transpose": {"one": (SMALL, {}), "batch": (BATCH, {})},
    "rgb_to_grayscale": {"bytes": (BYTES, {}), "unit": (UNIT, {})},
    "grayscale_to_rgb": {"bytes": (BYTES[..., :1], {})},
    "rgb_to_hsv": {"unit": (UNIT, {})},
    "hsv_to_rgb": {"unit": (UNIT, {})},
    "adjust_brightness": {"bytes": (BYTES, {"delta": 0.2}),
                          "unit": (UNIT, {"delta": -0.3})},
    "adjust_contrast": {"bytes": (BYTES, {"contrast_factor": 1.75}),
                        "unit": (UNIT, {"contrast_factor": 0.5}),
                        "batch": (BATCH, {"contrast_factor": 2.0})},
    "adjust_gamma": {"bytes": (BYTES, {"gamma": 0.5, "gain": 1.25}),
                     "unit": (UNIT, {"gamma": 2.0})},
    "adjust_saturation": {"bytes": (BYTES, {"saturation_factor": 1.5}),
                          "unit": (UNIT, {"saturation_factor": 0.25})},
    "adjust_jpeg_quality": {
        "bytes": (COLORS, {"jpeg_quality": 60}),
        "fine": (COLORS, {"jpeg_quality": 95}),
        "unit": ((COLORS / np.float32(255)), {"jpeg_quality": 30}),
        "gray": (COLORS[..., :1], {"jpeg_quality": 50})},
    "adjust_hue": {"bytes": (BYTES, {"delta": 0.3}),
                   "unit": (UNIT, {"delta": -0.2})},
    "per_image_standardization": {"bytes": (BYTES, {}), "unit": (UNIT, {}),
                                  "flat": (BYTES * 0 + 7, {})},
    "convert_image_dtype": {
        "to unit": (BYTES, {"dtype": "float32"}),
        "to bytes": (UNIT, {"dtype": "uint8"}),
        "saturate": (UNIT * 2, {"dtype": "uint8", "saturate": True}),
        "wider": (BYTES, {"dtype": "uint16"}),
        "narrower": (WIDE, {"dtype": "uint8"}),
        "signed": (BYTES, {"dtype": "int32"}),
        "floats": (UNIT, {"dtype": "float64"}),
        "to half": (BYTES, {"dtype": "float16"}),
        "half to bytes": (UNIT.astype("float16"), {"dtype": "uint8"}),
        "to signed": (UNIT, {"dtype": "int16"}),
        "saturate signed": (UNIT * 3 - 1.5, {"dtype": "int16",
                                             "saturate": True}),
        "wide to unit": (WIDE, {"dtype": "float32"}),
        "signed to bytes": (SIGNED, {"dtype": "uint8"}),
        "signed to bytes, saturate": (SIGNED, {"dtype": "uint8",
                                               "saturate": True}),
        "signed to wide, saturate": (SIGNED, {"dtype": "uint32",
                                              "saturate": True}),
        "to narrow signed": (BYTES, {"dtype": "int8"}),
    },
}

ROWS = np.arange(9 * 4, dtype="float32").reshape(9, 2, 2, 1)
MANY = np.arange(3 * 4 * 3 * 2 * 5, dtype="int32").reshape(3, 4, 3, 2, 5)
LARGE = np.int32([60, 80])  # of an image; no more matters to a box
SEEDS = [(1, 2), (3, 4), (-7, 1 << 40)]
RANDOM = {
    "stateless_random_flip_left_right": [(SMALL, {}), (BATCH, {}), (ROWS, {})],
    "stateless_random_flip_up_down": [(SMALL, {}), (BATCH, {}), (ROWS, {})],
    "stateless_random_brightness": [
        (UNIT, {"max_delta": 0.5}),
        (BYTES, {"max_delta": 0.5}),
        (BATCH, {"max_delta": 0.5})],
    "stateless_random_contrast": [
        (UNIT, {"lower": 0.25, "upper": 1.5}),
        (BYTES, {"lower": 0.25, "upper": 1.5}),
        (BATCH, {"lower": 0.25, "upper": 1.5})],
    "stateless_random_hue": [
        (UNIT, {"max_delta": 0.5}),
        (BYTES, {"max_delta": 0.5}),
        (BATCH, {"max_delta": 0.5})],
    "stateless_random_saturation": [
        (UNIT, {"lower": 0.25, "upper": 1.5}),
        (BYTES, {"lower": 0.25, "upper": 1.5}),
        (BATCH, {"lower": 0.25, "upper": 1.5})],
    "stateless_random_crop": [(SMALL, {"size": [3, 4, 3]}),
                              (SMALL, {"size": [6, 1, 2]}),
                              (BATCH, {"size": [1, 5, 4, 3]}),
                              (MANY, {"size": [2, 1, 2, 1, 2]})],
    "stateless_random_jpeg_quality": [
        (COLORS, {"min_jpeg_quality": 40, "max_jpeg_quality": 95})],
    "stateless_sample_distorted_bounding_box": [
        (LARGE, {}),
        (LARGE, {"area_range": [0.5, 0.75]}),
        (LARGE, {"aspect_ratio_range": [0.25, 4.0],
                  "area_range": [0.125, 1.0]}),
        # None fits: the whole.
        (LARGE, {"aspect_ratio_range": [20.0, 30.0],
                  "area_range": [0.5, 1.0], "max_attempts": 5})],
}
BOX_SEEDS = [(seed, 7 * seed - 40) for seed in range(12)]


def call(function, value, options):
    options = dict(options)
    if function == "stateless_sample_distorted_bounding_box":
        return distorted_box(value, options)
    if function == "convert_image_dtype":
        options["dtype"] = tf.as_dtype(options["dtype"])
    owner = image
    return getattr(owner, function)(tf.constant(value), **options)


def distorted_box(value, options):
    """The box in the image; the default of ours is no least part of it."""
    begin, size, _ = image.stateless_sample_distorted_bounding_box(
        [*value, 3], np.zeros([1, 0, 4], "float32"),
        use_image_if_no_bounding_boxes=True, min_object_covered=0.0,
        **options)
    return np.array([*begin[:2], *size[:2]], "int32")


def operation(function, name, value, options):
    plain = {key: option for key, option in options.items()
             if not isinstance(option, np.ndarray)}
    case = Case(f"{function} {name}", {"function": function, **plain})
    case.add("input", value)
    for key, option in options.items():
        if isinstance(option, np.ndarray):
            case.add(key, option)
    case.add("output", call(function, value, options))
    return case


BATCH_UNIT = np.stack([UNIT, 1 - UNIT])
# Function: input, options and whether boxes have a gradient.
GRADIENTS = {
    "crop_and_resize": [
        (BATCH_UNIT, {"boxes": BOXES, "crop_size": [4, 3],
                      "box_indices": np.int32([0, 1, 0, 1])}),
        (BATCH_UNIT, {"boxes": BOXES[1:], "crop_size": [1, 5],
                      "box_indices": np.int32([1, 1, 0])}),
        (BATCH_UNIT.astype("float16"),
         {"boxes": BOXES[:2], "crop_size": [3, 3],
          "box_indices": np.int32([1, 0])}),
        (BATCH_UNIT, {"boxes": BOXES, "crop_size": [4, 3],
                      "box_indices": np.int32([0, 1, 0, 1]),
                      "method": "nearest"})],
    "convert_image_dtype": [(UNIT, {"dtype": "float64"})],
    "resize": [(UNIT, {"size": [3, 9]}),
               (BATCH_UNIT, {"size": [7, 3], "method": "bicubic"})],
    "flip_left_right": [(UNIT, {}), (BATCH_UNIT, {})],
    "rot90": [(UNIT, {"k": 3})],
    "adjust_brightness": [(UNIT, {"delta": 0.25})],
    "stateless_random_flip_left_right": [
        (UNIT, {"seed": [1, 2]}), (BATCH_UNIT, {"seed": [5, 6]})],
    "stateless_random_flip_up_down": [
        (UNIT, {"seed": [1, 2]}), (BATCH_UNIT, {"seed": [5, 6]})],
    "stateless_random_brightness": [
        (UNIT, {"max_delta": 0.5, "seed": [1, 2]})],
    "stateless_random_crop": [
        (BATCH_UNIT, {"size": [1, 3, 4, 2], "seed": [3, 4]})],
}


def gradient(function, value, options):
    """The operation with the gradients of the images and of the boxes."""
    case = operation(function, "gradient", value, options)
    sources = {"input": tf.constant(value)}
    # TensorFlow gives the boxes of "nearest" the gradient of "bilinear".
    if "boxes" in options and "method" not in options:
        sources["boxes"] = tf.constant(options["boxes"])
    with tf.GradientTape() as tape:
        tape.watch(sources)
        boxes = {"boxes": sources["boxes"]} if "boxes" in sources else {}
        output = call(function, sources["input"], {**options, **boxes})
    weights = short_normal(case.random(f"{options}"), output.shape,
                           output.dtype.as_numpy_dtype)
    case.add("output_gradient", weights)
    for name, grad in tape.gradient(output, sources, weights).items():
        case.add(f"{name}_gradient", tf.convert_to_tensor(grad))
    return case


def record(family, arguments):
    del arguments
    if family == "image_gradients":
        return [gradient(function, value, options)
                for function, cases in GRADIENTS.items()
                for value, options in cases]
    if family == "image_decode":
        return [decoded(name, *case) for name, case in DECODE.items()]
    if family == "image_ops":
        return [operation(function, name, *case)
                for function, cases in OPS.items()
                for name, case in cases.items()]
    return [operation(function, f"{seed}", value, {**options, "seed": seed})
            for function, cases in RANDOM.items()
            for value, options in cases
            for seed in (BOX_SEEDS if "box" in function else SEEDS)]
