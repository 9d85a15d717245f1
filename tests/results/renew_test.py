"""renew_test.py TOOL OUTLINE: schema.json, train_schema.json, the field tables of README.md and the example match the
code."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
OUTLINE = pathlib.Path(sys.argv[2])
EXAMPLE = "example-fashion-mnist-cifar10.json"
FILES = ("renew.py", "schema.json", "train_schema.json", "schema_notes.json", "README.md", EXAMPLE)


class Renewal(unittest.TestCase):
    def setUp(self):
        """A tree with the files that renew.py reads and writes."""
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.tree = pathlib.Path(self.directory.name)
        sources = json.loads((REPOSITORY / "results/schema_notes.json").read_text())["warnings"]
        for name in (*(f"results/{file}" for file in FILES), *sources):
            (self.tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(REPOSITORY / name, self.tree / name)

    def renew(self, *options):
        """Runs renew.py; returns (exit code, output)."""
        done = subprocess.run([sys.executable, "-B", self.tree / "results/renew.py", OUTLINE, *options], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout

    def change(self, name, before, after):
        file = self.tree / "results" / name
        text = file.read_text()
        self.assertEqual(text.count(before), 1, before)
        file.write_text(text.replace(before, after))

    def read(self, name):
        return (self.tree / "results" / name).read_text()

    def test_the_files_of_this_tree_are_not_stale(self):
        code, said = self.renew("--check")
        self.assertEqual((code, said), (0, ""))

    def test_stale_files_are_named_with_the_command_that_renews_them(self):
        self.change("README.md", "| `run_id` | text | | start", "| `run_id` | integer | | start")
        code, said = self.renew("--check")
        self.assertEqual((code, said), (1, "renew.py: results/README.md: stale, renew by `results/renew.py "
                                           f"{OUTLINE}`\n"))
        self.assertEqual(self.renew(), (0, ""))
        self.assertEqual(self.read("README.md"), (REPOSITORY / "results/README.md").read_text())

    def test_a_schema_that_lacks_a_field_gets_it_back(self):
        schema = json.loads(self.read("schema.json"))
        del schema["properties"]["kernels"]
        (self.tree / "results/schema.json").write_text(json.dumps(schema))
        self.assert_renewed("schema.json")

    def assert_renewed(self, name):
        """A stale file is noticed, and becomes that of this tree again."""
        code, said = self.renew("--check")
        self.assertEqual(code, 1)
        self.assertIn(f"results/{name}: stale", said)
        self.assertEqual(self.renew(), (0, ""))
        self.assertEqual(self.read(name), (REPOSITORY / "results" / name).read_text())

    def test_a_schema_of_training_that_lacks_a_setting_gets_it_back(self):
        schema = json.loads(self.read("train_schema.json"))
        del schema["$defs"]["settings"]["properties"]["prefetch"]
        schema["$defs"]["settings"]["required"].remove("prefetch")
        (self.tree / "results/train_schema.json").write_text(json.dumps(schema))
        self.assert_renewed("train_schema.json")

    def test_an_example_that_lacks_an_option_gets_its_default_and_another_hash(self):
        self.change(EXAMPLE, '  "bucket_batches": 0,\n', "")
        self.change(EXAMPLE, '"config_hash": "', '"config_hash": "0123456789abcdef", "before": "')
        self.assert_renewed(EXAMPLE)

    def test_types_in_the_tables_of_a_training_are_renewed(self):
        self.change("README.md", "| `wait_seconds` | number | seconds | of these, waiting",
                    "| `wait_seconds` | text | seconds | of these, waiting")
        self.assert_renewed("README.md")

    def row(self, begin):
        [found] = [line for line in self.read("README.md").splitlines() if line.startswith(begin)]
        return found

    def test_the_row_of_a_new_option_begins_with_its_help(self):
        begin = "| `prefetch` | integer, list of integers or null |"
        self.change("README.md", self.row(begin) + "\n", "")
        self.assertEqual(self.renew(), (0, ""))
        self.assertEqual(self.row(begin), f"{begin} batches | batches that may be ready ahead of the consumer; unset: as "
                                          "many as fit the last-level cache |")

    def test_the_row_of_a_new_option_names_its_words(self):
        begin = "| `delivery` | text, or list of text |"
        self.change("README.md", self.row(begin) + "\n", "")
        self.assertEqual(self.renew(), (0, ""))
        self.assertEqual(self.row(begin), f"{begin} | hand over batches in the sampler's order or as they complete: "
                                          "`in-order`, `completion` |")

    def test_the_row_of_a_new_setting_refers_to_its_option(self):
        begin = "| `bucket_batches` | integer or null |"
        self.change("README.md", self.row(begin) + "\n", "")
        self.assertEqual(self.renew(), (0, ""))
        self.assertEqual(self.row(begin), f"{begin} | as in `config`; null where it does not apply; absent in older files |")

    def test_a_table_of_an_object_that_is_gone_is_refused(self):
        self.change("README.md", "### `ranks.places[]`", "### `ranks.gone[]`")
        self.assertEqual(self.renew("--check"),
                         (1, "renew.py: results/README.md: has a table of ranks.gone[], which does not exist\n"))

    def test_a_field_without_a_meaning_is_asked_for(self):
        row = next(line for line in self.read("README.md").splitlines() if line.startswith("| `config_hash` |"))
        self.change("README.md", row + "\n", "")
        self.assertEqual(self.renew(), (1, "renew.py: results/README.md: say what is meant by config_hash\n"))
        self.assertIn("| `config_hash` | text | | TODO |\n", self.read("README.md"))

    def test_a_note_of_a_field_that_is_gone_is_refused(self):
        notes = json.loads(self.read("schema_notes.json"))
        notes["fields"]["cell.gone"] = {"$ref": "#/$defs/word"}
        (self.tree / "results/schema_notes.json").write_text(json.dumps(notes))
        self.assertEqual(self.renew("--check"), (1, "renew.py: results/schema_notes.json: no such fields: cell.gone\n"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
