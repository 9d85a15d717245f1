"""formats_test.py TOOL: bench/formats.sh as its users see it, on very small data."""

import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "formats.sh"
TOOL = pathlib.Path(sys.argv.pop(1)).resolve()

HEAD = """\
| format | content | warm, samples/s | MB/s | of ceiling | cold, samples/s | MB/s | of ceiling |
|---|---|---|---|---|---|---|---|
"""
RATE = r"[\d.]+ ± [\d.]+( [kM])? \| [\d,]+"
SHARE = r"(noisy|\d+ ± \d+ %) [a-z-]+"


def keep_ceilings_small():
    """Runs in the process that becomes the script: a ceiling fills at most an eighth of this limit for each trial."""
    resource.setrlimit(resource.RLIMIT_DATA, (2 << 30, 2 << 30))


class Formats(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        self.work = self.place / "work"

    def start(self, *words, tool=TOOL):
        """Runs the script in another directory than the repository."""
        return subprocess.run([SCRIPT, *words], cwd=self.place, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, preexec_fn=keep_ceilings_small,
                              env={**os.environ, "LOADLINE": str(tool), "LOADLINE_DATA": str(self.work)})

    def assert_refused(self, done, code, sentence):
        self.assertEqual((done.returncode, done.stdout, done.stderr), (code, "", f"formats.sh: {sentence}\n"))

    def test_measures_the_named_formats_warm_and_cold(self):
        done = self.start("--quick", "--only", "png-folder,idx", "--workers", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith(HEAD), done.stdout)
        idx, png = done.stdout.removeprefix(HEAD).splitlines()
        self.assertRegex(idx, rf"^\| idx \| digits, 1 x 28 x 28( \| {RATE} \| {SHARE}){{2}} \|$")
        self.assertRegex(png, rf"^\| image-folder \| PNG, 32 x 32( \| {RATE} \| {SHARE}){{2}} \|$")
        self.assertIn("==> idx\n", done.stderr)
        self.assertEqual(list(self.work.iterdir()), [], "the data is removed")

    def test_a_row_that_fails_is_left_out_and_the_exit_code_says_so(self):
        done = self.start("--quick", "--only", "idx", tool="/bin/false")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (1, HEAD, "==> idx\n==> idx failed\n"))
        self.assertEqual(list(self.work.iterdir()), [])

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
