"""The sections of the table: what is run, and what we hold ourselves to."""
import dataclasses
import os
import pathlib
import re
import tempfile
import typing

import host_trace
from programs import HERE, OURS, python

# Seconds, microseconds and megabytes are printed by table.py.
SECONDS, MICROSECONDS, MEGABYTES, COUNT = "s", "us", "MB", ""


@dataclasses.dataclass
class Row:
    """One line: our figure, the peers', and the most that ours may be.

    `limits` are ratios by peer; the limit of OURS is in the row's unit.
    """
    section: str
    name: str
    unit: str
    ours: float
    peers: dict = dataclasses.field(default_factory=dict)
    limits: dict = dataclasses.field(default_factory=dict)

    def ratios(self):
        return {peer: self.ours / value for peer, value in self.peers.items()}

    def misses(self):
        over = [(peer, ratio, self.limits[peer])
                for peer, ratio in self.ratios().items()
                if ratio > self.limits.get(peer, float("inf"))]
        if self.ours > self.limits.get(OURS, float("inf")):
            over.append((OURS, self.ours, self.limits[OURS]))
        return over


# The most that our time per step may be of a peer's.
STEP_LIMITS = {("mlp32", 1): {"keras": 1 / 6}, ("mlp32", 30): {"jax": 1.05},
               ("cnn200", 1): {"keras": 0.9}, ("cnn200", 30): {"keras": 0.95},
               ("guide32", 1): {"keras": 1.0}}


def step_commands(runner, task, spe, peers, tpu=None):
    options = ["--task", task, "--spe", str(spe)]
    place = [] if tpu is None else ["--tpu", tpu]
    commands = {OURS: runner.ours("train_steps", *options, *place)}
    for peer in peers:
        commands[peer] = python(peer, "peers.py", "--peer", peer, *options)
    return commands


def steps(runner, arguments):
    """Time per training step."""
    for task in arguments.tasks:
        for spe in arguments.spe:
            if task == "guide32" and spe > 1:
                continue  # a launch of 30 such steps takes ten seconds
            name = f"{task}, {spe} a launch"
            found = runner.rounds(
                name, step_commands(runner, task, spe, arguments.peers,
                                    arguments.tpu), arguments.rounds)
            yield Row("steps", name, MICROSECONDS,
                      found[OURS]["us_per_step"],
                      {p: found[p]["us_per_step"] for p in arguments.peers},
                      STEP_LIMITS.get((task, spe), {}))


def start(runner, arguments):
    """Start of the program to the end of its first step."""
    commands = step_commands(runner, "mlp32", 1, arguments.peers)
    rounds = max(arguments.rounds, 2)  # the first fills the file cache
    found = runner.rounds("start", commands, rounds,
                          {"SYSTOLIC_CACHE": "off"})
    key = "start_to_first_step_s"
    others = {p: found[p][key] for p in arguments.peers}
    yield Row("start", "mlp32, compiled", SECONDS, found[OURS][key], others,
              {OURS: 0.4})
    with tempfile.TemporaryDirectory() as folder:
        again = runner.rounds("start from the program cache",
                              {OURS: commands[OURS]}, rounds + 1,
                              {"SYSTOLIC_CACHE": folder})
    yield Row("start", "mlp32, program cache", SECONDS, again[OURS][key],
              others, {OURS: 0.15})


def replicas(runner, arguments):
    """Eight virtual TPU cores against one device, the same global batch."""
    for task, limit in (("cnn200", 1.2), ("guide200", 2.0)):
        one = step_commands(runner, task, 1, [])[OURS]
        found = runner.rounds(
            f"{task} on eight replicas",
            {OURS: [*one, "--tpu", "virtual:v3-8"], "one device": one},
            arguments.rounds)
        yield Row("replicas", f"{task}, 8 replicas", MICROSECONDS,
                  found[OURS]["us_per_step"],
                  {"one device": found["one device"]["us_per_step"]},
                  {"one device": limit})


