"""examples_test.py TOOL: every command that README.md shows is accepted as it stands there, on small data.

What would measure for long is run by --dry-run, or with fewer and shorter trials behind its own options."""

import base64
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest
import zlib

from support import REPOSITORY, TOOL, Workplace

README = (REPOSITORY / "README.md").read_text()
SAMPLES = 2000  # more than the largest batch of the examples
# The last of an option counts, so that these stand behind what README says.
MONITORED = ["--monitor", "50ms"]  # that export --to csv has something to write
BRIEF = ["--trials", "2", "--trial-batches", "2", "--first-epoch-seconds", "0", "--ceilings", "off", "--quiet",
         "--overwrite"]
# A photograph of 640 x 480 pixels.
PHOTOGRAPH = zlib.decompress(base64.b64decode(
    "eNr7f+P/AwYBLzdPNwZGRgYGRiBk+H+bwZlBQ0ZOWU5SQ1lRWVdbw8AmxdHG3NymOiLWM2Viw8xp/Q09XQu2PDu8YNWttV09J/6fvvXu6///"
    "/2cfBBK//j/7+/8HyBBGbV1dG1ObMkfHsh9Le5b+IBn8P8AgyMH4gKmBmVGJgUmQkVmQ8f8RBkmgU0GAAQGYmVgYWYFSIgLIomAA0sCIRQMr"
    "IwtIgyCmhlsMPMyMQOuYBRnsGX4y2B1zQJZmdJCMQFEvzTgVvwKZBp3nKAJMDUYbUATMmLUa8CqwZIg8hyLAypCagCKQwxaKX0ERw+Y5KAJc"
    "DKcOoAjc4FmFX8ETxnQLFAERxqko7mbcIBmCX8EJpnMFKCo0mLVR+MwJRivwK5jAOucBikgAWxgKn+1AagBeBewK3JaoPlvAswaFz9twagFe"
    "BXwOYsUNA54sbBhfTyDN3UAFqD5/ih6nBN0tjR6np9DjlKC7zdDjdAp6nBJMzjnocaqBHqcEk/MN9DgNQI9Tgsl5A3qcLkCLU8LJOQE9qzug"
    "ZXWCyRmoAC2rN6Bl9QFJFg/4YxrQ3B2K393oCkD59AGau1fhdze6AlA+PYDm7hD87kZXAMqn6Ml5Bd7kjKEAWHyfR0/OAXiTM4YCYPE9Dz05"
    "L8CbnDEUAItvG/Tk7IA3OWMoABbfFWjJGTWrYyRnDAXA4vvDgCcL/v83AY+0Cos="))


