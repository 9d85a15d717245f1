#!/usr/bin/env python3
"""walk.py TOOL FAULTS [--scenario NAME,...] [--points N] [--allocations N] [--seed N] [--jobs N] [--json FILE]

Makes the calls that a short run makes of the system fail, one at a time (FAULTS: the library that faults.cpp makes),
and looks at what comes of it: no crash, no hang, exit code 0, 1 or 2, one sentence where it failed, a result that is
valid or absent, no file left over. Exits with 1 where anything else came of it. From every place in the code, a place
being a whole stack: the first and the last call of the system, and the first allocation.
"""

import argparse
import collections
import errno
import json
import pathlib
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from support import SCENARIOS, Workplace, without_numbers

READS = [("fail", errno.EIO), ("fail", errno.EINTR), ("short", 0), ("late", 0)]
WRITES = [("fail", errno.ENOSPC), ("for ever", errno.ENOSPC), ("fail", errno.EIO), ("fail", errno.EINTR), ("short", 0),
          ("late", 0)]
OPENS = [("fail", errno.EACCES), ("fail", errno.EMFILE), ("for ever", errno.EMFILE), ("fail", errno.EINTR), ("late", 0)]
NAMES = [("fail", errno.EACCES), ("fail", errno.ENOSPC), ("late", 0)]
LOOKS = [("fail", errno.EIO), ("fail", errno.EACCES)]
MEMORY = [("fail", errno.ENOMEM), ("for ever", errno.ENOMEM)]
RING = [("fail", errno.EPERM), ("fail", errno.EAGAIN), ("fail", errno.EINTR), ("for ever", errno.EAGAIN), ("late", 0)]

