"""gpu_test.py: what bench/gpu.sh says where there is no GPU, and how its checks judge results."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True

import gpu_checks  # noqa: E402

RUNS = ("f32", "bf16", "graph", "registered", "copied", "alone")


def trial(rate, copy=0.1, **more):
    """A trial of 1,000 samples that spends this share of its time on copies."""
    wall = 1000 / rate
    return {"samples_per_second": rate, "samples": 1000, "wall_seconds": wall, "pilot": False,
            "stages": [{"name": "copy", "total_seconds": copy * wall},
                       {"name": "step", "total_seconds": (1 - copy) * wall}], **more}


def result(synthetic=100, full=100, loaded=None, **more):
    cells = [{"mode": "SYNTHETIC", "trials": [trial(synthetic, **more)]}, {"mode": "FULL", "trials": [trial(full)]}]
    if loaded:
        cells.append({"mode": "IO", "trials": [trial(loaded / 2, fill={"samples_per_second": loaded})]})
    return {"status": "complete", "cells": cells}


class Checks(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)
        self.directory = pathlib.Path(self.place.name)
        for name in RUNS:
            self.keep(name, result())
        (self.directory / "list.txt").write_text("compute (--compute)\n  cuda           a step\n"
                                                 "                   network: what is trained (mlp; default mlp)\n")

    def keep(self, name, document):
        (self.directory / f"{name}.json").write_text(json.dumps(document))

    def outcomes(self):
        return {name: (outcome, words) for name, outcome, words in gpu_checks.judged(self.directory)}

    def test_what_is_not_there_is_missing_and_no_failure(self):
        outcomes = self.outcomes()
        self.assertEqual(outcomes["f32"], ("pass", "100 samples/s"))
        self.assertEqual(outcomes["monitor"], ("missing", "this loadline has no --monitor"))
        self.assertEqual(outcomes["trace"], ("missing", "this loadline has no --trace"))
        self.assertEqual(outcomes["networks by cuDNN"][0], "missing")
        self.assertNotIn("fail", {outcome for outcome, _ in outcomes.values()})

    def test_a_run_that_failed_is_a_failure_with_its_reason(self):
        (self.directory / "bf16.json").unlink()
        (self.directory / "bf16.txt").write_text("loadline: compute cuda: no bf16\n")
        self.assertEqual(self.outcomes()["bf16"], ("fail", "compute cuda: no bf16"))

    def test_rates_are_compared(self):
        self.keep("bf16", result(synthetic=150))
        self.keep("graph", result(synthetic=90))
        self.keep("copied", result(full=105))
        outcomes = self.outcomes()
        self.assertEqual(outcomes["bf16 is no slower than f32"], ("pass", "1.500 times f32"))
        self.assertEqual(outcomes["graphs are no slower than launches"], ("fail", "0.900 times without"))
        self.assertEqual(outcomes["pinned batches are no slower than copied"][0], "fail")

    def test_full_is_held_to_the_slower_of_its_parts(self):
        self.keep("small", result(synthetic=100, full=99, loaded=400))
        self.assertEqual(self.outcomes()["FULL reaches the slower of its parts"],
                         ("pass", "0.990 of the slower of 400 samples/s loaded and 100 samples/s taken"))
        self.keep("small", result(synthetic=1000, full=300, loaded=400))
        self.assertEqual(self.outcomes()["FULL reaches the slower of its parts"][0], "fail")

    def test_copies_are_hidden_or_not(self):
        self.keep("alone", result(copy=0.3))
        self.assertEqual(self.outcomes()["copies run beside steps"],
                         ("pass", "copies take 10.0 % of the time, 30.0 % at depth 0; 1.000 times its rate"))
        self.keep("alone", result(copy=0.05))
        self.assertEqual(self.outcomes()["copies run beside steps"][0], "fail")

    def test_stages_add_up(self):
        broken = result()
        broken["cells"][1]["trials"][0]["stages"][0]["total_seconds"] = 0
        self.assertEqual(self.outcomes()["stages add up to the time"], ("pass", "copy, step; off by 0.00 % at the most"))
        self.keep("graph", broken)
        self.assertEqual(self.outcomes()["stages add up to the time"][0], "fail")

    def test_tests_that_were_skipped_are_no_pass(self):
        log = self.directory / "tests.log"
        log.write_text("[  PASSED  ] 12 tests.\n")
        self.assertEqual(self.outcomes()["tests of CUDA"], ("pass", "12 passed, 0 failed, 0 skipped"))
        log.write_text("[  SKIPPED ] Cuda.Learns (0 ms)\n[  PASSED  ] 11 tests.\n[  SKIPPED ] Cuda.Learns\n")
        self.assertEqual(self.outcomes()["tests of CUDA"], ("fail", "11 passed, 0 failed, 1 skipped"))

    def test_monitor_and_energy(self):
        measured = result()
        measured["monitor"] = {"series": [{"name": "gpu utilisation", "of": "gpu0"}, {"name": "cpu user", "of": "cpu0"}]}
        measured["cells"][1]["trials"][0]["energy"] = {"gpu_joules": 2000}
        self.keep("monitor", measured)
        outcomes = self.outcomes()
        self.assertEqual(outcomes["monitor"], ("pass", "series of the GPU: gpu utilisation"))
        self.assertEqual(outcomes["energy"], ("pass", "2e+03 J per 1,000 samples in FULL, 200 W"))
        del measured["monitor"]["series"][0]
        self.keep("monitor", measured)
        self.assertEqual(self.outcomes()["monitor"], ("fail", "series of the GPU: none"))


class Script(unittest.TestCase):
    def test_says_what_is_missing_in_a_sentence(self):
        with tempfile.TemporaryDirectory() as place:
            commands = pathlib.Path(place)
            for name in ("bash", "dirname", "env", "python3"):
                found = subprocess.run(["bash", "-c", f"command -v {name}"], stdout=subprocess.PIPE, text=True, check=True)
                (commands / name).symlink_to(found.stdout.strip())
            done = subprocess.run([BENCH / "gpu.sh"], env={**os.environ, "PATH": place}, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "gpu.sh: nvidia-smi is missing, and so is NVIDIA's driver: run this on a machine "
                                      "with a GPU\n")


if __name__ == "__main__":
    unittest.main()
