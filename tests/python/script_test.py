"""`python3 -m loadline`: loaders and steps from a user's files in the tool."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

from loader_test import needs_torch, write_mnist

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

CHECKED_SCRIPT = """
import numpy


def images(place):
    values = numpy.fromfile(place + "/train-images-idx3-ubyte", numpy.uint8)[16:].reshape(-1, 1, 28, 28)
    labels = numpy.fromfile(place + "/train-labels-idx1-ubyte", numpy.uint8)[8:].astype(numpy.int64)
    return (values.astype(numpy.float32) / 255 - 0.5) / 0.25, labels


def batches(order, values, labels, size=10):
    return [(values[order[i:i + size]], labels[order[i:i + size]]) for i in range(0, len(order), size)]


def make_good(data, workers=0):
    return batches(numpy.random.permutation(100), *images(data))


def make_lossy(data):
    order = numpy.arange(100)
    order[7] = 8
    return batches(order, *images(data))


def make_mislabelled(data):
    values, labels = images(data)
    labels[3] = 4
    return batches(numpy.arange(100), values, labels)


def make_features(data):
    values, labels = images(data)
    return batches(numpy.arange(100), values.mean(axis=(2, 3)), labels)


def make_differing(data):
    good = make_good(data)
    return good[:-1] + [(good[-1][0][:, :, :14], good[-1][1])]


def make_infinite(data):
    class Infinite:
        def __iter__(self):
            while True:
                yield from make_good(data)
    return Infinite()
