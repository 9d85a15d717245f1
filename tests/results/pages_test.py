"""pages_test.py TOOL [SHARD/SHARDS]: no page can rot. Every command on README.md and docs/*.md runs as it stands there, on
small data; every option that a page names exists; every link leads somewhere.

A command that would measure for long gets options for fewer and shorter trials after its own, because the last one counts. A
command that cannot run here is in ELSEWHERE with the reason, and must name files and options that exist. A command of any
other program fails the test: give it a rule."""

import ast
import base64
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import time
import unittest
import zlib

from support import REPOSITORY, TOOL, Workplace, keep_ceilings_small

SHARD = sys.argv.pop(1) if len(sys.argv) > 1 and re.fullmatch(r"\d+/\d+", sys.argv[1]) else "1/1"
PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
SCRIPTS = [path for pattern in ("bench/**/*.sh", "bench/**/*.py", "bench/**/*.sbatch", "bench/**/*.lsf", "tests/*.sh",
                                "tests/fault/*.sh", "tests/fuzz/*.sh") for path in REPOSITORY.glob(pattern)]

SAMPLES = 2000  # more than the largest batch of the pages
BRIEF = ["--trials", "2", "--trial-seconds", "0.005", "--first-epoch-seconds", "0", "--ceilings", "off"]
SLOW_SECONDS = 5  # from which on a command is named, for who would make the test shorter
MOST_CELLS = 12  # a wider sweep is only planned: --dry-run

# Programs that a page may call and this test may not, with the reason. Their arguments are checked all the same.
ELSEWHERE = {
    "sbatch": "needs Slurm; tests/slurm runs the scripts",
    "bsub": "needs LSF; tests/lsf runs the scripts",
    "chromium": "may be missing; tests/results/report_test.py starts it",
    "cmake": "builds or installs; tests/install does",
    "ctest": "runs this test",
    "cpack": "makes packages; tests/install does",
    "mpirun": "needs MPI; tests/results/ranks_test.py has some",
    "tests/run.sh": "runs this test",
    "bench/run.sh": "builds the tool",
    "bench/formats.sh": "takes minutes; tests/bench/formats_test.py runs it on little data",
    "bench/latency.sh": "needs FUSE",
    "bench/forecast_check.py": "needs FUSE and MPI, and takes long",
    "bench/ab_experiment.py": "takes hours",
    "bench/stopwatch.py": "takes hours",
    "build/dev/tests/harness_tests": "need not be built; ctest runs it",
    "build/dev/tests/loaders_tests": "need not be built; ctest runs it",
    "build/release/bench/components": "need not be built; its names of benchmarks are in bench/components*.cpp",
    "build/release/bench/truth/truth": "takes long; its short form is a test of its own",
    "tensorboard": "is not packaged",
    "nsys": "needs a GPU",
}
# Options on the pages that belong to other programs.
OPTIONS_ELSEWHERE = {
    "--build", "--preset", "--target", "--prefix", "--component", "--install",  # cmake
    "--headless", "--no-sandbox", "--virtual-time-budget", "--window-size", "--screenshot", "--force-dark-mode",  # chromium
    "--print-to-pdf",  # chromium
    "--partition", "--cpus-per-task", "--wait", "--nodes", "--ntasks",  # sbatch
    "--oversubscribe", "--mpi", "--cpu-bind",  # mpirun, srun
    "--logdir", "--trace", "--benchmark_filter", "--gtest_filter", "--draws",
}

