"""Runs the tool on small data of its own, and knows where the documents of results/ are."""

import functools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from small_ceilings import keep_ceilings_small  # noqa: E402

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SCHEMA_FILE = REPOSITORY / "results" / "schema.json"
TRAIN_SCHEMA_FILE = REPOSITORY / "results" / "train_schema.json"
README_FILE = REPOSITORY / "results" / "README.md"
SAMPLES = 500

# The first argument of every test script; the others are for the script and unittest.
TOOL = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None

# Enough to fill every field, in a fraction of a second.
QUICK = ["--trials", "2", "--trial-seconds", "0.01", "--batch-size", "64", "--first-epoch-seconds", "0.1"]


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def parse(text):
    """Parses standard JSON: NaN and Infinity are refused."""
    return json.loads(text, parse_constant=refuse_constant)


def late_fields(schema, path="", part=None):
    """The paths of fields that the version gained later, such as "cells[].shuffle": files that have nothing to say there
    lack them."""
    part = schema if part is None else part
    while "$ref" in part:
        part = functools.reduce(dict.__getitem__, part["$ref"].removeprefix("#/").split("/"), schema)
    late = set().union(*(late_fields(schema, path, choice) for choice in part.get("anyOf", ())))
    for name, child in part.get("properties", {}).items():
        field = f"{path}.{name}" if path else name
        late |= late_fields(schema, field, child) | (set() if name in part.get("required", ()) else {field})
    return late | (late_fields(schema, path + "[]", part["items"]) if "items" in part else set())


def training_schema():
    """The schema of training runs, with the definitions of results to which it refers."""
    results = parse(SCHEMA_FILE.read_text())
    schema = parse(TRAIN_SCHEMA_FILE.read_text().replace(results["$id"] + "#", "#"))
    schema["$defs"] = {**results["$defs"], **schema["$defs"]}
    return schema


@functools.cache
def validators():
    """The validators, by the member that names the schema of a document; empty without jsonschema."""
    try:
        import jsonschema
    except ImportError:
        return {}
    schemas = {"schema_version": parse(SCHEMA_FILE.read_text()),
               "diff_schema_version": parse((SCHEMA_FILE.parent / "diff_schema.json").read_text()),
               "scaling_schema_version": parse((SCHEMA_FILE.parent / "scaling_schema.json").read_text()),
               "training_version": training_schema()}
    return {member: jsonschema.Draft202012Validator(schema) for member, schema in schemas.items()}


def validate(document, name):
    """Checks a document against its schema, as for every result that the tests read."""
    for member, validator in validators().items():
        if member not in document:
            continue
        errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in validator.iter_errors(document)]
        if errors:
            raise AssertionError(f"{name}: {errors}")


class Workplace:
    """A temporary directory with data of each kind, where the tool runs."""

    def __init__(self, kinds):
        self._directory = tempfile.TemporaryDirectory(prefix="loadline-results-")
        self.path = pathlib.Path(self._directory.name)
        self.environment = dict(os.environ, LOADLINE_DATA=str(self.path / "data"))
        # The tests may run in a batch job, and from a narrow terminal.
        for variable in ("SLURM_JOB_ID", "LSB_JOBID", "COLUMNS"):
            self.environment.pop(variable, None)
        for kind in kinds:
            self.make_data(kind, self.path / "data" / kind)

    def close(self):
        self._directory.cleanup()

    def make_data(self, kind, directory):
        directory.parent.mkdir(exist_ok=True)
        self.run(["data", "make", kind, str(directory), "--samples", str(SAMPLES), "--quiet"])

    def run(self, arguments, exit_code=0):
        done = subprocess.run([str(TOOL), *arguments], cwd=self.path, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              preexec_fn=keep_ceilings_small)
        if done.returncode != exit_code:
            raise AssertionError(f"loadline {' '.join(arguments)}: exit code {done.returncode}, want {exit_code}:\n"
                                 f"{done.stderr}")
        return done.stdout

    def start(self, arguments):
        return subprocess.Popen([str(TOOL), *arguments], cwd=self.path, env=self.environment, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def result(self, name):
        result = parse((self.path / name).read_text(encoding="utf-8"))
        validate(result, name)
        return result

    def run_for_result(self, name, arguments):
        self.run(["run", *arguments, "-q", "--overwrite", "-o", name])
        return self.result(name)


class ResultsTest(unittest.TestCase):
    """A test case with a workplace that its tests share."""

    kinds = ()

    @classmethod
    def setUpClass(cls):
        cls.work = Workplace(cls.kinds)
        cls.addClassCleanup(cls.work.close)
