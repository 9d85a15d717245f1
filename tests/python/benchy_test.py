"""loadline.benchy: scripts that were written for benchy."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

import loadline
from loadline import benchy

try:
    import yaml
except ImportError:
    yaml = None
try:
    import torch
except ImportError:
    torch = None

CONFIG = """
global: {report_freq: 100, exit_after_tests: True, profiler_mode: 'none',
         output_filename: 'benchy_output.json', output_dir: './benchy_output',
         use_distributed_barrier: False}
IO:        {run_benchmark: True, nbatches: 20, ntrials: 3, nwarmup: 1}
synthetic: {run_benchmark: True, nbatches: 20, ntrials: 2, nwarmup: 1}
full:      {nbatches: 10}
"""


@unittest.skipUnless(yaml, "without PyYAML")
class Configuration(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as directory:
            self.path = os.path.join(directory, "benchy.yaml")
            with open(self.path, "w") as file:
                file.write(text)
            return benchy.configuration(self.path)

    def refusal(self, text):
        with self.assertRaises(loadline.Error) as raised:
            self.read(text)
        return str(raised.exception).replace(self.path, "FILE")

    def test_parts_that_are_missing_have_their_standard_values(self):
        config = self.read(CONFIG)
        self.assertEqual(
            config["IO"], {"run_benchmark": True, "nbatches": 20, "ntrials": 3, "nwarmup": 1}
        )
        self.assertEqual(
            config["full"], {"run_benchmark": True, "nbatches": 10, "ntrials": 5, "nwarmup": 1}
        )
        self.assertEqual(self.read("")["global"]["output_dir"], "./benchy_output")

    def test_what_is_no_setting_is_refused_by_name(self):
        self.assertEqual(
            self.refusal("FULL: {ntrials: 3}"),
            "FILE: unknown section 'FULL', want some of global, IO, synthetic, full",
        )
        self.assertIn("FILE: IO.trials: unknown setting", self.refusal("IO: {trials: 3}"))
        self.assertEqual(
            self.refusal("IO: {ntrials: x}"), "FILE: IO.ntrials: want something like 5, got 'x'"
        )
        self.assertEqual(self.refusal("IO: 3"), "FILE: IO: want settings, got 3")
        self.assertIn("want sections such as global and IO", self.refusal("- 1"))
        self.assertIn("cannot read FILE", self.refusal("IO: {"))

    def test_a_file_that_is_not_there_is_named(self):
        with self.assertRaisesRegex(loadline.Error, "cannot read /no/such/file"):
            benchy.configuration("/no/such/file")


@unittest.skipUnless(yaml, "without PyYAML")
class Script(unittest.TestCase):
    def run_script(self, text, code=0):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.path = directory.name
        with open(os.path.join(self.path, "benchy.yaml"), "w") as file:
            file.write(CONFIG)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(text)],
            cwd=self.path,
            env={**os.environ, "BENCHY_CONFIG_FILE": "benchy.yaml"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=300,
        )
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout if code == 0 else done.stderr

    def output(self, name):
        with open(os.path.join(self.path, "benchy_output", name)) as file:
            return json.load(file)

    def check(self, text):
        self.assertNotIn("gone on", text)
        for line in (
            "BENCHY::IO_0::Trial Throughput: ",
            "BENCHY::SUMMARY::IO average trial throughput: ",
            "BENCHY::SUMMARY:: SYNTHETIC average trial throughput: ",
            "BENCHY::SUMMARY::FULL average trial throughput: ",
        ):
            self.assertIn(line, text)
        document = self.output("benchy_output.json")
        self.assertEqual(document["nranks"], 1)
        self.assertEqual(
            [len(document[mode]["trial_throughput"]) for mode in ("IO", "SYNTHETIC", "FULL")],
            [3, 2, 5],
        )
        cells = {cell["mode"]: cell for cell in self.output("loadline.json")["cells"]}
        self.assertEqual({trial["batches"] for trial in cells["IO"]["trials"]}, {20})
        self.assertEqual({trial["batches"] for trial in cells["FULL"]["trials"]}, {10})

    def test_any_iterator_is_measured_as_asked(self):
        self.check(
            self.run_script(
"""
                from loadline.benchy import BenchmarkGenericIteratorWrapper
                loader = BenchmarkGenericIteratorWrapper([object()] * 50, 8)
                for epoch in range(30):
                    for batch in loader:
                        pass
                print("gone on")
                """
            )
        )

    def test_another_wrapper_in_the_next_epoch_is_told_what_to_do(self):
        said = self.run_script(
            """
            from loadline.benchy import BenchmarkGenericIteratorWrapper
            for epoch in range(2):
                for batch in BenchmarkGenericIteratorWrapper([object()] * 50, 8):
                    break
            """,
            code=1,
        )
        self.assertIn("is not finished; make the wrapper once and use it in each epoch", said)

    @unittest.skipUnless(torch, "without PyTorch")
    def test_a_data_loader_takes_the_arguments_that_it_always_did(self):
        self.check(
            self.run_script(
                """
                import torch
                from loadline.benchy import BenchmarkDataLoader
                data = [torch.zeros(3) for _ in range(400)]
                loader = BenchmarkDataLoader(data, batch_size=8, shuffle=True, num_workers=1)
                assert len(loader) == 50 and loader.batch_size == 8
                for epoch in range(30):
                    for batch in loader:
                        pass
                print("gone on")
                """
            )
        )


if __name__ == "__main__":
    unittest.main()
