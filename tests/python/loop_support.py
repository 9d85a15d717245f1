"""Training scripts with a loop that wrap() measures."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

SCHEMA = os.path.join(os.path.dirname(__file__), "..", "..", "results", "schema.json")
TOOL = os.environ.get("LOADLINE")

QUICK = "trials=2, trial_seconds=0.02, output='result.json'"


class Script:
    """Runs a program in a directory of its own, and keeps its output."""

    def __init__(self, text, **environment):
        self._directory = tempfile.TemporaryDirectory()
        self.path = self._directory.name
        with open(os.path.join(self.path, "train.py"), "w") as file:
            file.write(textwrap.dedent(text))
        self.done = subprocess.run(
            [sys.executable, "train.py"],
            cwd=self.path,
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=600,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._directory.cleanup()

    @property
    def output(self):
        return self.done.stdout + self.done.stderr

    def text(self, name):
        with open(os.path.join(self.path, name)) as file:
            return file.read()

    def result(self, name="result.json"):
        return json.loads(self.text(name))

    def cell(self, mode, name="result.json"):
        return next(cell for cell in self.result(name)["cells"] if cell["mode"] == mode)

    def tool(self, *arguments):
        done = subprocess.run(
            [TOOL, *arguments], cwd=self.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        return done.returncode, done.stdout.decode()


def loop(loader, step="pass", settings=QUICK, epochs=3, before=""):
    """A training script around `loader`, an expression."""
    return (
        "import sys, time, os\nimport loadline\n"
        + textwrap.dedent(before)
        + f"""
loader = {loader}
batches = 0
for epoch in range({epochs}):
    for batch in loadline.wrap(loader, {settings}):
        batches += 1
        {step}
    print("epoch", epoch, "has ended", flush=True)
print("trained on", batches)
"""
    )


LISTS = """
class Lists:
    def __iter__(self):
        return ([float(i)] * 8 for i in range(100))
"""


class LoopTest(unittest.TestCase):
    def assert_valid(self, script, name="result.json"):
        result = script.result(name)
        try:
            import jsonschema
        except ImportError:
            pass
        else:
            with open(SCHEMA) as file:
                jsonschema.Draft202012Validator(json.load(file)).validate(result)
        if TOOL:
            code, text = script.tool("report", name, "--format", "text")
            self.assertEqual(code, 0, text)
            for verb in (["export", name, "--to", "benchy"], ["diff", name, name]):
                code, text = script.tool(*verb)
                self.assertIn(code, (0, 1, 3), text)
        return result
