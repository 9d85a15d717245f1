#!/usr/bin/env python3
"""Checks `loadline forecast` against ranks that run at the same time on throttled storage.

For each loader and compute, one rank is measured without throttling. From its result `forecast` predicts what 1 to 16
ranks would get from a storage with limits. Then that many ranks run (mpirun, FULL) on a FUSE file system with these
limits. The files are photographs of a few KB and the computes emulated devices, so that ranks share the storage and not
the CPUs. The group `page cache` is the other way round: files in memory, and ranks that share the CPUs.

Each row is written to the file of results as soon as it is measured. Existing rows are not measured again, so the
script can run in parts (--seconds). It prints the table with every row as Markdown, for the closed form and for the
simulation. Needs a quiet machine, MPI, SimGrid, /dev/fuse and the program slow_files (`cmake --build --preset release
--target slow_files`).
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from experiments import Tool, cell_of, names_in, say

# name: limits for both slow_files and forecast; the page cache has none.
STORAGES = {
    "bytes": "bytes_per_second=3M,latency=10e-3",
    "client": "client_bytes_per_second=300k,latency=5e-3",
    "iops": "iops=800,latency=10e-3",
    "page cache": "",
}
LOADERS = {
    "thread-pool": "--loader thread-pool --workers 2 --read pread",
    "flow-graph": "--loader flow-graph --workers 1 --read uring --reads-in-flight 4",
}
SAMPLES_PER_SECOND = {"slow": 80, "fast": 5000}  # of the device; of the page cache the fast one is out of reach
OUT_OF_REACH = 200000
RANKS = (1, 2, 4, 8, 16)
PHOTOS = 1024
BATCH_SIZES = {"throttled": 2, "cached": 32}
MEDIAN, WORST = 0.05, 0.15  # errors that are aimed at
KINDS = {"forecast": "closed form", "simulated": "simulation"}


class Storage:
    """Shows a folder as storage with limits, within its `with` block."""

    def __init__(self, options, limits):
        self.options = options
        self.limits = limits
        self.folder = options.directory / "storage"

    def __enter__(self):
        if not self.limits:
            return self.options.photos
        self.folder.mkdir(exist_ok=True)
        program = self.options.tool.with_name("slow_files")
        self.process = subprocess.Popen([program, self.options.photos, self.folder, self.limits])
        for _ in range(100):
            if (self.folder / "train").exists():
                return self.folder
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        sys.exit("forecast_check.py: slow_files does not come up")

    def __exit__(self, *_):
        if self.limits:
            subprocess.run(["fusermount3", "-u", self.folder], check=True)
            self.process.wait(timeout=30)


def trial_seconds(options, storage, ranks):
    """Trials are longer with more ranks on one storage: while ranks wait for each other to start, each reads ahead as
    much as it may, which should be few of the samples that it gets in a trial."""
    return options.trial_seconds * max(1, ranks / 2 if STORAGES[storage] else 1)


def command(storage, data, loader, compute, path, seconds):
    return (["run", "--workload", "photos", "--data", str(data)] + LOADERS[loader].split()
            + ["--compute", f"device:samples_per_second={compute}"]
            + "--image-size 32 --prefetch 2 --first-epoch-seconds 0 --ceilings off --quiet --overwrite".split()
            + ["--batch-size", str(BATCH_SIZES["throttled" if STORAGES[storage] else "cached"]), "--trials", "2",
               "--trial-seconds", str(seconds), "-o", str(path)])


def loadline(options, words, ranks=1):
    started = [str(options.tool), *words]
    if ranks > 1:
        started = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] + started
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(started, stdout=subprocess.PIPE, text=True, check=False, env=environment, timeout=170)
    if done.returncode != 0:
        sys.exit(f"forecast_check.py: {' '.join(started)}: exit code {done.returncode}")
    return done.stdout


def basis(options, storage, loader, compute):
    """The result of one rank, with its files in the page cache or on the same file system without limits."""
    kind = "cache" if storage == "page cache" else "fuse"
    path = options.directory / f"one-{kind}-{loader}-{compute}.json"
    if not path.exists():
        say(f"one rank, {kind}, {loader}, device of {compute} samples/s")
        new = path.with_suffix(".new")
        with Storage(options, "" if kind == "cache" else "latency=0") as data:
            words = command(storage, data, loader, compute, new, options.trial_seconds)
            loadline(options, [*words, "--mode", "io,synthetic,full"])
        new.rename(path)
    return path


def forecast(options, storage, path, ranks):
    # The throttle takes each process for a client, so each rank is a node of its own; otherwise all ranks share the
    # CPUs of this machine.
    apart = ["--nodes-of", "1"] if storage == "client" else ["--nodes-of", "16", "--node-cpus", str(os.cpu_count())]
    limits = ["--storage", STORAGES[storage]] if STORAGES[storage] else []
    text = loadline(options, ["forecast", str(path), "--ranks", str(ranks), "--apart", "--simulate", "--format", "json",
                              *apart, *limits])
    found = json.loads(text)["forecasts"][0]
    rates = ("samples_per_second", "low_per_second", "high_per_second")
    return {"forecast": {key: found["points"][0][key] for key in (*rates, "limit")},
            "simulated": {key: found["simulated"]["points"][0][key] for key in rates}}


def measure(options, storage, loader, compute, ranks):
    path = options.directory / "ranks.json"
    with Storage(options, STORAGES[storage]) as data:
        words = command(storage, data, loader, compute, path, trial_seconds(options, storage, ranks))
        loadline(options, [*words, "--mode", "full"], ranks)
    rate = cell_of(json.loads(path.read_text()), "FULL")["samples_per_second"]
    return {key: rate[key] for key in ("mean", "stddev")}


def computes_of(storage):
    return {"fast": OUT_OF_REACH} if storage == "page cache" else SAMPLES_PER_SECOND


def most_ranks(storage):
    return RANKS[-1] if STORAGES[storage] else PHOTOS // BATCH_SIZES["cached"]  # a batch for each


def key_of(row):
    return tuple(row[key] for key in ("storage", "loader", "compute", "ranks"))


def measure_rows(options, document):
    """Whether all rows are measured."""
    known = {key_of(row) for row in document["rows"]}
    end = time.monotonic() + options.seconds
    for storage in options.storages:
        for loader in LOADERS:
            for compute in computes_of(storage).values():
                for ranks in (ranks for ranks in options.ranks if ranks <= most_ranks(storage)):
                    row = {"storage": storage, "loader": loader, "compute": compute, "ranks": ranks}
                    if key_of(row) in known:
                        continue
                    if time.monotonic() > end:
                        return False
                    path = basis(options, storage, loader, compute)
                    row["measured"] = measure(options, storage, loader, compute, ranks)
                    row.update(forecast(options, storage, path, ranks))
                    say(f"{storage}, {loader}, {compute}, {ranks} ranks: {error_of(row):+.1%}")
                    document["rows"].append(row)
                    options.output.write_text(json.dumps(document, indent=1) + "\n")
    return True


def error_of(row, kind="forecast"):
    return row[kind]["samples_per_second"] / row["measured"]["mean"] - 1


def marked(error):
    return f"{error:+.1%}" + (" **miss**" if abs(error) > WORST else "")


def digits(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def table(rows):
    lines = ["| storage | loader | step, samples/s | ranks | forecast | simulated | measured | error | simulated | limit |",
             "|---|---|---|---|---|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: (list(STORAGES).index(row["storage"]), row["loader"] != "thread-pool",
                                             row["compute"], row["ranks"])):
        errors = [marked(error_of(row, kind)) for kind in KINDS]
        spread = row["measured"]["stddev"]
        lines.append(f"| {row['storage']} | {row['loader']} | {row['compute']} | {row['ranks']} "
                     f"| {digits(row['forecast']['samples_per_second'])} "
                     f"| {digits(row['simulated']['samples_per_second'])} "
                     f"| {digits(row['measured']['mean'])} ± {digits(spread)} | {' | '.join(errors)} "
                     f"| {row['forecast']['limit']} |")
    return "\n".join(lines)


def summary(rows):
    """One sentence per group of rows and kind of forecast, and one for all."""
    sentences = []
    for storage in (*STORAGES, "all"):
        of_storage = [row for row in rows if storage in (row["storage"], "all")]
        for kind in KINDS if of_storage else ():
            errors = [abs(error_of(row, kind)) for row in of_storage]
            misses = sum(error > WORST for error in errors)
            sentences.append(f"{storage}, {KINDS[kind]}: {len(errors)} rows, median error {statistics.median(errors):.1%} "
                             f"(aim: at most {MEDIAN:.0%}), worst {max(errors):.1%}, {misses} beyond {WORST:.0%}")
    return "\n".join(sentences)


def forecast_again(options, document):
    """Forecasts by the current tool from the existing results of one rank."""
    for row in document["rows"]:
        path = basis(options, row["storage"], row["loader"], row["compute"])
        row.update(forecast(options, row["storage"], path, row["ranks"]))
    options.output.write_text(json.dumps(document, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool", type=pathlib.Path, help="loadline; slow_files is in the same directory")
    parser.add_argument("--directory", type=pathlib.Path, help="for data and results of one rank [a temporary one]")
    parser.add_argument("--photographs", default="/usr/share/backgrounds", help="images to make the files from")
    parser.add_argument("--storages", default=",".join(STORAGES), help="[all]")
    parser.add_argument("--ranks", default=",".join(map(str, RANKS)), help="[%(default)s]")
    parser.add_argument("--seconds", type=float, default=1e9, help="start no row after this time")
    parser.add_argument("--trial-seconds", type=float, default=1.2)
    parser.add_argument("--again", action="store_true", help="forecast the measured rows again without measuring")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("forecast-check.json"))
    options = parser.parse_args()
    options.storages = names_in("--storages", options.storages, STORAGES)
    options.ranks = [int(ranks) for ranks in names_in("--ranks", options.ranks, [str(ranks) for ranks in RANKS])]
    options.tool = options.tool.resolve()
    with tempfile.TemporaryDirectory() as temporary:
        options.directory = (options.directory or pathlib.Path(temporary)).resolve()
        options.directory.mkdir(parents=True, exist_ok=True)
        options.photos = options.directory / "photos"
        if not options.photos.exists():
            Tool(options.tool, options.directory, options.photographs).run(
                "data", "make", "photos", options.photos, "--size", "96", "--samples", PHOTOS, "--from",
                options.photographs, "--quiet")
        document = {"storages": STORAGES, "loaders": LOADERS, "trial_seconds": options.trial_seconds, "rows": []}
        if options.output.exists():
            document = json.loads(options.output.read_text())
        complete = True
        if options.again:
            forecast_again(options, document)
        else:
            complete = measure_rows(options, document)
    print(table(document["rows"]))
    print(summary(document["rows"]))
    if not complete:
        print("not all rows are measured: run this again", file=sys.stderr)


if __name__ == "__main__":
    main()
