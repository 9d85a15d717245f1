"""loadline.measure() and its Result."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy

import loadline
from loadline import sweep

try:
    import pandas
except ImportError:
    pandas = None

SHORT = {"trials": 2, "trial_seconds": 0.02, "first_epoch_seconds": 0, "ceilings": "off", "quiet": True}
CALLS = []


def make_loader(workers, batch_size):
    CALLS.append((workers, batch_size))
    return [(numpy.zeros((batch_size, 3, 8, 8), numpy.float32), numpy.zeros(batch_size, numpy.int64))] * 4


def make_step():
    return lambda batch: batch[0].sum()


def make_broken():
    raise ValueError("nothing to load")


class Measure(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.output = os.path.join(directory.name, "result.json")

    @staticmethod
    def program(script, *arguments, **environment):
        return subprocess.run([sys.executable, "-c", script, *arguments], env={**os.environ, **environment},
                              capture_output=True, text=True, timeout=300, check=True)

    def test_sweeps_over_what_the_factory_takes(self):
        CALLS.clear()
        result = loadline.measure(make_loader, workers=[0, 2], batch_size=[4, 8], output=self.output, **SHORT)
        self.assertTrue(result.complete)
        self.assertEqual(result.errors, {})
        # measure() may call it again to count the samples.
        self.assertLessEqual({(0, 4), (0, 8), (2, 4), (2, 8)}, set(CALLS))
        self.assertLessEqual(len(CALLS), 6)
        cells = [cell for cell in result.document["cells"] if cell["mode"] == "IO"]
        self.assertEqual([(cell["workers"], cell["batch_size"]) for cell in cells], [(None, 4), (2, 4), (None, 8), (2, 8)])

    def test_takes_flags_as_true_or_false(self):
        result = loadline.measure(make_loader, workers=[0], batch_size=[4], counters=True, details=False, **SHORT)
        self.assertTrue(result.complete)
        self.assertTrue(result.document["config"]["counters"])

    def test_knows_every_flag(self):
        words = [sys.executable, "-m", "loadline", "run", "--help-all"]
        said = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True).stdout
        # Without a placeholder, or with one for a value that may be left out.
        flags = re.findall(r"^  (?:-\w, )?--([\w-]+)(?: \[on\|off,\.\.\.\])?(?:  .*)?$", said, re.MULTILINE)
        others = {"help", "help_all", "overwrite"}  # overwrite is an argument of measure()
        self.assertEqual({flag.replace("-", "_") for flag in flags} - others, set(sweep._FLAGS))

    def test_has_a_verdict_with_a_step(self):
        result = loadline.measure(make_loader, make_step, workers=[0], batch_size=[4], **SHORT)
        # Where other load blurs two short trials, the verdict says so of the step's size and not of its name.
        self.assertRegex(result.verdict, "sweep_test:make_step|FULL step of 4 samples")
        computes = {cell["compute"] for cell in result.document["cells"] if cell["mode"] == "FULL"}
        self.assertEqual(computes, {"sweep_test:make_step"})
        self.assertIn(result.verdict, result.verdicts.values())
        self.assertIn("FULL", result.table)

    def test_gives_its_trials(self):
        trials = loadline.measure(make_loader, workers=[0], batch_size=[4], output=self.output, **SHORT).trials()
        if pandas is not None:
            trials = trials.to_dict("records")
        rates = [row["samples_per_second"] for row in trials if row["mode"] == "IO"]
        self.assertEqual(len(rates), 2)
        self.assertGreater(min(rates), 0)

    def test_is_compared_with_another(self):
        result = loadline.measure(make_loader, workers=[0], batch_size=[4], output=self.output, **SHORT)
        self.assertIn("IO", result.diff(self.output))
        self.assertIn("IO", loadline.Result(self.output).diff(result, "--margin", "50%"))
        with self.assertRaisesRegex(loadline.Error, "nowhere.json"):
            result.diff("nowhere.json")

    def test_shows_its_report_in_a_notebook(self):
        result = loadline.measure(make_loader, workers=[0], batch_size=[4], **SHORT)
        self.assertTrue(result._repr_html_().startswith('<iframe srcdoc="'))

    def test_tells_of_factories_that_fail(self):
        result = loadline.measure([make_broken, make_loader], workers=[0], batch_size=[4], **SHORT)
        (error,) = result.errors.values()
        self.assertIn("ValueError: nothing to load", error)

    def test_refuses_what_cannot_be_measured(self):
        with self.assertRaisesRegex(loadline.Error, "nothing was measured"):
            loadline.measure(make_loader, workers=[-1], **SHORT)

    def test_names_no_file_that_ends_with_the_program(self):
        script = """
