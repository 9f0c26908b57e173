#!/usr/bin/env python3
"""Runs train_steps and its peers in turn and prints the ratios.

Called by scripts/benchmark, which builds the program and makes the peers'
environments first; docs/reference/benchmarks.md says how to read the table.
"""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TASKS = ["mlp32", "mlp200", "cnn200", "guide32"]
PEERS = ["keras", "jax", "torch"]


def names(choices):
    def parse(text):
        chosen = [word for word in text.split(",") if word]
        for word in chosen:
            if word not in choices:
                raise argparse.ArgumentTypeError(
                    f"{word!r} is none of {', '.join(choices)}")
        return chosen
    return parse


def counts(text):
    numbers = [int(word) for word in text.split(",")]
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError("wants numbers of at least 1")
    return numbers


def peers_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("SYSTOLIC_PEERS")
                        or pathlib.Path(cache) / "systolic-peers")


def command(program, task, spe, arguments):
    options = ["--task", task, "--spe", str(spe)]
    if program == "systolic":
        if arguments.tpu is not None:
            options += ["--tpu", arguments.tpu]
        return [str(arguments.program), *options]
    python = peers_folder() / program / "bin" / "python"
    return [str(python), "-W", "ignore", str(HERE / "peers.py"), "--peer",
            program, *options]


def measure(program, task, spe, arguments):
    """One run's figure, a dict; ends the comparison where a run fails."""
    run = command(program, task, spe, arguments)
    try:
        result = subprocess.run(run, capture_output=True, text=True,
                                timeout=arguments.timeout)
    except FileNotFoundError:
        sys.exit(f"benchmark: {run[0]} is not there; run scripts/benchmark, "
                 "which builds it, without --no-setup")
    except subprocess.TimeoutExpired:
        sys.exit(f"benchmark: {program} took more than {arguments.timeout} s "
                 f"for {task}; --timeout allows more")
    if result.returncode != 0:
        sys.stderr.write(result.stderr[-4000:])
        sys.exit(f"benchmark: {program} failed in {task} at {spe} steps per "
                 f"execution; what it said is above")
    lines = [line for line in result.stdout.splitlines()
             if line.startswith("{")]
    return json.loads(lines[-1])


def best(figures):
    """The least of each time over the rounds: others only add to it."""
    kept = dict(figures[-1])
    for key in ("us_per_step", "start_to_first_step_s"):
        kept[key] = min(f[key] for f in figures)
    return kept


def compare(arguments):
    """Rounds of all programs in turn, so that a slow minute hits them all."""
    rows = []
    for task in arguments.tasks:
        for spe in arguments.spe:
            programs = ["systolic", *arguments.peers]
            runs = {program: [] for program in programs}
            for i in range(arguments.rounds):
                for program in programs if i % 2 == 0 else programs[::-1]:
                    note(f"{task}, {spe} steps per execution, round {i + 1} "
                         f"of {arguments.rounds}: {program}")
                    runs[program].append(
                        measure(program, task, spe, arguments))
            figures = {p: best(f) for p, f in runs.items()}
            ours = figures["systolic"]["us_per_step"]
            rows.append({"task": task, "spe": spe, "figures": figures,
                         "ratios": {p: round(
                             ours / figures[p]["us_per_step"], 3)
                             for p in arguments.peers}})
    note("")
    return rows


def note(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text[:78]}")
        sys.stderr.flush()


def machine(arguments):
    model = platform.processor()
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return {"processor": model, "cores": os.cpu_count(),
            "load": round(os.getloadavg()[0], 2),
            "device": arguments.tpu if arguments.tpu is not None
            else "one CPU device"}


def time_text(microseconds):
    if microseconds < 1000:
        return f"{microseconds:.0f} us"
    if microseconds < 1e6:
        return f"{microseconds / 1000:.3g} ms"
    return f"{microseconds / 1e6:.3g} s"


def table(where, rows, peers):
    print(f"{where['processor']}, {where['cores']} cores, load "
          f"{where['load']}; systolic on {where['device']}")
    head = f"{'task':9}{'spe':>4}{'systolic':>11}"
    for peer in peers:
        head += f"{peer:>11}{'ratio':>7}"
    print(head)
    for row in rows:
        line = f"{row['task']:9}{row['spe']:4}"
        line += f"{time_text(row['figures']['systolic']['us_per_step']):>11}"
        for peer in peers:
            took = row["figures"][peer]["us_per_step"]
            line += f"{time_text(took):>11}{row['ratios'][peer]:7.2f}"
        print(line)
    print("\nstart of the program to its first step, seconds")
    for row in rows:
        line = f"{row['task']:9}{row['spe']:4}"
        for program in ["systolic", *peers]:
            took = row["figures"][program]["start_to_first_step_s"]
            line += f"{took:9.2f} s" + ("" if program == "systolic"
                                        else " " * 7)
        print(line.rstrip())
    print("\ntime per training step; ratio = systolic / peer, below 1 is "
          "faster")


def main():
    parser = argparse.ArgumentParser(
        prog="scripts/benchmark",
        description="Trains the same small models with Systolic and with its "
        "peers, in turn, and compares the time per step.")
    parser.add_argument("--tasks", type=names(TASKS),
                        default=["mlp32", "cnn200"], metavar="A,B",
                        help=f"of {', '.join(TASKS)} (mlp32,cnn200)")
    parser.add_argument("--peers", type=names(PEERS), default=["keras"],
                        metavar="A,B", help=f"of {', '.join(PEERS)} (keras)")
    parser.add_argument("--spe", type=counts, default=[1, 30],
                        metavar="K,L", help="steps per execution (1,30)")
    parser.add_argument("--rounds", type=int, default=2,
                        help="times each program runs, in turn (2)")
    parser.add_argument("--tpu", help="train on this TPU name, such as "
                        "virtual:v3-8 (one CPU device)")
    parser.add_argument("--json", action="store_true",
                        help="print JSON, not the table")
    parser.add_argument("--max-ratio", type=float, metavar="R",
                        help="end with status 1 where a ratio is above R")
    parser.add_argument("--timeout", type=float, default=600,
                        help="seconds for one run (600)")
    parser.add_argument("--no-setup", action="store_true",
                        help="neither build nor install first")
    parser.add_argument("--program", type=pathlib.Path,
                        default=HERE.parent.parent / "build/bin/train_steps",
                        help=argparse.SUPPRESS)
    parser.add_argument("--list-peers", action="store_true",
                        help=argparse.SUPPRESS)  # for scripts/benchmark
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds wants a number of at least 1")
    if arguments.list_peers:
        print(*arguments.peers)
        return
    where = machine(arguments)
    rows = compare(arguments)
    if arguments.json:
        print(json.dumps({"machine": where, "comparisons": rows}, indent=1))
    else:
        table(where, rows, arguments.peers)
    if arguments.max_ratio is not None:
        slow = [f"{r['task']} at {r['spe']}: {ratio} times {peer}"
                for r in rows for peer, ratio in r["ratios"].items()
                if ratio > arguments.max_ratio]
        if slow:
            sys.exit(f"benchmark: above {arguments.max_ratio}: "
                     + "; ".join(slow))


if __name__ == "__main__":
    main()
