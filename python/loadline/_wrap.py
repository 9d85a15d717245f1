"""One line in a training loop measures IO, SYNTHETIC, FULL and OVERHEAD from inside the loop."""

import atexit
import collections
import itertools
import os
import random
import shutil
import sys
import time

from loadline import _core, _facts, _machine

MODES = ("IO", "SYNTHETIC", "FULL", "OVERHEAD")

_OVERHEAD_BATCHES = 20000  # some 10 ms
_FEWEST_BATCHES = 20  # in a trial by time, unless they would take 10 times as long
_RANK_BATCHES = 100  # in a trial with several ranks, whose steps may wait for each other

_IDLE_SHARE = 0.01  # of a CPU

_plans = {}  # by the id of the loader, which the plan keeps alive


def wrap(
    loader,
    *,
    enabled=None,
    trials=5,
    trial_seconds=1.0,
    trial_batches=None,
    warm_up=None,
    modes=("IO", "SYNTHETIC", "FULL"),
    resident=2,
    count=None,
    name=None,
    output=None,
    overwrite=False,
    then=None,
    record=None,
    au=None,
    seed=1,
    quiet=False,
):
    """Measures a training loop from inside:

        for epoch in range(epochs):
            for images, labels in loadline.wrap(loader):  # was: in loader
                step(images, labels)

    `loader` is any iterable. Each round, in a random order, has a trial of IO (batches are pulled
    and read, but the loop gets none of them), of SYNTHETIC (the loop gets a few resident batches
    again and again while the loader is idle) and of FULL (the loop gets the loader's batches as
    they come). A round may span epochs: a pass of the loop ends with the loader's own pass, and
    the next pass continues the round. After the last trial the loop gets a normal pass, or the
    program ends.

    The step does not know which trial it is in: it trains on resident batches and on parts of
    epochs, so measure before a training whose model you want to keep.

    enabled: False returns the loader itself, as does LOADLINE_DISABLE in the environment.
    trials: of each mode. trial_seconds: minimum length of a trial, which also has at least 20
    batches unless these take ten times as long; with 20 batches it may end with the loader's pass.
    trial_batches: number of batches per trial, instead of that; 100 with several ranks.
    warm_up: batches before the clock starts; by default at least all that workers fetch ahead.
    modes: "IO", "SYNTHETIC", "FULL"; OVERHEAD, the cost of the harness itself, is always measured
    too.
    resident: number of batches of SYNTHETIC. They are kept as the loader gave them, not copied.
    count: a function that returns the samples of a batch; without it they are the first dimension
    of the first array.
    name: of the workload in the result; by default the name of the program.
    output: result file; by default LOADLINE_OUTPUT or loadline-<run id>.json; "" for no file.
    overwrite: whether an existing result is replaced.
    then: "train" (the default) or "exit", which ends the program with code 0 by SystemExit; or
    LOADLINE_THEN.
    record: a file; then the loop runs unchanged, and what it waits for is recorded (see
    loadline.record).
    au: share of the time that the step should be busy; the verdict says whether it is.
    quiet: print nothing.

    Returns an iterable with the attributes of the loader. Calls with the same loader continue the
    same measurement; one thread at a time. Raises loadline.Error if the output cannot be written
    or samples cannot be counted. Exceptions of the loader pass through, after they are recorded in
    the result.
    """
    if enabled is None:
        enabled = os.environ.get("LOADLINE_DISABLE", "") in ("", "0")
    if not enabled:
        return loader
    if record is not None:
        from loadline._record import recorded

        return recorded(loader, record, count=count, overwrite=overwrite)
    plan = _plans.get(id(loader))
    if plan is None:
        settings = Settings(
            trials=trials,
            trial_seconds=trial_seconds,
            trial_batches=trial_batches,
            warm_up=warm_up,
            modes=modes,
            resident=resident,
            count=count,
            name=name,
            output=output,
            overwrite=overwrite,
            then=then,
            au=au,
            seed=seed,
            quiet=quiet,
        )
        plan = _plans[id(loader)] = Plan(loader, settings)
    return Wrapped(plan)