import loadline
from sweep_test import make_loader, SHORT
result = loadline.measure(make_loader, workers=[0], batch_size=[4], **dict(SHORT, quiet=False))
print(result.complete)
"""
        with tempfile.TemporaryDirectory() as directory:
            done = self.program(script, TMPDIR=directory)
            self.assertEqual(os.listdir(directory), [])
        told = done.stdout.splitlines()[-2:]
        self.assertEqual(told, ["result: temporary; measure(output=) keeps it in a file", "True"], done.stderr)
        self.assertNotIn("details: ", done.stdout)
        self.assertNotIn(directory, done.stdout + done.stderr)

    def test_names_the_file_that_keeps_the_result(self):
        script = """
import sys, loadline
from sweep_test import make_loader, SHORT
loadline.measure(make_loader, workers=[0], batch_size=[4], output=sys.argv[1], **dict(SHORT, quiet=False))
"""
        done = self.program(script, self.output)
        self.assertEqual(done.stdout.splitlines()[-1], f"result: {self.output}", done.stderr)
        self.assertNotIn("result: temporary", done.stdout)
        self.assertTrue(loadline.Result(self.output).complete)

    def test_names_no_file_when_a_run_without_one_is_interrupted(self):
        script = """
import os, signal, loadline
from sweep_test import make_loader, SHORT
def batches():
    for number, batch in enumerate(make_loader(0, 4) * 1000):
        if number == 1000:
            os.kill(os.getpid(), signal.SIGINT)
        yield batch
class Loader:
    def __iter__(self):
        return batches()
def make_interrupted_loader():
    return Loader()
try:
    loadline.measure(make_interrupted_loader, trials=1000, trial_batches=50, ceilings="off")
except KeyboardInterrupt:
    print("interrupted")
"""
        with tempfile.TemporaryDirectory() as directory:
            done = self.program(script, TMPDIR=directory)
            self.assertEqual(os.listdir(directory), [])
        self.assertEqual(done.stdout.splitlines()[-1], "interrupted", done.stderr)
        self.assertNotIn(directory, done.stdout + done.stderr)

    def test_leaves_the_program_its_ctrl_c(self):
        script = """
import os, signal, loadline
from sweep_test import make_loader, SHORT
loadline.measure(make_loader, workers=[0], batch_size=[4], **SHORT)
try:
    os.kill(os.getpid(), signal.SIGINT)
except KeyboardInterrupt:
    print("interrupted")
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
        self.assertEqual(done.stdout, "interrupted\n")

    def test_leaves_the_program_its_signals_after_one_that_ended_the_run(self):
        script = """
import os, signal, loadline
from sweep_test import make_loader, SHORT
def make_ended_loader(**settings):
    os.kill(os.getpid(), signal.SIGTERM)
    return make_loader()
try:
    loadline.measure(make_ended_loader, workers=[0], batch_size=[4], **SHORT)
except KeyboardInterrupt:
    print("ended")
os.kill(os.getpid(), signal.SIGTERM)
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300)
        self.assertEqual((done.stdout, done.returncode), ("ended\n", -signal.SIGTERM))


if __name__ == "__main__":
    unittest.main()
