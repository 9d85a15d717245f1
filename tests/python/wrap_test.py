"""wrap(): a loop that measures itself."""

import glob
import os
import statistics
import subprocess
import sys
import textwrap
import unittest

import loadline
from loop_support import LISTS, QUICK, TOOL, LoopTest, Script, loop

try:
    import numpy
except ImportError:
    numpy = None

# A training script that makes its loader in each epoch.
EPOCHS = """
import sys, time, os
import loadline
{before}
for epoch in range(10):
    batches = 0
    for batch in loadline.wrap({loader}, {settings}): batches += 1
    print(f"epoch {{epoch}}: {{batches}}")
"""
PASSES = "loadline: this loop has been measured and now gets its loader's batches unchanged; "


class Wrap(LoopTest):
    def test_any_iterable_is_measured_and_goes_on_with_training(self):
        with Script(loop("Lists()", before=LISTS)) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            result = self.assert_valid(script)
            self.assertEqual(result["status"], "complete")
            self.assertEqual([len(cell["trials"]) for cell in result["cells"]], [2, 2, 2, 2])
            self.assertEqual(result["cells"][0]["loader"], "Lists")
            self.assertEqual(result["cells"][0]["batch_size"], 8)
            self.assertTrue(result["loop"]["restarts"])
            self.assertIn("epoch 2 has ended", script.done.stdout)
            self.assertIn("Lists", script.done.stdout)

    def test_trials_are_in_rounds_of_an_order_that_is_drawn(self):
        with Script(
            loop("Lists()", before=LISTS, settings=QUICK.replace("trials=2", "trials=4"), epochs=9)
        ) as script:
            places = {
                mode: [trial["place"] // 4 for trial in script.cell(mode)["trials"]]
                for mode in ("IO", "SYNTHETIC")
            }
            self.assertEqual(places, {"IO": [0, 1, 2, 3], "SYNTHETIC": [0, 1, 2, 3]})

    def test_ends_the_program_where_that_is_asked_for(self):
        for settings, environment in (
            (QUICK + ", then='exit'", {}), (QUICK, {"LOADLINE_THEN": "exit"})
        ):
            with Script(loop("Lists()", before=LISTS, settings=settings), **environment) as script:
                self.assertEqual(script.done.returncode, 0, script.output)
                self.assertNotIn("trained on", script.done.stdout)
                self.assertEqual(script.result()["status"], "complete")

    def test_passes_through_where_that_is_asked_for(self):
        for settings, environment in (
            (QUICK + ", enabled=False", {}), (QUICK, {"LOADLINE_DISABLE": "1"})
        ):
            with Script(loop("Lists()", before=LISTS, settings=settings), **environment) as script:
                self.assertIn("trained on 300\n", script.done.stdout)
                self.assertEqual(glob.glob(os.path.join(script.path, "*.json")), [])

    def test_the_verdict_names_what_the_loop_waits_for(self):
        slow = """
class Slow:
    def __iter__(self):
        for i in range(60):
            time.sleep(0.02)
            yield [0.0] * 8
"""
        text = loop(
            "Slow()",
            "time.sleep(0.001)",
            "trials=4, trial_seconds=0.2, output='result.json'",
            before=slow,
        )
        with Script(text) as script:
            result = self.assert_valid(script)
            self.assertEqual(result["configurations"][0]["bound"], "loader", script.output)
            self.assertIn("the training step waits", script.done.stdout)
            self.assertNotIn("--", script.done.stdout.split("train,")[1])

    def test_full_and_synthetic_see_the_steps_of_the_loop_itself(self):
        text = loop(
            "Lists()",
            "time.sleep(0.002)",
            "trials=3, trial_seconds=0.2, output='result.json'",
            before=LISTS,
        )
        with Script(text) as script:
            for mode in ("SYNTHETIC", "FULL"):
                trials = script.cell(mode)["trials"]
                for trial in trials:
                    self.assertGreater(trial["wall_seconds"] / trial["batches"], 0.002)
                waits = [trial["wait"]["total_seconds"] / trial["wall_seconds"] for trial in trials]
                self.assertLess(statistics.median(waits), 0.1)

    def test_an_epoch_that_is_shorter_than_a_trial_spans_passes_of_the_loop(self):
        before = LISTS.replace("100", "12")
        text = loop(
            "Lists()", "time.sleep(0.001)", QUICK.replace("0.02", "1"), epochs=12, before=before
        )
        with Script(text) as script:
            self.assertEqual(script.result()["status"], "complete", script.output)
            self.assertGreaterEqual(
                min(trial["batches"] for trial in script.cell("FULL")["trials"]), 20
            )

    def test_a_loop_that_breaks_off_its_passes_is_measured_all_the_same(self):
        step = "time.sleep(0.001)\n        if batches % 15 == 0: break"
        with Script(loop("Lists()", step, QUICK, epochs=60, before=LISTS)) as script:
            self.assertEqual(script.result()["status"], "complete", script.output)

    def test_a_program_that_ends_too_soon_leaves_a_partial_result(self):
        step = "if batches == 200: break"
        with Script(
            loop("Lists()", step, "trials=9, trial_batches=20, output='result.json'", 1, LISTS)
        ) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["status"], "partial")
            self.assertIn(
                "loadline: the program ended before all trials were done; give it more epochs, or use fewer or shorter "
                "trials (trials=, trial_batches=)\n",
                script.done.stderr,
            )
            self.assertIn("the measurement ended before all trials were done", script.done.stdout)
            self.assertNotIn("run it again", script.done.stdout)

    def test_a_program_that_ends_before_any_trial_is_told_what_one_takes(self):
        settings = "trial_batches=40, modes=('FULL',), output='result.json'"
        with Script(loop("Lists()", "if batches == 30: break", settings, 1, LISTS)) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["status"], "partial")
            self.assertIn(
                "loadline: no trial of this loop was finished; a trial takes 40 batches, after its warm-up\n",
                script.done.stderr,
            )
            self.assertNotIn("samples/s", script.done.stdout)
        with Script(loop("[[1.0] * 4]", settings="modes=('FULL',)", epochs=1)) as script:
            self.assertIn("a trial takes at least 1 s and 20 batches, after its warm-up\n", script.done.stderr)
            self.assertIn("use fewer or shorter trials (trials=, trial_seconds=)\n", script.done.stderr)
            self.assertIn("loadline: measuring list: 5 trials each of FULL, OVERHEAD (", script.done.stderr)
        with Script(loop("[[1.0] * 4]", settings="trials=1, modes=('FULL',)", epochs=1)) as script:
            self.assertIn("loadline: measuring list: 1 trial each of FULL, OVERHEAD (", script.done.stderr)

    def test_an_infinite_loader_is_measured(self):
        before = """
import itertools
class Endless:
    def __iter__(self):
        return itertools.repeat([1.0] * 4)
"""
        with Script(loop("Endless()", settings=QUICK + ", then='exit'", before=before)) as script:
            self.assertEqual(self.assert_valid(script)["status"], "complete")
            self.assertIsNone(script.result()["datasets"][0]["samples"])

    def test_an_empty_loader_is_told_so_and_the_program_goes_on(self):
        with Script(loop("[]")) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["status"], "partial")
            self.assertIn("the loader gave no batches", script.output)
            self.assertIn("trained on 0", script.done.stdout)
        with Script(loop("[]", settings=QUICK + ", quiet=True", epochs=1)) as script:
            self.assertEqual(script.done.stderr, "loadline: nothing was measured: the loader gave no batches\n")

    def test_an_iterator_that_cannot_be_restarted_serves_all_trials(self):
        before = "import itertools\nstream = ([1.0] * 4 for _ in itertools.count())\n"
        with Script(loop("stream", settings=QUICK + ", then='exit'", before=before)) as script:
            result = self.assert_valid(script)
            self.assertEqual(result["status"], "complete")
            self.assertFalse(result["loop"]["restarts"])
            self.assertIn("one iterator for all trials", script.done.stdout)

    def test_an_iterator_that_ends_leaves_what_was_measured(self):
        with Script(loop("iter([[1.0] * 4] * 30)")) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["status"], "partial")
            told = " ".join(script.output.split())
            self.assertIn("the loader is an iterator, which ended and cannot begin again; pass an iterable that can", told)

    def test_a_loader_that_runs_dry_leaves_what_was_measured(self):
        before = """
class Drying:
    def __init__(self):
        self.left = [[1.0] * 4] * 30
    def __iter__(self):
        while self.left: yield self.left.pop()
"""
        with Script(loop("Drying()", settings=QUICK + ", modes=('IO',)", before=before)) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["status"], "partial")
            self.assertIn("the loader gave no batches in three passes in a row;", " ".join(script.output.split()))

    def test_what_the_loader_raises_goes_through_and_into_the_result(self):
        before = """
class Failing:
    def __iter__(self):
        yield [1.0] * 4
        yield [1.0] * 4
        raise OSError('no such shard')
"""
        with Script(loop("Failing()", before=before)) as script:
            self.assertEqual(script.done.returncode, 1)
            self.assertIn("OSError: no such shard", script.done.stderr)
            result = self.assert_valid(script)
            self.assertEqual(result["status"], "partial")
            self.assertIn("OSError: no such shard", [cell["error"] for cell in result["cells"]])

    def test_what_the_step_raises_leaves_a_partial_result(self):
        step = "if batches == 60: raise ValueError('diverged')"
        with Script(
            loop("Lists()", step, QUICK.replace("trials=2", "trials=50"), before=LISTS)
        ) as script:
            self.assertIn("ValueError: diverged", script.done.stderr)
            self.assertIn(
                "loadline: the exception above ended the program before all trials were done\n", script.done.stderr
            )
            self.assertEqual(self.assert_valid(script)["status"], "partial")

    def test_what_the_step_raises_and_the_program_catches_is_not_named_as_its_end(self):
        text = f"""
import loadline
try:
    for number, batch in enumerate(loadline.wrap([[1.0] * 4] * 100, {QUICK.replace("trials=2", "trials=50")})):
        if number == 60: raise ValueError("diverged")
except ValueError: pass
"""
        with Script(text) as script:
            self.assertIn("loadline: the program ended before all trials were done; give it", script.done.stderr)

    def test_ctrl_c_leaves_a_partial_result(self):
        step = "if batches == 60: import signal; os.kill(os.getpid(), signal.SIGINT); time.sleep(1)"
        with Script(
            loop("Lists()", step, QUICK.replace("trials=2", "trials=50"), before=LISTS)
        ) as script:
            self.assertIn("KeyboardInterrupt", script.done.stderr)
            self.assertEqual(self.assert_valid(script)["status"], "partial")

    def test_ctrl_c_in_the_loader_leaves_a_partial_result_and_no_fault(self):
        before = """
import signal
class Stopping:
    def __iter__(self):
        for i in range(200):
            if i == 150: os.kill(os.getpid(), signal.SIGINT)
            yield [1.0] * 4
"""
        for mode in ("IO", "FULL"):
            settings = f"trials=1, trial_batches=180, modes=('{mode}',), output='result.json'"
            with self.subTest(mode), Script(loop("Stopping()", settings=settings, before=before)) as script:
                self.assertIn("KeyboardInterrupt", script.done.stderr)
                result = self.assert_valid(script)
                self.assertEqual(result["status"], "partial")
                self.assertEqual([cell["error"] for cell in result["cells"] if cell["error"]], [])
                self.assertNotIn("fix the cause", script.output)

    def test_samples_that_cannot_be_counted_are_asked_for(self):
        with Script(loop("[object()] * 100")) as script:
            self.assertIn(
                "cannot count the samples of a batch of type object; give loadline.wrap(count=)",
                script.output,
            )
        with Script(loop("[object()] * 100", settings=QUICK + ", count=lambda batch: 7")) as script:
            self.assertEqual(script.cell("FULL")["batch_size"], 7)
            self.assertEqual(script.result()["loop"]["samples_by"], "function")

    def test_a_count_below_1_is_named(self):
        with Script(loop("[object()] * 100", settings=QUICK + ", count=lambda batch: -3")) as script:
            self.assertIn("count: want at least 1 sample in a batch, got -3 for one of type object\n", script.done.stderr)

    @unittest.skipUnless(numpy, "without NumPy")
    def test_batches_without_samples_or_axes_are_told_apart(self):
        for batch, sentence in (
            ("numpy.ones((0, 3))", "loader list: a batch of type numpy.ndarray has no samples\n"),
            ("numpy.array(3.0)", "cannot count the samples of a batch of type numpy.ndarray, which has no axes; give "),
        ):
            with Script(loop(f"[{batch}] * 30", before="import numpy")) as script:
                self.assertIn("loadline.Error: " + sentence, script.done.stderr)

    def test_a_result_that_is_there_is_not_replaced_unasked(self):
        with Script(loop("Lists()", before=LISTS)) as script:
            for more, code, said in (
                ("", 1, "result.json: a result exists already; overwrite=True replaces it"),
                (", overwrite=True", 0, ""),
            ):
                # Before the first pass, and so before anything is trained.
                again = f"import loadline\nloadline.wrap([], output='result.json'{more})\n"
                done = subprocess.run(
                    [sys.executable, "-c", again], cwd=script.path, capture_output=True, universal_newlines=True
                )
                self.assertEqual(done.returncode, code, done.stderr)
                self.assertIn(said, done.stderr)

    def test_another_loader_in_each_epoch_goes_on_with_the_measurement(self):
        before = LISTS.replace("100", "25")
        for settings in (QUICK, QUICK + ", overwrite=True", "trials=2, trial_seconds=0.02"):
            with Script(EPOCHS.format(before=before, loader="Lists()", settings=settings)) as script:
                self.assertEqual(script.done.returncode, 0, script.output)
                (path,) = glob.glob(os.path.join(script.path, "*.json"))
                result = self.assert_valid(script, path)
                self.assertEqual(result["status"], "complete")
                self.assertEqual([len(cell["trials"]) for cell in result["cells"]], [2, 2, 2, 2])
                # Measured once, said once, and then trained on its own batches.
                self.assertEqual(script.done.stderr.count("loadline: measuring Lists"), 1)
                again = "another output=" if settings == QUICK else "another output= or name="
                self.assertEqual(script.done.stderr.count(f"{PASSES}{again} measures it again\n"), 1)
                self.assertIn("epoch 8: 25\nepoch 9: 25\n", script.done.stdout)

    def test_a_generator_for_each_epoch_is_measured_once(self):
        before = "def generator():\n    for i in range(20000): yield [1.0] * 4\n"
        settings = "trials=2, trial_batches=50, output='result.json'"
        with Script(EPOCHS.format(before=before, loader="generator()", settings=settings)) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["status"], "complete")
            self.assertEqual(script.done.stderr.count(PASSES), 1)
            self.assertIn("epoch 9: 20000\n", script.done.stdout)

    def test_another_name_or_output_measures_again(self):
        for more in ("name=f'epoch {epoch // 5}'", "output=f'{epoch // 5}.json'"):
            settings = f"trials=1, trial_batches=20, {more}"
            with Script(EPOCHS.format(before=LISTS, loader="Lists()", settings=settings)) as script:
                self.assertEqual(script.done.returncode, 0, script.output)
                self.assertEqual(len(glob.glob(os.path.join(script.path, "*.json"))), 2)

    def test_a_measurement_that_ended_early_is_not_begun_again(self):
        settings = "trials=1, trial_batches=20, modes=('IO',), output='result.json'"
        with Script(EPOCHS.format(before="", loader="iter([[1.0] * 4] * 5)", settings=settings)) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["status"], "partial")
            self.assertIn(
                "loadline: the measurement of this loop ended early, and it now gets its loader's batches unchanged; "
                "another output= measures it again\n",
                script.done.stderr,
            )
            self.assertIn("epoch 9: 5\n", script.done.stdout)

    def test_loops_at_a_time_get_the_batches_of_their_own_loaders(self):
        text = """
import loadline
class Lists:
    def __init__(self, value):
        self.value = value
    def __len__(self):
        return 60
    def __iter__(self):
        return iter([[self.value] * 4] * 60)
def wrapped(value):
    yield from loadline.wrap(Lists(value), trials=1, trial_batches=20, output="", quiet=True)
kept = [loadline.wrap(Lists(value), trials=1, trial_batches=20, output="", quiet=True) for value in (1.0, 2.0)]
for epoch in range(4):
    for pair in zip(wrapped(1.0), wrapped(2.0)):
        assert [batch[0] for batch in pair] == [1.0, 2.0]
    for pair in zip(*kept):
        assert [batch[0] for batch in pair] == [1.0, 2.0]
    for value, loader in zip((1.0, 2.0), kept):
        assert all(batch[0] == value for batch in loader)
"""
        with Script(text) as script:
            self.assertEqual(script.done.returncode, 0, script.output)

    def test_the_output_of_one_loop_is_not_that_of_another(self):
        validation = "    for batch in loadline.wrap([[1.0]] * 30, output='result.json'): pass\n"
        with Script(EPOCHS.format(before=LISTS, loader="Lists()", settings=QUICK) + validation) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["cells"][0]["loader"], "Lists")
            self.assertEqual(
                script.done.stderr.count(
                    "loadline: result.json is for the measurement of another loader, so this loop gets its loader's "
                    "batches unchanged; an output= of its own measures it\n"
                ),
                1,
            )

    def test_of_two_loops_at_a_time_that_share_an_output_the_first_is_measured(self):
        settings = "trials=1, trial_batches=20, output='result.json'"
        text = f"""
import loadline
for epoch in range(9):
    for a, b in zip(loadline.wrap([[1.0] * 4] * 100, {settings}), loadline.wrap([[2.0] * 4] * 90, {settings})):
        assert b == [2.0] * 4
"""
        with Script(text) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(self.assert_valid(script)["status"], "complete")
            self.assertEqual(script.done.stderr.count("result.json is for the measurement of another loader"), 1)

    def test_a_partial_result_is_replaced_if_asked_because_nothing_continues_it(self):
        text = "import sys, os\n" + loop("Lists()", before=LISTS, step="sys.exit(1)")
        again = "loader = Lists()\nfor batch in loadline.wrap(loader, %s): pass\n"
        with Script(text) as script:
            self.assertEqual(script.result()["status"], "partial")
            code, output = script.tool("run", "--resume", "result.json")
            self.assertEqual(code, 2)
            self.assertIn("it is the result of a program's own loop; run the program again with", output)
            with open(os.path.join(script.path, "again.py"), "w") as file:
                file.write("import loadline\n" + textwrap.dedent(LISTS) + again % (QUICK + ", overwrite=True"))
            done = subprocess.run([sys.executable, "again.py"], cwd=script.path, capture_output=True)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_loader_that_forks_leaves_one_result_and_no_process(self):
        before = """
class Forking:
    def __iter__(self):
        child = os.fork()
        if child == 0:
            sys.exit(0)
        os.waitpid(child, 0)
        return iter([[1.0] * 4] * 50)
"""
        with Script(loop("Forking()", before=before)) as script:
            self.assertEqual(script.done.returncode, 0, script.output)
            self.assertEqual(script.done.stdout.count("result: result.json"), 1)
            self.assertEqual(self.assert_valid(script)["status"], "complete")

    def test_without_an_output_the_result_has_a_name_of_its_own(self):
        with Script(
            loop("Lists()", before=LISTS, settings="trials=1, trial_seconds=0.01")
        ) as script:
            (path,) = glob.glob(os.path.join(script.path, "loadline-*.json"))
            self.assertIn(script.result(path)["run_id"], path)
        with Script(
            loop("Lists()", before=LISTS, settings="trials=1, trial_seconds=0.01"),
            LOADLINE_OUTPUT="a.json",
        ) as s:
            self.assertEqual(s.result("a.json")["status"], "complete")

    def test_arguments_are_checked(self):
        for settings, message in (
            (
                {"modes": ("IO", "RAM")},
                "modes: want some of IO, SYNTHETIC, FULL, OVERHEAD, got 'RAM'",
            ),
            ({"modes": None}, "modes: want some of IO, SYNTHETIC, FULL, OVERHEAD, got None"),
            ({"trials": 0}, "trials: want a whole number of at least 1, got 0"),
            ({"trials": 1.5}, "trials: want a whole number of at least 1, got 1.5"),
            ({"trials": "3"}, "trials: want a whole number of at least 1, got '3'"),
            ({"warm_up": -1}, "warm_up: want a whole number of at least 0, got -1"),
            ({"seed": -1}, "seed: want a whole number of at least 0, got -1"),
            ({"seed": 2**64}, "seed: want a whole number of at most 9223372036854775807, got 18446744073709551616"),
            ({"trial_seconds": "a"}, "trial_seconds: want a number above 0, got 'a'"),
            ({"au": "x"}, "au: want a number above 0, got 'x'"),
            ({"au": 2}, "au: want a share of at most 1, got 2"),
            ({"count": 5}, "count: want a function that returns the samples of a batch, got 5"),
            ({"name": 5}, "name: want text, got 5"),
            ({"output": 5}, "output: want a path, got 5"),
            ({"record": 5}, "record: want a path, got 5"),
            ({"then": "stop"}, "then: want 'train' or 'exit', got 'stop'"),
        ):
            with self.assertRaises(loadline.Error) as raised:
                loadline.wrap([], **settings)
            self.assertEqual(str(raised.exception), message)

    def test_a_loader_that_nothing_iterates_over_is_refused(self):
        for loader, kind in ((None, "None"), (5, "5"), (len, "builtin_function_or_method")):
            with self.assertRaisesRegex(loadline.Error, f"^loader: want an iterable of batches, got {kind}$"):
                loadline.wrap(loader)

    def test_ranks_that_do_not_know_each_other_write_a_file_each(self):
        with Script(loop("Lists()", before=LISTS), RANK="1", WORLD_SIZE="2") as script:
            result = script.result("result-rank1.json")
            self.assertEqual([result["config"]["rank"], result["config"]["world_size"]], [1, 2])
            self.assertIsNone(result["loop"]["starts_together"])


