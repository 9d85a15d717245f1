#!/usr/bin/env python3
"""How often `loadline diff` raises a false alarm, and how often it finds a planted slowdown.

A/A (parts small, photos, volumes): pairs of separate identical runs, each with IO and FULL, compared by `diff` with the
noise floor that `loadline aa` measured before with the same settings, and without one. Exit code 3 is a false alarm of
the whole gate; a cell that differs, for the worse or the better, is a false alarm of that cell. FULL uses a device with
the rate of IO: a slower one would hide all noise of loading.

Planted (part planted): one side is 10 % slower, once by its compute (a device of 90 % of the rate) and once by its
loading (crops of a volume with 10 % more values). Both `diff` of two separate runs and `ab` look for it.

Prints a table with exact binomial intervals, and writes every comparison as JSON. Needs a quiet machine. Parts can be
measured one at a time: each replaces its own part of the file.
"""

import argparse
import json
import pathlib
import sys
import tempfile
import time

from experiments import (WORKLOADS, Tool, binomial_interval, cell_of, names_in, say, write_part)

EDGE = 30  # of a crop: (31 / 30)^3 is 1.10
VERDICTS = ("regression", "improvement", "equivalent", "inconclusive")


class Experiment:
    def __init__(self, tool, options):
        self.tool = tool
        self.options = options
        self.base = tool.directory / "base.json"
        self.changed = tool.directory / "new.json"

    def measuring(self, seconds=None):
        return ["--loader", "thread-pool", "--workers", self.options.workers, "--trial-seconds",
                seconds or self.options.seconds]

    def run(self, path, *words):
        self.tool.run("run", *words, *self.measuring(), "--trials", self.options.trials, "--ceilings", "off",
                      "--first-epoch-seconds", "0", "--quiet", "--overwrite", "-o", path)

    def rate_of_io(self, data):
        return cell_of(self.tool.result(*data, *self.measuring("0.2"), "--mode", "io", "--trials", "3"),
                       "IO")["samples_per_second"]["mean"]

    def device(self, rate):
        return ["--compute", f"device:samples_per_second={rate:.0f}"]

    def diff(self, noise):
        """The exit code of `diff` and what it says about the two files; None if it refuses to compare them."""
        code, text = self.tool.run("diff", self.base, self.changed, "--noise", noise, "--format", "json",
                                   codes=(0, 1, 3))
        return code, json.loads(text)["diffs"][0] if text else None

    def noise_floor(self, words):
        """A noise floor's file and its contents; "none" and None if `aa` refuses it as too poor."""
        path = self.tool.directory / "noise.json"
        path.unlink(missing_ok=True)
        code, _ = self.tool.run("aa", *words, *self.measuring(), "--trials", self.options.trials, "--pairs",
                                self.options.floor_pairs, "--quiet", "--overwrite", "-o", path, codes=(0, 1))
        return ("none", None) if code else (path, json.loads(path.read_text()))

    def a_a(self, part):
        data = self.tool.data(part)
        words = [*data, "--mode", "io,full", *self.device(self.rate_of_io(data))]
        say(f"{part}: noise floor from {self.options.floor_pairs} pairs of runs")
        noise, floor = self.noise_floor(words)
        pairs = []
        begin = time.monotonic()
        for pair in range(self.options.pairs):
            self.run(self.base, *words)
            self.run(self.changed, *words)
            pairs.append(self.pair(noise))
            if (pair + 1) % 10 == 0:
                left = (time.monotonic() - begin) / (pair + 1) * (self.options.pairs - pair - 1)
                say(f"{part}: A/A pair {pair + 1}/{self.options.pairs}, {left:.0f} s left")
        return {"noise": floor, "pairs": pairs}

    def pair(self, noise):
        code, shipped = self.diff(noise)
        bare_code, bare = self.diff("none")
        if shipped is None or bare is None:
            sys.exit("diff refuses to compare two runs of the same")
        cells = []
        for cell, without in zip(shipped["cells"], bare["cells"]):
            figures = {name: cell[name] for name in ("name", "gate", "ratio", "ci95", "adjusted_p", "detectable",
                                                     "noise_floor", "verdict")}
            cells.append({**figures, "verdict_without_floor": without["verdict"]})
        return {"exit_code": code, "exit_code_without_floor": bare_code, "cells": cells}

    def planted(self):
        data = self.tool.data("volumes")
        rate = self.rate_of_io(data) / 2
        compute = [*data, "--mode", "full"]
        # Only the edge of the crops changes; the other options of the workload stay.
        loading = [*data, "--mode", "io"]
        rows = []
        for about, words, base, changed in (
                ("compute", compute, self.device(rate), self.device(0.9 * rate)),
                ("loading", loading, ["--crop-edge", EDGE], ["--crop-edge", EDGE + 1])):
            for run in range(self.options.runs):
                rows.append({"planted": about, "by": "diff", **self.found_by_diff(words, base, changed)})
                rows.append({"planted": about, "by": "ab", **self.found_by_ab(words, base, changed, run + 1)})
                if (run + 1) % 5 == 0:
                    say(f"planted in {about}: {run + 1}/{self.options.runs}")
        return {"comparisons": rows}

    def found_by_diff(self, words, base, changed):
        self.run(self.base, *words, *base)
        self.run(self.changed, *words, *changed)
        code, said = self.diff("none")
        return decided(code, said)

    def found_by_ab(self, words, base, changed, seed):
        code, text = self.tool.run("ab", *words, *self.measuring(), "--quiet", "--seed", seed, "--base",
                                   " ".join(map(str, base)), "--new", " ".join(map(str, changed)),
                                   "--report-format", "json", "--overwrite", "-o", self.tool.directory / "ab",
                                   codes=(0, 3))
        return decided(code, json.loads(text)["diffs"][0])