def examples():
    """The commands in README's indented lines, continued lines joined and comments left out."""
    verbs = set(re.findall(r"^  (\w+)  ", subprocess.run([str(TOOL), "--help"], stdout=subprocess.PIPE, text=True,
                                                        check=True).stdout, re.MULTILINE))
    lines = iter(README.splitlines())
    for line in lines:
        command = line.strip()
        if not re.match(r"    (loadline|bench/)", line):
            continue
        while command.endswith("\\"):
            command = command[:-1] + next(lines).strip()
        words = shlex.split(command, comments=True)
        if words[0].startswith("bench/") or (words[0] == "loadline" and len(words) > 1 and words[1] in verbs):
            yield words


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Workplace(())
        cls.addClassCleanup(cls.work.close)
        place, data = cls.work.path, cls.work.path / "data"
        cls.work.environment["LOADLINE_BASELINES"] = str(place / "baselines")
        data.mkdir()
        for kind in ("mnist", "cifar10"):
            cls.work.run(["data", "make", kind, str(data / kind), "--samples", str(SAMPLES), "--quiet"])
            cls.work.run(["data", "convert", str(data / kind), str(data / f"{kind}.h5"), "--quiet"])
        cls.work.run(["data", "convert", str(data / "cifar10"), str(data / "cifar10-chunks.h5"), "--chunk", "64",
                      "--quiet"])
        cls.work.run(["data", "make", "nbody", str(data / "nbody.h5"), "--size", "64", "--quiet"])
        (place / "photographs").mkdir()
        (place / "photographs" / "one.jpg").write_bytes(PHOTOGRAPH)
        # What the examples compare, continue and report.
        for name in ("base", "new", "a", "b", "result", "sweep", "before", "after"):
            cls.work.run(["run", "--workload", "cifar10", "--loader", "serial,thread-pool", "--workers", "1",
                          "--batch-size", "64", *MONITORED, *BRIEF, "-o", f"{name}.json"])
        for side in ("before", "after"):
            (place / side).mkdir()
            (place / side / "loadline").symlink_to(TOOL)

    def run_example(self, words, codes=(0,)):
        done = subprocess.run([str(TOOL), *words], cwd=self.work.path, env=self.work.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        left_out = "built without" in done.stderr  # a compute that this build lacks
        if done.returncode not in codes and not left_out:
            self.fail(f"loadline {' '.join(words)}: exit code {done.returncode}: {done.stderr}")
        return done

    def try_run(self, words):
        if "--resume" in words:
            self.run_example(words)
            return
        output = "-o" in words or "--save-baseline" in words
        # Fashion-MNIST is a package that need not be here.
        data = ["--data", "data/mnist"] if "fashion-mnist" in words else []
        words = ["data/mnist" if word == "DIR" else word for word in words]
        self.run_example([*words, *data, *([*MONITORED, *BRIEF] if output else ["--dry-run"])])

    def try_train(self, words):
        self.run_example([*words, "--epochs", "1", "--data", "data/mnist", "--batch-size", "100"])

    def try_diff(self, words):
        self.run_example(words, codes=(0, 3))  # 3: noise may look like a regression

    def try_ab(self, words):
        self.run_example([*words, "--pairs", "2", "--trial-batches", "2"], codes=(0, 3))

    def try_aa(self, words):
        done = self.run_example([*words, "--pairs", "5", "--trials", "2", "--trial-batches", "50", "-o", "noise.json"],
                                codes=(0, 1))
        if done.returncode == 1:
            self.assertIn("none was written: measure again when the machine is idle", done.stderr)

    def try_baseline(self, words):
        if words[1] == "history":
            self.work.run(["diff", "--save-baseline", "main", "base.json", "--overwrite"])
        self.run_example(words)

    def try_ceilings(self, words):
        self.run_example([*words, "--trials", "1"])

    def try_data(self, words):
        number = len(list(self.work.path.glob("made-*")))
        source = {"SRC": "data/mnist", "PATH": "data/cifar10", "PHOTOS": "photos", "VOLUME.h5": "data/nbody.h5",
                  "PHOTOGRAPHS": "photographs"}
        made = {"DIR": f"made-{number}", "DST.h5": f"made-{number}.h5", "FILE.h5": f"made-{number}.h5"}
        if "cifar10" in words and words[1] == "convert":
            source["SRC"] = "data/cifar10"
        if "photos" in words:
            made["DIR"] = "photos"
        words = [source.get(word, made.get(word, word)) for word in words]
        fewer = {"cifar10": ["--samples", "100"], "photos": ["--samples", "10"], "nbody": ["--size", "16"],
                 "tokens": ["--size", "8192"]}
        self.run_example(words + (fewer[words[2]] if words[1] == "make" else []))

    def try_script(self, words):
        script = REPOSITORY / words[0]
        self.assertTrue(os.access(script, os.X_OK), f"{words[0]} cannot be started")
        if script.suffix == ".sh":
            subprocess.run(["bash", "-n", str(script)], check=True)
            return
        shown = subprocess.run([sys.executable, "-B", str(script), "--help"], stdout=subprocess.PIPE, text=True,
                               check=True).stdout
        for word in words[1:]:
            if word.startswith("--"):
                self.assertIn(f"{word} ", shown)
        if "--part" in words:
            known = re.search(r"any of these\s+\[([\w,\s-]+)\]", shown)[1]
            parts = words[words.index("--part") + 1].split(",")
            self.assertEqual([part for part in parts if part not in re.split(r"[,\s]+", known)], [])

    def test_every_command_of_the_readme_runs(self):
        count = 0
        for words in examples():
            with self.subTest(" ".join(words)):
                count += 1
                if words[0].startswith("bench/"):
                    self.try_script(words)
                elif hasattr(self, f"try_{words[1]}"):
                    getattr(self, f"try_{words[1]}")(words[1:])
                else:
                    self.run_example(words[1:])
        self.assertGreater(count, 50)

    def test_lines_that_a_command_prints_are_no_examples(self):
        self.assertFalse([words for words in examples() if words[1:2] == ["0.1.0"]])


if __name__ == "__main__":
    unittest.main()
