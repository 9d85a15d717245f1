"""One line in a training loop measures IO, SYNTHETIC, FULL and OVERHEAD from inside the loop."""

import os

from loadline import _arguments
from loadline._plan import Plan, plans

MODES = ("IO", "SYNTHETIC", "FULL", "OVERHEAD")

_FEWEST_BATCHES = 20  # in a trial by time, unless they would take 10 times as long
_RANK_BATCHES = 100  # in a trial with several ranks, whose steps may wait for each other


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
    epochs, so measure before a training run whose model you want to keep.

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
    quiet: print nothing, except a line on stderr if the loader gives no batches.

    Returns an iterable with the attributes of the loader. Calls with the same loader continue the
    same measurement; one thread at a time. Raises loadline.Error for a wrong argument, and if the
    output cannot be written or samples cannot be counted. Exceptions of the loader pass through,
    after they are recorded in the result.
    """
    if enabled is None:
        enabled = os.environ.get("LOADLINE_DISABLE", "") in ("", "0")
    if not enabled:
        return loader
    if not _arguments.is_iterable(loader):
        raise _arguments.refusal("loader", "an iterable of batches", loader)
    _arguments.check_count(count)
    if record is not None:
        from loadline._record import recorded

        return recorded(loader, _arguments.path("record", record), count=count, overwrite=overwrite)
    plan = plans.get(id(loader))
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
        plan = plans[id(loader)] = Plan(loader, settings)
    return Wrapped(plan)


class Settings:
    """The arguments of wrap(), checked. Raises Error for a wrong one."""

    def __init__(self, **given):
        self.__dict__.update(given)
        self._check_modes()
        _arguments.check_count(self.count)
        self.trial_seconds = _arguments.above_zero("trial_seconds", self.trial_seconds)
        for what, least in (("trials", 1), ("resident", 1), ("seed", 0), ("trial_batches", 1), ("warm_up", 0)):
            value = getattr(self, what)
            if value is not None or what not in ("trial_batches", "warm_up"):
                setattr(self, what, _arguments.whole(what, value, least))
        if self.au is not None:
            share = _arguments.above_zero("au", self.au)
            if share > 1:
                raise _arguments.refusal("au", "a share of at most 1", self.au)
            self.au = share
        if self.name is not None and not isinstance(self.name, str):
            raise _arguments.refusal("name", "text", self.name)
        self.then = self.then or os.environ.get("LOADLINE_THEN") or "train"
        if self.then not in ("train", "exit"):
            raise _arguments.refusal("then", "'train' or 'exit'", self.then)
        if self.output is None:
            self.output = os.environ.get("LOADLINE_OUTPUT")
        if self.output is not None:
            self.output = _arguments.path("output", self.output)
        self.overwrite = bool(self.overwrite)

    def _check_modes(self):
        modes = (self.modes,) if isinstance(self.modes, str) else self.modes
        if not isinstance(modes, (tuple, list, set)):
            raise _arguments.refusal("modes", f"some of {', '.join(MODES)}", modes)
        for mode in modes:
            if not isinstance(mode, str) or mode.upper() not in MODES:
                raise _arguments.refusal("modes", f"some of {', '.join(MODES)}", mode)
        self.modes = tuple(mode.upper() for mode in modes)
        if not set(self.modes) - {"OVERHEAD"}:
            raise _arguments.refusal("modes", "at least one of IO, SYNTHETIC, FULL", self.modes)
        if "OVERHEAD" not in self.modes:
            self.modes += ("OVERHEAD",)

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
