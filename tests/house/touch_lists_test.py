"""touch_lists_test.py build|KIND BUILD WORK: the touch lists of docs/extending.md are true. touch/KIND/ has a made-up part of
each kind: new files, and in insertions.toml the lines that are added to other files. `build` adds the parts to copies of the
tree below WORK, builds those, and lets results/renew.py write the files that follow from the code. `KIND` then compares the
touched files with the list, and looks for the part in what was built.

Only touched files are compiled, without optimisation, and linked before the libraries of BUILD, so that they take their
place. An axis changes structs that most of harness/ uses: it has its own copy, in which everything is compiled that its
tests and renew.py run. The compiler only checks the other files that it touches, like the tests that need the whole tool."""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KINDS = ("loader", "format", "compute", "verb", "axis", "metric", "chart", "warning")
HAS_ITS_OWN_COPY = ("axis",)
RENEWED = ("results/schema.json", "results/train_schema.json", "results/README.md",
           "results/example-fashion-mnist-cifar10.json")  # by renew.py
COPIED = ("loaders", "synthetic", "harness", "tests", "docs", "results", "cmake")


def files_of(kind):
    """The new files of a part, by their places in the tree."""
    folder = HERE / "touch" / kind
    return {str(file.relative_to(folder)): file for file in sorted(folder.rglob("*"))
            if file.is_file() and file.name != "insertions.toml"}


def insertions_of(kind):
    return tomllib.loads((HERE / "touch" / kind / "insertions.toml").read_text())["insert"]


def touched_by(kind):
    return sorted({*files_of(kind), *(one["file"] for one in insertions_of(kind))})


def add_part(kind, tree):
    for place, file in files_of(kind).items():
        shutil.copy(file, tree / place)
    for one in insertions_of(kind):
        file = tree / one["file"]
        text = file.read_text()
        # TOML drops the line break that opens a literal of several lines.
        if text.count(one["after"]) != 1:
            raise SystemExit(f"touch/{kind}/insertions.toml: {one['file']} has {text.count(one['after'])} times, "
                             f"want once: {one['after']!r}")
        file.write_text(text.replace(one["after"], one["after"] + one["text"]))


def listed(kind):
    """The files of a kind's list in docs/extending.md."""
    article = "An" if kind[0] in "aeiou" else "A"
    section = re.search(rf"^### {article} {kind}\n(.*?)(?=^##|\Z)", (ROOT / "docs/extending.md").read_text(),
                        re.MULTILINE | re.DOTALL)
    return re.findall(r"^- `([^`]+)`", section[1], re.MULTILINE) if section else []


def pattern_of(path):
    """`<file>` is a source anywhere, `<name>` and `<page>` are parts of a file's name."""
    path = re.escape(path).replace("<file>", r"[a-z_/]+\.cpp")
    return re.compile(re.sub(r"<\w+>", "[a-z_]+", path))


class Build:
    """An existing build, whose flags and libraries the parts use."""

    def __init__(self, folder):
        self.folder = folder
        self.commands = json.loads((folder / "compile_commands.json").read_text())

    def flags(self, target, tree, like=None):
        """The flags of a target's sources, or of the source named `like`, for sources below `tree`."""
        ours = [one for one in self.commands
                if f"CMakeFiles/{target}.dir/" in one["command"] and "cmake_pch" not in one["file"]]
        chosen = next((one for one in ours if like and one["file"].endswith(like)), ours[0])
        words = shlex.split(chosen["command"])
        if "ccache" in words[0] or "cmake" in words[0]:
            words = words[next(i for i, word in enumerate(words) if re.search(r"(g\+\+|c\+\+|clang\+\+)[-\d.]*$", word)):]
        kept = []
        for word in words[:words.index("-o")]:
            if re.match(r"-(O.|g\d?|W.*|fpch.*)$", word) or word.endswith("cmake_pch.hxx"):
                if kept[-1:] == ["-include"]:
                    kept.pop()
                continue
            kept.append(f"-I{tree}" if word == f"-I{ROOT}" else word)
        return [*kept, "-O0", "-w"]

    def link_line(self, target):
        """The words that link a target, run in the build's folder."""
        said = subprocess.run(["ninja", "-t", "commands", target], cwd=self.folder, text=True, stdout=subprocess.PIPE,
                              check=True).stdout
        line = said.strip().splitlines()[-1]
        return shlex.split(line.removeprefix(": && ").split(" && ")[0])


