"""experiments_test.py TOOL: the intervals of the experiments' scripts, how they write parts, and that they run to the end."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path.insert(0, str(BENCH))
sys.dont_write_bytecode = True

import ab_experiment  # noqa: E402
import experiments  # noqa: E402
import stopwatch  # noqa: E402

TOOL = sys.argv.pop(1)


def near(test, values, wanted, places=4):
    for value, want in zip(values, wanted, strict=True):
        test.assertAlmostEqual(value, want, places)


class Intervals(unittest.TestCase):
    # From scipy.stats.binomtest(k, n).proportion_ci() and scipy.stats.t.ppf(0.975, n).
    def test_binomial_intervals_are_exact(self):
        near(self, experiments.binomial_interval(0, 100), (0, 0.03621669))
        near(self, experiments.binomial_interval(5, 100), (0.01643188, 0.11283491))
        near(self, experiments.binomial_interval(20, 20), (0.83156653, 1))

    def test_quantiles_are_those_of_student(self):
        near(self, [experiments.t_quantile(n) for n in (1, 5, 30)], (12.70620, 2.57058, 2.04227), 3)

    def test_a_ratio_has_an_interval_from_two_on(self):
        self.assertEqual(experiments.ratio_interval([1.5]), (1.5, None))
        value, interval = experiments.ratio_interval([0.99, 1.01, 1.02])
        near(self, [value, *interval], (1.006589, 0.969263, 1.045353))


class Ratios(unittest.TestCase):
    def test_a_tool_without_faults_has_ratios_of_one(self):
        # 2 s outside the trial; 1,000 samples per second.
        pair = {"short": {"process_seconds": 2.5, "wall_seconds": 0.5, "samples": 500},
                "long": {"process_seconds": 4.5, "wall_seconds": 2.5, "samples": 2500}}
        near(self, stopwatch.ratios_of(pair).values(), (1, 1, 1), 12)

    def test_a_head_start_shows_in_the_figures_and_not_in_the_clock(self):
        # 100 samples of each trial were ready before its clock started.
        pair = {"short": {"process_seconds": 2.5, "wall_seconds": 0.4, "samples": 500},
                "long": {"process_seconds": 4.5, "wall_seconds": 2.4, "samples": 2500}}
        near(self, stopwatch.ratios_of(pair).values(), (1.041667, 1.25, 1), 6)

    def test_time_that_is_not_counted_shows_in_all(self):
        pair = {"short": {"process_seconds": 2.5, "wall_seconds": 0.45, "samples": 500},
                "long": {"process_seconds": 4.5, "wall_seconds": 2.25, "samples": 2500}}
        near(self, stopwatch.ratios_of(pair).values(), (1.111111, 1.111111, 0.9), 6)

    def test_close_is_what_the_whole_interval_is(self):
        self.assertIs(stopwatch.is_close(1, [0.995, 1.005]), True)
        self.assertIs(stopwatch.is_close(1, [0.98, 1.005]), None)
        self.assertIs(stopwatch.is_close(1.03, [1.02, 1.04]), False)
        self.assertIs(stopwatch.is_close(1, None), None)


class Parts(unittest.TestCase):
    def test_a_part_replaces_its_own_and_leaves_the_others(self):
        with tempfile.TemporaryDirectory() as directory:
            path = pathlib.Path(directory) / "results" / "file.json"
            experiments.write_part(path, "small", {"pairs": [{"a": 1}, {"a": 2}]})
            experiments.write_part(path, "photos", {"pairs": []})
            parts = experiments.write_part(path, "small", {"pairs": [{"a": [3, {"b": None}]}]})
            wanted = {"small": {"pairs": [{"a": [3, {"b": None}]}]}, "photos": {"pairs": []}}
            self.assertEqual(parts, wanted)
            self.assertEqual(json.loads(path.read_text()), {"parts": wanted})
            self.assertIn('\n    {"a": [3, {"b": null}]}\n', path.read_text())

    def test_the_table_counts_false_alarms_and_what_was_found(self):
        def pair(code, io):
            cells = [{"name": "cifar10/IO/x", "verdict": io, "verdict_without_floor": "regression"}]
            return {"exit_code": code, "exit_code_without_floor": 3, "cells": cells}
        lines = ab_experiment.table({
            "small": {"pairs": [pair(0, "inconclusive"), pair(0, "improvement"), pair(3, "regression")]},
            "planted": {"comparisons": [{"planted": "loading", "by": "ab", "exit_code": 3, "verdict": "regression"}]},
        }).splitlines()
        rows = {line[:34].strip(): line[34:].split() for line in lines[1:]}
        self.assertEqual(rows["A/A small, gate"][:2], ["3", "1"])
        self.assertEqual(rows["A/A small, IO"][:2], ["3", "2"])
        self.assertEqual(rows["A/A small, gate, no floor"][:2], ["3", "3"])
        self.assertEqual(rows["10 % slower loading, by ab"][:2], ["1", "1"])
        self.assertEqual(rows["A/A small, IO"][-4:], ["1", "1", "0", "1"])


class Scripts(unittest.TestCase):
    """Runs the scripts on volumes, which are quick to make."""

    def run_script(self, name, *words):
        with tempfile.TemporaryDirectory() as directory:
            output = pathlib.Path(directory) / "out.json"
            done = subprocess.run([sys.executable, "-B", str(BENCH / name), "--tool", TOOL, "-o", str(output), *words],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout, json.loads(output.read_text())["parts"]

    def test_the_ab_experiment_runs_through(self):
        said, parts = self.run_script("ab_experiment.py", "--part", "volumes,planted", "--pairs", "1", "--floor-pairs",
                                      "5", "--runs", "1", "--trials", "2", "--seconds", "0.001")
        self.assertEqual([len(pair["cells"]) for pair in parts["volumes"]["pairs"]], [2])
        self.assertEqual([(row["planted"], row["by"]) for row in parts["planted"]["comparisons"]],
                         [("compute", "diff"), ("compute", "ab"), ("loading", "diff"), ("loading", "ab")])
        self.assertIn("A/A volumes, FULL, no floor ", said)

    def test_the_stopwatch_runs_through(self):
        said, parts = self.run_script("stopwatch.py", "--part", "volumes", "--compute", "device", "--repetitions", "2",
                                      "--seconds", "0.01")
        row = parts["volumes"]["rows"][0]
        self.assertEqual(len(row["pairs"]), 2)
        for pair in row["pairs"]:
            self.assertEqual(pair["long"]["warm_up_batches"], pair["short"]["warm_up_batches"])
            self.assertGreater(pair["long"]["batches"], pair["short"]["batches"])
        self.assertIn("volumes   device       2", said)

    def test_an_unknown_part_is_named(self):
        done = subprocess.run([sys.executable, "-B", str(BENCH / "stopwatch.py"), "--tool", TOOL, "--part", "big"],
                              stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, "--part: unknown name 'big', want some of small, photos, volumes\n")


if __name__ == "__main__":
    unittest.main()
