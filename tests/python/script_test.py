"""`python3 -m loadline`: loaders and steps from a user's files in the tool."""

import json
import os
import signal
import unittest

from data_support import needs_torch
from script_support import SHORT, WithScripts

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


if __name__ == "__main__":
    unittest.main()
