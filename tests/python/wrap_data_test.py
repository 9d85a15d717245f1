"""wrap(): what it counts in a batch, and loaders of PyTorch."""

import os
import unittest

import loadline
from loop_support import QUICK, LoopTest, Script, loop

try:
    import numpy
except ImportError:
    numpy = None
try:
    import torch
except ImportError:
    torch = None


class Batches(unittest.TestCase):
    def samples(self, batch):
        from loadline import _core

        return _core.samples_of(batch)

    def test_samples_are_the_first_dimension_of_the_first_array(self):
        self.assertEqual(self.samples([1.0, 2.0]), 2)
        self.assertEqual(self.samples((["a", "b", "c"], {"x": 1})), 3)
        self.assertEqual(self.samples({"ids": [[1, 2], [3, 4], [5, 6]]}), 2)
        self.assertEqual(self.samples(object()), -1)
        self.assertEqual(self.samples(3), -1)

    @unittest.skipUnless(numpy, "without NumPy")
    def test_arrays_are_found_wherever_they_are(self):
        from loadline import _core

        class Fields:
            def __init__(self, **fields):
                self.__dict__.update(fields)

        images, labels = numpy.zeros((6, 3, 4), "f4"), numpy.zeros(6, "i8")
        for batch in (
            (images, labels), {"x": {"y": images}, "z": labels}, [None, (images,)], Fields(x=images)
        ):
            self.assertEqual(self.samples(batch), 6)
        self.assertEqual(_core.bytes_of((images, labels)), 6 * 3 * 4 * 4 + 6 * 8)
        self.assertEqual(self.samples(numpy.float32(1)), -1)

    @unittest.skipUnless(torch, "without PyTorch")
    def test_tensors_are_counted_and_read_in_any_layout(self):
        from loadline import _core

        images = torch.zeros(6, 3, 4)
        self.assertEqual(self.samples([images, torch.zeros(6)]), 6)
        self.assertEqual(
            _core.bytes_of([images, torch.zeros(6, dtype=torch.int64)]), 6 * 3 * 4 * 4 + 6 * 8
        )
        turned = [
            images.transpose(0, 2), images[:, 1:2, ::2], images.expand(6, 3, 4), torch.zeros(0, 3)
        ]
        loop = _core.Loop(advance=None, failed=None, count=None, synchronise=None)
        loop.drain(iter(turned), batches=4)
        self.assertEqual(loop.stretch()["batches"], 4)


DATASET = """
import torch, torch.utils.data
from loadline import _machine
def note(pids):
    with open("pids", "w") as file: file.write(" ".join(map(str, pids)))
class Squares(torch.utils.data.Dataset):
    def __len__(self): return 4000
    def __getitem__(self, i):
        FAIL
        return torch.full((3, 8, 8), float(i)), i % 10
def make(workers, **more):
    return torch.utils.data.DataLoader(Squares(), batch_size=32, num_workers=workers, **more)
"""


