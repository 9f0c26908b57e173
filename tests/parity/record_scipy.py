#!/usr/bin/env python3
"""Records values of NumPy's and SciPy's functions: goldens/<family>.json.

  record_scipy.py [FAMILY ...]     all by default

The inputs are exact in float32, the values float64's.
"""
import argparse
import pathlib

import numpy as np
import scipy.special as sp

import golden_file

HERE = pathlib.Path(__file__).resolve().parent

LINE = [-30, -8, -3.5, -1.25, -1, -0.75, -0.3, -1e-3, 0, 1e-6, 0.01, 0.25,
        0.5, 0.9, 1, 1.5, 2.25, 4, 7, 12, 60]
UNIT = [-1, -0.99, -0.5, -0.1, -1e-4, 0, 1e-5, 0.3, 0.7, 0.999, 1]
POSITIVE = [1e-6, 1e-3, 0.1, 0.25, 0.5, 0.9, 1, 1.1, 1.5, 2, 2.25, 3, 5, 10,
            33.3, 100, 1000]
PAIRS = [(x, y) for x in (-7.5, -1, -0.25, 0.5, 1, 3, 8)
         for y in (-2.5, -1, 0.75, 2, 20)]


def grid(*axes):
    return [list(column) for column in zip(*[
        p for p in np.array(np.meshgrid(*axes)).reshape(len(axes), -1).T])]


def two():
    return [list(c) for c in zip(*PAIRS)]


ELEMENTWISE = {
    "tan": (np.tan, [[v for v in LINE if abs(v) < 20]]),
    "asin": (np.arcsin, [UNIT]),
    "acos": (np.arccos, [UNIT]),
    "atan": (np.arctan, [LINE]),
    "sinh": (np.sinh, [LINE]),
    "cosh": (np.cosh, [LINE]),
    "asinh": (np.arcsinh, [LINE]),
    "acosh": (np.arccosh, [[1, 1.0001, 1.5, 2, 10, 1e4]]),
    "atanh": (np.arctanh, [UNIT[1:-1]]),
    "atan2": (np.arctan2, two()),
    "sinc": (np.sinc, [[v for v in LINE if abs(v) < 5]]),
    "deg2rad": (np.deg2rad, [LINE]),
    "rad2deg": (np.rad2deg, [LINE]),
    "fmod": (np.fmod, two()),
    "mod": (np.mod, two()),
    "floor_divide": (np.floor_divide, two()),
    "hypot": (np.hypot, two()),
    "logaddexp": (np.logaddexp, two()),
    "logaddexp2": (np.logaddexp2, two()),
    "xlogy": (sp.xlogy, grid([0, 0.5, 2], [0.25, 1, 3])),
    "xlog1py": (sp.xlog1py, grid([0, 0.5, 2], [-0.25, 1, 3])),
    "exp2": (np.exp2, [[v for v in LINE if abs(v) < 61]]),
    "log2": (np.log2, [POSITIVE]),
    "log10": (np.log10, [POSITIVE]),
    "logit": (sp.logit, [[1e-5, 0.1, 0.25, 0.5, 0.875]]),
    "cbrt": (np.cbrt, [LINE]),
    "trunc": (np.trunc, [LINE]),
    "rint": (np.rint, [LINE + [2.5, 3.5, -2.5]]),
}

