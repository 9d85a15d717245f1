#!/usr/bin/env python3
"""python_stopwatch.py [-o FILE]: FULL of loadline.wrap against a stopwatch around the same loop
without loadline.

Run with PYTHONPATH=build/release/python, on a quiet machine; needs PyTorch. The step is real: a
small convolutional network, forwards, backwards and SGD, on one CPU. The stopwatch runs the loop
over a short and a long part of an epoch and takes the slope, so that start-up cancels. Pairs are
interleaved; the ratio has the 95 % interval of their mean.
"""

import argparse
import json
import math
import statistics
import sys
import time

import torch
import torch.nn.functional
import torch.utils.data

import loadline
from loadline import _facts

BATCH = 64
SHORT, LONG = 20, 100  # batches
T_975 = {
    2: 12.71,
    3: 4.30,
    4: 3.18,
    5: 2.78,
    6: 2.57,
    7: 2.45,
    8: 2.36,
    9: 2.31,
    10: 2.26,
    12: 2.20,
    15: 2.14,
    20: 2.09,
}


class Images(torch.utils.data.Dataset):
    """28 x 28 images that are decoded on request, in about 0.1 ms."""

    def __len__(self):
        return BATCH * (LONG + 60)

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        image = torch.rand(1, 28, 28, generator=generator)
        return (image - image.mean()) / image.std(), index % 10


class Step:
    def __init__(self):
        torch.manual_seed(1)
        self.model = torch.nn.Sequential(
            torch.nn.Conv2d(1, 8, 3),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
            torch.nn.Flatten(),
            torch.nn.Linear(1352, 10),
        )
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01)

    def __call__(self, images, labels):
        loss = torch.nn.functional.cross_entropy(self.model(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()


def make_loader(workers):
    return torch.utils.data.DataLoader(Images(), batch_size=BATCH, num_workers=workers)


def stopwatch(workers, step, length):
    """Seconds from the arrival of the first batch to the end of step `length`."""
    loader = make_loader(workers)
    done = 0
    for images, labels in loader:
        if done == 0:
            began = time.perf_counter()
        step(images, labels)
        done += 1
        if done == length:
            return time.perf_counter() - began
    raise RuntimeError("the dataset is too short")


def by_stopwatch(workers, step):
    return (stopwatch(workers, step, LONG) - stopwatch(workers, step, SHORT)) / (LONG - SHORT)


def by_loadline(workers, step):
    loader = loadline.wrap(
        make_loader(workers),
        modes=("FULL",),
        trials=1,
        trial_batches=LONG - SHORT,
        warm_up=SHORT,
        output="",
        quiet=True,
        then="exit",
    )
    try:
        for images, labels in loader:
            step(images, labels)
    except SystemExit:
        pass  # it has measured
    (cell,) = [cell for cell in json.loads(loader.result.json())["cells"] if cell["mode"] == "FULL"]
    return cell["trials"][0]["wall_seconds"] / cell["trials"][0]["batches"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", "--output", help="file for the figures as JSON")
    parser.add_argument("--pairs", type=int, default=10, choices=sorted(T_975))
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = []
    for workers in (0, 2):
        step = Step()
        by_stopwatch(workers, step)  # caches, clocks and allocators come to their state
        pairs = []
        for index in range(arguments.pairs):
            ways = [by_stopwatch, by_loadline]
            times = {
                way: way(workers, step) for way in (ways if index % 2 == 0 else reversed(ways))
            }
            pairs.append((times[by_stopwatch], times[by_loadline]))
        logs = [math.log(ours / theirs) for theirs, ours in pairs]
        mean = statistics.mean(logs)
        half = T_975[len(logs)] * statistics.stdev(logs) / math.sqrt(len(logs))
        ratio, low, high = (math.exp(value) for value in (mean, mean - half, mean + half))
        rows.append(
            {
                "workers": workers,
                "stopwatch_seconds": [theirs for theirs, _ in pairs],
                "loadline_seconds": [ours for _, ours in pairs],
                "ratio": ratio,
                "ci95": [low, high],
            }
        )
        print(
            f"{workers} workers: stopwatch {1e3 * statistics.mean(p[0] for p in pairs):.3f} ms "
            f"a batch, loadline {1e3 * statistics.mean(p[1] for p in pairs):.3f} ms, "
            f"{ratio:.4f} times ({low:.4f} to {high:.4f})"
        )
    if arguments.output:
        document = {
            "python_stopwatch_version": 1,
            "versions": _facts.versions(),
            "batch_size": BATCH,
            "runs": rows,
        }
        with open(arguments.output, "w") as file:
            json.dump(document, file, indent=1)
            file.write("\n")
    sys.exit(0 if all(abs(row["ratio"] - 1) <= 0.01 for row in rows) else 1)


if __name__ == "__main__":
    main()
