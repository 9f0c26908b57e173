#!/usr/bin/env python3
"""Runs our programs and their peers in turn and prints the ratios.

Called by scripts/benchmark, which builds the programs and makes the peers'
environments first; docs/reference/benchmarks.md says how to read the table.
"""
import argparse
import pathlib
import sys

import table
from programs import HERE, Runner, note
from sections import SECTIONS

TASKS = ["mlp32", "mlp200", "cnn200", "guide32"]
PEERS = ["keras", "jax", "torch"]
ROOT = HERE.parent.parent


def names(choices):
    def parse(text):
        chosen = [word for word in text.split(",") if word]
        for word in chosen:
            if word not in choices:
                raise argparse.ArgumentTypeError(
                    f"{word!r} is none of {', '.join(choices)}")
        return chosen
    return parse


def sections(text):
    return list(SECTIONS) if text == "all" else names(SECTIONS)(text)


def counts(text):
    try:
        numbers = [int(word) for word in text.split(",")]
    except ValueError:
        numbers = [0]
    if min(numbers) < 1:
        raise argparse.ArgumentTypeError(
            f"wants numbers of at least 1, got {text!r}")
    return numbers


def parse():
    parser = argparse.ArgumentParser(
        prog="scripts/benchmark",
        description="Runs the same tasks with Systolic and with its peers, in "
        "turn, and compares the times.")
    parser.add_argument("--sections", type=sections,
                        default=["steps", "start"], metavar="A,B",
                        help=f"of {', '.join(SECTIONS)}, or all (steps,start)")
    parser.add_argument("--tasks", type=names(TASKS),
                        default=["mlp32", "cnn200"], metavar="A,B",
                        help="of the section steps: "
                        f"{', '.join(TASKS)} (mlp32,cnn200); guide32 only at "
                        "one step per execution")
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
    parser.add_argument("--save", nargs="?", metavar="FOLDER",
                        const=ROOT / "benchmarks" / "results",
                        help="also keep the figures there, under their date "
                        "(benchmarks/results)")
    parser.add_argument("--strict", action="store_true",
                        help="end with status 1 where a figure is above what "
                        "it should be")
    parser.add_argument("--timeout", type=float, default=600,
                        help="seconds for one run (600)")
    parser.add_argument("--no-setup", action="store_true",
                        help="neither build nor install first")
    parser.add_argument("--programs", type=pathlib.Path,
                        default=ROOT / "build/bin", help=argparse.SUPPRESS)
    parser.add_argument("--list-peers", action="store_true",
                        help=argparse.SUPPRESS)  # for scripts/benchmark
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds wants a number of at least 1")
    if arguments.tasks == ["guide32"] and 1 not in arguments.spe:
        parser.error("guide32 is run at --spe 1 only")
    return arguments


def main():
    arguments = parse()
    if arguments.list_peers:
        print(*arguments.peers)
        return
    where = table.machine(arguments.tpu)
    runner = Runner(arguments.programs, arguments.timeout)
    rows = [row for name in arguments.sections
            for row in SECTIONS[name](runner, arguments)]
    note("")
    if arguments.json:
        print(table.as_json(where, rows))
    else:
        print("\n".join(table.lines(where, rows)))
    if arguments.save is not None:
        print(f"kept in {table.save(arguments.save, where, rows)}",
              file=sys.stderr)
    misses = [f"{row.name}, {who}: {value:.3g} (at most {limit:.3g})"
              for row in rows for who, value, limit in row.misses()]
    if arguments.strict and misses:
        sys.exit("benchmark: above what it should be: " + "; ".join(misses))


if __name__ == "__main__":
    main()