NATIVE = """
import _thread, queue
def burn():
    end = time.thread_time() + 0.002
    while time.thread_time() < end:
        pass
class Native:
    # Threads that Python does not know, like those of a library in C, make its batches: each takes 2 ms of a CPU.
    def __init__(self, early=False, restless=False):
        self.restless = restless
        self.ready = self.begin() if early else None
    def begin(self):
        ready = queue.Queue(2)
        _thread.start_new_thread(self.make, (ready,))
        return ready
    def make(self, ready):
        while True:
            burn()
            if not self.restless or not ready.full():
                ready.put([0.0] * 8)
    def __iter__(self):
        return iter((self.ready or self.begin()).get, None)
"""


class LoaderCpu(LoopTest):
    """CPU time of a loader's threads and processes, and what is said of it."""

    SETTINGS = "trials=2, trial_seconds=0.1, output='result.json', then='exit'"

    def seconds(self, script, mode):
        return [trial.get("loader_cpu_seconds") for trial in script.cell(mode)["trials"]]

    def test_counts_native_threads_that_an_iterator_begins(self):
        with Script(loop("Native()", settings=self.SETTINGS, before=NATIVE)) as script:
            self.assertEqual(self.assert_valid(script)["status"], "complete", script.output)
            for mode in ("IO", "FULL"):
                for trial in script.cell(mode)["trials"]:
                    self.assertGreater(trial["loader_cpu_seconds"], 0.001 * trial["batches"])
            for trial in script.cell("SYNTHETIC")["trials"]:
                self.assertLess(trial["loader_cpu_seconds"], 0.02 * trial["wall_seconds"])
            self.assertIn("meanwhile the loader's processes and threads used", script.done.stdout)

    def test_does_not_know_of_native_threads_that_were_there_before(self):
        with Script(loop("Native(early=True)", settings=self.SETTINGS, before=NATIVE)) as script:
            self.assertEqual(self.assert_valid(script)["status"], "complete", script.output)
            for mode in ("IO", "SYNTHETIC", "FULL"):
                self.assertEqual(self.seconds(script, mode), [None, None])
            self.assertNotIn("meanwhile", script.done.stdout)

    def test_does_not_know_without_a_trial_of_the_loader_alone(self):
        settings = self.SETTINGS + ", modes=('FULL',)"
        with Script(loop("Native()", settings=settings, before=NATIVE)) as script:
            self.assertEqual(self.seconds(script, "FULL"), [None, None])
            self.assertNotIn("meanwhile", script.done.stdout)

    def test_leaves_out_native_threads_of_the_step(self):
        before = LISTS + NATIVE + """
asked, done = queue.SimpleQueue(), queue.SimpleQueue()
def work():
    while True:
        asked.get()
        burn()
        done.put(None)
threads = []
def step():
    if not threads:
        threads.append(_thread.start_new_thread(work, ()))
    asked.put(None)
    done.get()
"""
        with Script(loop("Lists()", "step()", self.SETTINGS, 60, before)) as script:
            self.assertEqual(self.assert_valid(script)["status"], "complete", script.output)
            # None: on a busy machine other threads may have worked while IO was measured.
            for mode in ("IO", "SYNTHETIC", "FULL"):
                self.assertLessEqual(set(self.seconds(script, mode)), {0.0, None})

    def test_warns_of_native_threads_that_work_while_the_step_is_alone(self):
        settings = self.SETTINGS.replace("trials=2", "trials=1")
        with Script(loop("Native(restless=True)", settings=settings, before=NATIVE)) as script:
            self.assertEqual(self.assert_valid(script)["loop"]["busy_starts"], 1, script.output)
            self.assertIn("[loader-not-idle]", script.done.stderr)

    @unittest.skipUnless(TOOL, "without the tool, which makes data")
    def test_counts_the_workers_of_our_own_loader(self):
        before = f"""
import subprocess
subprocess.run([{TOOL!r}, "data", "make", "cifar10", "data", "--samples", "20000", "--quiet"], check=True)
"""
        loader = "loadline.Loader('data', workers=2, batch_size=100, as_='array')"
        # Far fewer batches than an epoch has, at whose end its workers end.
        settings = self.SETTINGS.replace("trial_seconds=0.1", "trial_batches=50")
        with Script(loop(loader, settings=settings, before=before)) as script:
            self.assertEqual(self.assert_valid(script)["status"], "complete", script.output)
            for mode in ("IO", "FULL"):
                # None: on a busy machine other threads may have worked in a trial.
                known = [seconds for seconds in self.seconds(script, mode) if seconds is not None]
                if not known:
                    self.skipTest("the machine is too busy: other threads worked in every trial")
                # The system counts a running thread's time at its next tick, which may be in the other trial.
                self.assertGreater(max(known), 0.0)


if __name__ == "__main__":
    unittest.main()
