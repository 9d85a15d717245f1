"""compare_test.py TOOL COMPARE: Google Benchmark's compare.py reads two results of the tool."""

import re
import subprocess
import sys
import unittest

from support import QUICK, ResultsTest

COMPARE = sys.argv.pop(1)
TRIALS = 4

ROW = re.compile(r"^(?P<name>\S+) +[+-]\d+\.\d+ +[+-]\d+\.\d+ +(?P<old>\d+) +(?P<new>\d+) +\d+ +\d+$")
U_TEST = re.compile(rf"^(?P<name>\S+)_pvalue +[01]\.\d+ +[01]\.\d+ +U Test, Repetitions: {TRIALS} vs {TRIALS}\b")


class ComparePy(ResultsTest):
    kinds = ("mnist",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        arguments = ["--workload", "mnist", "--workers", "1,2", *QUICK, "--ceilings", "off", "--trials",
                     str(TRIALS)]
        cls.old = cls.work.run_for_result("old.json", arguments)
        cls.new = cls.work.run_for_result("new.json", arguments)
        cls.done = subprocess.run([sys.executable, "-B", COMPARE, "--no-color", "benchmarks", "old.json", "new.json"],
                                  cwd=cls.work.path, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE)
        lines = cls.done.stdout.splitlines()
        cls.rows = [row for row in map(ROW.match, lines) if row and row["name"] != "OVERALL_GEOMEAN"]
        cls.u_tests = [test["name"] for test in map(U_TEST.match, lines) if test]

    def test_it_exits_0_and_complains_of_nothing(self):
        self.assertEqual((self.done.returncode, self.done.stderr), (0, ""))

    def test_every_trial_is_a_row_under_the_name_of_its_cell(self):
        self.assertEqual([row["name"] for row in self.rows],
                         [cell["name"] for cell in self.old["cells"] for _ in range(TRIALS)], self.done.stdout)

    def test_times_are_those_of_the_trials(self):
        for column, result in (("old", self.old), ("new", self.new)):
            times = [1e6 * trial["wall_seconds"] / trial["batches"] for c in result["cells"] for trial in c["trials"]]
            for row, time in zip(self.rows, times):
                self.assertAlmostEqual(float(row[column]), time, delta=0.51)

    def test_cells_are_compared_by_a_u_test(self):
        self.assertEqual(self.u_tests, [cell["name"] for cell in self.old["cells"]], self.done.stdout)


if __name__ == "__main__":
    unittest.main()
