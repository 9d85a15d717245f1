"""report_test.py TOOL CHROMIUM: `loadline report` in a browser without a network, and its table in a program."""

import csv
import html.parser
import io
import re
import subprocess
import sys
import unittest

from support import QUICK, ResultsTest

CHROMIUM = sys.argv.pop(1) if len(sys.argv) > 1 else None

# No network, no GPU, no display; the time of the page advances as fast as its work is done.
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=30000"]

# The messages of the page in the log of the browser.
CONSOLE = re.compile(r":CONSOLE[^\]]*\] (.*)")


class Charts(html.parser.HTMLParser):
    """How many drawings each section has, and how many marks they have."""

    def __init__(self, text):
        super().__init__()
        self.section, self.depth = None, 0
        self.drawings, self.marks = {}, {}
        self.drawn = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "html":
            self.drawn = attributes.get("data-charts")
        if tag == "section":
            self.section = attributes.get("id")
        if tag == "svg" and self.section:
            self.drawings[self.section] = self.drawings.get(self.section, 0) + 1
        if tag == "path" and self.section and attributes.get("aria-roledescription"):
            self.marks[self.section] = self.marks.get(self.section, 0) + 1


class Report(ResultsTest):
    kinds = ("mnist",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("first.json", "second.json"):
            cls.work.run_for_result(name, ["--workload", "mnist", "--loader", "thread-pool", "--workers", "1,2,3",
                                           "--compute", "device:samples_per_second=20000", *QUICK])
        cls.has_charts = "left out: built without npm" not in cls.work.run(["list"])

    def in_browser(self, *results):
        """The page after its scripts have run in the browser, and the messages of the console."""
        self.work.run(["report", *results, "-o", "report.html", "--overwrite"])
        page = self.work.path / "report.html"
        done = subprocess.run([CHROMIUM, *FLAGS, f"--user-data-dir={self.work.path / 'profile'}", "--dump-dom",
                               page.as_uri()], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, CONSOLE.findall(done.stderr)

    def check(self, results, sections):
        page, console = self.in_browser(*results)
        self.assertEqual(console, [])
        if not self.has_charts:
            self.skipTest("built without npm: there are no charts")
        charts = Charts(page)
        self.assertEqual(charts.drawings, sections)
        self.assertEqual(charts.drawn, str(sum(sections.values())))
        for section in sections:
            self.assertGreater(charts.marks.get(section, 0), 0, f"nothing is drawn in {section}")

    def test_every_chart_of_one_run_is_drawn(self):
        self.check(["first.json"], {"throughput": 2, "scaling": 2, "trials": 1, "waits": 2, "timeline": 1, "start": 1,
                                    "stages": 2, "cpu": 2})

    def test_runs_are_laid_over_each_other(self):
        self.check(["first.json", "second.json"],
                   {"walk": 1, "throughput": 2, "scaling": 2, "trials": 2, "waits": 2, "timeline": 1, "start": 1,
                    "stages": 2, "cpu": 2, "history": 1})

    def test_every_chart_of_trainings_is_drawn(self):
        if "built without oneDNN" in self.work.run(["list"]):
            self.skipTest("built without oneDNN")
        names = ["one.json", "two.json"]
        for name in names:
            self.work.run(["train", "--workload", "mnist", "--workers", "1", "--batch-size", "50", "--epochs", "3", "-q",
                           "--overwrite", "-o", name])
        self.check(names, {"epoch-loss": 1, "epoch-accuracy": 1, "epoch-time": 1, "epoch-waiting": 1, "epoch-stages": 1})

    def test_the_console_is_heard(self):
        page = self.work.path / "broken.html"
        page.write_text("<script>console.error('planted')</script>")
        done = subprocess.run([CHROMIUM, *FLAGS, f"--user-data-dir={self.work.path / 'profile'}", "--dump-dom",
                               page.as_uri()], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
        self.assertTrue(any("planted" in line for line in CONSOLE.findall(done.stderr)), done.stderr)

    def test_the_table_has_every_trial(self):
        result = self.work.result("first.json")
        rows = list(csv.DictReader(io.StringIO(self.work.run(["report", "first.json", "--format", "csv"]))))
        trials = [(cell["name"], trial) for cell in result["cells"] for trial in cell["trials"]]
        self.assertEqual(len(rows), len(trials))
        for row, (name, trial) in zip(rows, trials):
            self.assertEqual(row["cell"], name)
            self.assertEqual(float(row["samples_per_second"]), trial["samples_per_second"])
            self.assertEqual(float(row["wait_p99_seconds"]), trial["wait"]["p99_seconds"])
            self.assertEqual(int(row["place"]), trial["place"])


if __name__ == "__main__":
    unittest.main()
