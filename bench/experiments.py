"""Shared by the experiments of bench/: running the tool, its data, intervals, and the file of results."""

import json
import math
import os
import pathlib
import subprocess
import sys
import time

# Each workload is measured on data made for it: small enough for each of hundreds of processes to read again, larger
# than a last-level cache of 32 MiB if possible, and in batches that take a few milliseconds, so that trials of
# hundredths of a second have several. Prefetch is fixed, so that few batches are enough for a warm-up.
WORKLOADS = {
    "small": {"data": ["cifar10", "--samples", "20000"],
              "options": ["--workload", "cifar10", "--batch-size", "512", "--prefetch", "2"],
              "cnn": ["--batch-size", "8"]},
    "photos": {"data": ["photos", "--samples", "300"],
               "options": ["--workload", "photos", "--batch-size", "2", "--prefetch", "2"],
               "cnn": ["--image-size", "32", "--batch-size", "8"]},
    "volumes": {"data": ["nbody", "--size", "64"],
                "options": ["--workload", "nbody", "--batch-size", "1", "--crop-edge", "32", "--prefetch", "2"],
                "cnn": ["--crop-edge", "16"]},
}


class Tool:
    """loadline with a directory for what it reads and writes."""

    def __init__(self, path, directory, photographs):
        self.path = path
        self.directory = pathlib.Path(directory)
        self.photographs = photographs

    def run(self, *words, codes=(0,)):
        """Runs the tool; returns its exit code and stdout. Ends the script if the code is not one of `codes`."""
        done = subprocess.run([str(word) for word in (self.path, *words)], stdout=subprocess.PIPE, text=True,
                              check=False, env=dict(os.environ, LOADLINE_BASELINES=str(self.directory / "baselines")))
        if done.returncode not in codes:
            sys.exit(f"{self.path} {' '.join(map(str, words))}: exit code {done.returncode}")
        return done.returncode, done.stdout

    def version(self):
        """The version, such as "0.1.0"."""
        return self.run("--version")[1].split()[1]

    def result(self, *words):
        """The result of a run without ceilings and first epochs."""
        path = self.directory / "result.json"
        self.run("run", *words, "--ceilings", "off", "--first-epoch-seconds", "0", "--quiet", "--overwrite", "-o", path)
        return json.loads(path.read_text())

    def data(self, part):
        """Options for a workload of this part and its data; makes the data once."""
        kind, *options = WORKLOADS[part]["data"]
        path = self.directory / (f"{part}.h5" if kind == "nbody" else part)
        if not path.exists():
            say(f"{part}: making data")
            if kind == "photos":
                options += ["--from", self.photographs]
            self.run("data", "make", kind, path, *options, "--quiet")
        return [*WORKLOADS[part]["options"], "--data", path]


def say(line):
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def cell_of(result, mode):
    return next(cell for cell in result["cells"] if cell["mode"] == mode)


def below(successes, trials, share):
    """The probability of at most this many successes."""
    return sum(math.comb(trials, k) * share**k * (1 - share) ** (trials - k) for k in range(successes + 1))


def root(function, low, high):
    """The point where a falling function crosses 0."""
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) > 0 else (low, middle)
    return low


def binomial_interval(successes, trials):
    """The exact 95 % interval (Clopper and Pearson, Biometrika 26, 1934)."""
    low = 0.0 if successes == 0 else root(lambda share: 0.025 - (1 - below(successes - 1, trials, share)), 0, 1)
    high = 1.0 if successes == trials else root(lambda share: below(successes, trials, share) - 0.025, 0, 1)
    return low, high


def t_quantile(degrees):
    """The t that |T| exceeds with 5 % probability: Simpson's rule for the density, and a search for the end."""
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(degrees * math.pi)

    def density(t):
        return scale * (1 + t * t / degrees) ** (-(degrees + 1) / 2)

    def within(t, steps=2000):
        width = t / steps
        inner = sum((4 if i % 2 else 2) * density(i * width) for i in range(1, steps))
        return 2 * (density(0) + inner + density(t)) * width / 3

    return root(lambda t: 0.95 - within(t), 0, 20)


def ratio_interval(ratios):
    """The geometric mean and the 95 % t interval of the logarithms; None for one ratio."""
    logs = [math.log(ratio) for ratio in ratios]
    mean = sum(logs) / len(logs)
    if len(logs) < 2:
        return math.exp(mean), None
    spread = math.sqrt(sum((log - mean) ** 2 for log in logs) / (len(logs) - 1))
    half = t_quantile(len(logs) - 1) * spread / math.sqrt(len(logs))
    return math.exp(mean), [math.exp(mean - half), math.exp(mean + half)]


def names_in(option, text, known):
    """Names separated by commas. Ends the script, with the exit code of usage errors, if one is unknown."""
    names = text.split(",")
    for name in names:
        if name not in known:
            print(f"{option}: unknown name '{name}', want some of {', '.join(known)}", file=sys.stderr)
            sys.exit(2)
    return names


def lines_of(value, depth=0):
    """JSON with one line per comparison; these are four levels deep."""
    if depth > 3 or not value or not isinstance(value, (dict, list)):
        return json.dumps(value)
    indent = " " * (depth + 1)
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {lines_of(item, depth + 1)}" for key, item in value.items()]
    else:
        items = [lines_of(item, depth + 1) for item in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}\n{indent}" + f",\n{indent}".join(items) + f"\n{indent[:-1]}{closing}"


def write_part(path, name, part):
    """Replaces one part of the file and keeps the others: each has its own settings and version, and may be from
    another day. Starts a new file if the old one is of another kind."""
    path = pathlib.Path(path)
    document = {}
    if path.exists():
        document = json.loads(path.read_text())
    parts = document.get("parts", {})
    parts[name] = part
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(path.name + ".new")
    temporary.write_text(lines_of({"parts": parts}) + "\n")
    temporary.replace(path)
    return parts
