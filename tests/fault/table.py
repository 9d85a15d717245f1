#!/usr/bin/env python3
"""table.py [--check] [FILE...]

Makes results/faults.md from results/faults.json. FILEs are what walk.py, signals.py, order.py, soak.py and
tests/fuzz/run.sh wrote with --json, named walk.json, signals.json, order.json, soak.json and fuzz.json. They first replace
their parts of faults.json. --check: only checks that the page matches the file.
"""

import argparse
import collections
import json
import pathlib
import sys

RESULTS = pathlib.Path(__file__).resolve().parents[2] / "results"
FILE = RESULTS / "faults.json"
PAGE = RESULTS / "faults.md"
OUTCOMES = ("tried", "went on", "ended with a sentence", "wrong in a library", "wrong")


def row(*cells):
    return "| " + " | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells) + " |"


def table(heads, rows):
    return [row(*heads), "|" + "---|" * len(heads), *(row(*cells) for cells in rows), ""]


def sums(rows):
    total = collections.Counter()
    for one in rows:
        total.update({key: one[key] for key in OUTCOMES})
    return [total[key] for key in OUTCOMES]


def walk_part(walk):
    rows = [[one["scenario"], one["calls"], one["places"], one["points"], *sums(one["rows"])] for one in walk["scenarios"]]
    rows.append(["all", *(sum(column) for column in list(zip(*rows))[1:])])
    by_function = collections.defaultdict(list)
    for scenario in walk["scenarios"]:
        for one in scenario["rows"]:
            by_function[one["function"]].append(one)
    functions = [[f"`{name}`", ", ".join(sorted({one["fault"] for one in ones})), *sums(ones)]
                 for name, ones in sorted(by_function.items())]
    return ["## Every call fails once", "",
            "A short run of each kind is walked through: at each point one call of the system, or one allocation, fails, "
            "is short, is late or is interrupted, once or (\"for ever\") from then on. The points are, of every place in "
            "the code (a whole stack), the first and the last call of the system with each fault that it may meet, and the "
            "first allocation. It may go on, or end with exit "
            "code 1 or 2 and one sentence; the result is then valid or absent, and nothing is left over. Where the points "
            f"tried are fewer than there are, they were drawn (seed {walk['seed']}). \"Wrong in a library\": HDF5 1.10 "
            "crashed, or printed its own thoughts, where an allocation of its own failed.", "",
            *table(["run", "calls", "places", "points", *OUTCOMES], rows),
            *table(["function", "faults", *OUTCOMES], functions)]


def signals_part(signals):
    rows = []
    for name, counts in signals["signals"].items():
        came = ", ".join(f"{count} {what}" for what, count in sorted(counts.items()) if what not in ("tried", "wrong"))
        rows.append([name, counts["tried"], came, counts.get("wrong", 0)])
    return ["## Signals at random moments", "",
            f"Of a run of {signals['run_seconds']} s, from its first instruction to its last. After a kill the result is "
            "valid, and `--resume` brings it to its end.", "",
            *table(["signal", "tried", "what came of it", "wrong"], rows)]


def order_part(order):
    return ["## The order of writes", "",
            "By a log of what is opened, written, stored, renamed and closed: what gets its name by a rename is on "
            "storage before, and its directory after.", "",
            *table(["run", "operations", "renames", "wrong"],
                   [[one["scenario"], one["operations"], one["renames"], one["wrong"]] for one in order])]


def fuzz_part(fuzz):
    return ["## Fuzzing", "",
            "By libFuzzer with coverage (`tests/fuzz/run.sh`), or by the mistakes of `tests/fuzz/replay.cpp` without.", "",
            *table(["reader", "by", "executions", "features", "found"],
                   [[one["reader"], one.get("by", "libFuzzer"), one["executions"], one["features"] or "", one["found"]]
                    for one in fuzz])]


def soak_part(soak):
    long_run = soak["long_run"]
    return ["## Soak", "",
            f"{soak['turns']:,} turns of sweep, interruption, resume, conversion, verification, report and comparison "
            f"({soak['runs']:,} runs) in {soak['minutes']:g} minutes beside {soak['neighbours']} busy neighbours; "
            f"{soak['wrong']} wrong. The long run beside them, of {long_run['trials']:,} trials, early and late; what it takes "
            "more of memory is its result, which holds every trial and is written whole each time:", "",
            *table(["", "early", "late"], [[key.replace("_", " "), *long_run[key]]
                                           for key in ("rss_bytes", "shared_bytes", "threads", "descriptors")])]


PARTS = {"walk": walk_part, "signals": signals_part, "order": order_part, "fuzz": fuzz_part, "soak": soak_part}


def page_of(notes):
    lines = ["# What was made to go wrong", "",
             "Written by `tests/fault/table.py` of [faults.json](faults.json), which `tests/fault/run.sh`, "
             "`tests/fuzz/run.sh` and `tests/soak.sh` fill.", ""]
    for name, part in PARTS.items():
        if name in notes:
            lines += part(notes[name])
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    notes = json.loads(FILE.read_text()) if FILE.exists() else {}
    if arguments.check:
        return 0 if PAGE.read_text() == page_of(notes) else "results/faults.md is not that of results/faults.json"
    for file in arguments.files:
        if file.stem not in PARTS:
            return f"{file}: want one of {', '.join(f'{name}.json' for name in PARTS)}"
        notes[file.stem] = json.loads(file.read_text())
    FILE.write_text(json.dumps({name: notes[name] for name in PARTS if name in notes}, indent=1) + "\n")
    PAGE.write_text(page_of(notes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
