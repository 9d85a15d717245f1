"""torch_loader_test.py TOOL: bench/torch_loader.py without PyTorch: its arguments, what it says, and how it compares."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True

import torch_loader  # noqa: E402

TOOL = sys.argv.pop(1)


class Arguments(unittest.TestCase):
    """Runs the script where NumPy is there and PyTorch is not."""

    def start(self, *words):
        with tempfile.TemporaryDirectory() as place:
            pathlib.Path(place, "numpy.py").touch()
            pathlib.Path(place, "torch.py").write_text("raise ModuleNotFoundError(name='torch')\n")
            return subprocess.run([sys.executable, "-B", str(BENCH / "torch_loader.py"), *words], cwd=place, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                                  env={**os.environ, "PYTHONPATH": place})

    def assert_ends(self, done, code, last_line):
        self.assertEqual((done.returncode, done.stdout, done.stderr.splitlines()[-1]), (code, "", last_line))

    def test_a_missing_module_is_named_in_a_sentence(self):
        done = self.start("--tool", TOOL)
        self.assert_ends(done, 1, "torch_loader.py: the Python module torch is missing: install PyTorch, torchvision, "
                                  "NumPy and Pillow")
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_help_needs_no_module(self):
        done = self.start("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--photographs", done.stdout)

    def test_wrong_arguments_are_named_with_the_code_of_usage_errors(self):
        self.assert_ends(self.start("--tool", TOOL, "--workers", "0"), 2,
                         "torch_loader.py: error: --workers: want at least 1")
        self.assert_ends(self.start("--tool", "nowhere"), 2,
                         "torch_loader.py: error: --tool: nowhere does not exist")
        self.assert_ends(self.start("--tool", TOOL, "--part", "big"), 2,
                         "--part: unknown name 'big', want some of photos, photos-io, cifar10")


class StandIn:
    """A DataLoader of a hundred batches that are there at once."""

    def __init__(self, data, batch_size, **options):
        self.batch = (range(batch_size), range(batch_size))

    def __len__(self):
        return 100

    def __iter__(self):
        return iter([self.batch] * len(self))


class Comparison(unittest.TestCase):
    def test_pairs_the_tool_with_the_loader_and_writes_every_pair(self):
        torch = types.SimpleNamespace(__version__="1.13", utils=types.SimpleNamespace(
            data=types.SimpleNamespace(DataLoader=StandIn)))
        stand_ins = {"MISSING": None, "torch": torch, "torchvision": types.SimpleNamespace(__version__="0.14"),
                     "torch_data": lambda part, directory: None}
        said = io.StringIO()
        with tempfile.TemporaryDirectory() as place:
            output = pathlib.Path(place) / "out.json"
            words = ["torch_loader.py", "--tool", TOOL, "--part", "cifar10", "--workers", "1", "--repetitions", "2",
                     "--seconds", "0.01", "-o", str(output)]
            with mock.patch.multiple(torch_loader, create=True, **stand_ins), mock.patch.object(sys, "argv", words), \
                    contextlib.redirect_stdout(said):
                torch_loader.main()
            part = json.loads(output.read_text())["parts"]["cifar10"]
        self.assertEqual(part["versions"]["torch"], "1.13")
        self.assertEqual(len(part["pairs"]), 2)
        for pair in part["pairs"]:
            self.assertIn(pair["first"], ("tool", "torch"))
            self.assertGreater(min(pair["tool"], pair["torch"]), 0)
        self.assertRegex(said.getvalue(), r"\ncifar10 +1 +2 ")

    def test_the_table_has_a_line_for_each_part(self):
        part = {"settings": {"workers": 2}, "ratio": 5.5, "ci95": [5, 6],
                "pairs": [{"tool": 2600, "torch": 450}, {"tool": 2400, "torch": 470}]}
        alone = {**part, "ci95": None, "pairs": part["pairs"][:1]}
        self.assertEqual(torch_loader.table({"photos": part, "photos-io": alone}).splitlines()[1:], [
            "photos           2     2       2,500/s         460/s   5.50 (5.00 to 6.00)",
            "photos-io        2     1       2,600/s         450/s   5.50"])


if __name__ == "__main__":
    unittest.main()
