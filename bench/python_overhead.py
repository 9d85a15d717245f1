#!/usr/bin/env python3
"""python_overhead.py [-o FILE]: what the Python package costs per batch, compared with a loop without
it.

Run with PYTHONPATH=build/release/python. Each figure is the slope over two lengths of the same loop,
`for batch in X: pass`, with loadline minus that without it, over interleaved rounds: mean and
standard deviation in nanoseconds.
"""

import argparse
import json
import platform
import statistics
import sys
import time

from loadline import _core, _facts

LENGTHS = (20_000, 220_000)


def plain(batches):
    return iter(batches)


def full(batches):
    loop = _core.Loop(advance=None, failed=None, count=None, synchronise=_facts.synchronise)
    loop.begin(iter(batches), batches=len(batches))
    return loop.iterator()


def synthetic(batches):
    loop = _core.Loop(advance=None, failed=None, count=None, synchronise=_facts.synchronise)
    loop.set_resident(batches[:2])
    loop.begin(None, batches=len(batches))
    return loop.iterator()


def record(batches):
    return _core.RecordedPass(_core.Recorder(count=None), batches).iterator()


def seconds(iterator):
    began = time.perf_counter()
    for _ in iterator:
        pass
    return time.perf_counter() - began


def nanoseconds_a_batch(make, batch):
    short, long = (seconds(make([batch] * length)) for length in LENGTHS)
    return 1e9 * (long - short) / (LENGTHS[1] - LENGTHS[0])


def batches():
    kinds = {"list of floats": [1.0, 2.0]}
    try:
        import numpy

        kinds["two NumPy arrays"] = (numpy.zeros((64, 8), "f4"), numpy.zeros(64, "i8"))
    except ImportError:
        pass
    try:
        import torch

        kinds["two tensors"] = [torch.zeros(64, 8), torch.zeros(64, dtype=torch.int64)]
        kinds["dict of three tensors"] = {name: torch.zeros(64, 8) for name in "xyz"}
    except ImportError:
        pass
    return kinds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", help="file for the figures as JSON")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    ways = {"full": full, "synthetic": synthetic, "record": record}
    rows = []
    for kind, batch in batches().items():
        costs = {way: [] for way in ways}
        for _ in range(arguments.rounds):
            base = nanoseconds_a_batch(plain, batch)
            for way, make in ways.items():
                costs[way].append(nanoseconds_a_batch(make, batch) - base)
        for way, values in costs.items():
            mean, spread = statistics.mean(values), statistics.stdev(values)
            rows.append(
                {"way": way, "batch": kind, "mean_nanoseconds": mean, "stddev_nanoseconds": spread}
            )
            print(f"{way:10} {kind:22} {mean:7.0f} ± {spread:4.0f} ns a batch")
    document = {
        "python_overhead_version": 1,
        "versions": _facts.versions(),
        "machine": platform.processor() or platform.machine(),
        "rounds": arguments.rounds,
        "most_nanoseconds": 1000,
        "costs": rows,
    }
    if arguments.output:
        with open(arguments.output, "w") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    worst = max(row["mean_nanoseconds"] for row in rows)
    print(f"the most is {worst:.0f} ns a batch, want at most {document['most_nanoseconds']}")
    sys.exit(0 if worst <= document["most_nanoseconds"] else 1)


if __name__ == "__main__":
    main()