def host(runner, arguments):
    """What the host pays around a launch."""
    nodes = runner.google("recording", "graph_benchmark", "^training_step/",
                          arguments.rounds)
    for name, row in nodes.items():
        yield Row("host", f"a node of {name}", MICROSECONDS,
                  row["cpu_time"] / row["nodes"] / 1e3, {}, {OURS: 0.25})
    launch = runner.google("launch", "launch_benchmark", ".",
                           max(arguments.rounds, 3))
    bare, own, recorded = (
        launch[f"launch_{name}/real_time"]["real_time"] / 1e3
        for name in ("bare", "ours", "recorded"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "trace.json"
        costs = []
        for _ in range(max(arguments.rounds, 3)):
            runner.figures("host cost",
                           step_commands(runner, "mlp32", 1, [])[OURS],
                           {"SYSTOLIC_TRACE": str(path)})
            costs.append(host_trace.host_cost(path))
    # Once taken off its core for 3 ms is 2 us more a step.
    cost = min(costs, key=lambda c: sum(c.values()))
    yield Row("host", "a step of mlp32", MICROSECONDS, sum(cost.values()), {},
              {OURS: 20.0})
    for name, took in sorted(cost.items(), key=lambda item: -item[1]):
        yield Row("host", f"  {'the loop' if name == 'epoch' else name}",
                  MICROSECONDS, took)
    yield Row("host", "launch of one addition", MICROSECONDS, own,
              {"bare C API": bare}, {OURS: bare + 1})
    # Half a percent of the time at 1,000 launches a second.
    yield Row("host", "recording its use", MICROSECONDS, recorded, {},
              {OURS: 5.0})


def pipeline(runner, arguments):
    """Elements through from_tensor_slices, map, cache, shuffle, batch."""
    commands = {OURS: runner.ours("pipeline")}
    if "keras" in arguments.peers:
        commands["tf.data"] = python("keras", "tf_data.py")
    found = runner.rounds("pipeline", commands, arguments.rounds)
    for key, name, limit in (
            ("first_us_per_element", "first pass", None),
            ("cached_us_per_element", "later passes", 1.0)):
        yield Row("pipeline", f"an element, {name}", MICROSECONDS,
                  found[OURS][key],
                  {p: f[key] for p, f in found.items() if p != OURS},
                  {} if limit is None else {OURS: limit})


def elements(runner, arguments):
    """Small elements through one transform and batch, and their memory."""
    for task, name, limits in (
            ("map", "28 x 28 bytes, map", {OURS: 1.0}),
            ("map_float", "28 x 28 bytes, map to float", {}),
            ("shuffle", "28 x 28 bytes, shuffle", {OURS: 1.0}),
            ("cache", "28 x 28 bytes, cache", {OURS: 1.0}),
            ("large_shuffle", "10 M numbers, shuffle all", {})):
        commands = {OURS: runner.ours("elements", "--task", task)}
        if "keras" in arguments.peers:
            commands["tf.data"] = python("keras", "tf_elements.py", "--task",
                                         task)
        found = runner.rounds(name, commands, arguments.rounds)
        for key, what, unit in (
                ("us_per_element", "", MICROSECONDS),
                ("resident_mb", "  resident, more at most", MEGABYTES)):
            yield Row("elements", what or name, unit, found[OURS][key],
                      {p: f[key] for p, f in found.items() if p != OURS},
                      {} if what else limits)


def scaling(runner, arguments):
    """Time on all cores as a part of the time on one."""
    cores = os.cpu_count()
    programs = {
        "records": ("tf_records.py", [], {"parsed_us": "records, parsed",
                                          "gzip_us": "records of GZIP"}),
        "pictures": ("tf_pictures.py", ["--files"],
                     {"us_per_picture": "pictures"})}
    for ours, (script, files, rows) in programs.items():
        with tempfile.TemporaryDirectory() as folder:
            make = [folder, "--make"] if not files else ["--make", folder]
            runner.output(f"{ours}: the files", runner.ours(ours, *make))
            options = [*files, folder]
            commands = {OURS: runner.ours(ours, *options)}
            if "keras" in arguments.peers:
                commands["tf.data"] = python("keras", script, *options)
            one = {f"{p} on one": ["taskset", "-c", "0", *command]
                   for p, command in commands.items()}
            found = runner.rounds(f"{ours} on one core and on {cores}",
                                  {**commands, **one}, arguments.rounds)
        for key, name in rows.items():
            parts = {p: found[p][key] / found[f"{p} on one"][key]
                     for p in commands}
            yield Row("scaling", f"{name}, {cores} cores", COUNT,
                      parts.pop(OURS), parts)


def pictures(runner, arguments):
    """JPEG records through decode, crop, flip, batch."""
    with tempfile.TemporaryDirectory() as folder:
        runner.output("drawing flowers",
                      runner.ours("pictures", "--make", folder))
        for threads in sorted({1, os.cpu_count()}):
            options = ["--files", folder, "--threads", str(threads)]
            commands = {OURS: runner.ours("pictures", *options)}
            if "keras" in arguments.peers:
                commands["tf.data"] = python("keras", "tf_pictures.py",
                                             *options)
            name = f"a picture, {threads} threads"
            found = runner.rounds(name, commands, arguments.rounds)
            for key, what in (("us_per_picture", ""),
                              ("part_us_per_picture", ", only the part")):
                peers = {p: f[key] for p, f in found.items() if p != OURS}
                if not what:
                    peers["libjpeg-turbo"] = (
                        found[OURS]["bare_us_per_picture"] / threads)
                yield Row("pictures", name + what, MICROSECONDS,
                          found[OURS][key], peers,
                          {"tf.data": 1 / 1.3, "libjpeg-turbo": 1 / 0.9})
        options = ["--files", folder, "--autotuned"]
        commands = {OURS: runner.ours("pictures", *options)}
        if "keras" in arguments.peers:
            commands["tf.data"] = python("keras", "tf_pictures.py", *options)
        name = "a picture as floats, shuffled, AUTOTUNE"
        found = runner.rounds(name, commands, arguments.rounds)
        key = "autotuned_us_per_picture"
        yield Row("pictures", name, MICROSECONDS, found[OURS][key],
                  {p: f[key] for p, f in found.items() if p != OURS},
                  {"tf.data": 1 / 1.3})


def records(runner, arguments):
    """Records of files: as they are, parsed, in batches, of GZIP."""
    with tempfile.TemporaryDirectory() as folder:
        runner.output("records: the files",
                      runner.ours("records", folder, "--make"))
        commands = {OURS: runner.ours("records", folder)}
        if "keras" in arguments.peers:
            commands["tf.data"] = python("keras", "tf_records.py", folder)
        found = runner.rounds("records", commands, arguments.rounds)
    for key, name, limits in (
            ("records_us", "a record", {"tf.data": 0.5}),
            ("parsed_us", "a record, parsed", {"tf.data": 0.5}),
            ("batches_us", "a record, parsed in batches", {}),
            ("gzip_us", "a record of GZIP", {})):
        yield Row("records", name, MICROSECONDS, found[OURS][key],
                  {p: f[key] for p, f in found.items() if p != OURS}, limits)


def storage(runner, arguments):
    """Records of 16 files of gs://, whose service answers after 50 ms."""
    with runner.service("the emulator of gs://",
                        runner.ours("storage", "--serve")) as address:
        read = runner.ours("storage", address)
        found = runner.rounds("storage", {
            OURS: read, "the link": [*read, "--link"]}, arguments.rounds)
    for key, name, unit, limits in (
            ("read_us", "128 MiB of records", MICROSECONDS,
             {"the link": 1 / 0.9}),
            ("resident_mb", "resident at most", MEGABYTES, {})):
        yield Row("storage", name, unit, found[OURS][key],
                  {"the link": found["the link"][key]}, limits)


def autotune(runner, arguments):
    """AUTOTUNE beside the best of a grid of hand-set numbers."""
    del arguments
    with tempfile.TemporaryDirectory() as folder:
        runner.output("drawing flowers",
                      runner.ours("pictures", "--make", folder))
        found = runner.figures("AUTOTUNE and a grid",
                               runner.ours("autotune", "--files", folder))
    for key in ("light", "decode", "latency"):
        # The median of pairs, which is not the quotient of the medians.
        ours = found[f"{key}_us"]
        yield Row("autotune", f"{key} ({found[f'{key}_chosen']})",
                  MICROSECONDS, ours,
                  {f"grid ({found[f'{key}_grid']})":
                   ours * found[f"{key}_ratio"]},
                  {f"grid ({found[f'{key}_grid']})": 1 / 0.9})


def ops(runner, arguments):
    """Ops that XLA:CPU is slow at, alone and in a loop on the device."""
    commands = {OURS: runner.ours("op_steps")}
    if "keras" in arguments.peers:
        commands["keras"] = python("keras", "op_steps.py")
    found = runner.rounds("ops", commands, arguments.rounds)
    for key, took in found[OURS].items():
        yield Row("ops", key.replace("_", " "), MICROSECONDS, took,
                  {p: f[key] for p, f in found.items() if p != OURS})


def malloc(runner, arguments):
    """The CPU platform's setting of malloc beside the C library's own."""
    command = step_commands(runner, "cnn200", 1, [])[OURS]
    default = {"SYSTOLIC_CPU_MALLOC": "default"}
    runs = {"with": [], "without": []}
    for _ in range(arguments.rounds):
        runs["with"].append(runner.figures("malloc: ours", command))
        runs["without"].append(
            runner.figures("malloc: the C library's", command, default))
    for key, name, unit in (("us_per_step", "cnn200, 1 a launch", MICROSECONDS),
                            ("resident_mb", "resident at most", MEGABYTES)):
        yield Row("malloc", name, unit, min(f[key] for f in runs["with"]),
                  {"default": min(f[key] for f in runs["without"])})


def include(runner, arguments):
    """Compiling a file that includes systolic/systolic.h."""
    del arguments
    text = runner.output(
        "include", [str(HERE.parent.parent / "scripts" / "check-headers"),
                    "--time"])
    for compiler, took in re.findall(r"costs (\S+) ([\d.]+) s", text):
        yield Row("include", pathlib.Path(compiler).name, SECONDS,
                  float(took), {}, {OURS: 1.5})


def own_loop(runner, arguments):
    """A step through strategy.run against the same step inside fit."""
    for task, spe, limit in (("mlp32", 1, 1.3), ("mlp32", 30, 1.3)):
        fit = step_commands(runner, task, spe, [])[OURS]
        found = runner.rounds(
            f"{task} in a loop of one's own",
            {OURS: [*fit, "--own-loop"], "fit": fit}, arguments.rounds)
        yield Row("own_loop", f"{task}, {spe} a launch", MICROSECONDS,
                  found[OURS]["us_per_step"],
                  {"fit": found["fit"]["us_per_step"]}, {"fit": limit})


def growth(runner, arguments):
    """What 19,000 steps leave behind."""
    del arguments
    for name, options, last in (("", [], 20), (
            ", own loop", ["--own-loop", "--steps", "10000"], 10)):
        found = runner.figures("growth" + name,
                               runner.ours("growth", *options))
        yield Row("growth", f"resident, step 1,000 to {last},000{name}",
                  MEGABYTES, found["resident_growth_mb"], {}, {OURS: 5.0})
        yield Row("growth", f"live PJRT handles, the same{name}", COUNT,
                  found["handle_growth"], {}, {OURS: 0.0})


SECTIONS: dict[str, typing.Callable] = {
    "steps": steps, "start": start, "replicas": replicas, "own_loop": own_loop,
    "host": host,
    "pipeline": pipeline, "elements": elements, "records": records,
    "pictures": pictures, "scaling": scaling, "storage": storage,
    "autotune": autotune,
    "growth": growth, "ops": ops, "malloc": malloc, "include": include}
