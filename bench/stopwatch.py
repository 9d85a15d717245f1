#!/usr/bin/env python3
"""FULL against a stopwatch outside the process.

This script runs `loadline run` with a trial of n batches and with one of a multiple of n, everything else equal, and
times the whole process. Parts that do not depend on the length of the trial (starting the process, reading the data,
setting up loader and compute, warming up, OVERHEAD, whose trial has its own length, writing the result) are in both
times and cancel in their difference. The difference is the time of the additional batches: seconds per sample, by a
clock that the tool does not have. FULL, as the tool reports it, must be its inverse.

Three ratios, each over pairs of processes that follow each other in either order, as a geometric mean with the 95 % t
interval of its logarithms. All should be 1.
  figure  FULL of the long trial over the stopwatch's: what a user reads against the truth. A trial that begins with a
          full queue, ends before its last step or leaves out some of its time is off here.
  short   the same for the short trial's FULL, which is as long as a trial of a real run: gains and losses at the ends
          of a trial weigh more here.
  clock   the wall time that the tool's clock counts for the additional batches over the stopwatch's. Random
          differences of the two trials do not enter, so this is the most exact ratio; it is blind to the ends of a
          trial, which cancel.

Anything outside the trial's clock that grows with the length of the trial would bias the difference. The code was
searched for that, and options remove it where possible: the warm-up has equally many batches in both
(--warm-up-batches), which also keeps the tool from timing a part again when the queue moved the first; IO, whose trials
go on undrained, is not run; there is one trial, no ceiling, no first epoch and no check; waits are counted in a
histogram of fixed size; the page cache is checked once before and once after a trial of any length. What remains is
what the workers have read ahead when the trial ends, which is equal in both. A machine whose speed changes from process
to process biases none of the ratios, but widens the intervals of the first two.

Prints a table and writes every process as JSON. Needs a quiet machine. Parts can be measured one at a time: each
replaces its own part of the file.
"""

import argparse
import pathlib
import random
import subprocess
import tempfile
import time

from experiments import WORKLOADS, Tool, cell_of, names_in, ratio_interval, say, write_part

RATIOS = ("figure", "short", "clock")
CLOSE = 0.01  # the goal


