"""pandas_test.py TOOL: the five lines of results/README.md for pandas, on a real result."""

import re
import subprocess
import sys
import unittest

from support import QUICK, README_FILE, ResultsTest


class Pandas(ResultsTest):
    kinds = ("mnist",)

    def test_example_has_a_row_for_each_trial(self):
        result = self.work.run_for_result("result.json", ["--workload", "mnist", "--workers", "1,2", *QUICK])
        blocks = re.findall(r"^```python\n(.*?)^```$", README_FILE.read_text(), re.MULTILINE | re.DOTALL)
        (example,) = [block for block in blocks if "pandas" in block]
        self.assertEqual(len(example.splitlines()), 5)
        trials = sum(len(cell["trials"]) for cell in result["cells"])
        check = f"\nassert len(trials) == {trials} and trials['samples_per_second'].gt(0).all()"
        done = subprocess.run([sys.executable, "-c", example + check], cwd=self.work.path, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        for cell in result["cells"]:
            self.assertIn(cell["name"], done.stdout)


if __name__ == "__main__":
    unittest.main()
