"""One line in a training loop measures IO, SYNTHETIC, FULL and OVERHEAD from inside the loop."""

import itertools
import os
import sys

from loadline import _arguments, _core, _facts
from loadline._plan import Plan, file_of_rank, outputs
from loadline._printing import Printer

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
    overwrite: whether an existing result, such as one of an earlier program, is replaced.
    then: "train" (the default) or "exit", which ends the program with code 0 by SystemExit; or
    LOADLINE_THEN.
    record: a file; then the loop runs unchanged, and what it waits for is recorded (see
    loadline.record).
    au: share of the time that the step should be busy; the verdict says whether it is.
    quiet: print nothing, except a line on stderr if the loader gives no batches.

    Returns an iterable with the attributes of the loader. Calls with the same loader continue the
    same measurement, and so do calls from the same place of the program, with the same `name` and
    `output`, for a new loader of the same type, length and number of workers. After the measurement
    the loop gets the batches of its loader; another `name` or `output` measures again. A loop is
    not measured if its output is that of another loop of this program. One thread at a time. Raises
    loadline.Error for a wrong argument, if the output of an earlier program is there, if the output
    cannot be written and if samples cannot be counted. Exceptions of the loader pass through, after
    they are recorded in the result.
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

        if output is not None:
            raise _core.Error("output: there is no result with record=, which names the file of the recording")
        path = _arguments.path("record", record)
        return recorded(loader, path, count=count, overwrite=overwrite, quiet=quiet)
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
    if id(loader) not in _plans:
        settings.check_output()
    caller = sys._getframe(1)
    place = caller.f_code.co_filename, caller.f_code, caller.f_lasti, settings.name, settings.output
    return _Measured(loader, settings, place)


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

    def check_output(self):
        """Raises Error if the file of an earlier program must not be replaced. With several ranks the file is not
        known yet.
        """
        if not self.output or self.output in outputs or _facts.world_size() > 1:
            return
        try:
            _core.check_output(self.output, overwrite=self.overwrite)
        except _core.Error as error:
            raise _arguments.in_python(error) from None

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

    def __init__(self, loader, plan):
        self._loader = loader
        self._plan = plan  # None: it is not measured, or not yet

    def __iter__(self):
        return iter(self._loader) if self._plan is None else self._plan.begin_pass(keeps=self)

    def __len__(self):
        return len(self._loader)

    def __getattr__(self, name):
        return getattr(self._loader, name)

    @property
    def result(self):
        """The measurement: .json(), .verdicts(); None until the first pass."""
        return None if self._plan is None else self._plan.result


_plans = {}  # by the id of the loader, which the plan keeps alive
_places = {}  # by the place of the call of wrap(), the plans there by the kind of their loader
_told = set()  # places whose loop is not measured, which was said


class _Measured(Wrapped):
    """What wrap() returns. Which plan it belongs to is decided when a pass begins: by then the program has dropped what
    it does not need of earlier loaders.
    """

    def __init__(self, loader, settings, place):
        super().__init__(loader, _plans.get(id(loader)))
        self._settings = settings
        self._place = place

    def __iter__(self):
        self._plan = _plans.get(id(self._loader)) or self._plan_of_place()
        return super().__iter__()

    def _plan_of_place(self):
        """The plan that goes on with this loader, or a new one; None: the loop is not measured."""
        loader = self._loader
        kinds = _places.setdefault(self._place, {})
        plans = kinds.setdefault(_facts.kind_of(loader), [])
        # Where a program has several such loaders at a time, each epoch asks for them in the same order.
        plan = next((plan for plan in plans if not plan.is_held()), None)
        if plan is not None:
            del _plans[id(plan.loader)]
            plan.go_on_with(loader)
        elif self._may_write(itertools.chain(*kinds.values())):
            plan = Plan(loader, self._settings)
            plans.append(plan)
            output = self._settings.output and file_of_rank(self._settings.output)
            if output:
                outputs[output] = plan
        else:
            return None
        _plans[id(loader)] = plan
        return plan

    def _may_write(self, plans_of_place):
        """Whether the output is free for a new measurement."""
        settings = self._settings
        output = settings.output and file_of_rank(settings.output)
        writer = outputs.get(output)
        if writer is None:
            return True
        if writer.done and (
            not os.path.isfile(output) or (settings.overwrite and writer not in plans_of_place)
        ):
            return True
        if self._place not in _told:
            _told.add(self._place)
            Printer(settings.quiet, _facts.rank()).news(
                f"{output} is for the measurement of another loader, so this loop gets its loader's batches "
                "unchanged; an output= of its own measures it"
            )
        return False
