"""record(): what a job waits for, while it runs as usual."""

import gc
import json
import os
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import weakref

import loadline
from loadline import _core

try:
    import torch
except ImportError:
    torch = None

SCHEMA = os.path.join(os.path.dirname(__file__), "..", "..", "results", "job_schema.json")
TOOL = os.environ.get("LOADLINE")


class RecordTest(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = os.path.join(directory.name, "job.json")

    def job(self):
        with open(self.path) as file:
            job = json.load(file)
        try:
            import jsonschema
        except ImportError:
            return job
        with open(SCHEMA) as file:
            jsonschema.Draft202012Validator(json.load(file)).validate(job)
        return job

    def run_script(self, text):
        return subprocess.run(
            [sys.executable, "-c", textwrap.dedent(text)],
            cwd=os.path.dirname(self.path),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=300,
        )


class Lists:
    """A loader of `batches` batches of 4 samples."""

    def __init__(self, batches):
        self.batches = batches

    def __len__(self):
        return self.batches

    def __iter__(self):
        return iter([[1.0] * 4] * self.batches)


class Record(RecordTest):
    def test_waits_and_steps_are_noted_batch_by_batch(self):
        loader = [[1.0] * 4, [1.0] * 4, [1.0] * 2]
        with loadline.record(self.path) as job:
            for _ in range(2):
                for _ in job(loader):
                    time.sleep(0.005)
        noted = self.job()
        self.assertEqual(
            (noted["status"], noted["epochs"], noted["batches"], noted["samples"]),
            ("complete", 2, 6, 20),
        )
        self.assertEqual(noted["sequence"]["samples"], [4, 4, 2, 4, 4, 2])
        self.assertEqual(len(noted["sequence"]["wait_nanoseconds"]), 6)
        whole = noted["wait"]["total_seconds"] + noted["step"]["total_seconds"]
        self.assertAlmostEqual(noted["wall_seconds"], whole, delta=0.2 * whole + 1e-5)
        self.assertAlmostEqual(
            1e-9 * sum(noted["sequence"]["step_nanoseconds"]), noted["step"]["total_seconds"]
        )

    def test_memory_is_bounded_and_totals_stay_exact(self):
        batches = 200_000
        with loadline.record(self.path) as job:
            for _ in job([[1.0, 2.0]] * batches):
                pass
        noted = self.job()
        self.assertEqual((noted["batches"], noted["samples"]), (batches, 2 * batches))
        self.assertEqual(noted["sequence"]["batches_per_entry"], 4)
        self.assertEqual(len(noted["sequence"]["samples"]), batches // 4)
        self.assertEqual(set(noted["sequence"]["samples"]), {8})
        for what in ("wait", "step"):
            total = 1e-9 * sum(noted["sequence"][what + "_nanoseconds"])
            self.assertAlmostEqual(total, noted[what]["total_seconds"])

    def test_the_end_says_how_to_see_what_was_noted(self):
        done = self.run_script(
            """
            import loadline
            with loadline.record("job.json") as job:
                for batch in job([[1.0]] * 3): pass
            with loadline.record("job.json", overwrite=True) as job:
                for batch in job([[1.0]]): pass
            with loadline.record("job.json", overwrite=True): pass
            with loadline.record("job.json", overwrite=True, quiet=True): pass
            """
        )
        shows = "in job.json; `loadline report job.json` shows what the loop waited for\n"
        self.assertEqual(
            (done.stdout, done.stderr),
            (
                "",
                f"loadline: recorded 3 batches {shows}loadline: recorded 1 batch {shows}"
                "loadline: recorded no batches in job.json: no loop was over a DataLoader of PyTorch or over job(loader)\n",
            ),
        )

    def test_an_exception_leaves_what_was_noted_as_partial(self):
        with self.assertRaises(ValueError):
            with loadline.record(self.path) as job:
                for number, _ in enumerate(job([[1.0]] * 10)):
                    if number == 5:
                        raise ValueError
        self.assertEqual((self.job()["status"], self.job()["batches"]), ("partial", 5))

    def test_what_the_loader_raises_goes_through(self):
        def failing():
            yield [1.0]
            raise OSError("no such shard")

        with self.assertRaisesRegex(OSError, "no such shard"):
            with loadline.record(self.path) as job:
                list(job(failing()))
        self.assertEqual(self.job()["batches"], 1)

    def test_a_job_without_batches_is_a_recording_too(self):
        with loadline.record(self.path):
            pass
        self.assertEqual((self.job()["loader"], self.job()["batches"]), ("nothing", 0))

    def test_of_several_loaders_the_one_with_the_most_time_is_the_job(self):
        class Training(list):
            pass

        class Validation(list):
            pass

        with loadline.record(self.path) as job:
            for _ in job(Validation([[1.0]] * 2)):
                pass
            for _ in job(Training([[1.0]] * 3)):
                time.sleep(0.5)
        self.assertEqual(self.job()["loader"], "Training")
        (other,) = self.job()["neighbours"]
        self.assertEqual((other["loader"], other["batches"]), ("Validation", 2))

    def test_a_loader_made_anew_in_each_epoch_is_one_that_nothing_keeps_alive(self):
        alive = []
        with loadline.record(self.path) as job:
            for _ in range(5):
                loader = Lists(3)
                alive.append(weakref.ref(loader))
                for _ in job(loader):
                    pass
                del loader
                gc.collect()
                self.assertEqual([one() for one in alive], [None] * len(alive))
        noted = self.job()
        self.assertEqual((noted["loader"], noted["epochs"], noted["batches"]), ("Lists", 5, 15))
        self.assertEqual(noted["neighbours"], [])

    def test_a_generator_or_zip_made_anew_in_each_epoch_is_one_loader(self):
        for name, made in (("generator", lambda: ([1.0] for _ in range(3))), ("zip", lambda: zip([1.0] * 3))):
            with loadline.record(self.path, overwrite=True) as job:
                for _ in range(4):
                    for _ in job(made()):
                        pass
            noted = self.job()
            self.assertEqual((noted["loader"], noted["epochs"], noted["batches"]), (name, 4, 12))
            self.assertEqual(noted["neighbours"], [])

    def test_loaders_that_the_program_has_at_a_time_stay_apart(self):
        loaders = [Lists(3), Lists(3), [[1.0]] * 3, [[1.0]] * 3]
        with loadline.record(self.path) as job:
            for _ in range(2):
                for loader in loaders:
                    for _ in job(loader):
                        pass
        noted = self.job()
        self.assertEqual((noted["epochs"], noted["batches"]), (2, 6))
        self.assertEqual([other["batches"] for other in noted["neighbours"]], [6, 6, 6])

    def test_training_and_validation_made_anew_in_each_epoch_stay_apart(self):
        with loadline.record(self.path) as job:
            for _ in range(3):
                for _ in job(Lists(20)):
                    time.sleep(0.001)
                for _ in job(Lists(5)):
                    pass
        noted = self.job()
        self.assertEqual((noted["epochs"], noted["batches"]), (3, 60))
        self.assertEqual([other["batches"] for other in noted["neighbours"]], [15])

    def test_samples_are_counted_by_a_function_where_there_is_one(self):
        with loadline.record(self.path, count=len) as job:
            list(job(["abc", "de"]))
        self.assertEqual(self.job()["samples"], 5)

    def test_a_function_that_counts_no_samples_is_named(self):
        with loadline.record(self.path, count=lambda batch: "many") as job:
            with self.assertRaisesRegex(TypeError, "the function count returned a value of type str, want the number of samples"):
                list(job(["abc", "de"]))

    def test_samples_that_nobody_can_count_are_left_out(self):
        with loadline.record(self.path) as job:
            list(job([object(), object()]))
        self.assertIsNone(self.job()["samples"])
        self.assertIsNone(self.job()["sequence"]["samples"])

    def test_a_file_that_is_there_is_not_replaced_unasked(self):
        with loadline.record(self.path):
            pass
        for begin in (
            lambda: loadline.record(self.path).__enter__(),
            lambda: loadline.wrap([[1.0]], record=self.path),
        ):
            with self.assertRaisesRegex(
                loadline.Error, "job.json: a recording exists already; overwrite=True replaces it$"
            ):
                begin()
        with loadline.record(self.path, overwrite=True):
            pass
        self.assertEqual(self.job()["batches"], 0)

    def test_no_other_file_is_replaced_even_if_asked(self):
        with open(self.path, "w") as file:
            file.write("mine")
        with self.assertRaisesRegex(loadline.Error, "the file is not a recording and is not replaced; name another"):
            loadline.record(self.path, overwrite=True).__enter__()
        with open(self.path) as file:
            self.assertEqual(file.read(), "mine")

    def test_a_link_is_followed(self):
        link = self.path + ".link"
        os.symlink(self.path, link)
        with loadline.record(link):
            pass
        self.assertTrue(os.path.islink(link))
        self.assertEqual(self.job()["batches"], 0)

    def test_wrap_takes_no_output_with_a_recording(self):
        with self.assertRaisesRegex(loadline.Error, "^output: there is no result with record=, which names the file"):
            loadline.wrap([[1.0]], record=self.path, output="result.json")

    def test_a_recording_without_batches_says_why(self):
        done = self.run_script(
            """
            import loadline
            with loadline.record("job.json") as job:
                for batch in job([]): pass
            with loadline.record("job.json", overwrite=True) as job:
                for batch in job([[1.0]] * 3): break
            loadline.wrap([[1.0]], record="another.json")
            """
        )
        another = os.path.join(os.path.realpath(os.path.dirname(self.path)), "another.json")
        self.assertEqual(
            done.stderr,
            2 * "loadline: recorded no batches in job.json: list gave none, or the loop ended within its first step\n"
            + f"loadline: recorded no batches in {another}: no loop was over what loadline.wrap() returned\n",
        )

    def test_the_command_that_shows_it_can_be_copied_to_a_shell(self):
        done = self.run_script(
            """
            import loadline
            with loadline.record("my job.json") as job:
                for batch in job([[1.0]]): pass
            """
        )
        self.assertIn("in my job.json; `loadline report 'my job.json'` shows what", done.stderr)

    def test_what_is_passed_over_after_the_end_is_not_recorded(self):
        with loadline.record(self.path) as job:
            loader = job([[1.0]] * 3)
            list(loader)
        self.assertEqual(list(loader), [[1.0]] * 3)
        job._saved -= 1000
        list(loader)
        self.assertEqual((self.job()["status"], self.job()["batches"]), ("complete", 3))

    def test_what_is_no_loader_is_refused(self):
        with loadline.record(self.path) as job:
            with self.assertRaisesRegex(loadline.Error, "^loader: want an iterable of batches, got 5$"):
                job(5)

    def test_what_is_no_path_is_refused(self):
        with self.assertRaisesRegex(loadline.Error, "^path: want a path, got 5$"):
            loadline.record(5)

    def test_a_file_that_cannot_be_written_is_known_before_the_job_runs(self):
        with self.assertRaises(loadline.Error):
            loadline.record(os.path.join(self.path, "nowhere", "job.json")).__enter__()

    def test_wrap_records_a_loop_to_the_end_of_the_program(self):
        done = self.run_script(
            """
            import loadline
            loader = [[1.0] * 4] * 50
            for epoch in range(3):
                for batch in loadline.wrap(loader, record="job.json"):
                    pass
            """
        )
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertRegex(done.stderr, "^loadline: recorded 150 batches in .*job.json; `loadline report .*job.json` shows")
        self.assertEqual(
            (self.job()["status"], self.job()["epochs"], self.job()["batches"]),
            ("complete", 3, 150),
        )

    def test_wrap_records_a_program_that_fails_as_partial(self):
        done = self.run_script(
            """
            import loadline
            for batch in loadline.wrap([[1.0]] * 9, record="job.json"):
                pass
            raise ValueError("diverged")
            """
        )
        self.assertIn("ValueError: diverged", done.stderr)
        self.assertEqual((self.job()["status"], self.job()["batches"]), ("partial", 9))

    @unittest.skipUnless(TOOL, "without the tool")
    def test_the_tool_reports_it(self):
        with loadline.record(self.path) as job:
            for _ in job([[1.0] * 4] * 1000):
                pass
        report = subprocess.run(
            [TOOL, "report", self.path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        text = report.stdout.decode()
        self.assertEqual(report.returncode, 0, text)
        for part in (
            "recorded: list on", "1000 batches in 1 pass", "waiting over time", "replay:file="
        ):
            self.assertIn(part, text)
        refused = subprocess.run(
            [
                TOOL, "report", self.path, "--format", "csv"
            ], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        self.assertEqual(refused.returncode, 2)
        self.assertIn(
            "is a recorded job, and has only a text report; use --format text", refused.stdout.decode()
        )


@unittest.skipUnless(torch, "without PyTorch")
class OfPyTorch(RecordTest):
    def test_an_unchanged_job_is_recorded(self):
        loader = torch.utils.data.DataLoader(
            [torch.zeros(3) for _ in range(40)], batch_size=8, num_workers=2
        )
        before = torch.utils.data.DataLoader.__iter__
        with loadline.record(self.path):
            for _ in range(2):
                for _ in loader:
                    pass
        self.assertIs(torch.utils.data.DataLoader.__iter__, before)
        noted = self.job()
        self.assertEqual(
            (noted["loader"], noted["workers"], noted["prefetch"]), ("DataLoader", 2, 2)
        )
        self.assertEqual((noted["epochs"], noted["batches"], noted["samples"]), (2, 10, 80))
        self.assertGreater(noted["epoch_start_seconds"], 0)

    def test_a_loader_made_anew_in_each_epoch_is_one_that_nothing_keeps_alive(self):
        alive = []
        with loadline.record(self.path):
            for _ in range(3):
                loader = torch.utils.data.DataLoader([torch.zeros(3) for _ in range(40)], batch_size=8)
                alive.append(weakref.ref(loader))
                for _ in loader:
                    pass
                del loader
                gc.collect()
                self.assertEqual([one() for one in alive], [None] * len(alive))
        self.assertEqual((self.job()["epochs"], self.job()["batches"]), (3, 15))

    def test_pytorch_may_be_imported_by_the_job_itself(self):
        done = self.run_script(
            """
            import loadline, sys
            with loadline.record("job.json"):
                assert "torch" not in sys.modules
                import torch, torch.utils.data
                for batch in torch.utils.data.DataLoader(list(range(10)), batch_size=5):
                    pass
            """
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.job()["batches"], 2)


class Overhead(unittest.TestCase):
    def test_a_recorded_batch_costs_next_to_nothing(self):
        """A bound that a loaded machine keeps; bench/python_overhead.py measures it."""
        import collections

        recorder = _core.Recorder(count=None)
        batches = [[1.0, 2.0]] * 100_000
        began = time.thread_time()
        collections.deque(_core.RecordedPass(recorder, batches).iterator(), maxlen=0)
        self.assertLess((time.thread_time() - began) / len(batches), 5e-6)


if __name__ == "__main__":
    unittest.main()