class Settings:
    """The arguments of wrap(), checked."""

    def __init__(self, **given):
        self.__dict__.update(given)
        modes = (self.modes,) if isinstance(self.modes, str) else self.modes
        self.modes = tuple(mode.upper() for mode in modes)
        for mode in self.modes:
            if mode not in MODES:
                raise ValueError(f"modes: want some of {', '.join(MODES)}, got {mode!r}")
        if not set(self.modes) - {"OVERHEAD"}:
            raise ValueError("modes: want at least one of IO, SYNTHETIC, FULL")
        if "OVERHEAD" not in self.modes:
            self.modes += ("OVERHEAD",)
        for what in ("trials", "resident"):
            if getattr(self, what) < 1:
                raise ValueError(f"{what}: want at least 1, got {getattr(self, what)}")
        if not self.trial_seconds > 0:
            raise ValueError(f"trial_seconds: want a number above 0, got {self.trial_seconds}")
        if self.trial_batches is not None and self.trial_batches < 1:
            raise ValueError(f"trial_batches: want at least 1, got {self.trial_batches}")
        self.then = self.then or os.environ.get("LOADLINE_THEN") or "train"
        if self.then not in ("train", "exit"):
            raise ValueError(f"then: want 'train' or 'exit', got {self.then!r}")
        if self.output is None:
            self.output = os.environ.get("LOADLINE_OUTPUT")

    def limits(self, ranks):
        """The length of a trial, as Loop.begin() takes it."""
        batches = self.trial_batches or (_RANK_BATCHES if ranks > 1 else 0)
        return {
            "batches": batches,
            "seconds": self.trial_seconds,
            "least": _FEWEST_BATCHES,
            "most": 10 * self.trial_seconds,
        }


class Wrapped:
    """A loader that is being measured: in all other respects the loader itself."""

    def __init__(self, plan):
        self._plan = plan

    def __iter__(self):
        return self._plan.begin_pass()

    def __len__(self):
        return len(self._plan.loader)

    def __getattr__(self, name):
        return getattr(self._plan.loader, name)

    @property
    def result(self):
        """The measurement: .json(), .verdicts(); None until the first pass."""
        return self._plan.result


class _Ended(Exception):
    """A loader that cannot be restarted has no more batches."""


class _Source:
    """The only reference to the iterator of one trial: what it started ends with it."""

    def __init__(self, plan):
        self._plan = plan
        self.iterator = None
        self.setup_seconds = self.open()

    def open(self):
        """Returns the seconds that it took. A loader that cannot be restarted continues its only
        iterator.
        """
        if self._plan.kept is not None:
            self.iterator = self._plan.kept
            return 0.0
        began = time.monotonic()
        self.iterator = self._plan.iterator()
        return time.monotonic() - began

    def close(self):
        iterator, self.iterator = self.iterator, None
        if self._plan.kept is None and hasattr(iterator, "close"):
            iterator.close()  # a generator may be in the middle of something