SPECIAL = {
    "erf": (sp.erf, [LINE]),
    "erfc": (sp.erfc, [[v for v in LINE if v < 9] + [5, 8.5]]),
    "erfinv": (sp.erfinv, [UNIT[1:-1]]),
    "ndtr": (sp.ndtr, [[v for v in LINE if -12 < v < 10]]),
    "lgamma": (sp.gammaln, [POSITIVE + [-0.5, -1.75, -7.3]]),
    "digamma": (sp.digamma, [POSITIVE + [-0.5, -1.75, -7.3]]),
    "polygamma": (lambda n, x: sp.polygamma(n.astype(int), x),
                  grid([1, 2, 3, 6], [0.1, 0.5, 1, 2.25, 10, 50])),
    "zeta": (sp.zeta, grid([1.25, 2, 4.5, 9], [0.25, 1, 3.5, 20])),
    "betaln": (sp.betaln, grid([0.25, 1, 4.5, 30], [0.5, 2, 11])),
    "igamma": (sp.gammainc,
               grid([0.1, 0.5, 1, 2.5, 10, 80], [0, 0.01, 0.5, 1, 3, 20, 90])),
    "igammac": (sp.gammaincc,
                grid([0.1, 0.5, 1, 2.5, 10, 80], [0, 0.01, 0.5, 1, 3, 20, 90])),
    "betainc": (sp.betainc, grid([0.25, 1, 3.5, 20], [0.5, 2, 30],
                                 [0, 0.01, 0.25, 0.5, 0.875, 1])),
    "bessel_i0e": (sp.i0e, [LINE]),
    "bessel_i1e": (sp.i1e, [LINE]),
    "bessel_i0": (sp.i0, [LINE]),
    "bessel_i1": (sp.i1, [LINE]),
}

EINSUM = [
    ("ij,jk->ik", (2, 3), (3, 4)),
    ("ij,jk", (2, 3), (3, 4)),
    ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)),
    ("ii", (3, 3)),
    ("ii->i", (3, 3)),
    ("ij->ji", (2, 3)),
    ("ba", (2, 3)),
    ("ij->", (2, 3)),
    ("ij->j", (2, 3)),
    ("i,i", (4,), (4,)),
    ("i,j->ij", (2,), (3,)),
    ("i,j->ji", (2,), (3,)),
    ("...ij,...jk->...ik", (2, 1, 2, 3), (3, 3, 2)),
    ("...i,...i", (2, 3), (3,)),
    ("i...->...", (2, 3)),
    ("bhqd,bhkd->bhqk", (2, 2, 3, 2), (2, 2, 2, 2)),
    ("ijk,jil->kl", (2, 3, 2), (3, 2, 4)),
    ("ij,jk,kl->il", (2, 3), (3, 2), (2, 4)),
    ("i,ij,j", (2,), (2, 3), (3,)),
    ("iij,jk->ik", (2, 2, 3), (3, 2)),
    ("ijk,k->ij", (2, 3, 2), (2,)),
    ("abc,bad->dc", (2, 3, 2), (3, 2, 2)),
]

FAMILIES = {"elementwise": ELEMENTWISE, "special": SPECIAL, "einsum": EINSUM}


def einsum_cases():
    for subscripts, *shapes in EINSUM:
        case = golden_file.Case(subscripts, {})
        random = case.random()
        arrays = [golden_file.short_normal(random, shape, "float64")
                  for shape in shapes]
        for i, array in enumerate(arrays):
            case.add(f"inputs/{i}", array)
        case.add("output", np.einsum(subscripts, *arrays))
        yield case


def cases_of(family):
    if family == "einsum":
        yield from einsum_cases()
        return
    for name, (function, inputs) in FAMILIES[family].items():
        case = golden_file.Case(name, {})
        arrays = [np.array(i, np.float32).astype(np.float64) for i in inputs]
        for i, array in enumerate(arrays):
            case.add(f"inputs/{i}", array)
        case.add("output", function(*arrays))
        yield case


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", default=list(FAMILIES),
                        metavar="FAMILY")
    arguments = parser.parse_args()
    golden_file.check_versions(HERE / "requirements-scipy.txt")
    for family in arguments.families:
        path = HERE / "goldens" / f"{family}.json"
        golden_file.write(path, family, list(cases_of(family)),
                          packages=("numpy", "scipy"))
        print(f"{family}: {path.stat().st_size / 1024:.0f} KiB")


if __name__ == "__main__":
    main()
