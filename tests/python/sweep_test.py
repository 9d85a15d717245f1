"""loadline.measure() and its Result."""

import functools
import os
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy

import loadline
from loadline import _core

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


def make_no_step():
    pass


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

    def test_knows_which_options_are_flags(self):
        self.assertEqual(sorted(_core.flags_of_run()), [
            "allow-mismatch", "check-verdict", "counters", "details", "drop-last", "dry-run", "dump-config", "in-memory",
            "overwrite", "quiet", "scaled-dct", "turn-upright"])

    def test_refuses_to_print_help(self):
        for name in ("help", "help_all"):
            with self.assertRaises(loadline.Error) as refused:
                loadline.measure(make_loader, **{name: True})
            self.assertEqual(str(refused.exception), f"--{name.replace('_', '-')}: it is no option of a run; "
                                                     "`python3 -m loadline run --help` shows them")

    def test_leaves_out_flags_that_are_false(self):
        result = loadline.measure(make_loader, workers=[0], batch_size=[4], allow_mismatch=False, turn_upright=False,
                                  dry_run=False, **SHORT)
        self.assertTrue(result.complete)
        self.assertEqual(set(result.document["argv"]) & {"--allow-mismatch", "--turn-upright", "--dry-run"}, set())

    def test_passes_true_and_false_to_options_that_take_a_word(self):
        words = {name: value for name, value in SHORT.items() if name != "ceilings"}
        result = loadline.measure(make_loader, workers=[0], batch_size=[4], ceilings=False, **words)
        self.assertEqual(result.document["config"]["ceilings"], "off")

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

    # Another process makes the figures; it used to look for the step in its own __main__.
    def test_gives_its_trials_with_a_step_of_the_program_itself(self):
        script = """
import loadline
from sweep_test import make_loader, SHORT
def make_step():
    return lambda batch: None
result = loadline.measure(make_loader, make_step, workers=[0], batch_size=[4], **SHORT)
print(len(result.trials()) > 0, "FULL" in result.table)
"""
        done = self.program(script)
        self.assertEqual(done.stdout.splitlines()[-1:], ["True True"], done.stderr)

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

    def test_refuses_what_cannot_be_measured_with_the_reason(self):
        with self.assertRaisesRegex(loadline.Error, "^--workers: .*, got '-1'"):
            loadline.measure(make_loader, workers=[-1], **SHORT)

    def test_never_returns_an_earlier_result_as_its_own(self):
        loadline.measure(make_loader, workers=[0], batch_size=[4], output=self.output, **SHORT)
        broken = os.path.join(os.path.dirname(self.output), "broken.py")
        with open(broken, "w", encoding="utf-8") as file:
            file.write("def f(:\n")
        for options, reason in (
            ({"loader": make_loader, "overwrite": True, "data": "nodir"}, "cannot open nodir"),
            ({"loader": f"{broken}:f", "overwrite": True}, "SyntaxError"),
            ({"loader": "no_such_module:f", "overwrite": True}, "ModuleNotFoundError"),
            ({"loader": make_loader}, "a result exists already; overwrite=True replaces it$"),
        ):
            with self.assertRaisesRegex(loadline.Error, reason):
                loadline.measure(output=self.output, **options, **SHORT)

    def test_returns_its_own_result_where_cells_failed(self):
        loadline.measure(make_loader, workers=[0], batch_size=[4], output=self.output, **SHORT)
        result = loadline.measure(make_broken, output=self.output, overwrite=True, **SHORT)
        self.assertIn("ValueError: nothing to load", "".join(result.errors.values()))

    def test_refuses_what_is_no_function(self):
        want = "want a function that returns an iterable, or a word of the command line, got"
        for loader, got in ((None, "None"), (5, "5"), (b"t.py:f", "b't.py:f'"), ([1, 2], "1"), ({1}, "set")):
            with self.assertRaises(loadline.Error) as raised:
                loadline.measure(loader, **SHORT)
            self.assertEqual(str(raised.exception), f"loader: {want} {got}")
        with self.assertRaisesRegex(loadline.Error, "^step: want a function that returns a step, .*, got 3$"):
            loadline.measure(make_loader, 3, **SHORT)

    def test_tells_of_a_step_in_place_of_its_factory(self):
        result = loadline.measure(make_loader, lambda batch: None, workers=[0], batch_size=[4], **SHORT)
        self.assertIn("want a function that makes the step, not the step itself", "".join(result.errors.values()))
        result = loadline.measure(make_loader, make_no_step, workers=[0], batch_size=[4], **SHORT)
        self.assertIn(
            "make_no_step(): want a step, which is a function of a batch, as its return value, got None",
            "".join(result.errors.values()))

    def test_takes_ranges_arrays_and_partial_functions(self):
        partial = functools.partial(make_loader, batch_size=4)
        result = loadline.measure(partial, workers=range(1, 3), seed=numpy.int64(3), **SHORT)
        self.assertEqual({cell["workers"] for cell in result.document["cells"] if cell["mode"] == "IO"}, {1, 2})
        result = loadline.measure(make_loader, workers=[0], batch_size=numpy.array([4, 8]), **SHORT)
        sizes = [cell["batch_size"] for cell in result.document["cells"] if cell["mode"] == "IO"]
        self.assertEqual(sizes, [4, 8])

    def test_of_a_dry_run_returns_nothing(self):
        script = "import loadline, sweep_test; print(loadline.measure(sweep_test.make_loader, workers=[0], dry_run=True))"
        self.assertEqual(self.program(script).stdout.splitlines()[-1], "None")

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
        self.assertNotIn("loadline report", done.stdout)
        self.assertNotIn(directory, done.stdout + done.stderr)

    def test_names_the_file_that_keeps_the_result(self):
        script = """
import sys, loadline
from sweep_test import make_loader, SHORT
loadline.measure(make_loader, workers=[0], batch_size=[4], output=sys.argv[1], **dict(SHORT, quiet=False))
"""
        done = self.program(script, self.output)
        self.assertIn(f"\nresult: {self.output} (details: `loadline report`)", done.stdout, done.stderr)
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

    def test_is_ended_by_signals_that_other_threads_receive(self):
        script = """
import signal, sys, threading, loadline
from sweep_test import make_loader, SHORT
other = threading.Thread(target=threading.Event().wait, daemon=True)
other.start()
def make_ended_loader(**settings):
    signal.pthread_kill(other.ident, getattr(signal, sys.argv[1]))
    return make_loader(0, 4)
try:
    loadline.measure(make_ended_loader, trials=1000, trial_batches=50, ceilings="off", quiet=True)
except KeyboardInterrupt:
    print("ended")
"""
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            with self.subTest(name):
                self.assertEqual(self.program(script, name).stdout, "ended\n")

    def test_leaves_signals_to_forked_children(self):
        script = """
import os, signal, threading, loadline
from sweep_test import make_loader, SHORT
threading.Thread(target=threading.Event().wait, daemon=True).start()
def make_forking_loader():
    child = os.fork()
    if child == 0:
        while True:
            signal.pause()
    os.kill(child, signal.SIGTERM)
    print(os.WTERMSIG(os.waitpid(child, 0)[1]))
    return make_loader(0, 4)
loadline.measure(make_forking_loader, **SHORT)
"""
        self.assertIn(f"{int(signal.SIGTERM)}\n", self.program(script).stdout)


if __name__ == "__main__":
    unittest.main()
