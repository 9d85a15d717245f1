"""A user's files of loaders and steps, and `python3 -m loadline` on them."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

from data_support import write_mnist

SCRIPT = """
import collections, itertools, os, sys, time
import numpy

DATA = os.environ["DATA"]


def batches(count=10, size=10, shape=(28, 28)):
    return [(numpy.zeros((size, *shape), numpy.float32), numpy.arange(size)) for _ in range(count)]


def make_loader(workers, batch_size, data):
    assert data == DATA
    return batches(size=batch_size)


def make_plain():
    return batches()


def make_infinite():
    def forever():
        while True:
            yield from batches()
    class Infinite:
        def __iter__(self):
            return forever()
    return Infinite()


def make_empty():
    return []


def make_failing():
    def fails():
        yield from batches(5)
        raise KeyError("of the user")
    class Failing:
        def __iter__(self):
            return fails()
    return Failing()


def make_differing():
    return [(numpy.ones((n, 3, n)), {"of": [numpy.ones(n)]}) for n in (1, 7, 3)]


def make_texts():
    return [["a", "b", "c"], ["d"]]


def make_dicts():
    return [{"image": numpy.zeros((10, 8, 8), numpy.uint8), "label": numpy.arange(10)}] * 4


def make_unknown(unheard_of):
    return []


def make_interrupting():
    raise KeyboardInterrupt


def make_leaving():
    sys.exit(0)


def make_ending():
    os._exit(3)


def make_raising():
    raise ValueError("before anything")


def make_images():
    return [(numpy.zeros((10, 1, 28, 28), numpy.float32), numpy.arange(10))] * 10


def make_generator():
    yield from batches()


def make_strings():
    return ["abc"] * 10


def make_scalars():
    return [numpy.array(3.0)] * 10


def make_nothing():
    pass


def take(batch):
    pass


def make_numbers():
    return [{"a": 1}] * 10


def make_names():
    return [{"epoch": numpy.zeros(()), "image": numpy.zeros((10, 4)), "name": ["x"] * 10}] * 4


def make_encoded():
    return [[b"12345", b"123"]] * 10


def make_sleeping():
    print("waits", file=sys.stderr, flush=True)
    time.sleep(600)


def make_counting():
    # In C, which sees no signal.
    print("waits", file=sys.stderr, flush=True)
    collections.deque(itertools.repeat(0), maxlen=0)


def make_aborting():
    os.abort()


class Sleeping:
    def __iter__(self):
        print("waits", file=sys.stderr, flush=True)
        time.sleep(600)


def make_sleeping_iterator():
    return Sleeping()


def make_slow():
    class Slow:
        def __iter__(self):
            while True:
                print("waits", file=sys.stderr, flush=True)
                time.sleep(600)
                yield batches(1)[0]
    return Slow()


SEEN = set()


def make_step():
    def step(batch):
        SEEN.add((type(batch).__name__, type(batch[0]).__name__, batch[0].shape, str(batch[0].dtype)))
        with open(os.environ["DATA"] + "/seen", "w") as file:
            print("\\n".join(map(str, sorted(SEEN))), file=file)
    return step


def make_failing_step():
    def step(batch):
        raise RuntimeError("no step at all")
    return step


def make_keeping_step():
    kept = []
    return lambda batch: kept.append(batch[0][:1])
"""

TORCH_SCRIPT = """
import os, signal, sys, time
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset


class Ones(Dataset):
    def __init__(self, count=400):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.full((1, 28, 28), float(index)), index % 10


# Of the fifth batch: the workers fetch four ahead, which the warm-up takes, so that a trial of one batch comes to it.
BAD_SAMPLE = 40


class Broken(Ones):
    def __getitem__(self, index):
        if index == BAD_SAMPLE:
            raise ArithmeticError(f"sample {index} is broken")
        return super().__getitem__(index)


class Dying(Ones):
    def __getitem__(self, index):
        if index == BAD_SAMPLE:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


class Stuck(Ones):
    def __getitem__(self, index):
        if index == 0:
            print("worker", os.getpid(), file=sys.stderr, flush=True)
        time.sleep(0.02)
        return super().__getitem__(index)


def make_loader(workers, batch_size):
    return DataLoader(Ones(), batch_size, shuffle=True, num_workers=workers)


def make_broken(workers, batch_size):
    return DataLoader(Broken(), batch_size, num_workers=workers)


def make_dying(workers, batch_size):
    return DataLoader(Dying(), batch_size, num_workers=workers)


def make_stuck(workers, batch_size):
    return DataLoader(Stuck(), batch_size, num_workers=workers)


def make_step():
    model = torch.nn.Linear(28 * 28, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-6)

    def step(batch):
        images, labels = batch
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(images.flatten(1)), labels).backward()
        optimizer.step()

    return step
"""

SHORT = ("--trials", "2", "--trial-seconds", "0.02", "--first-epoch-seconds", "0", "--ceilings", "off")


class WithScripts(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        write_mnist(self.directory)
        for name, text in (("mine.py", SCRIPT), ("net.py", TORCH_SCRIPT)):
            with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
                file.write(textwrap.dedent(text))

    def command(self, *words):
        words = [sys.executable, "-m", "loadline", *words]
        return words, {"cwd": self.directory, "env": dict(os.environ, DATA=self.directory), "text": True}

    def run_tool(self, *words):
        command, how = self.command(*words)
        return subprocess.run(command, capture_output=True, timeout=300, check=False, **how)

    def measure(self, *words, code=0, short=SHORT):
        """Runs the tool on the data; returns the result and stderr."""
        done = self.run_tool(
            "run", "--workload", "mnist", "--data", self.directory, "--batch-size", "10", *words, *short,
            "--overwrite", "-o", "result.json",
        )  # fmt: skip
        self.assertEqual(done.returncode, code, done.stderr)
        with open(os.path.join(self.directory, "result.json"), encoding="utf-8") as file:
            return json.load(file), done

    @staticmethod
    def cells(result):
        return {cell["name"]: cell for cell in result["cells"]}
