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
        comparison = parse(self.work.run(["diff", *arguments, "--margin", "1000%", "--format", "json"]))
        errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in VALIDATOR.iter_errors(comparison)]
        self.assertEqual(errors, [])
        return comparison

    def test_comparisons_are_valid(self):
        self.work.run_for_result("base.json", [*TRIALS, *QUICK])
        self.work.run_for_result("new.json", [*TRIALS, *QUICK])
        self.work.run_for_result("one.json", [*TRIALS, *QUICK, "--trials", "1", "--workers", "1,2,3"])
        self.assertEqual(len(self.check(["--each", "base.json", "new.json", "one.json"])["diffs"]), 2)
        self.assertTrue(self.check(["base.json", "one.json"])["diffs"][0]["added"])
        self.check(["base.json", "new.json", "--metric", "wait_p99_seconds"])
        self.assertIsNone(self.check(["base.json", "--by", "loader"])["diffs"][0]["verdict"])

    def test_walks_and_comparisons_across_settings_are_valid(self):
        def step(name, *options):
            self.work.run_for_result(name, ["--workload", "mnist", "--ceilings", "off", *QUICK, *options])

        step("s1.json", "--loader", "flow-graph", "--workers", "1")
        step("s2.json", "--loader", "thread-pool", "--workers", "2")
        step("s3.json", "--loader", "thread-pool", "--workers", "2", "--compute", "device:samples_per_second=2000000")
        walk = self.check(["s1.json", "s2.json", "s3.json"])["walk"]
        steps = walk["workloads"][0]["steps"]
        self.assertEqual([step["over_before"] is None for step in steps], [True, False, False])
        self.assertTrue(steps[2]["over_before"]["shares"]["other_step"])
        cells = self.check(["s1.json", "s2.json"])["diffs"][0]["cells"]
        self.assertEqual({cell["matched_by"] for cell in cells}, {"settings", "configuration"})

    def test_the_schema_refuses_what_is_no_comparison(self):
        good = {"diff_schema_version": 2, "diffs": [], "walk": None}
        for planted in ({}, good, dict(good, diffs=[{}]), dict(good, diff_schema_version=3)):
            self.assertFalse(VALIDATOR.is_valid(planted))

    def test_every_member_is_documented(self):
        section = README_FILE.read_text().split("## The comparison")[1]
        documented = set(re.findall(r"`(\w+)`", section))
        self.assertEqual(names_of(SCHEMA) - documented, set())


if __name__ == "__main__":
    unittest.main()
