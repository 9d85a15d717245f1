#!/usr/bin/env python3
"""IO through Python against IO of the tool.

The same loader on the same data with the same settings, once as `loadline run --mode io`, once as a Python loop over
loadline.Loader that touches each batch as the tool's IO does, by one native call. Trials of the two follow each other
in either order, and the loop's are as warm as the tool's. Each pair gives the ratio of samples per second, Python's
over the tool's, and all pairs a geometric mean with the 95 % t interval of the logarithms. A for loop holds its last
batch until it gets the next one, so it uses one slot more than the tool; "let go" is a loop that first drops its batch
(del).

Needs the package in PYTHONPATH and the Python that it was built for:

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_loader.py

Prints a table and writes every pair as JSON. Needs a quiet machine. Parts can be measured one at a time: each replaces
its own part of the file.
"""

import argparse
import pathlib
import platform
import random
import sys
import tempfile
import time

from experiments import Tool, cell_of, names_in, ratio_interval, say, write_part

import loadline

LEAST = 0.9  # that is wanted, of batches of 512 samples
PARTS = {"u8": "u8", "f32": "f32"}
LETS_GO = {"held": False, "let go": True}


class Comparison:
    def __init__(self, tool, options):
        self.tool = tool
        self.options = options
        self.random = random.Random(1)
        self.data = pathlib.Path(tool.directory) / "cifar10"
        if not self.data.exists():
            say("making data")
            tool.run("data", "make", "cifar10", self.data, "--samples", options.samples, "--quiet")

    def of_tool(self, dtype):
        result = self.tool.result("--workload", "cifar10", "--data", self.data, "--mode", "io", "--loader",
                                  self.options.loader, "--workers", self.options.workers, "--batch-size",
                                  self.options.batch_size, "--dtype", dtype, "--trials", "1", "--trial-seconds",
                                  self.options.seconds)
        trial = cell_of(result, "IO")["trials"][0]
        return trial["samples"] / trial["wall_seconds"]

    def of_python(self, dtype, form, lets_go):
        touch = loadline.touch
        with loadline.Loader(self.data, self.options.loader, self.options.workers, self.options.batch_size, dtype,
                             workload="cifar10", as_=form) as loader:
            for _ in range(2):  # the tool's trials begin as warm
                for images, _ in loader:
                    touch(images)
            samples = 0
            begin = time.perf_counter()
            end = begin + self.options.seconds
            while True:
                for images, labels in loader:
                    touch(images)
                    samples += len(labels)
                    if lets_go:
                        del images, labels
                    now = time.perf_counter()
                    if now >= end:
                        return samples / (now - begin)

    def measure(self, dtype, form, held):
        pairs = []
        for _ in range(self.options.repetitions):
            sides = {"tool": lambda: self.of_tool(dtype), "python": lambda: self.of_python(dtype, form, LETS_GO[held])}
            order = list(sides)
            self.random.shuffle(order)
            rates = {name: sides[name]() for name in order}
            pairs.append({"first": order[0], **rates})
        value, interval = ratio_interval([pair["python"] / pair["tool"] for pair in pairs])
        return {"dtype": dtype, "as": form, "batches": held, "ratio": value, "ci95": interval, "pairs": pairs}


def table(parts):
    lines = [f"{'dtype':<7}{'as':<8}{'batches':<9}{'pairs':>6}{'tool':>16}{'Python':>16}   Python / tool"]
    for made in parts.values():
        for row in made["rows"]:
            mean = {side: sum(pair[side] for pair in row["pairs"]) / len(row["pairs"]) for side in ("tool", "python")}
            spread = f" ({row['ci95'][0]:.3f} to {row['ci95'][1]:.3f})" if row["ci95"] else ""
            lines.append(f"{row['dtype']:<7}{row['as']:<8}{row['batches']:<9}{len(row['pairs']):>6}{mean['tool']:>14,.0f}/s"
                         f"{mean['python']:>14,.0f}/s   {row['ratio']:.3f}{spread}, at least {LEAST} is wanted")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bench/loadline", help="[%(default)s]")
    parser.add_argument("--part", default=",".join(PARTS), help="element types [%(default)s]")
    parser.add_argument("--as", dest="forms", default="numpy,torch,array", help="what the loop gets [%(default)s]")
    parser.add_argument("--repetitions", type=int, default=10, help="pairs of each [%(default)s]")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a trial [%(default)s]")
    parser.add_argument("--loader", default="thread-pool", help="[%(default)s]")
    parser.add_argument("--workers", type=int, default=2, help="worker threads [%(default)s]")
    parser.add_argument("--batch-size", type=int, default=512, help="samples [%(default)s]")
    parser.add_argument("--samples", type=int, default=50000, help="samples of the data [%(default)s]")
    parser.add_argument("-o", "--output", default="results/python-loader.json", help="[%(default)s]")
    options = parser.parse_args()
    forms = names_in("--as", options.forms, ["numpy", "torch", "array"])
    settings = {name: value for name, value in vars(options).items() if name not in ("tool", "output", "part")}
    versions = {"python": platform.python_version()}
    for name in ("numpy", "torch"):
        if name in forms:
            versions[name] = __import__(name).__version__
    parts = {}
    with tempfile.TemporaryDirectory(prefix="loadline-") as directory:
        tool = Tool(pathlib.Path(options.tool).absolute(), directory, "")
        comparison = Comparison(tool, options)
        for part in names_in("--part", options.part, PARTS):
            begin = time.monotonic()
            rows = []
            for form in forms:
                for held in LETS_GO:
                    rows.append(comparison.measure(PARTS[part], form, held))
                    say(f"{part}, {form}, {held}: {rows[-1]['ratio']:.3f}")
            seconds = round(time.monotonic() - begin, 1)
            parts = write_part(options.output, part, {"version": tool.version(), "versions": versions,
                                                      "settings": settings, "seconds": seconds, "rows": rows})
    print(table(parts))


if __name__ == "__main__":
    sys.exit(main())
