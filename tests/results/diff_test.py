"""diff_test.py TOOL: comparisons are valid by results/diff_schema.json, and results/README.md names every member."""

import re
import unittest

import jsonschema

from support import QUICK, README_FILE, REPOSITORY, ResultsTest, parse

SCHEMA = parse((REPOSITORY / "results" / "diff_schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
TRIALS = ["--workload", "mnist", "--loader", "serial,thread-pool", "--ceilings", "off"]


def names_of(node):
    """Every name of a member anywhere in a schema."""
    if isinstance(node, list):
        return set().union(*map(names_of, node))
    if not isinstance(node, dict):
        return set()
    return set(node.get("properties", {})).union(*map(names_of, node.values()))


class Diff(ResultsTest):
    kinds = ("mnist",)

    def check(self, arguments):
        comparison = parse(self.work.run(["diff", *arguments, "--fail-on", "regression", "--margin", "900%",
                                          "--format", "json"]))
        errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in VALIDATOR.iter_errors(comparison)]
        self.assertEqual(errors, [])
        return comparison

    def test_comparisons_are_valid(self):
        self.work.run_for_result("base.json", [*TRIALS, *QUICK])
        self.work.run_for_result("new.json", [*TRIALS, *QUICK])
        self.work.run_for_result("one.json", [*TRIALS, *QUICK, "--trials", "1", "--workers", "1,3"])
        self.assertEqual(len(self.check(["base.json", "new.json", "one.json"])["diffs"]), 2)
        self.assertTrue(self.check(["base.json", "one.json"])["diffs"][0]["added"])
        self.check(["base.json", "new.json", "--metric", "wait_p99_seconds"])
        self.assertIsNone(self.check(["base.json", "--by", "loader"])["diffs"][0]["verdict"])

    def test_the_schema_refuses_what_is_no_comparison(self):
        good = {"diff_schema_version": 1, "diffs": []}
        for planted in ({}, good, dict(good, diffs=[{}]), dict(good, diff_schema_version=2)):
            self.assertFalse(VALIDATOR.is_valid(planted))

    def test_every_member_is_documented(self):
        section = README_FILE.read_text().split("## The comparison")[1]
        documented = set(re.findall(r"`(\w+)`", section))
        self.assertEqual(names_of(SCHEMA) - documented, set())


if __name__ == "__main__":
    unittest.main()