def run(words, **more):
    """Runs the command; returns its stdout."""
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, stdin=subprocess.DEVNULL, **more)
    if done.returncode != 0:
        raise AssertionError(f"{shlex.join(map(str, words))}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compile_together(build, tree, target, name, sources, like=None, syntax_only=False):
    """Compiles several sources into one object, which reads headers once. Their names differ anyway (STYLE)."""
    unit = tree / f"{name}.cpp"
    unit.write_text("".join(f'#include "{source}"\n' for source in sources))
    flags = build.flags(target, tree, like)
    goal = ["-fsyntax-only"] if syntax_only else ["-o", str(tree / f"{name}.o")]
    run([*flags, *goal, "-c", unit], cwd=build.folder)
    return tree / f"{name}.o"


def link(build, target, goal, objects, without=()):
    words = build.link_line(target)
    at = words.index("-o")
    words[at + 1] = str(goal)
    words = [word for word in words if word not in without]
    # The linker takes the first definition, so touched objects come first.
    first = next(i for i, word in enumerate(words) if word.endswith(".o") or word.endswith(".a"))
    words[first:first] = [str(one) for one in objects]
    run([*words, "-Wl,--allow-multiple-definition"], cwd=build.folder)


def copy_tree(tree):
    for folder in COPIED:
        shutil.copytree(ROOT / folder, tree / folder, ignore=shutil.ignore_patterns("__pycache__", "released", "*.png"))


def page_of(tree, build):
    """Makes page.cpp from the copy's scripts and the libraries of the build; returns the scripts."""
    text = (tree / "cmake/report_page.cmake").read_text()
    scripts = re.search(r"set\(LOADLINE_PAGE_SCRIPTS ([^)]*)\)", text)[1].split()
    work = tree / "report_page"
    work.mkdir()
    shutil.copy(build.folder / "report_page/libraries.js", work)
    page = tree / "harness/show/report/page"
    run(["cmake", "-D", f"PAGE={page}", "-D", f"WORK={work}", "-D", f"SCRIPTS={';'.join(scripts)}", "-P",
         tree / "cmake/report_embed.cmake"])
    return scripts


def renew(tree, outline):
    """Lets renew.py write the files of the copy that follow from the code."""
    run([sys.executable, "-B", tree / "results/renew.py", outline])


def sources(kinds, folder):
    """The sources below `folder` that parts of these kinds touch."""
    return sorted({path for kind in kinds for path in touched_by(kind) if path.startswith(folder) and path.endswith(".cpp")})


def build_together(build, tree):
    """Builds all parts but the axis into one tool, one executable of tests of loaders and one of other tests."""
    kinds = [kind for kind in KINDS if kind not in HAS_ITS_OWN_COPY]
    copy_tree(tree)
    for kind in kinds:
        add_part(kind, tree)
    page_of(tree, build)
    renew(tree, build.folder / "tests/results/result_outline")
    # These use the struct with the requests of all verbs.
    with_requests = ["harness/cli/file_options.cpp", "harness/cli/measuring_options.cpp"]
    harness = "loadline_harness_around"
    jobs = {
        "harness": lambda: compile_together(build, tree, harness, "harness_parts", [
            *sources(kinds, "harness/"), *with_requests, "report_page/page.cpp"]),
        "loaders": lambda: compile_together(build, tree, "loadline_loaders", "loaders_parts", sources(kinds, "loaders/")),
        "synthetic": lambda: compile_together(build, tree, "loadline_synthetic", "synthetic_parts",
                                              sources(kinds, "synthetic/"), like="synthetic/compute/compute.cpp"),
        "loaders_tests": lambda: compile_together(build, tree, "loaders_tests", "loaders_tests_parts",
                                                  sources(kinds, "tests/loaders/")),
        "harness_tests": lambda: compile_together(build, tree, "loaders_tests", "harness_tests_parts", [
            *sources(kinds, "tests/harness/"), *sources(kinds, "tests/synthetic/")]),
        "looked through": lambda: compile_together(build, tree, "loaders_tests", "looked_through", [
            *sources(kinds, "tests/cli/"), *sources(kinds, "tests/fuzz/")], syntax_only=True),
    }
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = dict(zip(jobs, pool.map(lambda job: job(), jobs.values())))
    library = [made["loaders"], made["synthetic"], made["harness"]]
    tool_object = [word for word in build.link_line("loadline") if word.endswith("loadline.cpp.o")]
    links = [
        lambda: link(build, "loadline", tree / "loadline", library),
        lambda: link(build, "loaders_tests", tree / "loaders_tests", [made["loaders"], made["loaders_tests"]]),
        lambda: link(build, "loadline", tree / "harness_tests", [
            made["harness_tests"], *library, "-lgtest_main", "-lgmock", "-lgtest"], without=tool_object),
    ]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda job: job(), links))


