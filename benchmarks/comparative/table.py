"""Prints and stores the rows of a comparison."""
import datetime
import json
import os
import pathlib
import platform

from sections import MICROSECONDS, SECONDS, SECTIONS
from programs import OURS


def machine(tpu):
    model = platform.processor()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {"date": datetime.date.today().isoformat(), "processor": model,
            "cores": os.cpu_count(), "load": round(os.getloadavg()[0], 2),
            "device": tpu if tpu is not None else "one CPU device"}


def figure(value, unit):
    if unit == MICROSECONDS:
        if value < 100:
            return f"{value:.3g} us"
        if value < 1000:
            return f"{value:.0f} us"
        if value < 1e6:
            return f"{value / 1000:.3g} ms"
        value, unit = value / 1e6, SECONDS
    return f"{value:.3g} {unit}".rstrip()


def lines(where, rows):
    yield (f"{where['date']}, {where['processor']}, {where['cores']} cores, "
           f"load {where['load']}; systolic on {where['device']}")
    section = None
    for row in rows:
        if row.section != section:
            section = row.section
            yield ""
            yield SECTIONS[section].__doc__.rstrip(".")
        line = f"  {row.name:31}{figure(row.ours, row.unit):>9}"
        if OURS in row.limits:
            line += f"  (<= {figure(row.limits[OURS], row.unit)})"
        ratios = row.ratios()
        for peer, value in row.peers.items():
            limit = row.limits.get(peer)
            line += (f"  {peer} {figure(value, row.unit)}: {ratios[peer]:.2f}"
                     + (f" (<= {limit:.2f})" if limit else ""))
        yield line + ("  *" if row.misses() else "")
    yield ""
    yield ("A number behind a peer is ours divided by the peer's: below 1, "
           "Systolic is faster.")
    yield "In brackets: the most it should be; * is above that."


def as_json(where, rows):
    return json.dumps({
        "machine": where,
        "rows": [{"section": r.section, "name": r.name, "unit": r.unit,
                  OURS: r.ours, "peers": r.peers,
                  "ratios": {p: round(v, 3) for p, v in r.ratios().items()},
                  "limits": r.limits} for r in rows]}, indent=1)


def save(folder, where, rows):
    """Keeps the table under its date; returns the file's path."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{where['date']}-{where['cores']}-cores.json"
    aside = path.with_suffix(".part")
    aside.write_text(as_json(where, rows) + "\n")
    aside.replace(path)
    return path