@unittest.skipUnless(torch, "without PyTorch")
class DataLoader(LoopTest):
    def script(self, loader, step="time.sleep(0.001)", settings=QUICK, fail="pass", **environment):
        text = loop(loader, step, settings, before=DATASET.replace("FAIL", fail))
        return Script(text, **environment)

    def test_workers_are_named_and_gone_while_synthetic_runs(self):
        # No pass of 125 batches ends within a trial.
        settings = "trials=2, trial_batches=100, output='result.json', then='exit'"
        with self.script("make(2)", settings=settings) as script:
            result = self.assert_valid(script)
            self.assertEqual(result["status"], "complete", script.output)
            self.assertEqual(script.cell("FULL")["workers"], 2)
            self.assertEqual(result["datasets"][0]["samples"], 4000)
            self.assertEqual(result["loop"]["busy_starts"], 0)
            for trial in script.cell("SYNTHETIC")["trials"]:
                self.assertLess(trial["loader_cpu_seconds"], 0.02 * trial["wall_seconds"])
            self.assertGreater(
                sum(trial["loader_cpu_seconds"] for trial in script.cell("IO")["trials"]), 0.01
            )
            self.assertIn("DataLoader x 2", script.done.stdout)

    def test_what_workers_used_that_end_within_a_trial_is_not_known(self):
        settings = "trials=1, trial_batches=200, output='result.json', then='exit'"
        with self.script("make(2)", settings=settings) as script:
            self.assertEqual(self.assert_valid(script)["status"], "complete", script.output)
            for mode in ("IO", "FULL"):
                (trial,) = script.cell(mode)["trials"]
                self.assertNotIn("loader_cpu_seconds", trial)
            self.assertNotIn("meanwhile", script.done.stdout)

    def test_workers_that_stay_are_idle_while_synthetic_runs(self):
        settings = "trials=2, trial_seconds=0.1, output='result.json'"
        with self.script("make(2, persistent_workers=True)", settings=settings) as script:
            self.assertEqual(script.result()["status"], "complete", script.output)
            for trial in script.cell("SYNTHETIC")["trials"]:
                self.assertLess(trial["loader_cpu_seconds"], 0.02 * trial["wall_seconds"])

    def test_a_worker_that_fails_is_told_in_a_sentence_and_leaves_no_process(self):
        fail = "if i == 1500: raise ValueError('bad sample 1500')"
        settings = "trials=1, trial_batches=100, output='result.json'"
        step = "note(_machine.descendants())"
        with self.script("make(2)", step, settings, fail) as script:
            self.assertIn(
                "ValueError: Caught ValueError in DataLoader worker process", script.done.stderr
            )
            result = self.assert_valid(script)
            self.assertIn(
                "bad sample 1500", " ".join(cell["error"] or "" for cell in result["cells"])
            )
            pids = os.path.join(script.path, "pids")
            for pid in script.text("pids").split() if os.path.exists(pids) else ():
                self.assertFalse(os.path.exists(f"/proc/{pid}"), pid)

    def test_batches_of_different_shapes_are_counted_each(self):
        before = DATASET.replace("FAIL", "pass").replace(
            "return torch.full((3, 8, 8)", "return torch.full((1 + i % 5,)"
        )
        collate = "collate_fn=lambda samples: [torch.cat([s[0] for s in samples]), len(samples)]"
        settings = QUICK + ", count=lambda batch: batch[1]"
        with Script(loop(f"make(0, {collate})", "pass", settings, before=before)) as script:
            self.assertEqual(self.assert_valid(script)["status"], "complete", script.output)
            self.assertEqual(script.cell("FULL")["batch_size"], 32)

    @unittest.skipUnless(torch and torch.distributed.is_available(), "without torch.distributed")
    def test_ranks_that_know_each_other_start_together_and_have_one_result(self):
        before = DATASET.replace("FAIL", "pass") + """
import torch.distributed
children = []
if "RANK" not in os.environ:
    import subprocess
    os.environ["WORLD_SIZE"] = "2"
    children = [subprocess.Popen([sys.executable, "train.py"], env=dict(os.environ, RANK="1"))]
    os.environ["RANK"] = "0"
torch.distributed.init_process_group("gloo", init_method="file://" + os.path.abspath("meet"),
                                     rank=int(os.environ["RANK"]), world_size=2)
"""
        settings = "trials=2, trial_batches=30, output='result.json'"
        text = loop("make(0)", "torch.distributed.barrier()", settings, before=before)
        with Script(text + "for child in children: child.wait()\n") as script:
            result = self.assert_valid(script)
            self.assertEqual(result["status"], "complete", script.output)
            self.assertEqual(result["loop"]["starts_together"], "torch.distributed")
            ranks = [cell["rank"] for cell in result["cells"] if cell["mode"] == "FULL"]
            self.assertEqual(ranks, [0, 1])
            self.assertEqual(script.done.stdout.count("result: result.json"), 1)
            self.assertNotIn("recommend", script.done.stdout)

    def test_the_loader_keeps_its_attributes(self):
        loader = torch.utils.data.DataLoader(list(range(10)), batch_size=2)
        wrapped = loadline.wrap(loader, output="")
        self.assertEqual((len(wrapped), wrapped.batch_size), (5, 2))
        self.assertIs(wrapped.dataset, loader.dataset)


if __name__ == "__main__":
    unittest.main()