class Stopwatch:
    def __init__(self, tool, options):
        self.tool = tool
        self.options = options
        self.random = random.Random(1)

    def full(self, words, *length):
        """One process with one trial of FULL, and how long it took."""
        run = [*words, "--mode", "full", "--loader", "thread-pool", "--workers", self.options.workers, "--trials", "1"]
        begin = time.perf_counter()
        result = self.tool.result(*run, *length)
        seconds = time.perf_counter() - begin
        trial = cell_of(result, "FULL")["trials"][0]
        return {"process_seconds": seconds, **{name: trial[name] for name in ("warm_up_batches", "wall_seconds",
                                                                              "batches", "samples")}}

    def measure(self, part, compute):
        words = self.words(part, compute)
        first = self.full(words, "--trial-seconds", self.options.seconds)
        # A queue that is a tenth faster at one end takes ten times its length to settle.
        warm_up = ["--warm-up-batches", max(first["warm_up_batches"], first["batches"] // 5)]
        # The first process finds cold caches, so only the length of its trial is used.
        lengths = {"short": max(2, first["batches"]), "long": self.options.factor * max(2, first["batches"])}
        pairs = []
        for _ in range(self.options.repetitions):
            order = list(lengths)
            self.random.shuffle(order)
            pair = {"first": order[0]}
            for name in order:
                pair[name] = self.full(words, "--trial-batches", lengths[name], *warm_up)
            pairs.append(pair)
        return {"part": part, "compute": " ".join(map(str, words[words.index("--compute"):])), **summary(pairs),
                "pairs": pairs}

    def words(self, part, compute):
        data = self.tool.data(part)
        if compute == "cnn":
            return [*data, *WORKLOADS[part]["cnn"], "--compute", "cnn"]
        # About the rate of the loader, so that both have their part in FULL.
        io = self.tool.result(*data, "--mode", "io", "--loader", "thread-pool", "--workers", self.options.workers,
                              "--trials", "3", "--trial-seconds", "0.2")
        rate = cell_of(io, "IO")["samples_per_second"]["mean"]
        return [*data, "--compute", f"device:samples_per_second={self.options.share * rate:.0f}"]


def ratios_of(pair):
    short, long = pair["short"], pair["long"]
    samples = long["samples"] - short["samples"]
    seconds = long["process_seconds"] - short["process_seconds"]
    if seconds <= 0:
        return None
    return {"figure": long["samples"] / long["wall_seconds"] * seconds / samples,
            "short": short["samples"] / short["wall_seconds"] * seconds / samples,
            "clock": (long["wall_seconds"] - short["wall_seconds"]) / seconds}


def summary(pairs):
    ratios = [ratios_of(pair) for pair in pairs]
    usable = [ratio for ratio in ratios if ratio and ratio["clock"] > 0]
    made = {"unusable_pairs": len(ratios) - len(usable)}
    for name in RATIOS:
        value, interval = ratio_interval([ratio[name] for ratio in usable]) if usable else (None, None)
        made[name] = {"ratio": value, "ci95": interval, "within_1_percent": is_close(value, interval)}
    return made


def is_close(value, interval):
    """True, False, or None if the interval leaves it open."""
    if value is None or interval is None:
        return None
    if 1 - CLOSE <= interval[0] and interval[1] <= 1 + CLOSE:
        return True
    return None if interval[0] <= 1 + CLOSE and 1 - CLOSE <= interval[1] else False


def text(estimate):
    if estimate["ratio"] is None:
        return "-"
    answer = {True: "yes", False: "NO", None: "unclear"}[estimate["within_1_percent"]]
    interval = estimate["ci95"]
    spread = f" ({interval[0]:.4f} to {interval[1]:.4f})" if interval else ""
    return f"{estimate['ratio']:.4f}{spread} {answer}"


def table(parts):
    lines = [f"{'FULL of':<10}{'with':<8}{'pairs':>6}" + "".join(f"{name + ', within 1 %':>36}" for name in RATIOS)]
    for made in parts.values():
        for row in made["rows"]:
            kind = row["compute"].split()[1].split(":")[0]
            lines.append(f"{row['part']:<10}{kind:<8}{len(row['pairs']):>6}"
                         + "".join(f"{text(row[name]):>36}" for name in RATIOS))
    return "\n".join(lines)


def has_cnn(tool):
    listed = subprocess.run([str(tool.path), "list"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return any(line.startswith("  cnn ") and "left out" not in line for line in listed.splitlines())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bench/loadline", help="[%(default)s]")
    parser.add_argument("--part", default=",".join(WORKLOADS), help="what to measure, any of these [%(default)s]")
    parser.add_argument("--compute", default="device,cnn", help="computes; cnn only if it was built [%(default)s]")
    parser.add_argument("--repetitions", type=int, default=6, help="pairs of processes each [%(default)s]")
    parser.add_argument("--seconds", default="0.5", help="length of the short trial [%(default)s]")
    parser.add_argument("--factor", type=int, default=5, help="long trial over short trial [%(default)s]")
    parser.add_argument("--share", type=float, default=0.9, help="rate of the device, as a share of IO's [%(default)s]")
    parser.add_argument("--workers", default="1", help="worker threads [%(default)s]")
    parser.add_argument("--photographs", default="/usr/share/backgrounds",
                        help="directory of images to cut photos from [%(default)s]")
    parser.add_argument("-o", "--output", default="results/stopwatch.json", help="[%(default)s]")
    options = parser.parse_args()
    computes = names_in("--compute", options.compute, ["device", "cnn"])
    parts = {}
    with tempfile.TemporaryDirectory(prefix="loadline-") as directory:
        tool = Tool(pathlib.Path(options.tool).absolute(), directory, options.photographs)
        if "cnn" in computes and not has_cnn(tool):
            say("cnn is left out: this loadline was built without oneDNN")
            computes.remove("cnn")
        stopwatch = Stopwatch(tool, options)
        settings = {name: value for name, value in vars(options).items() if name not in ("tool", "output", "part")}
        for part in names_in("--part", options.part, WORKLOADS):
            begin = time.monotonic()
            rows = []
            for compute in computes:
                rows.append(stopwatch.measure(part, compute))
                say(f"{part}, {compute}: figure {text(rows[-1]['figure'])}, clock {text(rows[-1]['clock'])}")
            seconds = round(time.monotonic() - begin, 1)
            parts = write_part(options.output, part, {"version": tool.version(), "settings": settings,
                                                      "seconds": seconds, "rows": rows})
    print(table(parts))


if __name__ == "__main__":
    main()
