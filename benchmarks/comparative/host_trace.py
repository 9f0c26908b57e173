"""Reads a trace that SYSTOLIC_TRACE wrote: what the host does around a step."""
import collections
import json

# On the main thread, but not the host's own work: the plugin's call, waiting
# for the devices or for the pipeline's thread, and compiling.
NOT_OURS = {"launch", "wait for the launch before", "wait", "to host",
            "next batch", "compile", "load program"}
# What frames the run, and what ends it.
AROUND = {"fit", "metrics"}


def exclusive(events):
    """Microseconds by name, each without the stretches inside it."""
    total = collections.Counter()
    stack = []
    for event in sorted(events, key=lambda e: (e["ts"], -e["dur"])):
        while stack and event["ts"] >= stack[-1]["ts"] + stack[-1]["dur"]:
            stack.pop()
        total[event["name"]] += event["dur"]
        if stack:
            total[stack[-1]["name"]] -= event["dur"]
        stack.append(event)
    return total


def host_cost(path, step="train_step"):
    """Microseconds a step by what the main thread does for it."""
    with open(path, encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e["ph"] == "X"]
    steps = sum(e["name"] == step for e in events)
    main = next(e["tid"] for e in events if e["name"] == "fit")
    spent = exclusive([e for e in events if e["tid"] == main])
    return {name: took / steps for name, took in spent.items()
            if name not in NOT_OURS and name not in AROUND}
