#!/usr/bin/env python3
"""order.py TOOL FAULTS [--json FILE]

What a power cut would leave: in the log of what a run writes, everything that gets its name by a rename is stored
before that (fsync behind the last write), and the directory is stored after it. Exits with 1 where the order is
another one.
"""

import argparse
import json
import os
import pathlib
import sys

from support import Workplace

O_WRONLY, O_RDWR = 1, 2
SCENARIOS = ("idx", "convert", "make")


class Disk:
    """What is certainly on storage, according to the log."""

    def __init__(self, directory):
        self.directory = directory
        self.open = {}  # path by descriptor
        self.unsaved = set()  # files written to since they were stored
        self.unnamed = {}  # names whose directory was not stored since, and that directory
        self.wrong = []
        self.renames = 0

    def path(self, text):
        return os.path.normpath(os.path.join(self.directory, text))

    def opened(self, descriptor, mode, path):
        path = self.path(path)
        self.open[descriptor] = path
        if int(mode) in (O_WRONLY, O_RDWR) and path.startswith(self.directory):
            self.unsaved.add(path)  # an empty file has to be stored as well

    def written(self, descriptor):
        path = self.open.get(descriptor)
        if path and path.startswith(self.directory):
            self.unsaved.add(path)

    def stored(self, descriptor):
        path = self.open.get(descriptor)
        self.unsaved.discard(path)
        self.unnamed = {name: parent for name, parent in self.unnamed.items() if parent != path}

    def renamed(self, old, new):
        old, new = self.path(old), self.path(new)
        self.renames += 1
        late = sorted(path for path in self.unsaved if path == old or path.startswith(old + "/"))
        self.wrong += [f"{path} was not stored before it became part of {new}" for path in late]
        self.unsaved -= set(late)
        if new in self.unnamed:
            self.wrong.append(f"the directory of {new} was not stored between two renames to it")
        self.unnamed[new] = os.path.dirname(new)

    def end(self):
        self.wrong += [f"the directory of {name} was not stored after the rename" for name in sorted(self.unnamed)]


def replay(log, directory):
    disk = Disk(str(directory))
    for line in log.splitlines():
        what, *rest = line.split(" ", 1)
        rest = rest[0] if rest else ""
        if what == "open":
            descriptor, mode, path = rest.split(" ", 2)
            if int(descriptor) >= 0:
                disk.opened(descriptor, mode, path)
        elif what == "write":
            disk.written(rest.split()[0])
        elif what == "fsync":
            descriptor, result = rest.split()
            if result == "0":
                disk.stored(descriptor)
        elif what == "close":
            disk.open.pop(rest, None)
        elif what == "rename":
            result, paths = rest.split(" ", 1)
            if result == "0":
                disk.renamed(*paths.split("\t"))
    disk.end()
    return disk


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("tool")
    parser.add_argument("faults")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    rows, failed = [], False
    for scenario in SCENARIOS:
        place = Workplace(arguments.tool, arguments.faults, scenario)
        try:
            log = place.path / "log"
            outcome = place.run_once(place.environment_with(LOADLINE_FAULT_LOG=str(log)))
            text = log.read_text()
            disk = replay(text, place.path)
            operations = len(text.splitlines())
            found = disk.wrong + ([] if outcome.code == 0 else [outcome.err])
        finally:
            place.close()
        print(f"{scenario}: {operations} operations, {disk.renames} renames, {len(found)} wrong")
        for sentence in found:
            print(f"  {sentence}")
        failed = failed or bool(found) or disk.renames == 0
        rows.append({"scenario": scenario, "operations": operations, "renames": disk.renames, "wrong": len(found)})
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
