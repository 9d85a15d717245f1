"""What a measurement prints: figures to the output, all else to the error output."""

import shutil
import sys


class Printer:
    """Prints nothing but complaints if `quiet`. Of several ranks only the first prints, except complaints."""

    def __init__(self, quiet, rank):
        self._complains = not quiet
        self._prints = not quiet and rank == 0

    def news(self, line):
        if self._prints:
            print(f"loadline: {line}", file=sys.stderr, flush=True)

    def figures(self, result):
        """The figures of a LoopResult, and its warnings."""
        if not self._prints:
            return
        figures, warnings = result.text(
            shutil.get_terminal_size().columns if sys.stdout.isatty() else 100
        )
        print(f"\n{figures}", end="", flush=True)
        if warnings:
            print(warnings, end="", file=sys.stderr, flush=True)

    def no_trial(self, limits):
        """What stands in the place of figures. `limits` of a trial are as in Loop.begin()."""
        if limits["batches"]:
            length = f"{limits['batches']} batches"
        else:
            length = f"at least {limits['seconds']:g} s and {limits['least']} batches"
        self.news(f"no trial of this loop was finished; a trial takes {length}, after its warm-up")

    def path(self, result):
        """Where the result was written, if it was."""
        if self._prints and result.path:
            print(f"\nresult: {result.path}", flush=True)

    @staticmethod
    def complaint(line):
        """On every rank, even if `quiet`."""
        print(f"loadline: {line}", file=sys.stderr, flush=True)

    def early_end(self, arguments):
        """Says on every rank, unless `quiet`, that the program ended before the measurement did, whose length
        `arguments` choose.
        """
        if not self._complains:
            return
        by_exception = getattr(sys, "last_value", None) is not None and not hasattr(sys, "ps1")
        what = (
            "the exception above ended the program before all trials were done"
            if by_exception
            else "the program ended before all trials were done; give it more epochs, or use fewer or shorter trials "
            f"({arguments})"
        )
        print(f"loadline: {what}", file=sys.stderr)
