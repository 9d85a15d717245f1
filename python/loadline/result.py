"""A result file as an object."""

import csv
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import weakref

from loadline import _arguments
from loadline._core import Error


class Result:
    """What a run has measured: the JSON document that `results/README.md` describes, and what the tool makes from it.

    document  the whole document, as dicts and lists
    path      its file; a temporary one if none was named

    Raises Error if the file cannot be read or is not a result.
    """

    def __init__(self, path, keeps=None):
        self.path = _arguments.path("path", path)
        if keeps is not None:  # a directory to remove with this object
            weakref.finalize(self, shutil.rmtree, keeps, ignore_errors=True)
        try:
            with open(self.path, encoding="utf-8") as file:
                self.document = json.load(file)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not a loadline result"
            raise Error(f"cannot read {self.path}: {why}") from error
        if not isinstance(self.document, dict) or "cells" not in self.document:
            raise Error(f"cannot read {self.path}: it is not a loadline result")

    @property
    def complete(self):
        """Whether the run finished."""
        return self.document["status"] == "complete"

    @property
    def errors(self):
        """Why cells failed, by the name of the cell."""
        return {cell["name"]: cell["error"] for cell in self.document["cells"] if cell["error"]}

    @property
    def verdicts(self):
        """The verdict of each configuration of a loader with a step, by the name of its FULL cell."""
        return {one["full"]: one["sentence"] for one in self.document["configurations"] if one["sentence"]}

    @property
    def verdict(self):
        """The verdict of the configuration that the run recommends (the first, if it recommends several), or else of the
        first one; None if FULL was not measured."""
        configurations = self.document["configurations"]
        for headline in self.document["headlines"]:
            chosen = headline["recommended"]
            if chosen is not None:
                return configurations[chosen]["sentence"]
        return next(iter(self.verdicts.values()), None)

    @property
    def table(self):
        """The figures as text."""
        return self._tool("report", self.path, "--format", "text", "-o", "-")

    def trials(self):
        """One row per trial and one column per setting or figure: a pandas frame if pandas is installed, otherwise a
        list of dicts."""
        text = self._tool("report", self.path, "--format", "csv", "-o", "-")
        try:
            import pandas
        except ImportError:
            return [{name: _value(field) for name, field in row.items()} for row in csv.DictReader(io.StringIO(text))]
        return pandas.read_csv(io.StringIO(text))

    def diff(self, other, *words):
        """How another result compares with this one, as `loadline diff` prints it. `words` are further options of
        `diff`, such as "--margin", "1%"."""
        path = other.path if isinstance(other, Result) else os.fspath(other)
        return self._tool("diff", self.path, path, *words, codes=(0, 3))

    def save_report(self, path):
        """Writes the report as one HTML page that needs no network."""
        self._tool("report", self.path, "--format", "html", "--overwrite", "-o", os.fspath(path))

    def _repr_html_(self):
        with tempfile.TemporaryDirectory() as directory:
            page = os.path.join(directory, "report.html")
            self.save_report(page)
            with open(page, encoding="utf-8") as file:
                text = file.read().replace("&", "&amp;").replace('"', "&quot;")
        return f'<iframe srcdoc="{text}" style="width: 100%; height: 80vh; border: 0"></iframe>'

    def __repr__(self):
        cells = len(self.document["cells"])
        return f"<loadline.Result {self.path}: {self.document['status']}, {cells} cells>"

    @staticmethod
    def _tool(*words, codes=(0,)):
        # In another process: its text is wanted, and the tool must not touch this program's streams.
        places = os.pathsep.join(filter(None, (os.path.dirname(os.path.dirname(__file__)), os.environ.get("PYTHONPATH"))))
        done = subprocess.run(
            [sys.executable, "-m", "loadline", *words],
            capture_output=True,
            text=True,
            check=False,
            env=dict(os.environ, PYTHONPATH=places),
        )
        if done.returncode not in codes:
            raise Error(done.stderr.strip().removeprefix("loadline: "))
        return done.stdout


def _value(field):
    for kind in (int, float):
        try:
            return kind(field)
        except ValueError:
            continue
    return None if field == "" else field