class Plan:
    """The measurement of one loader, over as many passes of the loop as needed. One thread."""

    def __init__(self, loader, settings):
        self.loader = loader
        self.settings = settings
        self.result = None
        self.done = False
        self._process = os.getpid()
        self._ranks = _facts.world_size()
        self._rank = _facts.rank()
        self._loop = _core.Loop(
            advance=self._advance,
            failed=self._loader_failed,
            count=settings.count,
            synchronise=_facts.synchronise,
        )
        # Measures outside the loop: IO and OVERHEAD.
        self._aside = _core.Loop(advance=None, failed=None, count=settings.count, synchronise=None)
        self._mode = None
        self.kept = None  # the iterator of a loader that cannot be restarted
        self._threads_before = _machine.python_threads()
        self._threads_of_iterators = set()
        self._only_loader_works = None  # whether that was so in all trials of IO; None: none yet
        self._processes_before = _machine.descendants()
        self._warm_up = None
        self._started = time.monotonic()
        self._output = ""  # the result's file, once it is open
        self._steps = self._run()
        atexit.register(self._at_exit)

    # ---- what the loop calls

    def begin_pass(self):
        if self.done or os.getpid() != self._process:
            return iter(self.loader)
        self._loop.interrupt()
        return self._loop.iterator()

    def _advance(self):
        """Begins the next stretch of the loop and returns True; False at the end of a pass."""
        try:
            return next(self._steps, False)
        except SystemExit:
            raise
        except BaseException:
            self._finish(complete=False)
            raise

    def _loader_failed(self, error):
        """The loader raised `error`, which goes on to the loop."""
        if not self.done:
            self._fail(error)
            self._finish(complete=False)

    # ---- the trials

    def _run(self):
        """A generator that continues whenever a stretch of the loop is over. It yields True when the
        next one has begun, and False when the loader's pass is over, and so the loop's.
        """
        settings = self.settings
        if not self._probe():
            return
        for number in range(settings.trials):
            for index in _core.round_order(settings.seed, number, len(settings.modes)):
                self._mode = settings.modes[index]
                if not self._wants(self._mode, number):
                    continue
                self._barrier()
                self.result.mark_usage()
                try:
                    trial = yield from getattr(self, "_" + self._mode.lower())()
                except _Ended:
                    self.result.fail(
                        self._mode, "the loader cannot be restarted and has no more batches"
                    )
                    self._finish(complete=False)
                    return
                ended = trial.pop("pass_ended", False)
                self._enter(trial, number)
                if ended:
                    yield False
        self._mode = None
        self._finish(complete=True)
        if settings.then == "exit":
            raise SystemExit(0)
        self._loop.pass_through(iter(self.loader))
        yield True

    def iterator(self):
        """A new iterator of the loader. The threads that begin meanwhile are the loader's."""
        before = _machine.threads()
        iterator = iter(self.loader)
        self._threads_of_iterators |= _machine.threads() - before
        return iterator

    def _probe(self):
        """Fetches the resident batches and what they tell. False if there are none."""
        began = time.monotonic()
        iterator = self.iterator()
        self._restarts = iterator is not self.loader
        batches = list(itertools.islice(iterator, self.settings.resident))
        if not self._restarts:
            self.kept = iterator
        elif hasattr(iterator, "close"):
            iterator.close()
        del iterator
        self._resident = batches
        self._open_result(batches)
        if not batches:
            for mode in self.settings.modes:
                self.result.fail(mode, "the loader gave no batches")
            self._finish(complete=False)
            return False
        self._loop.set_resident(batches)
        self._report(
            f"loadline: measuring {_facts.short_name(self.loader)}: {self.settings.trials} trials "
            f"each of {', '.join(self.settings.modes)} (the first batches took "
            f"{time.monotonic() - began:.1f} s)"
        )
        return True

    def _open_result(self, batches):
        settings = self.settings
        samples = [_core.samples_of(batch, settings.count) for batch in batches]
        if any(number < 1 for number in samples):
            raise _core.Error(
                f"cannot count the samples of a batch of type {_facts.type_name(batches[0])}; give "
                "loadline.wrap(count=) a function that can"
            )
        workers, prefetch = _facts.workers_of(self.loader), _facts.prefetch_of(self.loader)
        self._queue = workers * (prefetch if prefetch is not None else 1)
        self._warm_up = settings.warm_up
        if self._warm_up is None:
            known = hasattr(self.loader, "prefetch_factor")
            self._warm_up = max(1 if known else 10, self._queue + workers + 1)
        batches_a_pass = _facts.length_of(self.loader)
        if batches_a_pass is not None and settings.warm_up is None:
            self._warm_up = min(self._warm_up, batches_a_pass // 2)
        dataset = getattr(self.loader, "dataset", None)
        run_id = _core.run_id(random.SystemRandom().getrandbits(24))
        output = settings.output
        output = f"loadline-{run_id}.json" if output is None else os.fspath(output)
        if self._ranks > 1 and output:
            root, ending = os.path.splitext(output)
            if _facts.distributed() is None:
                output = f"{root}-rank{self._rank}{ending}"
            elif self._rank > 0:
                output = ""
        for plan in _plans.values():
            if plan is not self and not plan.done and plan._output and plan._output == output:
                raise _core.Error(
                    f"cannot write {output}: the measurement of another loader into it is not finished; give wrap() "
                    "the same loader in each epoch, or each loader its own output"
                )
        self._output = output
        self.result = _core.LoopResult(
            {
                "run_id": run_id,
                "argv": _facts.arguments(),
                "name": settings.name or _facts.program_name(),
                "loader": _facts.short_name(self.loader),
                "loader_type": _facts.type_name(self.loader),
                "workers": workers,
                "prefetch": self._queue,
                "dataset": _facts.type_name(dataset if dataset is not None else self.loader),
                "dataset_samples": _facts.length_of(dataset) if dataset is not None else None,
                "batch_size": max(samples, default=1),
                "batch_bytes": max((_core.bytes_of(batch) for batch in batches), default=0),
                "versions": _facts.versions(),
                "restarts": self._restarts,
                "resident_batches": len(batches),
                "samples_by": "first dimension" if settings.count is None else "function",
                "accelerator": "cuda" if _facts.cuda() else None,
                "starts_together": "torch.distributed" if _facts.distributed() else None,
                "modes": list(settings.modes),
                "trials": settings.trials,
                "trial_seconds": float(settings.trial_seconds),
                "trial_batches": settings.limits(self._ranks)["batches"] or None,
                "warm_up_batches": settings.warm_up,
                "seed": settings.seed,
                "rank": self._rank,
                "world_size": self._ranks,
                "au": settings.au,
                "output": output,
                "overwrite": settings.overwrite,
            }
        )

    def _end_pass(self, source, seen):
        """The loader's pass ended after `seen` batches; the next batch belongs to another pass."""
        source.close()
        if self.kept is not None:
            self.kept = iter(self.loader)
            if not seen:
                raise _Ended
        if self._warm_up and seen <= 2 * self._warm_up:
            self._warm_up = seen // 2

    def _io(self):
        source = _Source(self)
        first = self._drain(source, warm_up=True, batches=1)
        first_batch = source.setup_seconds + first["first_wait_seconds"]
        if self._warm_up > 1:
            self._drain(source, warm_up=True, batches=self._warm_up - 1)
        used, others = self._meter(), _machine.CpuMeter(self._other_places)
        trial = self._drain(source, meters=(used, others), **self._limits())
        self._check(others, trial["wall_seconds"])
        trial["loader_cpu_seconds"] = used.seconds()
        trial.update(
            setup_seconds=source.setup_seconds,
            first_batch_seconds=first_batch,
            warm_up_batches=self._warm_up,
        )
        # What it fills for a consumer that reads nothing: half as long, after the ready batches are
        # gone.
        if self._queue:
            self._drain(source, warm_up=True, batches=self._queue, touched=False)
        half = {
            "batches": max(1, trial["batches"] // 2) if self._limits()["batches"] else 0,
            "seconds": trial["wall_seconds"] / 2,
            "least": max(1, trial["batches"] // 4),
        }
        trial["fill"] = self._drain(source, touched=False, **half)
        source.close()
        return trial
        yield  # makes it a generator like the others, though the loop gets nothing

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
                raise _Ended
        for meter in meters:
            meter.pause()
        return stretch

    def _synthetic(self):
        if not _machine.wait_until_idle(self._processes_before):
            self.result.count_busy_start()
        warm_up = max(2, min(5, self._warm_up or 0))
        yield from self._lend(warm_up=True, batches=warm_up)
        used = self._meter()
        trial = yield from self._lend(**self._limits())
        used.pause()
        trial["loader_cpu_seconds"] = used.seconds()
        trial.update(setup_seconds=0.0, first_batch_seconds=0.0, warm_up_batches=warm_up)
        return trial

    def _lend(self, warm_up=False, **limits):
        """Gives the loop resident batches; a pass that the loop left early continues in the next."""
        self._loop.begin(None, warm_up=warm_up, **limits)
        yield True
        while not self._loop.stretch()["over"]:
            self._loop.begin(None, keep=True, warm_up=warm_up, **limits)
            yield True
        return self._loop.stretch()

    def _full(self):
        limits = self._limits()
        source = _Source(self)
        first_wait = yield from self._warm(source)
        warmed = self._warm_up
        used = self._meter()
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

    @staticmethod
    def _is_long_enough(stretch, limits):
        """Whether a trial by time may end with the loader's pass, because the next pass would start
        anew.
        """
        return not limits["batches"] and stretch["batches"] >= limits["least"]

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
                raise _Ended
            self._end_pass(source, stretch["batches"])
            if stretch["ended"]:
                yield False
            source.open()
        return first_wait or 0.0

    def _overhead(self):
        """Like FULL, through the same iterator, with batches that cost nothing and without a step."""
        loop = _core.Loop(advance=None, failed=None, count=self.settings.count, synchronise=None)
        loop.begin(itertools.repeat(self._resident[0]), batches=_OVERHEAD_BATCHES)
        collections.deque(loop.iterator(), maxlen=0)
        trial = loop.stretch()
        trial.update(
            setup_seconds=0.0, first_batch_seconds=0.0, warm_up_batches=0, loader_cpu_seconds=None
        )
        return trial
        yield

    # ---- beside the trials

    def _limits(self):
        return self.settings.limits(self._ranks)

    def _wants(self, mode, number):
        """Whether the mode has a trial in this round."""
        return True

    def _places(self):
        """The threads and processes that are counted as the loader's: those that Python or the loader
        began since the measurement did, but none of a library that the step may have begun.
        """
        threads = _machine.python_threads() - self._threads_before | self._threads_of_iterators
        return _machine.places_of_threads(threads & _machine.threads()) | _machine.places_below(
            self._processes_before
        )

    def _other_places(self):
        everything = _machine.places_of_threads(_machine.threads()) | _machine.places_below()
        return everything - self._places()

    def _meter(self):
        return _machine.CpuMeter(self._places)

    def _check(self, others, wall_seconds):
        """After IO, where only the loader has work: others that worked too may belong to it."""
        used = others.seconds()
        idle = used is not None and used <= _IDLE_SHARE * wall_seconds
        self._only_loader_works = idle and self._only_loader_works is not False

    def _barrier(self):
        group = _facts.distributed()
        if group is not None and self._ranks > 1:
            group.barrier()

    def _enter(self, trial, number):
        trial.setdefault("fill", None)
        trial["round"] = number
        trial["started_seconds"] = max(
            0.0, time.monotonic() - self._started - trial["wall_seconds"]
        )
        self.result.add_trial(self._mode, trial)
        news = self.result.save_in_passing()
        if news:
            self._report(f"loadline: {news}")

    def _fail(self, error):
        if self.result is not None and self._mode is not None:
            self.result.fail(self._mode, _facts.error_sentence(error))

    def _finish(self, complete):
        """Judges, writes and prints, once."""
        if self.done:
            return
        self.done = True
        self.kept = None
        self._resident = []
        self._aside.release()
        self._loop.set_resident([])
        error = sys.exc_info()[1]
        if self.result is None:
            return
        if error is not None and isinstance(error, Exception) and not isinstance(error, _Ended):
            self._fail(error)
        if _facts.cuda():
            self.result.set_accelerator("cuda")
        if not self._only_loader_works:
            self.result.forget_loader_cpu()
        self.result.finish(complete)
        if complete and self._ranks > 1 and _facts.distributed() is not None:
            self._gather()
        if self._rank == 0 or _facts.distributed() is None:
            self._show()
            self.result.write()
            if self.result.path and not self.settings.quiet and self._rank == 0:
                print(f"\nresult: {self.result.path}", flush=True)
        self._steps = None
        self.result.forget_file()

    def _gather(self):
        """Merges the results of all ranks, on the first."""
        group = _facts.distributed()
        texts = [None] * self._ranks
        group.all_gather_object(texts, self.result.json())
        if self._rank == 0:
            self.result.merge(texts)

    def _show(self):
        if self.settings.quiet or self._rank > 0:
            return
        figures, warnings = self.result.text(
            shutil.get_terminal_size().columns if sys.stdout.isatty() else 100
        )
        print("\n" + figures, end="", flush=True)
        if warnings:
            print(warnings, end="", file=sys.stderr, flush=True)

    def _report(self, line):
        if not self.settings.quiet and self._rank == 0:
            print(line, file=sys.stderr, flush=True)

    def _at_exit(self):
        """The program ended early: the trials so far become a result, marked partial."""
        if self.done or self.result is None or os.getpid() != self._process:
            return
        self._finish(complete=False)
        if not self.settings.quiet:
            print(
                "loadline: the program ended before all trials were done"
                + (
                    ", by the exception above"
                    if getattr(sys, "last_value", None) is not None and not hasattr(sys, "ps1")
                    else "; give it more epochs, or use fewer or shorter trials (trials=, trial_seconds=)"
                ),
                file=sys.stderr,
            )
