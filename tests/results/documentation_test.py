"""documentation_test.py TOOL: results/README.md names every field, and its examples run."""

import pathlib
import re
import shlex
import subprocess
import sys
import unittest

from support import QUICK, README_FILE, REPOSITORY, SCHEMA_FILE, TOOL, ResultsTest, parse, training_schema

README = README_FILE.read_text()
SCHEMA = parse(SCHEMA_FILE.read_text())
COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")


def joined(path, name):
    return f"{path}.{name}" if path else name


def documented_fields(of="result"):
    """{path: whether it may be null} from the tables; a heading names the objects of its table, and a training's paths
    begin with `training`."""
    fields = all_documented_fields()
    if of == "training":
        return {name.removeprefix("training."): null for name, null in fields.items() if name.startswith("training.")}
    return {name: null for name, null in fields.items() if not name.startswith("training.")}


def all_documented_fields():
    fields = {}
    objects, of_fields = [], False
    for line in README.splitlines():
        if line.startswith("#"):
            objects = re.findall(r"`([^`]+)`", line)
        if not line.startswith("|"):
            of_fields = False
        elif line.startswith("| field |"):
            of_fields = True
        row = re.match(r"\| `([\w ]+)` \|([^|]*)\|", line)
        if not (of_fields and row):
            continue
        for path in objects:
            name = joined("" if path == "result" else path, row[1])
            if name in fields:
                raise AssertionError(f"README.md documents {name} twice")
            fields[name] = "null" in row[2]
    return fields


def alternatives(schema, root=SCHEMA):
    """`schema` with its references followed, and the parts of its anyOf."""
    while "$ref" in schema:
        place, schema = schema["$ref"].removeprefix("#/").split("/"), root
        for part in place:
            schema = schema[part]
    return [part for choice in schema["anyOf"] for part in alternatives(choice, root)] if "anyOf" in schema else [schema]


def may_be_null(schema, root=SCHEMA):
    return any("null" in part.get("type", ()) or None in part.get("enum", ()) for part in alternatives(schema, root))


def schema_fields(schema, path="", root=SCHEMA, closed=()):
    """{path: whether it may be null} from the schema, but not inside `closed` paths, which other schemas describe."""
    fields = {}
    for part in alternatives(schema, root) if path not in closed else ():
        for name, child in part.get("properties", {}).items():
            fields[joined(path, name)] = may_be_null(child, root)
            fields.update(schema_fields(child, joined(path, name), root, closed))
        if "items" in part:
            fields.update(schema_fields(part["items"], path + "[]", root, closed))
    return fields


def fields_of(node, path=""):
    """Every field of a real result; the names of libraries are values, not fields."""
    if isinstance(node, dict) and path != "build.libraries":
        for name, child in node.items():
            yield joined(path, name)
            yield from fields_of(child, joined(path, name))
    if isinstance(node, list):
        for child in node:
            yield from fields_of(child, path + "[]")


def rows_of(source, table):
    """The ids with which the rows of a table of C++ begin."""
    rows = re.search(rf" {table}\[\] = \{{\n(.*?)\n\}};", (REPOSITORY / source).read_text(), re.DOTALL)[1]
    return re.findall(r'^ +\{"([a-z-]+)",', rows, re.MULTILINE)


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


