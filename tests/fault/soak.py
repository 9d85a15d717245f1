#!/usr/bin/env python3
"""soak.py [--minutes N] [--tool FILE] [--json FILE]: see tests/soak.sh."""

import argparse
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import time

from support import REPOSITORY, Workplace

SWEEP = ["run", "--workload", "mnist", "--data", "mnist", "--loader", "serial,thread-pool,flow-graph", "--workers", "1,2",
         "--batch-size", "16", "--trials", "3", "--trial-seconds", "0.005", "--first-epoch-seconds", "0.01",
         "--ceilings", "off", "-q"]
LONG = ["run", "--workload", "mnist", "--data", "mnist", "--loader", "thread-pool,flow-graph", "--workers", "2",
        "--batch-size", "16", "--trials", "100000", "--trial-seconds", "0.05", "--ceilings", "off", "-q", "-o",
        "long.json"]
NEIGHBOURS = 2
# The long run may grow by what it keeps of each trial, all of which becomes JSON whenever it saves the result.
MOST_BYTES_A_TRIAL = 8192
SLACK_BYTES = 8 << 20


class Commands:
    """The short commands of a turn, the peak memory of each, and what they left."""

    def __init__(self, place):
        self.place = place
        self.peaks = {}  # KiB, by name, one a turn
        self.runs = 0
        self.wrong = []

    def run(self, name, words, codes=(0,), interrupt_after=None):
        process = subprocess.Popen([self.place.program, *words], cwd=self.place.path, env=self.place.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if interrupt_after is not None:
            time.sleep(interrupt_after)
            process.send_signal(signal.SIGTERM)
        err = process.stderr.read()
        process.stderr.close()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.runs += 1
        self.peaks.setdefault(name, []).append(usage.ru_maxrss)
        if process.returncode not in codes:
            self.wrong.append(f"{name}: exit code {process.returncode}: {err.decode(errors='replace')[-300:]}")

    def turn(self):
        out = self.place.path / "out"
        self.run("sweep", [*SWEEP, "-o", "out/a.json"])
        # Before the run begins, the system handles the signal.
        self.run("interrupted", [*SWEEP, "--trials", "1000", "-o", "out/b.json"], (143, -15), interrupt_after=0.6)
        self.run("resumed", [*SWEEP, "--resume", "out/a.json"])
        self.run("convert", ["data", "convert", "mnist", "out/copy.h5", "--chunk", "8", "-q"])
        self.run("verify", ["data", "verify", "out/copy.h5"])
        self.run("report", ["report", "out/a.json", "-o", "out/report.html"])
        self.run("diff", ["diff", "out/a.json", "out/a.json"], (0, 1, 3))
        left = {entry.name for entry in out.iterdir()} - {"a.json", "b.json", "copy.h5", "report.html"}
        left |= {f"tmp/{entry.name}" for entry in (self.place.path / "tmp").iterdir()}
        if left:
            self.wrong.append(f"left over: {', '.join(sorted(left))}")
        self.place.clear()


def state_of(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    fields = dict(line.split(":", 1) for line in status.splitlines())
    return {"rss_bytes": int(fields["VmRSS"].split()[0]) * 1024,
            "shared_bytes": int(fields["RssShmem"].split()[0]) * 1024, "threads": int(fields["Threads"]),
            "descriptors": len(list(pathlib.Path(f"/proc/{process}/fd").iterdir()))}


def trials_in(file):
    return sum(len(cell["trials"]) for cell in json.loads(file.read_text())["cells"]) if file.exists() else 0


def look_at_long_run(states, trials):
    """What is wrong with the states of the long run, and figures from them."""
    quarter = max(1, len(states) // 4)
    first, last = states[quarter:2 * quarter], states[-quarter:]
    wrong = []
    figures = {"looks": len(states), "trials": trials}
    for key in ("rss_bytes", "shared_bytes", "threads", "descriptors"):
        before = max((state[key] for state in first), default=0)
        after = max((state[key] for state in last), default=0)
        figures[key] = [before, after]
        allowed = before + (SLACK_BYTES + MOST_BYTES_A_TRIAL * trials if key == "rss_bytes" else 0)
        if after > allowed:
            wrong.append(f"the long run grew: {key} from {before} to {after}")
    return wrong, figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--tool", default=str(REPOSITORY / "build" / "release" / "bench" / "loadline"))
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    place = Workplace(arguments.tool, None, "idx")
    commands = Commands(place)
    neighbours = [subprocess.Popen(["nice", "sh", "-c", "while :; do :; done"]) for _ in range(NEIGHBOURS)]
    long = subprocess.Popen([place.program, *LONG], cwd=place.path, env=place.environment, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    states, turns = [], 0
    began = time.monotonic()
    try:
        while time.monotonic() - began < 60 * arguments.minutes:
            commands.turn()
            turns += 1
            states.append(state_of(long.pid))
        long.send_signal(signal.SIGTERM)
        code = long.wait(60)
        wrong, figures = look_at_long_run(states, trials_in(place.path / "long.json"))
    finally:
        for process in (*neighbours, long):
            process.kill()
            process.wait()
        place.close()
    wrong += commands.wrong
    wrong += [f"the long run ended with {code}"] if code != 143 else []
    # The first turn fills caches, and the peak of an interrupted run depends on chance.
    for name, peaks in commands.peaks.items():
        half = len(peaks) // 2
        if name != "interrupted" and half >= 5 and statistics.median(peaks[half:]) > 1.05 * statistics.median(peaks[1:half]):
            wrong.append(f"{name} took more memory from turn to turn: {peaks[1]} KiB at first, {peaks[-1]} at last")
    print(f"{turns} turns of {len(commands.peaks)} commands in {arguments.minutes:g} minutes beside {NEIGHBOURS} busy "
          f"neighbours, {commands.runs} runs, {len(wrong)} wrong")
    print(f"the long run, early and late: {figures}")
    for sentence in wrong:
        print(f"  {sentence}")
    if arguments.json:
        arguments.json.write_text(json.dumps({
            "minutes": arguments.minutes, "neighbours": NEIGHBOURS, "turns": turns, "runs": commands.runs,
            "long_run": figures, "wrong": len(wrong)}, indent=1) + "\n")
    return 1 if wrong or not turns else 0


if __name__ == "__main__":
    sys.exit(main())