"""

FEW_NAMES = """
import os
COUNT = 3
class Samples: pass
def load(): pass
def make_batches(): pass
"""

# Those of another module are not its own.
MANY_NAMES = """
from collections import Counter, OrderedDict
class Ones: pass
class Broken(Ones): pass
class Dying(Ones): pass
class Stuck(Ones): pass
def make_loader(): pass
def make_broken(): pass
def make_dying(): pass
def make_stuck(): pass
def make_step(): pass
"""

SHORT = ("--trials", "2", "--trial-seconds", "0.02", "--first-epoch-seconds", "0", "--ceilings", "off")

# The seeds beside it give an order of cells that begins with the loader that hangs, which thus has its turn.
TIME_FOR_THE_FIRST_CELL = ("--time-limit", "4s")


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


class Loaders(WithScripts):
    def test_are_made_once_for_all_values_of_prefetch_which_they_do_not_take(self):
        words = ("run", "--workload", "mnist", "--data", self.directory, "--batch-size", "10", "--mode", "io", "--workers", "1",
                 "--prefetch", "2,4", "--dry-run", "--loader")  # fmt: skip
        planned = self.run_tool(*words, "mine.py:make_loader,thread-pool")
        self.assertEqual(
            [line.split()[0] for line in planned.stdout.splitlines() if line.startswith("mnist/IO/")],
            [
                "mnist/IO/mine.py:make_loader/workers:1/batch:10",
                "mnist/IO/thread-pool/workers:1/batch:10/prefetch:2",
                "mnist/IO/thread-pool/workers:1/batch:10/prefetch:4",
            ],
        )
        refused = self.run_tool(*words, "mine.py:make_loader")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--prefetch: no loader that --loader names uses it", refused.stderr)

    def test_stand_beside_ours(self):
        result, done = self.measure("--mode", "io", "--loader", "thread-pool,mine.py:make_loader", "--workers", "0,1")
        names = [name for name in self.cells(result) if name != "OVERHEAD"]
        self.assertEqual(
            names,
            [
                "mnist/IO/thread-pool/workers:1/batch:10",
                "mnist/IO/mine.py:make_loader/batch:10",
                "mnist/IO/mine.py:make_loader/workers:1/batch:10",
            ],
        )
        for name in names:
            self.assertEqual(len(self.cells(result)[name]["trials"]), 2, name)
            self.assertIsNone(self.cells(result)[name]["error"])
        self.assertIn("mine.py:make_loader", done.stdout)

    def test_count_samples_and_bytes(self):
        result, _ = self.measure("--mode", "io", "--loader", "mine.py:make_plain")
        trial = self.cells(result)["mnist/IO/mine.py:make_plain/batch:10"]["trials"][0]
        self.assertEqual(trial["samples"], 10 * trial["batches"])
        self.assertEqual(trial["bytes"], trial["samples"] * 28 * 28 * 4)

    def test_may_be_anything_that_can_be_iterated_over(self):
        words = ("make_infinite", "make_differing", "make_texts", "make_dicts")
        result, _ = self.measure("--mode", "io", "--loader", ",".join(f"mine.py:{word}" for word in words))
        for word in words:
            cell = self.cells(result)[f"mnist/IO/mine.py:{word}/batch:10"]
            self.assertEqual((cell["error"], len(cell["trials"])), (None, 2), word)

    def test_count_samples_as_wrap_does(self):
        samples = {"make_names": 10, "make_encoded": 2, "make_dicts": 10}
        result, _ = self.measure("--mode", "io", "--loader", ",".join(f"mine.py:{word}" for word in samples))
        for word, count in samples.items():
            trial = self.cells(result)[f"mnist/IO/mine.py:{word}/batch:10"]["trials"][0]
            self.assertEqual(trial["samples"], count * trial["batches"], word)

    def test_whose_samples_cannot_be_counted_are_refused(self):
        result, _ = self.measure("--mode", "io", "--loader", "mine.py:make_strings,mine.py:make_numbers", code=1)
        for word, kind in (("make_strings", "str"), ("make_numbers", "dict")):
            self.assertEqual(
                self.cells(result)[f"mnist/IO/mine.py:{word}/batch:10"]["error"],
                f"loader mine.py:{word}: cannot count the samples of a batch of type {kind}; deliver arrays or lists, "
                "in tuples, dicts or objects",
            )

    def test_that_deliver_arrays_without_axes_are_told(self):
        result, _ = self.measure("--mode", "io", "--loader", "mine.py:make_scalars", code=1)
        self.assertEqual(
            self.cells(result)["mnist/IO/mine.py:make_scalars/batch:10"]["error"],
            "loader mine.py:make_scalars: cannot count the samples of a batch of type numpy.ndarray, which has no axes; "
            "deliver arrays or lists, in tuples, dicts or objects",
        )

    def test_that_return_nothing_are_told(self):
        result, _ = self.measure("--mode", "io", "--loader", "mine.py:make_nothing", code=1)
        self.assertEqual(
            self.cells(result)["mnist/IO/mine.py:make_nothing/batch:10"]["error"],
            "loader mine.py:make_nothing: make_nothing(): want an iterable of batches, as its return value, got None",
        )

    def test_without_a_parameter_for_workers_take_no_number_of_workers(self):
        done = self.run_tool("run", "--loader", "mine.py:make_plain", "--workers", "0", *SHORT)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(
            done.stderr,
            "loadline: --workers: no cell that --loader and --mode choose has workers; a function in Python has them if "
            "it has a parameter workers\n",
        )

    def test_without_a_parameter_for_the_batch_size_are_measured_once(self):
        result, done = self.measure("--mode", "io", "--loader", "mine.py:make_plain", "--batch-size", "20,30")
        self.assertEqual(
            [name for name in self.cells(result) if name != "OVERHEAD"], ["mnist/IO/mine.py:make_plain/batch:20"]
        )
        self.assertEqual(result["loaders"][0]["delivered"]["batch_size"], 10)
        self.assertIn("batches of 10:", done.stdout)
        self.assertIn(
            "mine.py:make_plain delivers batches of 10 samples whatever --batch-size says (20,30): its function has no "
            "parameter batch_size",
            [warning["message"] for warning in result["warnings"]],
        )

    def test_that_are_generators_are_told_what_to_return(self):
        result, _ = self.measure("--mode", "io", "--loader", "mine.py:make_generator", code=1)
        error = self.cells(result)["mnist/IO/mine.py:make_generator/batch:10"]["error"]
        self.assertRegex(
            error,
            r"^loader mine\.py:make_generator: epoch \d has no batches: the generator that the function returned cannot "
            r"be iterated over again; return an object whose __iter__ begins an epoch, such as a DataLoader or a list$",
        )

    def test_that_end_the_process_leave_their_stack(self):
        done = self.run_tool("run", "--loader", "mine.py:make_aborting", *SHORT)
        self.assertEqual(done.returncode, -signal.SIGABRT)
        self.assertRegex(done.stderr, r'mine\.py", line \d+ in make_aborting')

    def test_that_fail_do_so_alone_and_with_their_own_traceback(self):
        result, done = self.measure("--mode", "io", "--loader", "mine.py:make_failing,serial,mine.py:make_raising", code=1)
        cells = self.cells(result)
        self.assertEqual(
            cells["mnist/IO/mine.py:make_failing/batch:10"]["error"], "loader mine.py:make_failing: KeyError: 'of the user'"
        )
        self.assertEqual(
            cells["mnist/IO/mine.py:make_raising/batch:10"]["error"],
            "loader mine.py:make_raising: ValueError: before anything",
        )
        self.assertEqual(len(cells["mnist/IO/serial/batch:10"]["trials"]), 2)
        self.assertEqual(result["status"], "complete")
        self.assertIn('raise KeyError("of the user")', done.stderr)

    def test_that_leave_or_interrupt_fail_alone_too(self):
        words = "mine.py:make_interrupting,mine.py:make_leaving,serial"
        result, _ = self.measure("--mode", "io", "--loader", words, code=1)
        errors = [cell.get("error") for cell in result["cells"] if cell["mode"] == "IO"]
        self.assertEqual(
            errors,
            ["loader mine.py:make_interrupting: KeyboardInterrupt", "loader mine.py:make_leaving: SystemExit: 0", None],
        )
        done = self.run_tool("run", "--loader", "mine.py:make_leaving", *SHORT)
        self.assertEqual(done.returncode, 1)
        self.assertIn(": loader mine.py:make_leaving: SystemExit: 0", done.stderr)

    def test_that_end_the_process_do_not_end_the_run_as_a_regression(self):
        done = self.run_tool("run", "--loader", "mine.py:make_ending", *SHORT)
        self.assertEqual(done.returncode, 1)
        self.assertIn("loadline: a loader or compute called os._exit(3)\n", done.stderr)

    def test_without_a_batch_say_so(self):
        result, _ = self.measure("--mode", "io", "--loader", "mine.py:make_empty,serial", code=1)
        error = self.cells(result)["mnist/IO/mine.py:make_empty/batch:10"]["error"]
        self.assertRegex(error, r"^loader mine\.py:make_empty: epoch \d has no batches$")

    def test_that_are_not_there_are_told(self):
        for name, text in (("few.py", FEW_NAMES), ("many.py", MANY_NAMES)):
            with open(os.path.join(self.directory, name), "w", encoding="utf-8") as file:
                file.write(text)
        for word, sentence in (
            ("many.py:nothing", "many.py:nothing: many.py has no function nothing (it has make_loader, make_broken, "
             "make_dying, make_stuck, make_step, Ones and 3 more)\n"),
            ("few.py:os", "few.py:os: os is a module, not a function (few.py has make_batches, load, Samples)\n"),
            ("few.py:COUNT", "few.py:COUNT: COUNT is of type int, not a function (few.py has make_batches, load, "
             "Samples)\n"),
            ("many.py:make_laoder", "many.py:make_laoder: many.py has no function make_laoder (did you mean make_loader"),
            ("many.py:", "many.py:: want FILE.py:FUNCTION, such as many.py:make_loader (it has make_loader, make_broken"),
            ("many.py", "many.py: want FILE.py:FUNCTION, such as many.py:make_loader (it has make_loader, make_broken"),
            ("other.py:make", "cannot open other.py: there is no such file\n"),
        ):
            done = self.run_tool("run", "--workload", "mnist", "--data", self.directory, "--loader", word)
            self.assertEqual(done.returncode, 2)
            self.assertTrue(done.stderr.startswith("loadline: " + sentence), done.stderr)

    def test_that_want_what_nobody_offers_are_told(self):
        result, _ = self.measure("--mode", "io", "--loader", "mine.py:make_unknown,serial", code=1)
        self.assertIn("needs a parameter unheard_of", self.cells(result)["mnist/IO/mine.py:make_unknown/batch:10"]["error"])

    def test_feed_computes_of_the_tool_where_they_fit(self):
        result, done = self.measure(
            "--mode", "full", "--compute", "cnn", "--loader", "mine.py:make_images,mine.py:make_plain", code=1
        )
        if "cnn" in done.stderr and "built without" in done.stderr:
            self.skipTest("without oneDNN")
        cells = self.cells(result)
        self.assertIsNone(cells["mnist/FULL/mine.py:make_images/batch:10"]["error"])
        self.assertIn("f32[28x28]", cells["mnist/FULL/mine.py:make_plain/batch:10"]["error"])


class Check(WithScripts):
    def setUp(self):
        super().setUp()
        with open(os.path.join(self.directory, "checked.py"), "w", encoding="utf-8") as file:
            file.write(CHECKED_SCRIPT)
        # Each image has a pattern of its own.
        with open(os.path.join(self.directory, "train-images-idx3-ubyte"), "r+b") as images:
            images.seek(16)
            for i in range(100):
                images.write(bytes((i * j) % 251 for j in range(28 * 28)))

    def check(self, function, *words, code=0):
        done = self.run_tool(
            "check", f"checked.py:{function}", "--workload", "mnist", "--data", self.directory, "--batch-size", "10", *words
        )
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout

    def test_a_good_loader_passes_by_its_contents(self):
        text = self.check("make_good", "--workers", "0,2")
        self.assertIn("samples are identified by their contents", text)
        self.assertIn("ok: each sample comes once per epoch, with its own label", text)

    def test_lost_and_repeated_samples_are_named(self):
        text = self.check("make_lossy", code=1)
        self.assertIn("1 sample never came: 7", text)
        self.assertIn("1 sample came more than once: 8", text)

    def test_labels_of_others_are_named(self):
        self.assertIn("1 sample came with the label of another sample: 3", self.check("make_mislabelled", code=1))

    def test_without_contents_labels_are_counted(self):
        self.assertIn("labels were counted", self.check("make_features"))

    def test_batches_that_differ_are_faults(self):
        self.assertIn("that the dataset does not contain", self.check("make_differing", code=1))

    def test_the_dataset_must_be_named(self):
        done = self.run_tool("check", "mine.py:make_plain")
        self.assertEqual(
            (done.returncode, done.stderr),
            (2, "loadline: check mine.py:make_plain: name the dataset that it reads with --workload or --data, to "
             "compare its batches with\n"),
        )  # fmt: skip

    def test_epochs_without_end_are_faults(self):
        self.assertIn("does not end", self.check("make_infinite", code=1))


class WithoutDataset(WithScripts):
    def result_of(self, *words):
        done = self.run_tool("run", *words, *SHORT[:-2], "--overwrite", "-o", "result.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.directory, "result.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_loaders_are_measured_as_they_are(self):
        result = self.result_of("--loader", "mine.py:make_plain")
        self.assertEqual([cell["name"] for cell in result["cells"]], ["python/IO/mine.py:make_plain/batch:64", "OVERHEAD"])
        self.assertEqual(result["ceilings"], [])

    def test_naming_the_workload_changes_nothing(self):
        result = self.result_of("--workload", "python", "--loader", "mine.py:make_plain")
        self.assertEqual([cell["name"] for cell in result["cells"]], ["python/IO/mine.py:make_plain/batch:64", "OVERHEAD"])

    def test_nothing_is_made_up_about_data_that_nobody_knows(self):
        self.result_of("--loader", "mine.py:make_plain")
        shown = self.run_tool("report", "result.json").stdout
        self.assertIn(f"data: delivered by {os.path.realpath(self.directory)}/mine.py\n", shown)
        self.assertIn("SYNTHETIC and FULL were not measured; name your step with --compute.", " ".join(shown.split()))

    def test_loaders_are_measured_with_a_step(self):
        result = self.result_of("--loader=mine.py:make_plain", "--compute=mine.py:make_step")
        self.assertEqual(sorted(cell["mode"] for cell in result["cells"]), ["FULL", "IO", "OVERHEAD", "SYNTHETIC"])

    @needs_torch
    def test_samples_are_those_of_the_loaders_dataset(self):
        result = self.result_of("--loader", "net.py:make_loader", "--workers", "0")
        self.assertEqual(result["datasets"][0]["samples"], 400)

    def test_loaders_of_ours_have_nothing_to_read(self):
        done = self.run_tool("run", "--workload", "python", "--loader", "serial,mine.py:make_plain")
        self.assertEqual(done.returncode, 2)
        self.assertIn("it has no data for loader serial", done.stderr)


class Steps(WithScripts):
    def seen(self):
        with open(os.path.join(self.directory, "seen"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_get_the_batches_of_their_own_loader(self):
        result, _ = self.measure("--loader", "mine.py:make_plain", "--compute", "mine.py:make_step")
        self.assertEqual(
            sorted(cell["mode"] for cell in result["cells"]), ["FULL", "IO", "OVERHEAD", "SYNTHETIC"]
        )
        for cell in result["cells"]:
            self.assertIsNone(cell["error"])
        self.assertEqual(self.seen(), ["('tuple', 'ndarray', (10, 28, 28), 'float32')"])

    def test_get_ours_as_images_and_labels(self):
        self.measure("--loader", "thread-pool", "--workers", "2", "--compute", "mine.py:make_step")
        self.assertEqual(self.seen(), ["('tuple', 'ndarray', (10, 1, 28, 28), 'float32')"])

    def test_that_fail_do_so_alone(self):
        result, done = self.measure(
            "--loader", "serial", "--mode", "full", "--compute", "mine.py:make_failing_step,mine.py:make_step", code=1
        )
        errors = sorted(cell["error"] or "" for cell in result["cells"])
        self.assertEqual(errors, ["", "", "compute mine.py:make_failing_step: RuntimeError: no step at all"])
        self.assertIn('raise RuntimeError("no step at all")', done.stderr)

    def test_that_keep_a_loaders_memory_are_told(self):
        result, _ = self.measure("--loader", "serial", "--mode", "full", "--compute", "mine.py:make_keeping_step", code=1)
        errors = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertEqual(len(errors), 1)
        self.assertIn("the step keeps a part of a batch", errors[0])


@needs_torch
class Torch(WithScripts):
    def test_is_measured_with_and_without_worker_processes(self):
        result, _ = self.measure(
            "--loader", "thread-pool,net.py:make_loader", "--workers", "0,1,2", "--compute", "net.py:make_step"
        )
        self.assertEqual([cell["error"] for cell in result["cells"] if cell["error"]], [])
        self.assertEqual(sum(cell["mode"] == "FULL" for cell in result["cells"]), 5)

    def test_that_fails_in_a_worker_process_is_told(self):
        result, done = self.measure("--mode", "io", "--loader", "net.py:make_broken", "--workers", "2", code=1)
        (error,) = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertIn("sample 40 is broken", error)
        self.assertIn("ArithmeticError", done.stderr)

    def test_whose_worker_process_dies_is_told(self):
        result, _ = self.measure("--mode", "io", "--loader", "net.py:make_dying", "--workers", "2", code=1)
        (error,) = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertIn("worker", error)


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Interruptions(WithScripts):
    def stop(self, *words, how=signal.SIGINT):
        """Sends a signal when the loader waits; returns the exit code and what stderr says from then on."""
        command, where = self.command(*words)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **where)
        next(line for line in process.stderr if "waits" in line)
        process.send_signal(how)
        _, text = process.communicate(timeout=300)
        return process.returncode, text

    def stop_measuring(self, loader, how=signal.SIGINT):
        code, text = self.stop(
            "run", "--workload", "mnist", "--data", self.directory, "--batch-size", "10", "--mode", "io", *SHORT,
            "--loader", loader, "-o", "partial.json", how=how,
        )  # fmt: skip
        with open(os.path.join(self.directory, "partial.json"), encoding="utf-8") as file:
            return code, text, json.load(file)

    def test_end_a_function_that_waits(self):
        for loader in ("mine.py:make_sleeping", "mine.py:make_sleeping_iterator"):
            for how in (signal.SIGINT, signal.SIGTERM):
                code, text, result = self.stop_measuring(loader, how)
                self.assertEqual((code, result["status"]), (128 + how, "partial"), text)
                self.assertEqual([cell["error"] for cell in result["cells"] if cell["error"]], [])
                self.assertIn("interrupted; what was measured so far is in partial.json; continue with python3 -m loadline run "
                              "--resume partial.json", text)
                os.remove(os.path.join(self.directory, "partial.json"))

    def test_end_the_process_in_a_call_that_nothing_ends(self):
        code, text, result = self.stop_measuring("mine.py:make_counting", signal.SIGTERM)
        self.assertEqual((code, result["status"]), (143, "partial"), text)
        self.assertRegex(
            text, r"loadline: loader mine\.py:make_counting: make_counting\(\) has not returned [\d.]+ s after it was called"
        )
        self.assertEqual([cell["error"] for cell in result["cells"] if cell["error"]], [])

    def test_end_an_import_that_waits(self):
        with open(os.path.join(self.directory, "late.py"), "w", encoding="utf-8") as file:
            file.write("import sys, time\nprint('waits', file=sys.stderr, flush=True)\ntime.sleep(600)\n")
        nothing = "loadline: interrupted while preparing; nothing was {} and no result written\n"
        for words in (
            ("run", "--loader", "late.py:make_loader"),
            ("ab", "--base", "--workers 1", "--new", "--workers 2", "--loader", "late.py:make_loader"),
            ("aa", "--loader", "late.py:make_loader"),
            ("train", "--workload", "mnist", "--data", self.directory, "--compute", "late.py:make_step"),
        ):
            for how in (signal.SIGINT, signal.SIGTERM):
                code, text = self.stop(*words, how=how)
                self.assertEqual(code, 128 + how, text)
                self.assertTrue(text.endswith(nothing.format("trained" if words[0] == "train" else "measured")), text)

    def test_end_a_function_that_is_called_to_count_samples(self):
        for word in ("make_sleeping", "make_counting"):
            code, text = self.stop("run", "--loader", f"mine.py:{word}")
            self.assertEqual(code, 130, text)
            self.assertIn("nothing was measured and no result written", text)

    def test_of_functions_that_wait_come_when_the_time_is_up(self):
        result, _ = self.measure(
            "--mode", "io", "--loader", "mine.py:make_sleeping", *TIME_FOR_THE_FIRST_CELL, "--seed", "2", code=1
        )
        (error,) = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertEqual(
            error,
            "loader mine.py:make_sleeping: make_sleeping() did not return before the run's time was up, and was stopped",
        )

    def test_of_calls_that_nothing_ends_come_when_the_time_is_up(self):
        result, _ = self.measure(
            "--mode", "io", "--loader", "mine.py:make_counting", *TIME_FOR_THE_FIRST_CELL, "--seed", "2", code=1
        )
        (error,) = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertRegex(error, r"^loader mine\.py:make_counting: make_counting\(\) has not returned [\d.]+ s after")
        self.assertEqual(result["status"], "partial")

    def interrupt(self, *words, at):
        """Sends SIGINT when stderr says `at`; returns the exit code, that line and the result."""
        command, how = self.command(
            "run", "--workload", "mnist", "--data", self.directory, "--batch-size", "10", "--mode", "io", "--trials", "50",
            "--first-epoch-seconds", "0", "--ceilings", "off", *words, "-o", "partial.json",
        )  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
        line = next(line for line in process.stderr if at in line)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        with open(os.path.join(self.directory, "partial.json"), encoding="utf-8") as file:
            return process.returncode, line, json.load(file)

    def test_end_a_loader_that_waits(self):
        code, _, result = self.interrupt("--loader", "mine.py:make_slow", at="waits")
        self.assertEqual((code, result["status"]), (130, "partial"))
        self.assertEqual([cell["error"] for cell in result["cells"] if cell["error"]], [])

    def test_of_a_loader_that_hangs_come_when_the_time_is_up(self):
        result, _ = self.measure(
            "--mode", "io", "--loader", "mine.py:make_slow,serial", *TIME_FOR_THE_FIRST_CELL, "--seed", "4", code=1
        )
        (error,) = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertEqual(
            error, "loader mine.py:make_slow: next() did not return before the run's time was up, and was stopped"
        )

    @needs_torch
    def test_leave_no_process_behind(self):
        code, line, result = self.interrupt("--loader", "net.py:make_stuck", "--workers", "2", at="worker")
        self.assertEqual((code, result["status"]), (130, "partial"))
        worker = int(line.split()[-1])
        end = time.monotonic() + 20
        while is_alive(worker) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(is_alive(worker))


if __name__ == "__main__":
    unittest.main()