def build_axis(build, tree):
    copy_tree(tree)
    add_part("axis", tree)
    shutil.copy(HERE / "touch/run_options.cpp", tree)
    in_room = lambda room: [str(path.relative_to(tree)) for path in sorted((tree / "harness" / room).glob("*.cpp"))]
    plan = in_room("plan")
    heeding = [path for path in sources(["axis"], "harness/") if path not in plan]
    harness = "loadline_harness_around"
    jobs = {
        "plan": lambda: compile_together(build, tree, harness, "plan_parts", plan),
        "options": lambda: compile_together(build, tree, harness, "options_parts", [
            "harness/cli/option_parts.cpp", "harness/cli/help.cpp", "harness/cli/help_parts.cpp",
            "harness/cli/examples.cpp", "harness/cli/completion.cpp", "harness/show/wrap.cpp", "run_options.cpp"]),
        # What reads a result, judges it and writes it again.
        "results": lambda: compile_together(build, tree, harness, "results_parts", [
            *in_room("result"), *in_room("judge"), *in_room("file/json"), "harness/file/result_json.cpp",
            "harness/file/result_reader.cpp", "harness/file/training_json.cpp", "harness/ceilings/ceilings.cpp"]),
        "outline": lambda: compile_together(build, tree, harness, "outline", ["tests/results/outline.cpp"]),
        "tests": lambda: compile_together(build, tree, "loaders_tests", "plan_tests_parts", [
            f"tests/harness/plan/{name}_test.cpp" for name in ("options", "one_value", "settings")]),
        "heeding": lambda: compile_together(build, tree, harness, "heeding", heeding, syntax_only=True),
    }
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = dict(zip(jobs, pool.map(lambda job: job(), jobs.values())))
    line = build.link_line("loadline")
    tool_object = [word for word in line if word.endswith("loadline.cpp.o")]
    library = [word for word in line if word.endswith("libloadline_harness.a")]
    link(build, "loadline", tree / "run_options", [made["plan"], made["options"]], without=[*tool_object, *library])
    link(build, "loadline", tree / "result_outline", [made["outline"], made["plan"], made["results"]], without=tool_object)
    link(build, "loadline", tree / "plan_tests", [
        made["tests"], made["plan"], made["results"], "-lgtest_main", "-lgmock", "-lgtest"], without=tool_object)
    renew(tree, tree / "result_outline")


