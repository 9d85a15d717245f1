#!/usr/bin/env python3
"""signals.py TOOL [--moments N] [--kills N] [--seed N] [--json FILE]

Sends a run signals at random moments, from its first instruction to its last. TERM, INT and HUP end it gracefully, QUIT
and USR1 by themselves, KILL leaves a result that is valid and can be gone on with, and after STOP and CONT the run goes
on and says which trial was stopped. Exits with 1 where anything else comes of it.
"""

import argparse
import collections
import json
import pathlib
import random
import signal
import subprocess
import sys
import time

from support import TIME_LIMIT_SECONDS, Outcome, Workplace

WORDS = ["run", "--workload", "mnist", "--data", "mnist", "--mode", "io,full", "--loader", "serial,thread-pool",
         "--workers", "1,2", "--batch-size", "16", "--trials", "10", "--trial-batches", "3", "--first-epoch-seconds", "0",
         "--ceilings", "off", "-q", "-o", "out/result.json"]
GRACEFUL = {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGHUP: 129}
LEFT_ALONE = (signal.SIGQUIT, signal.SIGUSR1)


class Sender:
    def __init__(self, arguments):
        self.place = Workplace(arguments.tool, None, "idx")
        self.place.words = WORDS
        self.chance = random.Random(arguments.seed)
        self.rows = {}
        self.violations = []
        self.paused_trials = 0
        self.seconds = max(self.duration() for _ in range(3))

    def duration(self):
        begin = time.monotonic()
        outcome = self.place.run_once(self.place.environment)
        if self.place.wrong(outcome) or outcome.code != 0:
            raise SystemExit(f"cannot be run without a signal: {outcome.err}{self.place.wrong(outcome)}")
        return time.monotonic() - begin

    def start(self):
        self.place.clear()
        return subprocess.Popen([self.place.program, *WORDS], cwd=self.place.path, env=self.place.environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def end(self, process):
        try:
            err, hung = process.communicate(timeout=TIME_LIMIT_SECONDS)[1], False
        except subprocess.TimeoutExpired:
            process.kill()
            err, hung = process.communicate()[1], True
        return Outcome(process.returncode, hung, err.decode(errors="replace"), True)

    def interrupted(self, number):
        process = self.start()
        time.sleep(self.chance.uniform(0, 1.05 * self.seconds))
        process.send_signal(number)
        return self.end(process)

    def status(self):
        file = self.place.path / "out" / "result.json"
        return json.loads(file.read_text())["status"] if file.exists() else "absent"

    def note(self, name, outcome, came, wrong):
        row = self.rows.setdefault(name, collections.Counter())
        row["tried"] += 1
        row["wrong" if wrong else came] += 1
        self.violations += [(name, f"{outcome.ended()}: {sentence}") for sentence in wrong]

    def graceful(self, number):
        name = signal.Signals(number).name
        outcome = self.interrupted(number)
        status = "absent"
        wrong = self.place.wrong(outcome, codes=(0, GRACEFUL[number], -number))
        if not wrong:
            status = self.status()
            expected = {0: ("complete",), GRACEFUL[number]: ("partial", "absent", "complete")}
            # Before the run begins and after it ends, the system handles the signal.
            if status not in expected.get(outcome.code, ("absent", "complete")):
                wrong = [f"the result is {status}"]
        came = {0: "had ended", -number: "ended by the system, before or after the run"}.get(outcome.code, "graceful")
        self.note(name, outcome, came, wrong)

    def left_alone(self, number):
        outcome = self.interrupted(number)
        wrong = self.place.wrong(outcome, codes=(0, -number), may_leave=True)
        self.note(signal.Signals(number).name, outcome, "had ended" if outcome.code == 0 else "ended by the system", wrong)

    def kill(self):
        outcome = self.interrupted(signal.SIGKILL)
        wrong = self.place.wrong(outcome, codes=(0, -signal.SIGKILL), may_leave=True)
        status = "absent" if wrong else self.status()
        came = f"result {status}"
        if not wrong:
            process = subprocess.run([self.place.program, *WORDS[:-2], "--resume", "out/result.json"],
                                     cwd=self.place.path, env=self.place.environment, stdin=subprocess.DEVNULL,
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
            resumed = Outcome(process.returncode, False, process.stderr, True)
            wrong = self.place.wrong(resumed, codes=(0,), may_leave=True)
            came += ", gone on with to its end"
        self.note("SIGKILL", outcome, came, wrong)

    def pause(self):
        process = self.start()
        time.sleep(self.chance.uniform(0, self.seconds))
        process.send_signal(signal.SIGSTOP)
        time.sleep(0.15)  # shorter pauses are not noticed
        process.send_signal(signal.SIGCONT)
        outcome = self.end(process)
        wrong = self.place.wrong(outcome, codes=(0,))
        marked = 0
        if not wrong:
            result = json.loads((self.place.path / "out" / "result.json").read_text())
            marked = sum(trial.get("suspended", False) for cell in result["cells"] for trial in cell["trials"])
        self.paused_trials += marked
        self.note("SIGSTOP, SIGCONT", outcome, f"went on, {marked} trials marked", wrong)

    def check_pauses(self, pauses):
        # Some of a few may all fall between trials.
        if pauses >= 20 and self.paused_trials == 0:
            self.violations.append(("SIGSTOP, SIGCONT", f"none of {pauses} pauses marked a trial"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[1])
    parser.add_argument("tool")
    parser.add_argument("--moments", type=int, default=50, help="of each signal but KILL")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    # A shell makes its background jobs ignore some of these.
    for number in (signal.SIGINT, *LEFT_ALONE, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    sender = Sender(arguments)
    try:
        for _ in range(arguments.moments):
            for number in GRACEFUL:
                sender.graceful(number)
            for number in LEFT_ALONE:
                sender.left_alone(number)
            sender.pause()
        sender.check_pauses(arguments.moments)
        for _ in range(arguments.kills):
            sender.kill()
    finally:
        sender.place.close()
    for name, row in sender.rows.items():
        print(f"{name}: {', '.join(f'{count} {what}' for what, count in row.items())}")
    for name, sentence in sender.violations:
        print(f"  {name}: {sentence}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"run_seconds": round(sender.seconds, 2), "signals": sender.rows}, indent=1)
                                  + "\n")
    return 1 if sender.violations else 0


if __name__ == "__main__":
    sys.exit(main())
