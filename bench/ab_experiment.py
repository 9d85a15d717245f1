#!/usr/bin/env python3
"""How often `loadline diff` raises a false alarm, and how often `loadline ab` finds a slowdown that was planted.

A/A: pairs of separate runs of the same, compared by `diff`. Any regression or improvement is false.
Planted: runs of `ab` with its default number of pairs, of which one side is 10 % slower, once by its compute (a device
of 90 % of the rate) and once by its loading (crops of a volume with 10 % more values).

Prints a table with the share that is false, or found, and its exact binomial interval, and writes every comparison as
JSON. Wants a quiet machine.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

EDGE = 30  # of a crop: (31 / 30)^3 is 1.10


def call(words, codes=(0,)):
    done = subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in codes:
        sys.exit(f"{' '.join(map(str, words))}: exit code {done.returncode}")
    return done.stdout


def decided(text, about):
    """What was found in the cell that decides, of the one comparison in this JSON."""
    comparison = json.loads(text)["diffs"][0]
    cell = next(cell for cell in comparison["cells"] if cell["gate"])
    return {"experiment": about, "verdict": comparison["verdict"], "cell": cell["name"],
            **{name: cell[name] for name in ("ratio", "ci95", "p", "margin", "detectable")}}


def below(successes, trials, share):
    """Chance of at most so many successes."""
    return sum(math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(successes + 1))


def root(function):
    """Where a falling function of a share crosses 0."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return low


def binomial_interval(successes, trials):
    """Exact, 95 % (Clopper and Pearson, Biometrika 26, 1934)."""
    low = 0.0 if successes == 0 else root(lambda share: 0.025 - (1 - below(successes - 1, trials, share)))
    high = 1.0 if successes == trials else root(lambda share: below(successes, trials, share) - 0.025)
    return low, high


class Experiment:
    def __init__(self, options, directory):
        self.options = options
        self.directory = pathlib.Path(directory)
        self.quick = ["--workload", options.workload, "--trial-seconds", options.seconds, "--quiet"]
        if options.data:
            self.quick += ["--data", options.data]

    def loadline(self, *words, codes=(0,)):
        return call([self.options.tool, *words], codes)

    def diff(self, *words):
        return self.loadline(*words, "--noise", "none", codes=(0, 3))

    def a_a(self):
        """Each pair gives a comparison by FULL and one by IO. A slower compute would hide in FULL all noise of loading;
        at the rate of IO itself FULL has its share of it."""
        run = ["run", *self.quick, "--mode", "io,full", "--loader", "thread-pool", "--workers", self.options.workers,
               "--trials", self.options.trials, "--ceilings", "off", "--first-epoch-seconds", "0"]
        run += ["--compute", f"device:samples_per_second={self.rate_of_io():.0f}"]
        first, second = self.directory / "first.json", self.directory / "second.json"
        for pair in range(self.options.pairs):
            print(f"A/A pair {pair + 1}/{self.options.pairs}", file=sys.stderr)
            self.loadline(*run, "-o", first)
            self.loadline(*run, "-o", second)
            for metric in ("full", "io"):
                yield decided(self.diff("diff", first, second, "--metric", metric, "--format", "json"),
                              f"A/A {metric.upper()}")

    def rate_of_io(self):
        result = self.directory / "io.json"
        self.loadline("run", *self.quick, "--mode", "io", "--loader", "thread-pool", "--workers", self.options.workers,
                      "--trials", "3", "--ceilings", "off", "--first-epoch-seconds", "0", "-o", result)
        cell = json.loads(result.read_text())["cells"][0]
        return cell["samples_per_second"]["mean"]

    def ab(self, about, *words):
        for run in range(self.options.runs):
            print(f"{about}, run {run + 1}/{self.options.runs}", file=sys.stderr)
            yield decided(self.diff("ab", "--quiet", "--seed", run + 1, "--workers", self.options.workers, *words,
                                    "--report-format", "json", "-o", self.directory / "ab"), about)

    def planted_compute(self):
        rate = self.rate_of_io() / 2
        data = ["--data", self.options.data] if self.options.data else []
        return self.ab("10 % slower compute", "--workload", self.options.workload, *data, "--mode", "full",
                       "--base", f"--compute device:samples_per_second={rate:.0f}",
                       "--new", f"--compute device:samples_per_second={0.9 * rate:.0f}")

    def planted_loading(self):
        volume = self.directory / "volume.h5"
        self.loadline("data", "make", "nbody", volume, "--size", "64", "--quiet")
        return self.ab("10 % slower loading", "--workload", "nbody", "--data", volume, "--mode", "io",
                       "--base", f"--crop-edge {EDGE}", "--new", f"--crop-edge {EDGE + 1}")


def table(rows):
    counts = {}
    for row in rows:
        verdicts = counts.setdefault(row["experiment"], [])
        verdicts.append(row["verdict"])
    lines = [f"{'experiment':<22}{'n':>4}{'regression':>12}{'share, 95 % interval':>26}{'improvement':>13}"
             f"{'equivalent':>12}{'inconclusive':>14}"]
    for experiment, verdicts in counts.items():
        regressions, improvements = verdicts.count("regression"), verdicts.count("improvement")
        found = regressions + (improvements if experiment.startswith("A/A") else 0)
        low, high = binomial_interval(found, len(verdicts))
        share = f"{100 * found / len(verdicts):.1f} % ({100 * low:.1f} to {100 * high:.1f})"
        lines.append(f"{experiment:<22}{len(verdicts):>4}{regressions:>12}{share:>26}{improvements:>13}"
                     f"{verdicts.count('equivalent'):>12}{verdicts.count('inconclusive'):>14}")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default="build/release/bench/loadline", help="[%(default)s]")
    parser.add_argument("--pairs", type=int, default=40, help="of separate runs, for A/A [%(default)s]")
    parser.add_argument("--runs", type=int, default=20, help="of ab, for each slowdown [%(default)s]")
    parser.add_argument("--trials", type=int, default=5, help="of each cell of a run for A/A [%(default)s]")
    parser.add_argument("--seconds", default="0.1", help="length of these trials [%(default)s]")
    parser.add_argument("--workers", default="1", help="worker threads [%(default)s]")
    parser.add_argument("--workload", default="fashion-mnist", help="[%(default)s]")
    parser.add_argument("--data", help="its data [where the workload has it]")
    parser.add_argument("-o", "--output", default="results/ab-experiment.json", help="[%(default)s]")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="loadline-") as directory:
        experiment = Experiment(options, directory)
        rows = [*experiment.a_a(), *experiment.planted_compute(), *experiment.planted_loading()]
        version = call([options.tool, "--version"]).strip()
    print(table(rows))
    settings = {name: value for name, value in vars(options).items() if name not in ("tool", "output")}
    pathlib.Path(options.output).write_text(
        json.dumps({"version": version, "settings": settings, "comparisons": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
