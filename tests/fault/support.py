"""Small data of each format, runs of the tool on them, and checks of a run in which something went wrong."""

import collections
import dataclasses
import json
import os
import pathlib
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from small_ceilings import keep_ceilings_small  # noqa: E402

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
SCHEMA_FILE = REPOSITORY / "results" / "schema.json"
# A run takes a second, and ten times as long where other work keeps the CPUs busy.
TIME_LIMIT_SECONDS = 60


def bits_of(values):
    """Packs pairs of a number and its width in bits into bytes, filled up with ones."""
    text = "".join(format(value, f"0{width}b") for value, width in values)
    text += "1" * (-len(text) % 8)
    return bytes(int(text[i:i + 8], 2) for i in range(0, len(text), 8)).replace(b"\xff", b"\xff\x00")


def jpeg(grey):
    """A JPEG of 16 x 16 in one grey, which is a number below 32."""
    def segment(marker, body):
        return struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body

    def huffman(kind, symbols):  # all of length 2
        return segment(0xC4, bytes([kind]) + bytes([0, len(symbols)] + [0] * 14) + bytes(symbols))

    first_block = [(1, 2), (32 + grey, 6)]  # the second symbol: a difference of 6 bits
    other_block = [(0, 2)]
    end_of_block = [(0, 2)]
    scan = bits_of(first_block + end_of_block + 3 * (other_block + end_of_block))
    return (b"\xff\xd8" + segment(0xDB, bytes(1) + b"\x08" * 64) +
            segment(0xC0, struct.pack(">BHHB", 8, 16, 16, 1) + bytes([1, 0x11, 0])) +
            huffman(0x00, [0, 6]) + huffman(0x10, [0]) + segment(0xDA, bytes([1, 1, 0, 0, 63, 0])) + scan + b"\xff\xd9")


@dataclasses.dataclass
class Scenario:
    """A short run: how to make the data, and the words of the command line."""
    words: list
    make: object = None


def make_mnist(work):
    work.tool(["data", "make", "mnist", "mnist", "--samples", "64", "-q"])


def make_cifar(work):
    work.tool(["data", "make", "cifar10", "cifar10", "--samples", "64", "-q"])


def make_hdf5(work):
    make_cifar(work)
    work.tool(["data", "convert", "cifar10", "chunked.h5", "--chunk", "8", "--gzip", "1", "-q"])
    work.tool(["data", "convert", "cifar10", "plain.h5", "--chunk", "0", "-q"])


def make_photos(work):
    for i in range(16):
        directory = work.path / "photos" / "train" / f"class-{i % 4}"
        directory.mkdir(parents=True, exist_ok=True)
        (directory / f"{i}.jpg").write_bytes(jpeg(i))


def make_volume(work):
    work.tool(["data", "make", "nbody", "nbody.h5", "--size", "16", "-q"])


def run_of(workload, data, *words):
    return ["run", "--workload", workload, "--data", data, "--mode", "io,full", "--trials", "1", "--trial-batches", "2",
            "--workers", "2", "--first-epoch-seconds", "0", "--ceilings", "off", "-q", "-o", "out/result.json", *words]


SCENARIOS = {
    "idx": Scenario(run_of("mnist", "mnist", "--loader", "serial,thread-pool", "--batch-size", "16"), make_mnist),
    "cifar": Scenario(run_of("cifar10", "cifar10", "--loader", "flow-graph", "--batch-size", "16"), make_cifar),
    "hdf5": Scenario(run_of("cifar10", "chunked.h5", "--loader", "hdf5,hdf5-chunk", "--batch-size", "16"), make_hdf5),
    "hdf5-mapped": Scenario(run_of("cifar10", "plain.h5", "--loader", "hdf5-mmap", "--batch-size", "16"), make_hdf5),
    "jpeg": Scenario(run_of("photos", "photos", "--loader", "thread-pool", "--batch-size", "4", "--image-size", "16"),
                     make_photos),
    "jpeg-uring": Scenario(run_of("photos", "photos", "--loader", "thread-pool", "--batch-size", "4", "--image-size", "16", "--read",
                                  "uring"),
                           make_photos),
    "volume": Scenario(run_of("nbody", "nbody.h5", "--loader", "thread-pool", "--batch-size", "2", "--crop-edge", "8"),
                       make_volume),
    "cold": Scenario(run_of("cifar10", "cifar10", "--loader", "thread-pool", "--batch-size", "16", "--cache", "cold"),
                     make_cifar),
    "ceilings": Scenario(["run", "--workload", "mnist", "--data", "mnist", "--mode", "io", "--loader", "thread-pool",
                          "--trials", "1", "--trial-seconds", "0.001", "--batch-size", "16", "--workers", "1", "-q", "-o",
                          "out/result.json"], make_mnist),
    "convert": Scenario(["data", "convert", "cifar10", "out/copy.h5", "--chunk", "8", "-q"], make_cifar),
    "make": Scenario(["data", "make", "mnist", "out/made", "--samples", "16", "-q"], None),
    "report": Scenario(["report", "earlier.json", "-o", "out/report.html"],
                       lambda work: (make_mnist(work), work.tool(
                           run_of("mnist", "mnist", "--batch-size", "16", "-o", "earlier.json")))),
}


