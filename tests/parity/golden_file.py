"""Cases and the file they are written to."""
import importlib.metadata
import json
import zlib

import numpy as np


class Case:
    """One recorded case: options in, arrays, texts and values out."""

    def __init__(self, name, options):
        self.name = name
        self.options = options
        self.expected = {}
        self.arrays = {}
        self.texts = {}

    def add(self, name, value):
        """Keeps an array (a TensorFlow tensor, a Keras variable, ...)."""
        if hasattr(value, "numpy"):
            value = value.numpy()
        assert name not in self.arrays, name
        self.arrays[name] = np.asarray(value)

    def random(self, purpose=""):
        """A generator of this case's own, so that cases can come and go."""
        return np.random.default_rng(
            zlib.crc32(f"{self.name}/{purpose}".encode()))


def short_normal(random, shape, dtype="float32", scale=1.0):
    """Normal values with three decimals: small files, exact in float32."""
    return np.round(random.normal(size=shape) * scale, 3).astype(dtype)


def check_versions(requirements):
    """Ends with a sentence when another Keras than the pinned is here."""
    for line in requirements.read_text().splitlines():
        if line and not line.startswith("#"):
            package, pinned = line.split("==")
            found = importlib.metadata.version(package)
            if found != pinned:
                raise SystemExit(f"record.py: {package} is {found}, "
                                 f"requirements.txt pins {pinned}")


def _number(value, dtype):
    if dtype.kind == "b":
        return "true" if value else "false"
    if dtype.kind in "iu":
        return str(int(value))
    if dtype.kind in "USO":
        return json.dumps(value.decode() if isinstance(value, bytes)
                          else str(value))
    if not np.isfinite(value):
        return '"nan"' if np.isnan(value) else (
            '"inf"' if value > 0 else '"-inf"')
    if dtype.name in ("float16", "bfloat16"):
        value = np.float32(value)  # exact; its shortest text reads back
    text = str(value)
    assert value == value.dtype.type(float(text)), text
    return text[:-2] if text.endswith(".0") else text


def _list(flat):
    return "[" + ",".join(_number(v, flat.dtype) for v in flat) + "]"


def _array(array):
    flat = array.reshape(-1)
    if array.dtype.kind == "c":
        data = f'{{"real":{_list(flat.real)},"imag":{_list(flat.imag)}}}'
    else:
        data = _list(flat)
    dtype = "string" if array.dtype.kind in "USO" else array.dtype.name
    return (f'{{"dtype":"{dtype}","shape":{json.dumps(list(array.shape))},'
            f'"data":{data}}}')


def write(path, family, cases, packages=("keras", "tensorflow-cpu")):
    """Writes cases as JSON with one line for each array."""
    seen = {}
    for case in cases:  # like options on other data: "..., 2"
        seen[case.name] = seen.get(case.name, 0) + 1
        if seen[case.name] > 1:
            case.name += f", {seen[case.name]}"
    recorded = {package.removesuffix("-cpu"):
                importlib.metadata.version(package) for package in packages}
    blocks = []
    for case in cases:
        lines = [f'"name": {json.dumps(case.name)}',
                 f'"options": {json.dumps(case.options)}']
        if case.expected:
            lines.append(f'"expected": {json.dumps(case.expected)}')
        if case.texts:
            texts = ",\n    ".join(f"{json.dumps(k)}: {json.dumps(v)}"
                                   for k, v in case.texts.items())
            lines.append(f'"texts": {{\n    {texts}}}')
        if case.arrays:
            arrays = ",\n    ".join(f"{json.dumps(k)}: {_array(v)}"
                                    for k, v in case.arrays.items())
            lines.append(f'"arrays": {{\n    {arrays}}}')
        blocks.append("  {" + ",\n   ".join(lines) + "}")
    text = (f'{{"family": {json.dumps(family)},\n'
            f' "recorded_with": {json.dumps(recorded)},\n'
            ' "cases": [\n' + ",\n".join(blocks) + "\n]}\n")
    json.loads(text)
    path.write_text(text, encoding="ascii")
