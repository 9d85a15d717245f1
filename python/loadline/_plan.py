"""The measurement of one loader: which trial comes when, and the result that they become."""

import atexit
import os
import random
import sys
import time
import weakref

from loadline import _arguments, _core, _facts
from loadline._printing import Printer
from loadline._trials import Ended, Trials

outputs = {}  # by file: the plan that measures into it or, if it has finished, did


class Plan:
    """The measurement of one loop, over as many passes as needed. One thread."""

    def __init__(self, loader, settings):
        self.loader = loader
        self.settings = settings
        self.result = None
        self.done = False
        self._process = os.getpid()
        self._ranks = _facts.world_size()
        self._rank = _facts.rank()
        self._printer = Printer(settings.quiet, self._rank)
        self._loop = _core.Loop(
            advance=self._advance,
            failed=self._loader_failed,
            count=settings.count,
            synchronise=_facts.synchronise,
        )
        self._trials = Trials(loader, self._loop, settings)
        self._mode = None
        self._started = time.monotonic()
        self._output = ""  # the result's file, once it is open
        self._tells = False  # whether it has a trial, or the reason why there is none
        self._complete = False
        self._said_done = False
        self._held_by = lambda: None
        self._steps = self._run()
        atexit.register(self._at_exit)

    # ---- what the loop calls

    def begin_pass(self, keeps):
        """An iterator of the loop, which keeps `keeps` alive."""
        self._held_by = weakref.ref(keeps)
        if self.done or os.getpid() != self._process:
            return iter(self.loader)
        self._loop.interrupt()
        return self._loop.iterator(keeps)

    def is_held(self):
        """Whether the program still has what the last pass keeps, and so may go on with that pass or begin another."""
        return self._held_by() is not None

    def go_on_with(self, loader):
        """The program has made another loader for the next pass of the same loop."""
        self.loader = loader
        if not self.done:
            self._trials.go_on_with(loader)
        elif not self._said_done:
            self._said_done = True
            why = (
                "this loop has been measured and"
                if self._complete
                else "the measurement of this loop ended early, and it"
            )
            # Another name alone would write the file of this measurement.
            keeps_file = self.settings.output and not self.settings.overwrite
            again = "another output=" if keeps_file else "another output= or name="
            self._printer.news(f"{why} now gets its loader's batches unchanged; {again} measures it again")

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
            if isinstance(error, Exception):  # Ctrl-C ends the program, and is no fault of the loader's
                self._fail(error)
            self._finish(complete=False)

    # ---- the order of the trials

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
                self._prepare_trial()
                try:
                    trial = yield from self._trials.run(self._mode, self._limits())
                except Ended as ended:
                    self._fail_mode(self._mode, str(ended))
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

    def _probe(self):
        """Fetches the resident batches and what they tell. False if there are none."""
        began = time.monotonic()
        batches = self._trials.fetch()
        self._open_result(batches)
        if not batches:
            for mode in self.settings.modes:
                self._fail_mode(mode, "the loader gave no batches")
            self._finish(complete=False)
            self._printer.complaint("nothing was measured: the loader gave no batches")
            return False
        self._printer.news(
            f"measuring {_facts.short_name(self.loader)}: {self.settings.trials} "
            f"{'trial' if self.settings.trials == 1 else 'trials'} "
            f"each of {', '.join(self.settings.modes)} (the first batches took "
            f"{time.monotonic() - began:.1f} s)"
        )
        return True

    def _limits(self):
        return self.settings.limits(self._ranks)

    def _arguments_of_length(self):
        """The arguments that say how long the measurement takes, in words."""
        return "trials=, trial_batches=" if self._limits()["batches"] else "trials=, trial_seconds="

    def _wants(self, mode, number):
        """Whether the mode has a trial in this round."""
        return True

    def _prepare_trial(self):
        group = _facts.distributed()
        if group is not None and self._ranks > 1:
            group.barrier()
        self.result.mark_usage()
        if self._mode == "SYNTHETIC" and not self._trials.cpu.wait_until_idle():
            self.result.count_busy_start()

    # ---- the result

    def _open_result(self, batches):
        settings = self.settings
        samples = [self._samples_of(batch) for batch in batches]
        self._trials.prepare()
        dataset = getattr(self.loader, "dataset", None)
        run_id = _core.run_id(random.SystemRandom().getrandbits(24))
        self._output = self._choose_output(run_id)
        self.result = self._opened(
            {
                "run_id": run_id,
                "argv": _facts.arguments(),
                "name": settings.name or _facts.program_name(),
                "loader": _facts.short_name(self.loader),
                "loader_type": _facts.type_name(self.loader),
                "workers": _facts.workers_of(self.loader),
                "prefetch": self._trials.queue,
                "dataset": _facts.type_name(dataset if dataset is not None else self.loader),
                "dataset_samples": _facts.length_of(dataset) if dataset is not None else None,
                "batch_size": max(samples, default=1),
                "batch_bytes": max((_core.bytes_of(batch) for batch in batches), default=0),
                "versions": _facts.versions(),
                "restarts": self._trials.restarts,
                "resident_batches": len(batches),
                "samples_by": "first dimension" if settings.count is None else "function",
                "accelerator": "cuda" if _facts.cuda() else None,
                "starts_together": "torch.distributed" if _facts.distributed() else None,
                "modes": list(settings.modes),
                "trials": settings.trials,
                "trial_seconds": settings.trial_seconds,
                "trial_batches": settings.limits(self._ranks)["batches"] or None,
                "warm_up_batches": settings.warm_up,
                "seed": settings.seed,
                "rank": self._rank,
                "world_size": self._ranks,
                "au": settings.au,
                "output": self._output,
                "overwrite": settings.overwrite,
            }
        )

    def _samples_of(self, batch):
        count = self.settings.count
        samples = _core.samples_of(batch, count)
        if samples > 0:
            return samples
        kind = _facts.type_name(batch)
        if count is not None:
            raise _core.Error(f"count: want at least 1 sample in a batch, got {samples} for one of type {kind}")
        if samples == 0:
            raise _core.Error(f"loader {_facts.short_name(self.loader)}: a batch of type {kind} has no samples")
        raise _core.Error(f"{_facts.uncounted(batch)}; give loadline.wrap(count=) a function that can")

    def _opened(self, facts):
        """The result, whose file is this plan's from now on."""
        try:
            result = _core.LoopResult(facts)
        except _core.Error as error:
            raise _arguments.in_python(error) from None
        if self._output:
            outputs[self._output] = self
        return result

    def _choose_output(self, run_id):
        output = self.settings.output
        return file_of_rank(f"loadline-{run_id}.json" if output is None else output)

    def _enter(self, trial, number):
        trial.setdefault("fill", None)
        trial["round"] = number
        trial["started_seconds"] = max(
            0.0, time.monotonic() - self._started - trial["wall_seconds"]
        )
        self.result.add_trial(self._mode, trial)
        if self._mode != "OVERHEAD":
            self._tells = True
        news = self.result.save_in_passing()
        if news:
            self._printer.news(news)

    def _fail(self, error):
        if self.result is not None and self._mode is not None:
            self._fail_mode(self._mode, _facts.error_sentence(error))

    def _fail_mode(self, mode, why):
        self.result.fail(mode, why)
        self._tells = True

    # ---- the end

    def _finish(self, complete):
        """Judges, writes and prints, once."""
        if self.done:
            return
        self.done = True
        self._complete = complete
        self._trials.release()
        error = sys.exc_info()[1]
        if self.result is None:
            return
        if error is not None and isinstance(error, Exception) and not isinstance(error, Ended):
            self._fail(error)
        if _facts.cuda():
            self.result.set_accelerator("cuda")
        if not self._trials.cpu.is_known():
            self.result.forget_loader_cpu()
        self.result.finish(complete)
        if complete and self._ranks > 1 and _facts.distributed() is not None:
            self._gather()
        if self._rank == 0 or _facts.distributed() is None:
            self._show()
            self.result.write()
            self._printer.path(self.result)
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
        if self._tells:
            self._printer.figures(self.result)
        else:
            self._printer.no_trial(self._limits())

    def _at_exit(self):
        """The program ended early: the trials so far become a result, marked partial."""
        if self.done or self.result is None or os.getpid() != self._process:
            return
        self._finish(complete=False)
        self._printer.early_end(self._arguments_of_length())


def file_of_rank(output):
    """The file of this process for a result in `output`. Ranks that do not know of each other write one each."""
    if not output or _facts.world_size() == 1:
        return output
    if _facts.distributed() is not None:
        return output if _facts.rank() == 0 else ""
    root, ending = os.path.splitext(output)
    return f"{root}-rank{_facts.rank()}{ending}"