# A photograph of 640 x 480 pixels.
PHOTOGRAPH = zlib.decompress(base64.b64decode(
    "eNr7f+P/AwYBLzdPNwZGRgYGRiBk+H+bwZlBQ0ZOWU5SQ1lRWVdbw8AmxdHG3NymOiLWM2Viw8xp/Q09XQu2PDu8YNWttV09J/6fvvXu6///"
    "/2cfBBK//j/7+/8HyBBGbV1dG1ObMkfHsh9Le5b+IBn8P8AgyMH4gKmBmVGJgUmQkVmQ8f8RBkmgU0GAAQGYmVgYWYFSIgLIomAA0sCIRQMr"
    "IwtIgyCmhlsMPMyMQOuYBRnsGX4y2B1zQJZmdJCMQFEvzTgVvwKZBp3nKAJMDUYbUATMmLUa8CqwZIg8hyLAypCagCKQwxaKX0ERw+Y5KAJc"
    "DKcOoAjc4FmFX8ETxnQLFAERxqko7mbcIBmCX8EJpnMFKCo0mLVR+MwJRivwK5jAOucBikgAWxgKn+1AagBeBewK3JaoPlvAswaFz9twagFe"
    "BXwOYsUNA54sbBhfTyDN3UAFqD5/ih6nBN0tjR6np9DjlKC7zdDjdAp6nBJMzjnocaqBHqcEk/MN9DgNQI9Tgsl5A3qcLkCLU8LJOQE9qzug"
    "ZXWCyRmoAC2rN6Bl9QFJFg/4YxrQ3B2K393oCkD59AGau1fhdze6AlA+PYDm7hD87kZXAMqn6Ml5Bd7kjKEAWHyfR0/OAXiTM4YCYPE9Dz05"
    "L8CbnDEUAItvG/Tk7IA3OWMoABbfFWjJGTWrYyRnDAXA4vvDgCcL/v83AY+0Cos="))

# A loader and a step of a user, without NumPy.
TRAIN = """
import array

def make_loader(workers=0, batch_size=16):
    batch = memoryview(array.array("f", [0.0] * 16 * 4)).cast("B").cast("f", (16, 4))
    return [batch] * 4

old = new = make_loader

def make_step():
    return lambda batch: None
"""


class Command:
    def __init__(self, page, line, words):
        self.page, self.line, self.words = page.name, line, words

    def __str__(self):
        return f"{self.page}:{self.line}: {shlex.join(self.words)}"


def code_of(page):
    """(line number, text) of each line of code in the page: indented by four, or fenced without a language."""
    fence = None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if line.startswith("```"):
            fence = None if fence is not None else line[3:].strip()
        elif fence in ("", "sh", "bash"):
            yield number, line
        elif fence is None and line.startswith("    "):
            yield number, line[4:]


def verbs():
    text = subprocess.run([str(TOOL), "--help"], env={**os.environ, "COLUMNS": "500"}, stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    return re.findall(r"^  (\w+)  ", text.split("\nOptions")[0], re.MULTILINE)


VERBS = verbs()


def is_command(words):
    program = words[0]
    if re.fullmatch(r"[A-Z_a-z]+=.*", program) or program == "export":
        return True
    if program == "loadline":
        return len(words) > 1 and (words[1] in VERBS or words[1].startswith("--"))
    if program in ELSEWHERE or words[:3] == ["python3", "-m", "loadline"]:
        return True
    # Output may begin with the name of a program; options after it make it a command.
    options = any(re.match(r"--?[a-z]", word) for word in words[1:])
    sentence = any(word.endswith((":", ",")) for word in words)
    return options and not sentence and (shutil.which(program) is not None or (REPOSITORY / program).is_file() or "/" in program)


def commands_of(page):
    lines = iter(code_of(page))
    for number, text in lines:
        if text.startswith(" "):
            continue  # goes on, or is a command that the output recommends
        command = text.removeprefix("$ ").strip()
        if not re.match(r"[\w./~-]+[= ]", command + " "):
            continue
        while command.endswith("\\"):
            # A break inside a word has no space before it.
            command = command[:-1] + next(lines)[1].strip()
        try:
            words = shlex.split(command, comments=True)
        except ValueError:
            continue  # a sentence with an apostrophe
        parts = [[]]
        for word in words:
            parts.append([]) if word == "&&" else parts[-1].append(word)
        for part in parts:
            if part and is_command(part):
                yield Command(page, number, part)


def without_variables(words):
    while words and (words[0] == "export" or re.fullmatch(r"[A-Z_a-z]+=.*", words[0])):
        words = words[1:]
    return words


def pages_of_shard():
    """Pages with about as many commands in each shard."""
    shard, shards = map(int, SHARD.split("/"))
    loads = [[0, []] for _ in range(shards)]
    for page in sorted(PAGES, key=lambda page: -len(list(commands_of(page)))):
        load = min(loads, key=lambda load: load[0])
        load[0] += len(list(commands_of(page))) + 1
        load[1].append(page)
    return loads[shard - 1][1]


def help_of(*words):
    return subprocess.run([str(TOOL), *words], env={**os.environ, "COLUMNS": "500"}, stdout=subprocess.PIPE, text=True,
                          check=True).stdout


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))