@dataclasses.dataclass
class Outcome:
    code: int  # below 0: the signal that ended it
    hung: bool
    err: str
    met: bool  # whether the fault was

    def ended(self):
        if self.hung:
            return "hung"
        return f"signal {-self.code}" if self.code < 0 else f"exit {self.code}"


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


class Workplace:
    """A temporary directory with the data of a scenario. The tool runs in it, and writes into `out`."""

    def __init__(self, tool, faults, scenario):
        self._directory = tempfile.TemporaryDirectory(prefix="loadline-faults-")
        self.path = pathlib.Path(self._directory.name)
        self.name = scenario
        self.program = str(pathlib.Path(tool).resolve())
        self.faults = str(pathlib.Path(faults).resolve()) if faults else None
        self.environment = dict(os.environ, LOADLINE_DATA=str(self.path / "data"), HOME=str(self.path),
                                TMPDIR=str(self.path / "tmp"), LC_ALL="C")
        for variable in ("SLURM_JOB_ID", "LSB_JOBID", "XDG_CACHE_HOME"):
            self.environment.pop(variable, None)
        (self.path / "tmp").mkdir()
        (self.path / "out").mkdir()
        scenario = SCENARIOS[scenario]
        self.words = scenario.words
        if scenario.make:
            scenario.make(self)
        self.validator = None
        if jsonschema:
            self.validator = jsonschema.Draft202012Validator(json.loads(SCHEMA_FILE.read_text()))
        self.fingerprints = None
        self.server = None

    def close(self):
        if self.server:
            self.server.stdin.close()
            self.server.stdout.close()
            self.server.wait()
        self._directory.cleanup()

    def tool(self, words):
        subprocess.run([self.program, *words], cwd=self.path, env=self.environment, check=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def clear(self):
        for name in ("out", "tmp"):
            for entry in (self.path / name).iterdir():
                shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        for entry in self.path.glob("counts*"):
            entry.unlink()

    def run(self, fault=None):
        """Runs the tool with the fault and an empty `out`, as a child of a process that has its libraries."""
        self.clear()
        if self.server is None:
            self.server = subprocess.Popen([self.program, *self.words], cwd=self.path, bufsize=0,
                                           env=self.environment_with(LOADLINE_FAULT_SERVER="1"),
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=keep_ceilings_small)
        self.server.stdin.write(f"{fault or ''}\n".encode())
        process = int(self.server.stdout.readline())
        hung = not select.select([self.server.stdout], [], [], TIME_LIMIT_SECONDS)[0]
        if hung:
            os.killpg(process, signal.SIGKILL)
        code = os.waitstatus_to_exitcode(int(self.server.stdout.readline()))
        err = (self.path / "err").read_text(errors="replace")
        return Outcome(code, hung, err, (self.path / "counts.met").exists())

    def environment_with(self, **more):
        return dict(self.environment, LD_PRELOAD=self.faults, LOADLINE_FAULT_COUNTS=str(self.path / "counts"), **more)

    def run_once(self, environment):
        """The same in a new process."""
        self.clear()
        process = subprocess.run([self.program, *self.words], cwd=self.path, env=environment, check=False,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 timeout=TIME_LIMIT_SECONDS, preexec_fn=keep_ceilings_small)
        return Outcome(process.returncode, False, process.stderr.decode(errors="replace"), False)

    def sites(self):
        """For each function, the first and the last call from each place, in a run without a fault."""
        file = self.path / "places"
        outcome = self.run_once(self.environment_with(LOADLINE_FAULT_PLACES=str(file)))
        if outcome.code != 0:
            raise SystemExit(f"{self.name}: cannot be run without a fault: {outcome.err}")
        found = collections.defaultdict(list)
        for function, first, last in map(str.split, file.read_text().splitlines()):
            found[function].append((int(first), int(last)))
        file.unlink()
        return found

    def stack(self):
        """The functions of the tool from which the fault was met, innermost first."""
        file = self.path / "counts.met"
        text = file.read_text() if file.exists() else ""
        places = re.findall(rf"{re.escape(self.program)}\(\+(0x[0-9a-f]+)\)", text)
        if not places or not shutil.which("addr2line"):
            return text.splitlines()
        names = subprocess.run(["addr2line", "-f", "-C", "-e", self.program, *places], check=False, text=True,
                               stdout=subprocess.PIPE).stdout.splitlines()[::2]
        return [name.split("(")[0] for name in names]

    def library(self):
        """The library that met the fault, leaving out those that only pass calls on; None if it was the tool."""
        file = self.path / "counts.met"
        for line in file.read_text().splitlines() if file.exists() else []:
            name = pathlib.Path(line.split("(")[0]).name
            if name == pathlib.Path(self.program).name:
                return None
            if not name.startswith((pathlib.Path(self.faults).name, "libc.so", "libstdc++", "libgcc_s", "ld-linux")):
                return name.split(".so")[0]
        return None

    def counts(self):
        """How often each function was called in the last run that finished."""
        lines = (self.path / "counts").read_text().splitlines()
        return collections.Counter({name: int(count) for name, count in map(str.split, lines)})

    def faults_of_result(self, complete):
        """What is wrong with the result in `out`, if there is one."""
        file = self.path / "out" / "result.json"
        if not file.exists():
            return ["no result"] if complete and "out/result.json" in self.words else []
        try:
            result = json.loads(file.read_text(encoding="utf-8"), parse_constant=refuse_constant)
        except ValueError as error:
            return [f"the result is no JSON: {error}"]
        found = []
        if self.validator:
            found += [f"the result does not fit the schema: {error.message[:200]}"
                      for error in self.validator.iter_errors(result)][:1]
        failed = any(cell["error"] for cell in result["cells"])
        if complete and (result["status"] != "complete" or failed):
            found.append("exit code 0, and the result is not complete")
        prints = [dataset["fingerprint"] for dataset in result["datasets"]]
        if complete and self.fingerprints is None:
            self.fingerprints = prints
        if any(one not in (None, known) for one, known in zip(prints, self.fingerprints or prints)):
            found.append("the result is of other samples than there are")
        return found

    def left_over(self):
        """Files that nobody requested. A lock is none of them: a run that ends at once for lack of memory leaves its
        lock, without holding it, and a run that is told that another holds it leaves it to that one."""
        wanted = {"result.json", "result.json.lock", "copy.h5", "made", "report.html", "report.html.lock"}
        return sorted(str(entry.relative_to(self.path)) for name in ("out", "tmp")
                      for entry in (self.path / name).iterdir() if entry.name not in wanted)

    def wrong(self, outcome, codes=(0, 1, 2), may_leave=False):
        """What is wrong with a run, as a list of sentences; empty if nothing is."""
        found = []
        if outcome.hung:
            return [f"it hung for {TIME_LIMIT_SECONDS} s"]
        if outcome.code not in codes:
            found.append(f"it ended by {outcome.ended()}: {outcome.err.strip()[-300:]}")
        elif outcome.code > 0:
            # A failed save is reported when it happens, in addition to how the run ends.
            lines = [line for line in outcome.err.splitlines() if not line.endswith("; the run goes on and tries again")]
            said = [line for line in lines if line.startswith("loadline: ")]
            if len(said) != 1 or len(lines) != 1:
                found.append(f"{outcome.ended()} with {len(said)} sentences in {len(lines)} lines: {outcome.err[:300]!r}")
        found += self.faults_of_result(complete=outcome.code == 0)
        if self.left_over() and not may_leave:
            found.append(f"left over: {', '.join(self.left_over())}")
        return found


def without_numbers(text):
    """The same text for sentences that differ only in numbers and paths."""
    return re.sub(r"\d+", "N", re.sub(r"/\S+", "PATH", text))
