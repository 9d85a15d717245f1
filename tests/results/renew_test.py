"""renew_test.py TOOL OUTLINE: schema.json and the field tables of README.md match the code."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
OUTLINE = pathlib.Path(sys.argv[2])


class Renewal(unittest.TestCase):
    def setUp(self):
        """A tree with the files that renew.py reads and writes."""
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.tree = pathlib.Path(self.directory.name)
        sources = json.loads((REPOSITORY / "results/schema_notes.json").read_text())["warnings"]
        for name in ("results/renew.py", "results/schema.json", "results/schema_notes.json", "results/README.md", *sources):
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
        code, said = self.renew("--check")
        self.assertEqual(code, 1)
        self.assertIn("results/schema.json: stale", said)
        self.assertEqual(self.renew(), (0, ""))
        self.assertEqual(self.read("schema.json"), (REPOSITORY / "results/schema.json").read_text())

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