class Documentation(ResultsTest):
    kinds = ("mnist",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.result = cls.work.run_for_result("result.json", ["--workload", "mnist", "--workers", "1,2", *QUICK])
        tools = cls.work.path / "bin"
        tools.mkdir()
        for name, program in (("loadline", TOOL), ("python3", sys.executable)):
            wrapper = tools / name
            wrapper.write_text(f'#!/bin/sh\nexec {shlex.quote(str(program))} "$@"\n')
            wrapper.chmod(0o755)
        cls.work.environment["PATH"] = f"{tools}:{cls.work.environment['PATH']}"

    def test_schema_and_readme_have_the_same_fields(self):
        documented, specified = documented_fields(), schema_fields(SCHEMA)
        self.assertGreater(len(specified), 200)
        self.assertEqual(sorted(set(specified) - set(documented)), [], "in schema.json, not in README.md")
        self.assertEqual(sorted(set(documented) - set(specified)), [], "in README.md, not in schema.json")
        self.assertEqual({name for name, null in documented.items() if null},
                         {name for name, null in specified.items() if null}, "fields that may be null")

    def test_schema_and_readme_have_the_same_fields_of_a_training(self):
        schema = training_schema()
        documented = documented_fields("training")
        specified = schema_fields(schema, "", schema, closed=("config", "build", "machine", "job", "cell", "staged"))
        self.assertGreater(len(specified), 40)
        self.assertEqual(documented, specified)

    def test_every_field_of_a_real_result_is_documented(self):
        self.assertEqual(sorted(set(fields_of(self.result)) - set(documented_fields())), [])

    def test_the_page_of_the_command_line_says_which_options_take_one_value_and_why(self):
        help_text = self.run_block(["env", "COLUMNS=1000", str(TOOL), "run", "--help-all"])
        reasons = re.findall(r"^ +((?:--[\w-]+(?:, )?)+: (?:it|they) .*)$", help_text, re.MULTILINE)
        self.assertGreater(sum(reason.count("--") for reason in reasons), 25)
        page = (REPOSITORY / "docs" / "cli.md").read_text()
        section = page.split("The others take one value:")[1].split("\n\n## ")[0]
        items = [" ".join(item.split()).replace("`", "") for item in section.split("\n- ")[1:]]
        self.assertEqual([item.split("; ")[0] for item in items], reasons)

    def test_an_undocumented_field_is_noticed(self):
        cell = dict(self.result["cells"][0], planted=1)
        self.assertIn("cells[].planted", set(fields_of({"cells": [cell]})) - set(documented_fields()))

    def test_every_warning_is_documented(self):
        section = README.split("### Warning ids")[1].split("\n## ")[0]
        self.assertEqual(set(re.findall(r"^\| `([a-z-]+)` \|", section, re.MULTILINE)),
                         set(SCHEMA["$defs"]["warning"]["properties"]["id"]["enum"]))

    def test_advice_and_links_of_the_report_are_for_warnings_that_exist(self):
        existing = set(SCHEMA["$defs"]["warning"]["properties"]["id"]["enum"])
        for source, table in (("harness/judge/warnings.cpp", "kWarningKinds"), ("harness/show/report/warnings_html.cpp", "kAbout")):
            ids = rows_of(source, table)
            self.assertGreater(len(ids), 10, source)
            self.assertEqual([one for one in ids if one not in existing], [], source)
            self.assertEqual(ids, sorted(ids), source)

    def test_every_warning_comes_with_advice_or_says_all_in_its_message(self):
        existing = set(SCHEMA["$defs"]["warning"]["properties"]["id"]["enum"])
        self.assertEqual(existing - set(rows_of("harness/judge/warnings.cpp", "kWarningKinds")), {
            "chunks-shuffled", "debug-build", "no-huge-pages", "not-cold", "not-resident", "samples-differ",
            "sanitizer-build", "several-builds", "several-hosts", "short-trials", "step-too-short"})

    def test_every_bound_is_documented(self):
        section = README.split("### Values of `bound`")[1].split("\n## ")[0]
        self.assertEqual(set(re.findall(r"^\| `([a-z]+)` \|", section, re.MULTILINE)),
                         set(SCHEMA["$defs"]["configuration"]["properties"]["bound"]["enum"]))

    def run_block(self, command):
        done = subprocess.run(command, cwd=self.work.path, env=self.work.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_python_example_runs(self):
        example, of_pandas = blocks("python")
        self.assertIn("pandas", of_pandas)  # pandas_test.py runs it
        output = self.run_block([sys.executable, "-c", example])
        for cell in self.result["cells"]:
            self.assertIn(cell["name"], output)

    def test_shell_examples_run(self):
        again, compare = blocks("sh")
        self.run_block(["bash", "-ec", again])
        second = self.work.result("again.json")
        self.assertEqual(second["config_hash"], self.result["config_hash"])
        self.assertNotEqual(second["run_id"], self.result["run_id"])
        self.assertIn(str(COMPARE), compare)
        if COMPARE.exists():
            self.run_block(["bash", "-ec", compare])


if __name__ == "__main__":
    unittest.main()