# The faults that a call of each function may meet, of the system and of malloc.
FAULTS = {
    **dict.fromkeys(["open", "open64", "openat", "openat64", "creat", "fopen", "fopen64", "fdopen", "opendir",
                     "fdopendir"], OPENS),
    **dict.fromkeys(["read", "readv", "pread", "pread64", "fread"], READS),
    **dict.fromkeys(["write", "writev", "pwrite", "pwrite64", "fwrite"], WRITES),
    **dict.fromkeys(["fflush", "fsync", "fdatasync", "close", "fclose", "ftruncate", "ftruncate64"],
                    [("fail", errno.ENOSPC), ("fail", errno.EIO), ("fail", errno.EINTR), ("late", 0)]),
    **dict.fromkeys(["rename", "unlink", "unlinkat", "remove", "mkdir", "mkdtemp", "rmdir"], NAMES),
    **dict.fromkeys(["stat", "stat64", "lstat", "lstat64", "fstat", "fstat64", "fstatat", "access", "readlink",
                     "realpath", "getcwd", "lseek", "lseek64", "readdir", "readdir64"], LOOKS),
    "flock": [("fail", errno.EWOULDBLOCK), ("fail", errno.ENOLCK), ("fail", errno.EINTR), ("late", 0)],
    **dict.fromkeys(["mmap", "mmap64"], MEMORY + [("late", 0)]),
    **dict.fromkeys(["munmap", "madvise", "mincore", "posix_fadvise", "posix_fadvise64"], [("fail", errno.EINVAL)]),
    "pthread_create": [("fail", errno.EAGAIN), ("for ever", errno.EAGAIN), ("late", 0)],
    **dict.fromkeys(["sched_setaffinity", "sched_getaffinity"], [("fail", errno.EPERM), ("for ever", errno.EINVAL)]),
    **dict.fromkeys(["io_uring_queue_init", "io_uring_register_files_sparse", "io_uring_register_iowq_max_workers",
                     "io_uring_submit", "__io_uring_get_cqe"], RING),
    **dict.fromkeys(["posix_spawnp", "waitid"], [("fail", errno.EAGAIN)]),
}
ALLOCATIONS = ["malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "memalign"]
# Libraries that do not withstand faults inside them: HDF5 1.10 crashes or prints messages if its own allocations fail.
# These cases are counted, as we cannot fix them.
FRAGILE = ("libhdf5_serial", "libhdf5")
# A file that cannot be removed stays.
LEAVES = ("unlink", "unlinkat", "remove", "rmdir")


def point_text(function, call, kind, error):
    if kind in ("short", "late"):
        return f"{function}:{call}:{kind}"
    return f"{function}:{call}{'+' if kind == 'for ever' else ''}:fail:{error}"


def fault_name(kind, error):
    if kind in ("short", "late"):
        return kind
    return errno.errorcode[error] + (" for ever" if kind == "for ever" else "")


class Walk:
    """The points of one scenario, and their outcomes."""

    def __init__(self, arguments, scenario):
        self.arguments = arguments
        self.scenario = scenario
        self.places = [Workplace(arguments.tool, arguments.faults, scenario) for _ in range(arguments.jobs)]
        self.rows = collections.defaultdict(collections.Counter)
        self.violations = []
        self.calls = collections.Counter()
        self.sites = collections.defaultdict(list)  # of each function: the first and the last call of each place

    def close(self):
        for place in self.places:
            place.close()

    def begin(self):
        """Runs without a fault a few times, as threads make some calls only now and then."""
        for place in self.places:
            for _ in range(3):
                outcome = place.run()
                wrong = place.wrong(outcome)
                if outcome.code != 0 or wrong:
                    raise SystemExit(f"{self.scenario}: cannot be run without a fault: {outcome.err}{wrong}")
                self.calls |= place.counts()
        self.sites = self.places[0].sites()

    def points(self):
        """The first and the last system call of every place, with every fault that they may meet."""
        for function, faults in FAULTS.items():
            for call in sorted({call for place in self.sites[function] for call in place}):
                for kind, error in faults:
                    yield function, call, kind, error

    def allocation_points(self):
        """The first allocation of every place, which fails alone or with all after it."""
        for function in ALLOCATIONS:
            for call in sorted({first for first, _ in self.sites[function]}):
                yield function, call, "fail", errno.ENOMEM
                yield function, call, "for ever", errno.ENOMEM

    def try_points(self, points):
        points = list(points)
        with ThreadPoolExecutor(len(self.places)) as pool:
            shares = [points[i::len(self.places)] for i in range(len(self.places))]
            list(pool.map(self.try_share, self.places, shares))
        return len(points)

    def try_share(self, place, points):
        for function, call, kind, error in points:
            text = point_text(function, call, kind, error)
            outcome = place.run(text)
            row = self.rows[function, fault_name(kind, error)]
            row["tried"] += 1
            if not outcome.met:
                row["not met"] += 1  # this time there were fewer calls of it
            # Without any memory the tool cannot tidy up either.
            without_memory = function in ALLOCATIONS and kind == "for ever"
            found = place.wrong(outcome, may_leave=function in LEAVES or without_memory)
            fragile = bool(found) and function in ALLOCATIONS and place.library() in FRAGILE
            row["went on" if outcome.code == 0 else "ended with a sentence"] += not found
            row["wrong"] += bool(found) and not fragile
            row["wrong in a library"] += fragile
            for sentence in found:
                if not fragile:
                    self.violations.append((text, sentence))
                if self.arguments.verbose:
                    print(f"{self.scenario}: {text}: {sentence}\n    " + " < ".join(place.stack()[:8]), flush=True)

    def table(self):
        return [{"function": function, "fault": fault, "calls": self.calls[function], **{
            key: row[key] for key in ("tried", "not met", "went on", "ended with a sentence", "wrong in a library", "wrong")}}
                for (function, fault), row in sorted(self.rows.items())]


def note(arguments, seconds, table, violations):
    """Writes the outcomes so far."""
    arguments.json.write_text(json.dumps({
        "seed": arguments.seed, "seconds": round(seconds), "scenarios": table,
        "violations": [{"scenario": a, "point": b, "what": c} for a, b, c in violations]}, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("tool")
    parser.add_argument("faults")
    parser.add_argument("--scenario", default=",".join(SCENARIOS))
    parser.add_argument("--points", type=int, help="so many of all points of each scenario, drawn; without it: all")
    parser.add_argument("--function", help="points of these functions alone")
    parser.add_argument("--allocations", type=int, help="so many points of allocations of each scenario, drawn; without it: all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()

    chance = random.Random(arguments.seed)
    began = time.monotonic()
    table, violations, points = [], [], 0
    for scenario in arguments.scenario.split(","):
        walk = Walk(arguments, scenario)
        try:
            walk.begin()
            system = list(walk.points())
            memory = list(walk.allocation_points())
            there_are = len(system) + len(memory)
            if arguments.function:
                functions = arguments.function.split(",")
                system = [point for point in system if point[0] in functions]
                memory = [point for point in memory if point[0] in functions]
            if arguments.points is not None:
                system = sorted(chance.sample(system, min(arguments.points, len(system))))
            if arguments.allocations is not None:
                memory = sorted(chance.sample(memory, min(arguments.allocations, len(memory))))
            points += walk.try_points(system + memory)
        finally:
            walk.close()
        table.append({"scenario": scenario, "calls": sum(walk.calls.values()),
                      "places": sum(map(len, walk.sites.values())), "points": there_are, "tried": len(system) + len(memory),
                      "rows": walk.table()})
        violations += [(scenario, *violation) for violation in walk.violations]
        print(f"{scenario}: {len(system)} points of the system, {len(memory)} of malloc, of {there_are}; "
              f"{len(walk.violations)} wrong, after {time.monotonic() - began:.0f} s", flush=True)
        if arguments.json:
            note(arguments, time.monotonic() - began, table, violations)
    kinds = collections.defaultdict(list)
    for scenario, text, sentence in violations:
        kinds[without_numbers(sentence)].append(f"{scenario}: {text}: {sentence}")
    for same in sorted(kinds.values(), key=len, reverse=True):
        print(f"{len(same)} x {same[0]}")
    return 1 if violations or not points else 0


if __name__ == "__main__":
    sys.exit(main())
