#!/usr/bin/env python3
"""gpu_checks.py [--emulated] DIRECTORY: judges the results of bench/gpu.sh, one line per check.

pass, fail or missing: a check is missing if something that it needs was not available; that is not a failure.
"""

import argparse
import csv
import json
import math
import pathlib
import re
import sys

CLOSE = 0.98  # of the ratio of two equal measurements on a machine that is not quite quiet
WHOLE = 0.01  # how far the sum of the parts may be off


class Missing(Exception):
    """Something that a check needs was not available."""


class Failed(Exception):
    """Something that a check needs should have been made, but failed."""


def result_in(directory, name, needs="it was not run"):
    path = directory / f"{name}.json"
    if path.exists():
        return json.loads(path.read_text())
    note = directory / f"{name}.txt"
    if not note.exists():
        raise Missing(needs)
    lines = note.read_text(errors="replace").strip().splitlines()
    raise Failed(lines[-1].removeprefix("loadline: ") if lines else "its run failed")


def trials_of(result, mode):
    trials = [trial for cell in result["cells"] if cell["mode"] == mode for trial in cell["trials"]
              if not trial.get("pilot")]
    if not trials:
        raise Missing(f"{mode} was not measured")
    return trials


def rate_of(trials):
    """The geometric mean of samples per second over trials."""
    return math.exp(sum(math.log(trial["samples_per_second"]) for trial in trials) / len(trials))


def rate(result, mode):
    return rate_of(trials_of(result, mode))


def share_of(trials, stage):
    return (sum(part["total_seconds"] for trial in trials for part in trial["stages"] if part["name"] == stage)
            / sum(trial["wall_seconds"] for trial in trials))


def samples(value):
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {unit} samples/s"
    return f"{value:.3g} samples/s"


def check_tests(directory):
    log = directory / "tests.log"
    if not log.exists():
        raise Missing("the tests were not built")
    text = log.read_text(errors="replace")
    passed = re.search(r"\[  PASSED  \] (\d+) tests?", text)
    failed = len(set(re.findall(r"^\[  FAILED  \] (\w+\.\w+)", text, re.MULTILINE)))
    skipped = len(set(re.findall(r"^\[  SKIPPED \] (\w+\.\w+)", text, re.MULTILINE)))
    ran = int(passed[1]) if passed else 0
    return ran > 0 and failed == 0 and skipped == 0, f"{ran} passed, {failed} failed, {skipped} skipped"


def check_rate(directory, name):
    value = rate(result_in(directory, name), "SYNTHETIC")
    return value > 0, samples(value)


def check_bf16(directory):
    ratio = rate(result_in(directory, "bf16"), "SYNTHETIC") / rate(result_in(directory, "f32"), "SYNTHETIC")
    return ratio >= CLOSE, f"{ratio:.3f} times f32"


def check_graph(directory):
    ratio = rate(result_in(directory, "graph"), "SYNTHETIC") / rate(result_in(directory, "f32"), "SYNTHETIC")
    return ratio >= CLOSE, f"{ratio:.3f} times without"


def check_staging(directory):
    ratio = rate(result_in(directory, "registered"), "FULL") / rate(result_in(directory, "copied"), "FULL")
    return ratio >= CLOSE, f"pinned in place {ratio:.3f} times copied, FULL"


def check_overlap(directory):
    """Steps in flight hide their copies: less of them remains than if each call waits for its own step."""
    beside = share_of(trials_of(result_in(directory, "registered"), "SYNTHETIC"), "copy")
    alone = share_of(trials_of(result_in(directory, "alone"), "SYNTHETIC"), "copy")
    ratio = rate(result_in(directory, "registered"), "SYNTHETIC") / rate(result_in(directory, "alone"), "SYNTHETIC")
    return (beside <= alone and ratio >= CLOSE,
            f"copies take {100 * beside:.1f} % of the time, {100 * alone:.1f} % at depth 0; {ratio:.3f} times its rate")


def check_stages(directory):
    """Stages cover the whole time of each trial, and none is negative."""
    worst, names = 0.0, []
    for name in ("f32", "bf16", "graph", "registered", "copied", "alone"):
        for mode in ("SYNTHETIC", "FULL"):
            for trial in trials_of(result_in(directory, name), mode):
                parts = {part["name"]: part["total_seconds"] for part in trial["stages"]}
                names = names or sorted(parts)
                off = abs(sum(parts.values()) / trial["wall_seconds"] - 1)
                worst = max(worst, off, -min(parts.values(), default=-1) / trial["wall_seconds"])
    return worst <= WHOLE, f"{', '.join(names)}; off by {100 * worst:.2f} % at the most"


