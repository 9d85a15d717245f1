"""For scripts written for benchy, NERSC's loader benchmark: use `from loadline.benchy import
BenchmarkDataLoader` in place of `from benchy.torch import ...`.

Configuration, output file and summary lines are benchy's, as its users know them. The trials are
loadline's: in rounds, each with its own iterator if the loader can make several, SYNTHETIC while
the loader is idle, without requiring a device, with rates of whole trials. A mean over iterations
would overstate `rates` and `avg_iter_throughput`, so they stay empty. loadline's own result, with
intervals and a verdict, is next to the output as loadline.json.
"""

import json
import os
import sys

from loadline import _core
from loadline._plan import Plan, outputs
from loadline._wrap import Settings, Wrapped

_GLOBAL = {
    "report_freq": 100,
    "exit_after_tests": True,
    "profiler_mode": "none",
    "output_filename": "benchy_output.json",
    "output_dir": "./benchy_output",
    "use_distributed_barrier": False,
}
_SECTION = {"run_benchmark": True, "nbatches": 200, "ntrials": 5, "nwarmup": 1}
_SECTIONS = {"IO": "IO", "synthetic": "SYNTHETIC", "full": "FULL"}  # benchy's names and ours


def configuration(path=None):
    """benchy's configuration from the file at `path` or BENCHY_CONFIG_FILE, with benchy's defaults
    for missing values. Raises loadline.Error naming the file and what is wrong with it.
    """
    path = path or os.environ.get("BENCHY_CONFIG_FILE")
    given = _read(path) if path else {}
    known = {"global": _GLOBAL, **{name: _SECTION for name in _SECTIONS}}
    for section, values in given.items():
        if section not in known:
            raise _core.Error(
                f"{path}: unknown section '{section}', want some of {', '.join(known)}"
            )
        if not isinstance(values, dict):
            raise _core.Error(f"{path}: {section}: want settings, got {values!r}")
        for name, value in values.items():
            standard = known[section].get(name)
            if standard is None:
                raise _core.Error(
                    f"{path}: {section}.{name}: unknown setting, want some of "
                    f"{', '.join(known[section])}"
                )
            if type(value) is not type(standard) or (type(value) is int and value < 0):
                raise _core.Error(
                    f"{path}: {section}.{name}: want something like {standard!r}, got {value!r}"
                )
    return {section: {**standard, **given.get(section, {})} for section, standard in known.items()}


def _read(path):
    try:
        import yaml
    except ImportError:
        raise _core.Error(
            f"cannot read {path}: PyYAML is missing, install it (Debian: python3-yaml; pip: PyYAML)"
        ) from None
    try:
        with open(path, encoding="utf-8") as file:
            given = yaml.safe_load(file)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise _core.Error(f"cannot read {path}: {' '.join(str(error).split())}") from None
    if given is None:
        return {}
    if not isinstance(given, dict):
        raise _core.Error(
            f"{path}: want sections such as global and IO, got {type(given).__name__}"
        )
    return given


class _BenchyPlan(Plan):
    """A plan with benchy's lengths and lines."""

    def __init__(self, loader, batch_size=None):
        self._config = configuration()
        chosen = self._config["global"]
        os.makedirs(chosen["output_dir"], exist_ok=True)
        sections = {ours: self._config[name] for name, ours in _SECTIONS.items()}
        self._sections = {
            mode: section for mode, section in sections.items() if section["run_benchmark"]
        }
        if not self._sections:
            raise _core.Error(
                "benchy: run_benchmark is False in IO, synthetic and full: nothing is left"
            )
        if chosen["profiler_mode"] != "none":
            print(
                "BENCHY::profiler_mode is left out: use the profiler around the script",
                file=sys.stderr,
            )
        settings = Settings(
            trials=max(1, max(section["ntrials"] for section in self._sections.values())),
            trial_seconds=1.0,
            trial_batches=max(1, max(section["nbatches"] for section in self._sections.values())),
            warm_up=None,
            modes=tuple(self._sections),
            resident=1,
            count=None if batch_size is None else (lambda batch: batch_size),
            name=None,
            output=os.path.join(chosen["output_dir"], "loadline.json"),
            overwrite=True,
            then="exit" if chosen["exit_after_tests"] else "train",
            au=None,
            seed=1,
            quiet=False,
        )
        super().__init__(loader, settings)

    def _choose_output(self, run_id):
        output = super()._choose_output(run_id)
        if output in outputs and not outputs[output].done:
            raise _core.Error(
                f"cannot write {output}: the measurement of another loader into it is not finished; make the wrapper "
                "once and use it in each epoch"
            )
        return output

    def _limits(self):
        section = self._sections.get(self._mode)
        return {"batches": section["nbatches"]} if section else super()._limits()

    def _arguments_of_length(self):
        return "ntrials, nbatches"

    def _wants(self, mode, number):
        section = self._sections.get(mode)
        return section is None or number < section["ntrials"]

    def _enter(self, trial, number):
        super()._enter(trial, number)
        if self._mode in self._sections and self._rank == 0:
            rate = self._ranks * trial["samples"] / trial["wall_seconds"]
            print(f"BENCHY::{self._mode}_{number}::Trial Throughput: {rate:.3f}", flush=True)

    def _show(self):
        super()._show()
        if self._rank > 0:
            return
        try:
            summary, document = self.result.benchy_summary(), self.result.benchy_json()
        except _core.Error as error:  # of a program that was stopped before it had any trial
            print(f"BENCHY::{error}", file=sys.stderr)
            return
        path = os.path.join(
            self._config["global"]["output_dir"], self._config["global"]["output_filename"]
        )
        _core.write_file(path, json.dumps(json.loads(document)) + "\n")
        print("\n" + summary, end="", flush=True)


class BenchmarkGenericIteratorWrapper(Wrapped):
    """Any iterable, DALI's iterators among them, measured as BENCHY_CONFIG_FILE asks for.

    batch_size: samples of each batch, as benchy has it; without it they are counted.
    """

    def __init__(self, iterator, batch_size=None):
        super().__init__(iterator, _BenchyPlan(iterator, batch_size))


class BenchmarkDataLoader(BenchmarkGenericIteratorWrapper):
    """A torch.utils.data.DataLoader of the same arguments, measured as BENCHY_CONFIG_FILE asks."""

    def __init__(self, *arguments, **named):
        from torch.utils.data import DataLoader

        super().__init__(DataLoader(*arguments, **named))
