"""The trials of one loader: which batches the loop gets in each mode, and what is timed."""

import collections
import itertools
import time

from loadline import _core, _facts
from loadline._loader_cpu import LoaderCpu

_OVERHEAD_BATCHES = 20000  # some 10 ms


class Ended(Exception):
    """A loader has no more batches for a trial; its text says why."""


_ENDED_ITERATOR = "the loader is an iterator, which ended and cannot begin again; pass an iterable that can"
_EMPTY_PASSES = "the loader gave no batches in three passes in a row"


class _Source:
    """The only reference to the iterator of one trial: what it started ends with it."""

    def __init__(self, trials):
        self._trials = trials
        self.iterator = None
        self.setup_seconds = self.open()

    def open(self):
        """Returns the seconds that it took. A loader that cannot be restarted continues its only
        iterator.
        """
        if self._trials.kept is not None:
            self.iterator = self._trials.kept
            return 0.0
        began = time.monotonic()
        self.iterator = self._trials.cpu.iterator(self._trials.loader)
        return time.monotonic() - began

    def close(self):
        iterator, self.iterator = self.iterator, None
        if self._trials.kept is None and hasattr(iterator, "close"):
            iterator.close()  # a generator may be in the middle of something


class Trials:
    """The trials of one loader. `loop` is the program's own loop; `settings` are those of wrap().
    One thread.
    """

    def __init__(self, loader, loop, settings):
        self.loader = loader
        self.restarts = None  # whether it can be restarted, once fetch() has told
        self.kept = None  # the iterator of a loader that cannot be restarted
        self.queue = 0  # the most batches that its workers make ahead, as far as it tells
        self.cpu = LoaderCpu()
        self._loop = loop
        # Measures outside the loop: IO and OVERHEAD.
        self._aside = _core.Loop(advance=None, failed=None, count=settings.count, synchronise=None)
        self._settings = settings
        self._resident = []
        self._warm_up = None  # batches

    def go_on_with(self, loader):
        """Takes further batches from this loader, which replaces the one before."""
        self.loader = loader
        if self.kept is not None:
            self.kept = iter(loader)

    def fetch(self):
        """Fetches the resident batches and returns them."""
        iterator = self.cpu.iterator(self.loader)
        self.restarts = iterator is not self.loader
        self._resident = list(itertools.islice(iterator, self._settings.resident))
        if not self.restarts:
            self.kept = iterator
        elif hasattr(iterator, "close"):
            iterator.close()
        return self._resident

    def prepare(self):
        """Gives the resident batches to the loop, and finds the length of a warm-up."""
        workers, prefetch = _facts.workers_of(self.loader), _facts.prefetch_of(self.loader)
        self.queue = workers * (prefetch if prefetch is not None else 1)
        self._warm_up = self._settings.warm_up
        if self._warm_up is None:
            known = hasattr(self.loader, "prefetch_factor")
            self._warm_up = max(1 if known else 10, self.queue + workers + 1)
            batches_a_pass = _facts.length_of(self.loader)
            if batches_a_pass is not None:
                self._warm_up = min(self._warm_up, batches_a_pass // 2)
        self._loop.set_resident(self._resident)

    def release(self):
        """Lets go of the loader's batches and of its iterator."""
        self.kept = None
        self._resident = []
        self._aside.release()
        self._loop.set_resident([])

    def run(self, mode, limits):
        """A generator that returns a trial of the mode. It yields True when a stretch of the loop
        has begun, and False when the loader's pass is over, and so the loop's. `limits` are as in
        Loop.begin(). Raises Ended.
        """
        modes = {
            "IO": self._io,
            "SYNTHETIC": self._synthetic,
            "FULL": self._full,
            "OVERHEAD": self._overhead,
        }
        return modes[mode](limits)

    # ---- one function a mode

    def _io(self, limits):
        source = _Source(self)
        first = self._drain(source, warm_up=True, batches=1)
        first_batch = source.setup_seconds + first["first_wait_seconds"]
        if self._warm_up > 1:
            self._drain(source, warm_up=True, batches=self._warm_up - 1)
        used, others = self.cpu.meter(), self.cpu.meter_of_others()
        trial = self._drain(source, meters=(used, others), **limits)
        self.cpu.note(others, trial["wall_seconds"])
        trial["loader_cpu_seconds"] = used.seconds()
        trial.update(
            setup_seconds=source.setup_seconds,
            first_batch_seconds=first_batch,
            warm_up_batches=self._warm_up,
        )
        # What it fills for a consumer that reads nothing: half as long, after the ready batches are
        # gone.
        if self.queue:
            self._drain(source, warm_up=True, batches=self.queue, touched=False)
        half = {
            "batches": max(1, trial["batches"] // 2) if limits["batches"] else 0,
            "seconds": trial["wall_seconds"] / 2,
            "least": max(1, trial["batches"] // 4),
        }
        trial["fill"] = self._drain(source, touched=False, **half)
        source.close()
        return trial
        yield  # makes it a generator like the others, though the loop gets nothing

    def _synthetic(self, limits):
        warm_up = max(2, min(5, self._warm_up or 0))
        yield from self._lend(warm_up=True, batches=warm_up)
        used = self.cpu.meter()
        trial = yield from self._lend(**limits)
        used.pause()
        trial["loader_cpu_seconds"] = used.seconds()
        trial.update(setup_seconds=0.0, first_batch_seconds=0.0, warm_up_batches=warm_up)
        return trial

    def _full(self, limits):
        source = _Source(self)
        first_wait = yield from self._warm(source)
        warmed = self._warm_up
        used = self.cpu.meter()
        keep = False
        while True:
            self._loop.begin(source.iterator, keep=keep, **limits)
            yield True
            used.pause()
            trial = self._loop.stretch()
            if trial["over"]:
                break
            if trial["ended"] and self._is_long_enough(trial, limits):
                trial["pass_ended"] = True
                break
            # A pass is over, the loader's or only the loop's. The trial continues in the next one,
            # after a warm-up.
            self._end_pass(source, trial["batches"])
            if trial["ended"]:
                yield False
            source.open()
            yield from self._warm(source)
            used.resume()
            keep = True
        trial["loader_cpu_seconds"] = used.seconds()
        source.close()
        trial.update(
            setup_seconds=source.setup_seconds,
            first_batch_seconds=source.setup_seconds + first_wait,
            warm_up_batches=warmed,
        )
        return trial

    def _overhead(self, limits):
        """Like FULL, through the same iterator, with batches that cost nothing and without a step. It
        has a length of its own, whatever `limits` are.
        """
        loop = _core.Loop(advance=None, failed=None, count=self._settings.count, synchronise=None)
        loop.begin(itertools.repeat(self._resident[0]), batches=_OVERHEAD_BATCHES)
        collections.deque(loop.iterator(), maxlen=0)
        trial = loop.stretch()
        trial.update(
            setup_seconds=0.0, first_batch_seconds=0.0, warm_up_batches=0, loader_cpu_seconds=None
        )
        return trial
        yield  # as in IO

    # ---- parts of them

    def _end_pass(self, source, seen):
        """The loader's pass ended after `seen` batches; the next batch belongs to another pass."""
        source.close()
        if self.kept is not None:
            self.kept = iter(self.loader)
            if not seen:
                raise Ended(_ENDED_ITERATOR)
        if self._warm_up and seen <= 2 * self._warm_up:
            self._warm_up = seen // 2

    def _drain(self, source, warm_up=False, touched=True, meters=(), **limits):
        """Pulls batches outside the loop, from further passes of the loader if one does not have
        enough. Between two passes, and at the end, `meters` pause.
        """
        self._aside.drain(source.iterator, warm_up=warm_up, touched=touched, **limits)
        stretch = self._aside.stretch()
        empty = 0
        while not stretch["over"] and (warm_up or not self._is_long_enough(stretch, limits)):
            before = stretch["batches"]
            for meter in meters:
                meter.pause()
            self._end_pass(source, before)
            source.open()
            if not warm_up and self._warm_up:
                self._aside.drain(
                    source.iterator, batches=self._warm_up, warm_up=True, touched=touched
                )
            for meter in meters:
                meter.resume()
            self._aside.drain(
                source.iterator, keep=True, warm_up=warm_up, touched=touched, **limits
            )
            stretch = self._aside.stretch()
            empty = empty + 1 if stretch["batches"] == before else 0
            if empty == 3:
                raise Ended(_EMPTY_PASSES)
        for meter in meters:
            meter.pause()
        return stretch

    def _lend(self, warm_up=False, **limits):
        """Gives the loop resident batches; a pass that the loop left early continues in the next."""
        self._loop.begin(None, warm_up=warm_up, **limits)
        yield True
        while not self._loop.stretch()["over"]:
            self._loop.begin(None, keep=True, warm_up=warm_up, **limits)
            yield True
        return self._loop.stretch()

    def _warm(self, source):
        """Gives the loop the batches of a warm-up. Returns the first wait."""
        first_wait = None
        empty = 0
        while self._warm_up:
            self._loop.begin(source.iterator, batches=self._warm_up, warm_up=True)
            yield True
            stretch = self._loop.stretch()
            if first_wait is None:
                first_wait = stretch["first_wait_seconds"]
            if stretch["over"]:
                break
            empty = empty + 1 if stretch["batches"] == 0 else 0
            if empty == 3:
                raise Ended(_EMPTY_PASSES)
            self._end_pass(source, stretch["batches"])
            if stretch["ended"]:
                yield False
            source.open()
        return first_wait or 0.0

    @staticmethod
    def _is_long_enough(stretch, limits):
        """Whether a trial by time may end with the loader's pass, because the next pass would start
        anew.
        """
        return not limits["batches"] and stretch["batches"] >= limits["least"]