def check_small(directory):
    """FULL reaches the slower of loading and step."""
    result = result_in(directory, "small")
    fills = [trial["fill"] for trial in trials_of(result, "IO") if trial.get("fill")]
    if not fills:
        raise Missing("IO has no rate without a drain")
    loading, step, full = rate_of(fills), rate(result, "SYNTHETIC"), rate(result, "FULL")
    ratio = full / min(loading, step)
    return (ratio >= CLOSE, f"{ratio:.3f} of the slower of {samples(loading)} loaded and {samples(step)} taken")


def check_monitor(directory):
    result = result_in(directory, "monitor", "this loadline has no --monitor")
    monitor = result.get("monitor")
    if not monitor:
        return False, "the result has no monitor"
    of_gpu = sorted({one["name"] for one in monitor["series"] if "gpu" in (one["name"] + str(one["of"])).lower()})
    return bool(of_gpu), f"series of the GPU: {', '.join(of_gpu) if of_gpu else 'none'}"


def check_energy(directory):
    result = result_in(directory, "monitor", "this loadline has no --monitor")
    trials = [trial for trial in trials_of(result, "FULL") if (trial.get("energy") or {}).get("gpu_joules") is not None]
    if not trials:
        raise Missing("no trial tells the joules of the GPU")
    joules = sum(trial["energy"]["gpu_joules"] for trial in trials)
    per_thousand = 1000 * joules / sum(trial["samples"] for trial in trials)
    watts = joules / sum(trial["wall_seconds"] for trial in trials)
    return 1 < watts < 5000, f"{per_thousand:.3g} J per 1,000 samples in FULL, {watts:.0f} W"


def check_trace(directory):
    path = directory / "trace-events.json"
    if not path.exists():
        result_in(directory, "trace", "this loadline has no --trace")
        return False, "no trace was written"
    trace = json.loads(path.read_text())
    events = trace["traceEvents"] if isinstance(trace, dict) else trace
    return len(events) > 0, f"{len(events)} events"


def check_nvtx(directory):
    path = directory / "nvtx.csv"
    if not path.exists():
        if (directory / "nvtx.log").exists():
            raise Failed("nsys failed, see nvtx.log")
        raise Missing("nsys is not installed")
    text = path.read_text(errors="replace")
    found = [name for name in ("copy", "forward", "backward", "optimizer") if re.search(rf"[:,\"]{name}\b", text)]
    rows = list(csv.reader(text.splitlines()))
    return len(found) == 4, f"ranges {', '.join(found) if found else 'none'} of {len(rows)} lines"


def check_cudnn(directory):
    text = (directory / "list.txt").read_text()
    networks = re.search(r"^  cuda .*?\n(?:.*\n)*?.*network: .*\((.*?); default", text, re.MULTILINE)
    names = networks[1].split(", ") if networks else []
    if not set(names) - {"mlp"}:
        raise Missing("networks by cuDNN are not in this loadline")
    return True, ", ".join(names)


def check_example(directory):
    result = result_in(directory, "example-gpu")
    page = directory / "example-gpu.html"
    return result["status"] == "complete" and page.exists(), f"{result['status']}, with its report"


CHECKS = (
    ("tests of CUDA", check_tests),
    ("f32", lambda directory: check_rate(directory, "f32")),
    ("bf16", lambda directory: check_rate(directory, "bf16")),
    ("bf16 is no slower than f32", check_bf16),
    ("graphs are no slower than launches", check_graph),
    ("pinned batches are no slower than copied", check_staging),
    ("copies run beside steps", check_overlap),
    ("stages add up to the time", check_stages),
    ("FULL reaches the slower of its parts", check_small),
    ("monitor", check_monitor),
    ("energy", check_energy),
    ("trace", check_trace),
    ("NVTX ranges", check_nvtx),
    ("networks by cuDNN", check_cudnn),
    ("example and report", check_example),
)


def judged(directory):
    """Yields (check, outcome, words) for each check."""
    for name, check in CHECKS:
        try:
            passed, words = check(directory)
            yield name, "pass" if passed else "fail", words
        except Missing as missing:
            yield name, "missing", str(missing)
        except Failed as failed:
            yield name, "fail", str(failed)
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            yield name, "fail", f"its result cannot be judged: {type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--emulated", action="store_true", help="the results do not come from a GPU")
    parser.add_argument("directory", type=pathlib.Path)
    options = parser.parse_args()
    rows = list(judged(options.directory))
    width = max(len(name) for name, _, _ in rows)
    if options.emulated:
        print("Emulated: these figures say nothing about any GPU.")
    for name, outcome, words in rows:
        print(f"{name:<{width}}  {outcome:<7}  {words}")
    counts = {word: sum(outcome == word for _, outcome, _ in rows) for word in ("pass", "fail", "missing")}
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["fail"] else 0


if __name__ == "__main__":
    sys.exit(main())
