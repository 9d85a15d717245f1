"""`python3 -m loadline`: a user's loaders that wait or hang when the run is to stop."""

import json
import os
import signal
import subprocess
import time
import unittest

from data_support import needs_torch
from script_support import SHORT, WithScripts

# The seeds beside it give an order of cells that begins with the loader that hangs, which thus has its turn.
TIME_FOR_THE_FIRST_CELL = ("--time-limit", "4s")


def is_alive(process):
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


class Interruptions(WithScripts):
    def stop(self, *words, how=signal.SIGINT):
        """Sends a signal when the loader waits; returns the exit code and what stderr says from then on."""
        command, where = self.command(*words)
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **where)
        next(line for line in process.stderr if "waits" in line)
        process.send_signal(how)
        _, text = process.communicate(timeout=300)
        return process.returncode, text

    def stop_measuring(self, loader, how=signal.SIGINT):
        code, text = self.stop(
            "run", "--workload", "mnist", "--data", self.directory, "--batch-size", "10", "--mode", "io", *SHORT,
            "--loader", loader, "-o", "partial.json", how=how,
        )  # fmt: skip
        with open(os.path.join(self.directory, "partial.json"), encoding="utf-8") as file:
            return code, text, json.load(file)

    def test_end_a_function_that_waits(self):
        for loader in ("mine.py:make_sleeping", "mine.py:make_sleeping_iterator"):
            for how in (signal.SIGINT, signal.SIGTERM):
                code, text, result = self.stop_measuring(loader, how)
                self.assertEqual((code, result["status"]), (128 + how, "partial"), text)
                self.assertEqual([cell["error"] for cell in result["cells"] if cell["error"]], [])
                self.assertIn("interrupted; what was measured so far is in partial.json; continue with python3 -m loadline run "
                              "--resume partial.json", text)
                os.remove(os.path.join(self.directory, "partial.json"))

    def test_end_the_process_in_a_call_that_nothing_ends(self):
        code, text, result = self.stop_measuring("mine.py:make_counting", signal.SIGTERM)
        self.assertEqual((code, result["status"]), (143, "partial"), text)
        self.assertRegex(
            text, r"loadline: loader mine\.py:make_counting: make_counting\(\) has not returned [\d.]+ s after it was called"
        )
        self.assertEqual([cell["error"] for cell in result["cells"] if cell["error"]], [])

    def test_end_an_import_that_waits(self):
        with open(os.path.join(self.directory, "late.py"), "w", encoding="utf-8") as file:
            file.write("import sys, time\nprint('waits', file=sys.stderr, flush=True)\ntime.sleep(600)\n")
        nothing = "loadline: interrupted while preparing; nothing was {} and no result written\n"
        for words in (
            ("run", "--loader", "late.py:make_loader"),
            ("ab", "--base", "--workers 1", "--new", "--workers 2", "--loader", "late.py:make_loader"),
            ("aa", "--loader", "late.py:make_loader"),
            ("train", "--workload", "mnist", "--data", self.directory, "--compute", "late.py:make_step"),
        ):
            for how in (signal.SIGINT, signal.SIGTERM):
                code, text = self.stop(*words, how=how)
                self.assertEqual(code, 128 + how, text)
                self.assertTrue(text.endswith(nothing.format("trained" if words[0] == "train" else "measured")), text)

    def test_end_a_function_that_is_called_to_count_samples(self):
        for word in ("make_sleeping", "make_counting"):
            code, text = self.stop("run", "--loader", f"mine.py:{word}")
            self.assertEqual(code, 130, text)
            self.assertIn("nothing was measured and no result written", text)

    def test_of_functions_that_wait_come_when_the_time_is_up(self):
        result, _ = self.measure(
            "--mode", "io", "--loader", "mine.py:make_sleeping", *TIME_FOR_THE_FIRST_CELL, "--seed", "2", code=1
        )
        (error,) = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertEqual(
            error,
            "loader mine.py:make_sleeping: make_sleeping() did not return before the run's time was up, and was stopped",
        )

    def test_of_calls_that_nothing_ends_come_when_the_time_is_up(self):
        result, _ = self.measure(
            "--mode", "io", "--loader", "mine.py:make_counting", *TIME_FOR_THE_FIRST_CELL, "--seed", "2", code=1
        )
        (error,) = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertRegex(error, r"^loader mine\.py:make_counting: make_counting\(\) has not returned [\d.]+ s after")
        self.assertEqual(result["status"], "partial")

    def interrupt(self, *words, at):
        """Sends SIGINT when stderr says `at`; returns the exit code, that line and the result."""
        command, how = self.command(
            "run", "--workload", "mnist", "--data", self.directory, "--batch-size", "10", "--mode", "io", "--trials", "50",
            "--first-epoch-seconds", "0", "--ceilings", "off", *words, "-o", "partial.json",
        )  # fmt: skip
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
        line = next(line for line in process.stderr if at in line)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=300)
        with open(os.path.join(self.directory, "partial.json"), encoding="utf-8") as file:
            return process.returncode, line, json.load(file)

    def test_end_a_loader_that_waits(self):
        code, _, result = self.interrupt("--loader", "mine.py:make_slow", at="waits")
        self.assertEqual((code, result["status"]), (130, "partial"))
        self.assertEqual([cell["error"] for cell in result["cells"] if cell["error"]], [])

    def test_of_a_loader_that_hangs_come_when_the_time_is_up(self):
        result, _ = self.measure(
            "--mode", "io", "--loader", "mine.py:make_slow,serial", *TIME_FOR_THE_FIRST_CELL, "--seed", "4", code=1
        )
        (error,) = [cell["error"] for cell in result["cells"] if cell["error"]]
        self.assertEqual(
            error, "loader mine.py:make_slow: next() did not return before the run's time was up, and was stopped"
        )

    @needs_torch
    def test_leave_no_process_behind(self):
        code, line, result = self.interrupt("--loader", "net.py:make_stuck", "--workers", "2", at="worker")
        self.assertEqual((code, result["status"]), (130, "partial"))
        worker = int(line.split()[-1])
        end = time.monotonic() + 20
        while is_alive(worker) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertFalse(is_alive(worker))


if __name__ == "__main__":
    unittest.main()