class TouchList(unittest.TestCase):
    """The tests of every kind; below them, one method for each kind."""

    maxDiff = None

    @property
    def tree(self):
        return WORK / (KIND if KIND in HAS_ITS_OWN_COPY else "together")

    def tool(self, *words, **more):
        return run([self.tree / "loadline", *words], cwd=self.place(), **more)

    def place(self):
        place = WORK / f"place-{KIND}"
        place.mkdir(exist_ok=True)
        return place

    def measured(self):
        """Runs the tool with the parts; returns the result."""
        if not (self.place() / "data").exists():
            self.tool("data", "make", "mnist", "data", "--samples", "200", "--quiet")
        self.tool("run", "--workload", "mnist", "--data", "data", "--loader", "serial", "--compute",
                  "made-up", "--trials", "2", "--trial-batches", "4", "--batch-size", "20", "--ceilings", "off",
                  "--first-epoch-seconds", "0", "-q", "--overwrite", "-o", "result.json")
        return json.loads((self.place() / "result.json").read_text())

    def gtest(self, program, pattern):
        said = run([self.tree / program, f"--gtest_filter={pattern}"])
        self.assertRegex(said, r"\[  PASSED  \] [1-9]", f"no test of {program} is called {pattern}")

    def test_the_list_names_every_file_and_no_other(self):
        patterns = {path: pattern_of(path) for path in listed(KIND)}
        self.assertGreater(len(patterns), 0, f"docs/extending.md has no list for a {KIND}")
        touched = touched_by(KIND)
        of_none = [file for file in touched if not any(one.fullmatch(file) for one in patterns.values())]
        of_no_file = [path for path, one in patterns.items() if not any(one.fullmatch(file) for file in touched)]
        self.assertEqual(of_none, [], "touched, and not in the list")
        self.assertEqual(of_no_file, [], "in the list, and not touched")

    def test_the_part_is_there(self):
        if not self.tree.exists():
            self.skipTest("no part was built")
        getattr(self, f"find_{KIND}")()

    def find_loader(self):
        self.assertRegex(self.tool("list"), r"loaders \(--loader\)[^:]*\n  made-up +serial by another name")
        self.gtest("loaders_tests", "Table/*/madeup*")

    def find_format(self):
        self.assertRegex(self.tool("list"), r"formats \(--format\)[^:]*\n  made-up +labels, then 2 x 2 grey")
        (self.place() / "two.made-up").write_bytes(b"\2\1\2abcdefgh")
        self.assertRegex(self.tool("data", "info", "two.made-up"), r"(?m)^format +made-up$")
        self.gtest("loaders_tests", "MadeUpFormat.*")

    def find_compute(self):
        self.assertRegex(self.tool("list"), r"\n  made-up +drops batches unseen")
        cells = self.measured()["cells"]
        self.assertEqual({cell["compute"] for cell in cells if cell["mode"] == "FULL"}, {"made-up"})
        self.gtest("harness_tests", "MadeUpCompute.*")

    def find_verb(self):
        self.assertEqual(self.tool("echo", "two", "words"), "two words\n")
        self.assertRegex(self.tool("help", "echo"), r"(?s)Say words.*\nExamples\n  loadline echo two words\n")
        self.assertIn("echo\tSay words", self.tool("__complete", "ec"))
        self.assertIn(".TH LOADLINE\\-ECHO 1", self.tool("help", "--man", "echo"))

    def find_metric(self):
        self.measured()
        said = self.tool("diff", "result.json", "result.json", "--metric", "made_up_seconds", "--format", "json",
                         "--allow-mismatch")
        [compared] = json.loads(said)["diffs"]
        self.assertEqual(compared["metric"], "made_up_seconds")
        self.assertGreater(max(cell["base"]["mean"] for cell in compared["cells"] if cell["base"]), 0)
        self.assertIn("made_up_seconds", self.tool("diff", "--help"))

    def find_chart(self):
        self.measured()
        self.tool("report", "result.json", "--overwrite", "-o", "report.html")
        page = (self.place() / "report.html").read_text()
        self.assertIn('id="made-up"', page)
        self.assertIn('CHARTS["made-up"]', page)
        self.gtest("harness_tests", "Sections.*")
        libraries, node = self.tree / "report_page/libraries.js", shutil.which("node") or shutil.which("nodejs")
        if node is None or libraries.stat().st_size == 0:
            return
        scripts = re.search(r"set\(LOADLINE_PAGE_SCRIPTS ([^)]*)\)", (self.tree / "cmake/report_page.cmake").read_text())
        folder = self.tree / "harness/show/report/page"
        run([node, self.tree / "tests/harness/show/report/page/charts_test.js", libraries,
             *(folder / script for script in scripts[1].split())])

    def find_warning(self):
        result = self.measured()
        result["machine"]["hostname"] = "made-up"
        (self.place() / "elsewhere.json").write_text(json.dumps(result))
        self.assertIn("the host has a made-up name", self.tool("report", "elsewhere.json", "--format", "text"))
        self.gtest("harness_tests", "Warnings.*")
        ids = json.loads((self.tree / "results/schema.json").read_text())["$defs"]["warning"]["properties"]["id"]["enum"]
        readme = (self.tree / "results/README.md").read_text().split("### Warning ids")[1].split("\n## ")[0]
        self.assertIn("made-up", ids)
        self.assertEqual(set(re.findall(r"^\| `([a-z-]+)` \|", readme, re.MULTILINE)), set(ids))

    def find_axis(self):
        said = run([self.tree / "run_options", "run", "--spare-batches", "0,2", "--loader", "thread-pool", "--workers", "1",
                    "--mode", "io", "--workload", "mnist"])
        self.assertRegex(said, r"--spare-batches BATCHES,\.\.\. *\n? +batches ready ahead beyond those of --prefetch")
        self.assertIn("offered: --spare-batches\t", said)
        self.assertEqual([bool(re.search(rf"^cell: mnist/IO/.*/spare_batches:{value}$", said, re.MULTILINE))
                          for value in (0, 1, 2)], [True, False, True], said)
        self.assertEqual([name for name in RENEWED if (self.tree / name).read_text() == (ROOT / name).read_text()], [])
        schema = json.loads((self.tree / "results/schema.json").read_text())["$defs"]
        fields = re.findall(r"^config: (\w+)$", said, re.MULTILINE)
        self.assertIn("spare_batches", fields)
        self.assertEqual(schema["config"]["required"], fields)
        self.assertEqual(list(schema["config"]["properties"]), fields)
        count = {"$ref": "#/$defs/count"}
        self.assertEqual(schema["config"]["properties"]["spare_batches"], {
            "anyOf": [count, {"type": "array", "minItems": 2, "uniqueItems": True, "items": count}]})
        self.assertEqual(schema["cell"]["properties"]["spare_batches"], {"$ref": "#/$defs/count_or_null"})
        training = json.loads((self.tree / "results/train_schema.json").read_text())["$defs"]["settings"]
        self.assertIn("spare_batches", training["required"])
        self.assertIn("spare_batches", training["properties"])
        rows = re.findall(r"^\| `spare_batches` .*", (self.tree / "results/README.md").read_text(), re.MULTILINE)
        self.assertEqual(rows, [
            "| `spare_batches` | integer, or list of integers | batches | batches ready ahead beyond those of --prefetch |",
            "| `spare_batches` | integer or null | batches | as in `config`; null where it does not apply; absent in older "
            "files |"])
        example = json.loads((self.tree / "results/example-fashion-mnist-cifar10.json").read_text())
        self.assertEqual(list(example["config"]), fields)
        before = json.loads((ROOT / "results/example-fashion-mnist-cifar10.json").read_text())
        self.assertNotEqual(example["config_hash"], before["config_hash"])
        self.assertEqual({cell["spare_batches"] for cell in example["cells"]}, {0, None})
        for suite in ("RunOptions", "OneValue", "Settings"):
            self.gtest("plan_tests", f"{suite}.*")


if __name__ == "__main__":
    KIND, folder, work = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    WORK = work.resolve()
    if KIND == "build":
        if not (folder / "build.ninja").exists():
            print("skipped: the build is not Ninja's, which tells how it links")
            sys.exit(77)
        shutil.rmtree(WORK, ignore_errors=True)
        before = os.times()
        given = Build(folder.resolve())
        build_together(given, WORK / "together")
        build_axis(given, WORK / "axis")
        after = os.times()
        print(f"{after.children_user + after.children_system - before.children_user - before.children_system:.0f} s of CPU")
    else:
        unittest.main(argv=sys.argv[:1])
