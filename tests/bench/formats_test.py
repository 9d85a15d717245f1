"""formats_test.py TOOL: bench/formats.sh as its users see it, on very small data."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from small_ceilings import keep_ceilings_small  # noqa: E402

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "formats.sh"
TOOL = pathlib.Path(sys.argv.pop(1)).resolve()

HEAD = """\
| format | content | warm, samples/s | MB/s | of ceiling | cold, samples/s | MB/s | of ceiling |
|---|---|---|---|---|---|---|---|
"""
RATE = r"[\d.]+ ± [\d.]+( [kM])? \| [\d,]+"
SHARE = r"(noisy|\d+ ± \d+ %) [a-z-]+"
FIGURES = rf"{RATE} \| {SHARE}"
COLD = rf"({FIGURES}|not cold \| not cold \| not cold)"  # as the storage of temporary files may be memory


def prepare():
    """Runs in the process that becomes the script."""
    keep_ceilings_small()
    # Programs in the background inherit that it is ignored, and bash then leaves it so.
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def cell(cache, rate, ceiling=True):
    efficiency = {"value": 0.5, "ci95": [0.4, 0.6]}
    return {"mode": "IO", "cache": cache, "slot_bytes": 78400, "batch_size": 100,
            "samples_per_second": {"mean": rate, "stddev": 1e4},
            "ceiling": {"binding": "mapped-read/data:0", "efficiency": efficiency} if ceiling else None}


def result(*cells, warnings=()):
    return {"warnings": list(warnings), "cells": [{"mode": "OVERHEAD", "cache": None}, *cells],
            "datasets": [{"volume": None, "stored_bytes": 784000, "samples": 1000}]}


class Formats(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        self.work = self.place / "work"

    def fake_tool(self, run):
        """A tool that makes empty datasets, and runs these commands as its `run`, with its words."""
        tool = self.place / "bin" / "fake-tool"
        tool.parent.mkdir(exist_ok=True)
        tool.write_text(f"#!/bin/sh\nif [ \"$1\" = data ]; then exec mkdir \"$4\"; fi\n{run}\n")
        tool.chmod(0o755)
        return tool

    def tool_with(self, document):
        """A fake tool whose `run` has this result."""
        (self.place / "result.json").write_text(json.dumps(document))
        return self.fake_tool(f"while [ \"$1\" != -o ]; do shift; done\ncp '{self.place}/result.json' \"$2\"")

    def start(self, *words, tool=TOOL):
        """Runs the script in another directory than the repository."""
        return subprocess.run([SCRIPT, *words], cwd=self.place, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, preexec_fn=prepare,
                              env={**os.environ, "LOADLINE": str(tool), "LOADLINE_DATA": str(self.work),
                                   "PATH": f"{self.place / 'bin'}:{os.environ['PATH']}"})

    def assert_refused(self, done, code, sentence):
        self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", f"formats.sh: {sentence}\n"))

    def test_measures_the_named_formats_warm_and_cold(self):
        done = self.start("--quick", "--only", "png-folder,idx", "--workers", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(HEAD), done.stdout)
        idx, png = done.stdout.removeprefix(HEAD).splitlines()
        self.assertRegex(idx, rf"^\| idx \| digits, 1 x 28 x 28 \| {FIGURES} \| {COLD} \|$")
        self.assertRegex(png, rf"^\| image-folder \| PNG, 32 x 32 \| {FIGURES} \| {COLD} \|$")
        self.assertIn("==> idx\n", done.stderr)
        self.assertEqual(list(self.work.iterdir()), [], "the data is removed")

    def test_a_row_that_fails_is_left_out_and_the_exit_code_says_so(self):
        done = self.start("--quick", "--only", "idx", tool="/bin/false")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, HEAD, "==> idx\n==> idx failed\n"))
        self.assertEqual(list(self.work.iterdir()), [])

    def test_a_row_has_the_figures_of_the_result(self):
        done = self.start("--only", "idx", tool=self.tool_with(result(cell("warm", 2e6), cell("cold", 1e6))))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (
            0, HEAD + "| idx | digits, 1 x 28 x 28 | 2.00 ± 0.01 M | 1,568 | 50 ± 10 % mapped-read "
                      "| 1.00 ± 0.01 M | 784 | 50 ± 10 % mapped-read |\n", "==> idx\n"))

    def test_trials_that_were_not_cold_have_no_cold_figures(self):
        warning = {"id": "not-cold", "message": "2 of 5 trials were not cold"}
        document = result(cell("warm", 2e6), cell("cold", 1e6), warnings=[{"id": "noisy", "message": "so"}, warning])
        done = self.start("--only", "idx", tool=self.tool_with(document))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (
            0, HEAD + "| idx | digits, 1 x 28 x 28 | 2.00 ± 0.01 M | 1,568 | 50 ± 10 % mapped-read "
                      "| not cold | not cold | not cold |\n", "==> idx\n2 of 5 trials were not cold\n"))

    def test_a_result_that_lacks_figures_fails_only_its_row(self):
        for cells, lacks in (([cell("warm", 2e6)], "cell of IO with a cold cache"),
                             ([cell("warm", 2e6, ceiling=False), cell("cold", 1e6)], "ceiling of IO with a warm cache")):
            done = self.start("--only", "idx,npy", tool=self.tool_with(result(*cells)))
            failed = "".join(f"==> {row}\nthe result has no {lacks}\n==> {row} failed\n" for row in ("idx", "npy"))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (1, HEAD, failed))

    def test_a_signal_ends_it_even_if_the_tool_handles_it(self):
        for name, code in (("INT", 130), ("TERM", 143)):
            done = self.start("--only", "idx,npy", tool=self.fake_tool(f"kill -{name} $PPID\nexit {code}"))
            self.assertEqual((done.returncode, done.stdout, done.stderr), (code, HEAD, "==> idx\n"))
            self.assertEqual(list(self.work.iterdir()), [], "the data is removed")

    def test_finds_the_tool_on_the_path(self):
        self.tool_with(result(cell("warm", 2e6), cell("cold", 1e6)))
        self.assertEqual(self.start("--only", "idx", tool="fake-tool").returncode, 0)

    def test_each_format_of_the_tool_has_a_row(self):
        known = subprocess.run([TOOL, "list"], stdout=subprocess.PIPE, text=True, check=True).stdout
        known = re.findall(r"^  (\S+)", known.split("\nformats (--format)\n")[1].split("\n\n")[0], re.MULTILINE)
        rows = re.findall(r"^[a-z0-9-]+ +\| ([a-z0-9-]+)", SCRIPT.read_text(), re.MULTILINE)
        self.assertEqual(sorted(set(rows)), sorted(known))

    def test_without_photographs_there_are_no_rows_of_jpeg(self):
        done = self.start("--only", "jpeg-folder,jpeg-hdf5", "--from", self.place)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, f"==> the rows of JPEG are left out: {self.place} has no photographs "
                                      "(cmake/dependencies.sh photos installs some, --from DIR names others)\n"
                                      "formats.sh: no row is left\n")

    def test_refuses_what_it_does_not_know(self):
        self.assert_refused(self.start("--slow"), 2, "unknown option '--slow'; see --help")
        self.assert_refused(self.start("--only", "idx,zip"), 2, "--only: unknown name 'zip'; see --help")
        self.assert_refused(self.start("--only", ""), 2, "--only: unknown name ''; see --help")
        self.assert_refused(self.start("--only", "*"), 2, "--only: unknown name '*'; see --help")
        self.assert_refused(self.start("--only"), 2, "--only needs a value; see --help")
        self.assert_refused(self.start("--workers", "0"), 2, "--workers: want a positive number, got '0'; see --help")

    def test_says_that_there_is_no_tool(self):
        nowhere = self.place / "nowhere"
        self.assert_refused(self.start(tool=nowhere), 1,
                            f"{nowhere} does not exist; build it with bench/run.sh, or name another with LOADLINE")

    def test_explains_itself_without_a_tool(self):
        done = self.start("--help", tool="/nowhere")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for option in ("--only", "--list", "--workers", "--work", "--from", "--quick", "LOADLINE"):
            self.assertIn(option, done.stdout)


if __name__ == "__main__":
    unittest.main()