def decided(code, said):
    """The verdict on the deciding cell."""
    if said is None:
        return {"exit_code": code, "verdict": "refused"}
    cell = next(cell for cell in said["cells"] if cell["gate"])
    return {"exit_code": code, "verdict": said["verdict"],
            **{name: cell[name] for name in ("name", "ratio", "ci95", "adjusted_p", "margin", "detectable")}}


def row(about, found, verdicts):
    low, high = binomial_interval(found, len(verdicts))
    share = f"{100 * found / len(verdicts):.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    return f"{about:<34}{len(verdicts):>4}{found:>7}{share:>26}" + "".join(
        f"{verdicts.count(verdict):>14}" for verdict in VERDICTS)


def table(parts):
    """In A/A the findings are false alarms, in planted they are the losses."""
    lines = [f"{'experiment':<34}{'n':>4}{'found':>7}{'share, 95 % interval':>26}"
             + "".join(f"{verdict:>14}" for verdict in VERDICTS)]
    for part in WORKLOADS:
        pairs = parts.get(part, {}).get("pairs", [])
        for about, suffix in (("", ""), (", no floor", "_without_floor")):
            if not pairs:
                continue
            codes = [pair["exit_code" + suffix] for pair in pairs]
            lines.append(row(f"A/A {part}, gate{about}", codes.count(3),
                             ["regression" if code == 3 else "" for code in codes]))
            for mode in ("IO", "FULL"):
                verdicts = [cell["verdict" + suffix] for pair in pairs for cell in pair["cells"]
                            if f"/{mode}/" in cell["name"]]
                if verdicts:
                    lines.append(row(f"A/A {part}, {mode}{about}",
                                     verdicts.count("regression") + verdicts.count("improvement"), verdicts))
    planted = parts.get("planted", {}).get("comparisons", [])
    for about, by in dict.fromkeys((found["planted"], found["by"]) for found in planted):
        these = [found for found in planted if (found["planted"], found["by"]) == (about, by)]
        lines.append(row(f"10 % slower {about}, by {by}", sum(found["exit_code"] == 3 for found in these),
                         [found["verdict"] for found in these]))
    return "\n".join(lines)


def main():
    known = [*WORKLOADS, "planted"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bench/loadline", help="[%(default)s]")
    parser.add_argument("--part", default=",".join(known), help="what to measure, any of these [%(default)s]")
    parser.add_argument("--pairs", type=int, default=100, help="pairs of separate runs, for A/A [%(default)s]")
    parser.add_argument("--floor-pairs", type=int, default=10, help="pairs of runs for a noise floor [%(default)s]")
    parser.add_argument("--runs", type=int, default=20, help="runs of diff and of ab per slowdown [%(default)s]")
    parser.add_argument("--trials", type=int, default=5, help="trials of each cell of a run [%(default)s]")
    parser.add_argument("--seconds", default="0.025", help="length of a trial [%(default)s]")
    parser.add_argument("--workers", default="1", help="worker threads [%(default)s]")
    parser.add_argument("--photographs", default="/usr/share/backgrounds",
                        help="directory of images to cut photos from [%(default)s]")
    parser.add_argument("-o", "--output", default="results/ab-experiment.json", help="[%(default)s]")
    options = parser.parse_args()
    parts = {}
    with tempfile.TemporaryDirectory(prefix="loadline-") as directory:
        tool = Tool(pathlib.Path(options.tool).absolute(), directory, options.photographs)
        experiment = Experiment(tool, options)
        settings = {name: value for name, value in vars(options).items() if name not in ("tool", "output", "part")}
        for part in names_in("--part", options.part, known):
            begin = time.monotonic()
            made = experiment.planted() if part == "planted" else experiment.a_a(part)
            seconds = round(time.monotonic() - begin, 1)
            parts = write_part(options.output, part, {"version": tool.version(), "settings": settings,
                                                      "seconds": seconds, **made})
            say(f"{part}: {seconds:.0f} s")
    print(table(parts))


if __name__ == "__main__":
    main()