def options_of(verb):
    return options_in(help_of(verb, "--help-all" if verb in ("run", "ceilings", "train", "ab", "aa", "scale") else "--help"))


class Pages(unittest.TestCase):
    """Runs each page in a folder of its own, as a reader would."""

    def set_up_folder(self):
        work = Workplace(())
        self.addCleanup(work.close)
        place, data = work.path, work.path / "data"
        work.environment.update(LOADLINE_BASELINES=str(place / "baselines"), HOME=str(place),
                                XDG_CACHE_HOME=str(place / ".cache"))
        # OpenMP threads that spin while they wait take the CPUs from everything else, and make a step several times as
        # long.
        work.environment["OMP_WAIT_POLICY"] = "passive"
        (place / ".cache").mkdir()
        (place / ".cache" / "loadline").symlink_to(data)
        data.mkdir()
        self.work = work
        self.ready = set()
        for name in ("bin", "before", "after"):
            (place / name).mkdir()
            (place / name / "loadline").symlink_to(TOOL)
        (place / "train.py").write_text(TRAIN)
        (place / "bench").symlink_to(REPOSITORY / "bench")

    def need(self, what):
        """Makes data and results that a page takes for granted, when the first command names them."""
        if what in self.ready:
            return
        self.ready.add(what)
        place, data = self.work.path, self.work.path / "data"
        if what in ("mnist", "fashion-mnist", "cifar10"):
            kind = "cifar10" if what == "cifar10" else "mnist"
            self.work.run(["data", "make", kind, str(data / what), "--samples", str(SAMPLES), "--quiet"])
            self.work.run(["data", "convert", str(data / what), str(data / f"{what}.h5"), "--quiet"])
            self.work.run(["data", "convert", str(data / what), str(data / f"{what}-chunks.h5"), "--chunk", "64",
                           "--quiet"])
            if what == "cifar10":
                (place / "cifar10.h5").symlink_to(data / "cifar10.h5")
        elif what == "photos":
            (place / "photographs").mkdir()
            (place / "photographs" / "one.jpg").write_bytes(PHOTOGRAPH)
            self.work.run(["data", "make", "photos", str(data / "photos"), "--from", str(place / "photographs"),
                           "--samples", "100", "--quiet"])
        elif what == "nbody":
            self.work.run(["data", "make", "nbody", str(data / "nbody.h5"), "--size", "64", "--quiet"])
        elif what == "tokens":
            self.work.run(["data", "make", "tokens", str(data / "tokens"), "--size", "65536", "--quiet"])
            (data / "openwebtext").symlink_to(data / "tokens")
            for name in (data / "tokens").glob("train.*"):
                (place / f"my-corpus_text_document{name.suffix}").symlink_to(name)
            (place / "u32.bin").write_bytes(b"".join(number.to_bytes(4, "little") for number in range(65536)))
        elif what == "text":
            self.work.run(["data", "make", "text", str(data / "text"), "--size", "65536", "--quiet"])
        elif what.endswith(".json"):
            self.need("cifar10")
            self.work.run(["run", "--workload", "cifar10", "--loader", "serial,thread-pool", "--workers", "1",
                           "--batch-size", "64", "--monitor", "50ms", *BRIEF, "--quiet", "-o", what])

    def start(self, words, codes, **more):
        done = subprocess.run(words, cwd=self.work.path, env=self.work.environment, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        left_out = re.search("built without|no CUDA device", done.stderr)  # a compute that this build lacks
        if done.returncode not in codes and not left_out:
            self.fail(f"{shlex.join(words)}: exit code {done.returncode}: {done.stderr[-2000:]}")
        return done

    def run_tool(self, words, codes=(0,)):
        # A real training step needs more memory.
        limit_mib = 512 if words[0] == "ceilings" else 2048
        return self.start([str(TOOL), *words], codes, preexec_fn=lambda: keep_ceilings_small(limit_mib))

    def prepare(self, words):
        """Makes what the command reads; returns its words, with places in this folder for those of the page."""
        text = shlex.join(words)
        for name in ("mnist", "fashion-mnist", "cifar10", "photos", "nbody", "tokens", "text"):
            if re.search(rf"(?<![\w-]){name}(?![\w-])", text):
                self.need(name)
        if words[0] in ("diff", "report", "export", "merge", "forecast") or "--config" in words:
            for word in words[1:]:
                made_here = words[words.index(word) - 1] in ("-o", "--output")
                if word.endswith(".json") and not made_here and not (self.work.path / word).exists():
                    self.need(word)
        if "--resume" in words and not (self.work.path / words[words.index("--resume") + 1]).exists():
            self.need(words[words.index("--resume") + 1])
        return [os.path.join(str(self.work.path), word[2:]) if word.startswith("~/") else word for word in words]

    # Commands of loadline, by verb.

    def try_run(self, words):
        if "./lib" in shlex.join(words) or "replay:" in shlex.join(words):
            return self.know_options("run", words)  # tests of plug-ins and of recordings have some
        if "DIR" in words:
            place = "data/photos" if "photos" in words else "data/mnist"
            words = [place if word == "DIR" else word for word in words]
        if "--resume" in words:
            return self.run_tool(words)
        if "--trace" in words:
            words = [*words, "--overwrite"]
        if "--find" not in words:
            planned = self.run_tool([*words, *BRIEF, "--dry-run"]).stdout
            cells = re.search(r"^(\d+) cells?\b", planned, re.MULTILINE)
            if "--dry-run" in words or int(cells[1]) > MOST_CELLS:
                return None
        if "-o" in words or "--save-baseline" in words:
            words = [*words, "--overwrite"]
        if {"gpt", "cnn", "photos"} & set(words) or "devices=" in shlex.join(words):  # whose full batches take long
            words = [*words, "--batch-size", "4"]
        return self.run_tool([*words, *BRIEF], codes=(0, 3) if "--baseline" in words else (0,))

    def try_train(self, words):
        fewer = ["--batch-size", "4" if {"tokens", "text"} & set(words) else "100"]
        if "fashion-mnist" in words:  # of which the machine may have all images
            fewer += ["--data", "data/fashion-mnist"]
        return self.run_tool([*words, *fewer, "--epochs", "1"])

    def try_ceilings(self, words):
        (self.work.path / "brief.json").write_text('{"trial_seconds": 0.01}')  # which is no option of this verb
        return self.run_tool([*words, "--config", "brief.json", "--trials", "1"])

    def try_check(self, words):
        return self.know_options("check", words)  # tests of plug-ins have some

    def try_diff(self, words):
        return self.run_tool([*words, "--allow-mismatch"], codes=(0, 3))  # 3: noise may look like a regression

    def try_ab(self, words):
        return self.run_tool([*words, "--pairs", "2", "--trial-batches", "2", "--overwrite"]
                             if "-o" in words else [*words, "--pairs", "2", "--trial-batches", "2"], codes=(0, 3))

    def try_aa(self, words):
        done = self.run_tool([*words, "--pairs", "5", "--trials", "2", "--trial-batches", "10", "-o", "noise.json"],
                             codes=(0, 1))
        if done.returncode == 1:
            self.assertIn("no file was written; measure again on an idle machine", done.stderr)

    def try_baseline(self, words):
        if words[1] == "history":
            self.need("base.json")
            self.run_tool(["diff", "--save-baseline", "main", "base.json", "--overwrite"])
        return self.run_tool(words)

    def try_export(self, words):
        return self.run_tool([*words, "--overwrite"] if "tensorboard" not in words else words)

    def try_scale(self, words):
        return self.know_options("scale", words)  # tests/results/scaling_test.py has ranks

    def try_report(self, words):
        return self.run_tool([*words, "--overwrite"])

    def try_data(self, words):
        number = len(list(self.work.path.glob("made-*")))
        if "--decode" in words:
            self.need("photos")
        source = {"SRC": "data/cifar10" if "cifar10" in words else "data/mnist", "PATH": "data/cifar10",
                  "PHOTOS": "data/photos", "TEXT": "data/text", "TOKENS": "data/tokens",
                  "VOLUME.h5": "data/nbody.h5", "PHOTOGRAPHS": "photographs",
                  "/usr/share/backgrounds": "photographs"}
        if words[1] in ("info", "verify"):
            source["DIR"] = "data/mnist"
        made = {"DIR": f"made-{number}", "DST.h5": f"made-{number}.h5", "FILE.h5": f"made-{number}.h5",
                "DST.npz": f"made-{number}.npz"}
        if "--decode" in words:
            source["SRC"] = "data/photos"
        self.need("cifar10"), self.need("mnist"), self.need("photos"), self.need("nbody"), self.need("text")
        words = [source.get(word, made.get(word, word)) for word in words]
        fewer = {"cifar10": ["--samples", "100"], "photos": ["--samples", "40"], "nbody": ["--size", "16"],
                 "tokens": ["--size", "65536"], "text": ["--size", "65536"]}
        words = words + (fewer[words[2]] if words[1] == "make" else [])
        if words[1] == "make" and (self.work.path / words[3]).exists():
            shutil.rmtree(self.work.path / words[3])
        return self.run_tool(words)

    def know_options(self, verb, words):
        options = options_of(verb)
        unknown = [word for word in words if re.match("--[^ ]*$", word) and word.split("=")[0] not in options]
        self.assertEqual(unknown, [], f"options that loadline {verb} does not have")

    # Commands of other programs.

    def try_elsewhere(self, words):
        program = words[0]
        if program == "cmake":
            presets = json.loads((REPOSITORY / "CMakePresets.json").read_text())
            for i, word in enumerate(words[:-1]):
                if word == "--preset":
                    self.assertIn(words[i + 1], [preset["name"] for preset in presets["configurePresets"]])
                if word == "-S":
                    self.assertTrue((REPOSITORY / words[i + 1]).is_dir(), words[i + 1])
                if word == "--component":
                    self.assertIn(f"COMPONENT {words[i + 1]}", (REPOSITORY / "cmake" / "install.cmake").read_text())
            return
        if program in ("sbatch", "bsub"):
            script = next(word for word in words[1:] if word.endswith((".sbatch", ".lsf")))
            subprocess.run(["bash", "-n", str(REPOSITORY / script)], check=True)
            verb = "scale" if "scaling" in script else "run"
            self.know_options(verb, [word for word in words[words.index(script) + 1:] if not word.startswith("$")])
        elif program == "bench/run.sh":
            self.know_options("run", words[1:])
        elif program in ("mpirun", "nsys"):
            self.know_options("run", words[words.index("run"):])
        elif program == "build/release/bench/components":
            sources = "".join(path.read_text() for path in (REPOSITORY / "bench").glob("components*.cpp"))
            for name in re.findall(r"[\w-]{4,}", words[1].split("=")[1]):
                self.assertIn(name, sources)
        elif program == "build/release/bench/truth/truth":
            known = (REPOSITORY / "bench" / "truth" / "main.cpp").read_text()
            self.assertEqual([word for word in words if word.startswith("--") and word not in known], [])
        if program.endswith((".sh", ".py")):
            script = REPOSITORY / program
            self.assertTrue(os.access(script, os.X_OK), f"{program} cannot be started")
            if program.endswith(".sh"):
                subprocess.run(["bash", "-n", str(script)], check=True)
                return
            shown = subprocess.run([sys.executable, "-B", str(script), "--help"], stdout=subprocess.PIPE, text=True,
                                   check=True).stdout
            self.assertEqual(options_in(shlex.join(words)) - options_in(shown), set())
            if "--part" in words:
                known = re.search(r"any of these\s+\[([\w,\s-]+)\]", shown)[1]
                parts = words[words.index("--part") + 1].split(",")
                self.assertEqual([part for part in parts if part not in re.split(r"[,\s]+", known)], [])

    def try_python(self, words):
        package = os.environ.get("PYTHONPATH")
        if not package or any("fashion_mnist.py" in word for word in words):  # which takes PyTorch; tests/python has it
            return self.know_options(words[3], [word for word in words[4:] if word.startswith("--")])
        words = self.prepare(words[3:])
        brief = {"run": BRIEF, "ab": ["--pairs", "2", "--trial-batches", "2"]}.get(words[0])
        if words[0] == "check":
            return self.know_options("check", words)
        return self.start([sys.executable, "-m", "loadline", *words, *brief], (0, 3))

    def try_command(self, command):
        words = without_variables(command.words)
        if not words:
            return
        if words[0] == "loadline":
            words = self.prepare(words[1:])
            getattr(self, f"try_{words[0]}", self.run_tool)(words)
        elif words[:3] == ["python3", "-m", "loadline"]:
            self.try_python(words)
        elif words[0] in ELSEWHERE:
            self.try_elsewhere(words)
        else:
            self.fail(f"no rule says how to run {words[0]}")

    def test_every_command_runs(self):
        for page in pages_of_shard():
            self.set_up_folder()
            for command in commands_of(page):
                with self.subTest(str(command)):
                    began = time.monotonic()
                    self.try_command(command)
                    if time.monotonic() - began > SLOW_SECONDS:
                        print(f"{time.monotonic() - began:.1f} s: {command}", file=sys.stderr)

    def test_python_on_the_pages_compiles(self):
        for page in pages_of_shard():
            for block in re.findall(r"^```python\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL):
                with self.subTest(f"{page.name}: {block.splitlines()[0]}"):
                    ast.parse(block)

    def test_every_option_that_a_page_names_exists(self):
        known = set(OPTIONS_ELSEWHERE).union(*(options_of(verb) for verb in VERBS if verb not in ("data", "baseline")))
        for words in (["data", "info"], ["data", "verify"], ["data", "make"], ["data", "convert"], ["baseline", "history"],
                      ["baseline", "list"]):
            known |= options_in(help_of(*words, "--help"))
        known |= options_in("".join(path.read_text() for path in SCRIPTS))
        known |= {"--help", "--help-all", "--version"}
        for page in pages_of_shard():
            with self.subTest(page.name):
                self.assertEqual(options_in(page.read_text()) - known, set())

    def test_every_link_leads_somewhere(self):
        for page in pages_of_shard():
            for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
                if target.startswith("http"):
                    continue
                with self.subTest(f"{page.name}: {target}"):
                    path, _, anchor = target.partition("#")
                    file = (page.parent / path).resolve() if path else page
                    self.assertTrue(file.exists(), f"{path} is not there")
                    if anchor:
                        self.assertIn(anchor, anchors_of(file))

    def test_every_page_says_for_whom_it_is(self):
        for page in pages_of_shard():
            if page.name != "README.md":
                with self.subTest(page.name):
                    self.assertRegex(page.read_text(), r"\A# [^\n]+\n\nFor people ")


class Rules(unittest.TestCase):
    """Checks that this test notices mistakes."""

    def test_every_page_has_its_commands_found(self):
        count = sum(len(list(commands_of(page))) for page in PAGES)
        self.assertGreater(count, 150)

    def test_lines_that_a_command_prints_are_no_commands(self):
        self.assertFalse(is_command(["loadline", "0.1.0"]))
        self.assertFalse(is_command(["step", "2996"]))

    def test_a_program_without_a_rule_is_noticed(self):
        self.assertTrue(is_command(["ls", "--color"]))
        pages = Pages("test_every_command_runs")
        with self.assertRaisesRegex(AssertionError, "no rule says how to run ls"):
            pages.try_command(Command(REPOSITORY / "README.md", 1, ["ls", "--color"]))

    def test_an_option_that_is_gone_is_noticed(self):
        with self.assertRaisesRegex(AssertionError, "--no-such"):
            Pages("test_every_command_runs").know_options("run", ["--no-such"])

    def test_every_program_that_cannot_run_here_is_on_a_page(self):
        used = {without_variables(command.words)[0] for page in PAGES for command in commands_of(page)
                if without_variables(command.words)}
        self.assertEqual(set(ELSEWHERE) - used - {"bsub"}, set(), "of which no page has a command any more")


def anchors_of(file):
    """The anchors that GitHub gives the headings."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```$", "", file.read_text(), flags=re.MULTILINE | re.DOTALL),
                          re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


if __name__ == "__main__":
    unittest.main()
