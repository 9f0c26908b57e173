"""Runs the programs of a comparison, ours and the peers', in turn."""
import contextlib
import json
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
OURS = "systolic"


def peers_folder():
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(os.environ.get("SYSTOLIC_PEERS")
                        or pathlib.Path(cache) / "systolic-peers")


def python(peer, script, *arguments):
    """The command that runs a script of this folder with a peer's Python."""
    interpreter = peers_folder() / peer / "bin" / "python"
    return [str(interpreter), "-W", "ignore", str(HERE / script), *arguments]


def note(text):
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text[:78]}")
        sys.stderr.flush()


class Runner:
    """Where our programs are and how long one run may take."""

    def __init__(self, folder, timeout):
        self.folder = pathlib.Path(folder)
        self.timeout = timeout

    def ours(self, program, *arguments):
        """The command of a program of ours."""
        return [str(self.folder / program), *arguments]

    def output(self, name, command, environment=None):
        """What a command prints; ends the comparison where it fails."""
        note(name)
        try:
            result = subprocess.run(
                command, capture_output=True, text=True, timeout=self.timeout,
                env={**os.environ, **(environment or {})})
        except FileNotFoundError:
            sys.exit(f"benchmark: {command[0]} is not there; run "
                     "scripts/benchmark, which makes it, without --no-setup")
        except subprocess.TimeoutExpired:
            sys.exit(f"benchmark: {name} took more than {self.timeout} s; "
                     "--timeout allows more")
        if result.returncode != 0:
            sys.stderr.write(result.stderr[-4000:])
            sys.exit(f"benchmark: {name} failed; what it said is above")
        return result.stdout

    @contextlib.contextmanager
    def service(self, name, command):
        """Runs a program beside others; gives the first line that it prints.

        It ends when its standard input does.
        """
        note(name)
        with subprocess.Popen(command, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True) as process:
            line = process.stdout.readline().strip()
            if not line:
                sys.exit(f"benchmark: {name} does not start")
            yield line

    def figures(self, name, command, environment=None):
        """The last JSON line that a command prints."""
        lines = [line for line
                 in self.output(name, command, environment).splitlines()
                 if line.startswith("{")]
        return json.loads(lines[-1])

    def google(self, name, program, pattern, repetitions):
        """The least real time in ns of each Google Benchmark of a program."""
        text = self.output(name, self.ours(
            program, f"--benchmark_filter={pattern}",
            f"--benchmark_repetitions={repetitions}",
            "--benchmark_format=json"))
        least = {}
        for row in json.loads(text)["benchmarks"]:
            if row["run_type"] != "iteration":
                continue
            known = least.setdefault(row["run_name"], row)
            if row["cpu_time"] < known["cpu_time"]:
                least[row["run_name"]] = row
        return least

    def rounds(self, name, commands, rounds, environment=None):
        """Rounds of all programs in turn, so that a slow minute hits all.

        `commands` are by program; gives each one's figures, of every number
        the least over the rounds: other work only ever adds to it.
        """
        runs = {program: [] for program in commands}
        for i in range(rounds):
            order = list(commands)
            for program in order if i % 2 == 0 else order[::-1]:
                runs[program].append(self.figures(
                    f"{name}, round {i + 1} of {rounds}: {program}",
                    commands[program], environment))
        return {program: least(figures) for program, figures in runs.items()}


def least(figures):
    kept = dict(figures[-1])
    for key, value in kept.items():
        if isinstance(value, float):
            kept[key] = min(f[key] for f in figures)
    return kept
