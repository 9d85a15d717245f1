"""The recipes of cmake/packaging parse, and name the version and the dependencies that cmake/dependencies.sh lists."""

import pathlib
import re
import subprocess
import sys
import types
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECIPES = ROOT / "cmake" / "packaging"


def project_version():
    return re.search(r"project\(loadline VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


def needed(column):
    """The names that the dependencies of the tool and of the Python package have in this column of the table."""
    names = set()
    for line in (ROOT / "cmake" / "dependencies.sh").read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) == 7 and cells[0] in ("build", "build?") and cells[column] not in ("-", ""):
            names.update(cells[column].split()[:1])
    return names


CONDA, SPACK = 5, 6


class Directives:
    """Records what a recipe of Spack calls, instead of doing it."""

    def __init__(self):
        self.calls = []

    def load(self, path):
        module = types.ModuleType("spack.package")
        for name in ("version", "variant", "depends_on", "extends", "generator", "license"):
            setattr(module, name, lambda *words, _name=name, **more: self.calls.append((_name, words, more)))
        module.CMakePackage = object
        sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), module
        namespace = {}
        exec(compile(path.read_text(), str(path), "exec"), namespace)  # noqa: S102
        return namespace["Loadline"]

    def of(self, *names):
        return [words[0] for name, words, _ in self.calls if name in names]


class Spack(unittest.TestCase):
    def setUp(self):
        self.directives = Directives()
        self.recipe = self.directives.load(RECIPES / "package.py")

    def test_has_the_version_of_the_project(self):
        self.assertEqual(self.directives.of("version"), [project_version()])

    def test_depends_on_what_the_table_names(self):
        names = {re.split(r"[@+]", spec)[0] for spec in self.directives.of("depends_on", "extends")}
        missing = {re.split(r"[@+]", name)[0] for name in needed(SPACK)} - names
        self.assertEqual(missing, set())

    def test_builds_with_what_it_depends_on(self):
        self.assertEqual(self.directives.of("generator"), ["ninja"])
        self.assertIn("ninja", self.directives.of("depends_on"))

    def test_has_variants_for_all_that_may_be_left_out(self):
        asked = set(re.findall(r"[+~](\w+)", " ".join(more.get("when", "") for *_, more in self.directives.calls)))
        self.assertEqual(asked - set(self.directives.of("variant")), set())
        self.assertTrue(callable(self.recipe.cmake_args))


class Conda(unittest.TestCase):
    def setUp(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no yaml")
        self.recipe = yaml.safe_load((RECIPES / "meta.yaml").read_text())

    def test_has_the_version_of_the_project(self):
        self.assertEqual(self.recipe["package"], {"name": "loadline", "version": project_version()})

    def test_depends_on_what_the_table_names(self):
        wanted = self.recipe["requirements"]
        names = {spec.split()[0] for spec in wanted["build"] + wanted["host"]}
        self.assertEqual(needed(CONDA) - names, set())


class Apptainer(unittest.TestCase):
    def test_has_steps_that_bash_can_read_and_commands_that_exist(self):
        text = (RECIPES / "loadline.def").read_text()
        self.assertIn(f"Version {project_version()}", text)
        steps = re.findall(r"^%(?:post|runscript|test)\n((?:    .*\n|\n)+)", text, re.MULTILINE)
        self.assertEqual(len(steps), 4)
        for step in steps:
            done = subprocess.run(["bash", "-n"], input=step, text=True, capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        for command in re.findall(r"^    (cmake/\S+)", text, re.MULTILINE):
            self.assertTrue((ROOT / command).exists(), command)


class Citation(unittest.TestCase):
    def test_has_the_version_of_the_project(self):
        self.assertIn(f"\nversion: {project_version()}\n", (ROOT / "CITATION.cff").read_text())
        self.assertIn(f"({project_version()})", (ROOT / "CHANGELOG.md").read_text())


if __name__ == "__main__":
    unittest.main()
