"""Sweeps over a program's own loader and step."""

import os
import shutil
import tempfile
import threading

from loadline import _arguments, _core, scripts
from loadline._core import Error
from loadline.loader import text_of
from loadline.result import Result

_HELP = ("help", "help-all")  # options of the command line that print a page in place of a run


def _words(name, makes, things):
    """The value of an option for functions and words. Raises Error for anything else."""
    words = []
    for thing in things if isinstance(things, (list, tuple)) else [things]:
        if not callable(thing) and not isinstance(thing, str):
            raise _arguments.refusal(name, f"a function that returns {makes}, or a word of the command line", thing)
        words.append(scripts.register(thing) if callable(thing) else thing)
    return ",".join(words)


def _stamp(path):
    """Differs after each writing of the file; None: there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def measure(loader, step=None, *, output=None, overwrite=False, **options):
    """Measures loaders, alone and with a training step, as `loadline run` does; returns the Result.

    loader     a function that makes an iterable of batches, or a word of `--loader`, or a list of these. The function
               is called with those of workers, batch_size, seed, data, rank and ranks that it takes, once for each
               combination.
    step       a function that makes a step, which is called with each batch; or a word of `--compute`, or a list. The
               function is called with those of batch_size, seed, classes and threads that it takes. None: only IO.
    output     the result file; None: a temporary file, which ends with the Result
    overwrite  replace a complete result there
    options    of `loadline run`, with _ for -, lists as lists: workers=[0, 1, 2, 4], batch_size=[64, 256],
               workload="cifar10", data=..., trials=5, time_limit="10m", au=0.9, find="min-workers", ...

    Prints progress and table, unless quiet=True. Call it on the main thread. Cells that fail are in Result.errors.
    Raises Error with the reason if nothing was measured, and KeyboardInterrupt after Ctrl-C; an `output` then keeps the
    trials so far. With dry_run=True or dump_config=True it only prints, and returns None.
    """
    if threading.current_thread() is not threading.main_thread():
        raise Error("measure: call it on the main thread, which receives the signals that end a run")
    words = ["run", "--loader", _words("loader", "an iterable", loader)]
    if step is not None:
        words += ["--compute", _words("step", "a step", step)]
    elif "mode" not in options:
        words += ["--mode", "io"]
    flags = _core.flags_of_run()
    for name, value in options.items():
        name = name.replace("_", "-")
        if name in _HELP:
            raise Error(f"--{name}: it is no option of a run; `python3 -m loadline run --help` shows them")
        if name in flags and isinstance(value, bool):
            words += [f"--{name}"] if value else []
        elif value is not None:
            words += [f"--{name}", text_of(value)]
    directory = tempfile.mkdtemp(prefix="loadline-") if output is None else None
    output = os.path.join(directory, "result.json") if directory else _arguments.path("output", output)
    if output == "-":
        raise _arguments.refusal("output", "a file, which the Result reads", output)
    words += ["--output", output] + (["--overwrite"] if overwrite else [])
    result = None
    before, failures = _stamp(output), []
    try:
        code = _core.run_cli(
            ["loadline", *scripts.completed(words)], temporary=directory is not None, failed=failures.append)
        if code > 128:
            raise KeyboardInterrupt
        if code == 0 and (options.get("dry_run") or options.get("dump_config")):
            return None
        # A complete result that is resumed is left as it is. All other runs write theirs, unless they are refused.
        if code == 2 or not os.path.exists(output) or (code != 0 and _stamp(output) == before):
            raise _arguments.in_python(failures[0] if failures else "nothing was measured; stderr has the reason")
        result = Result(output, directory)
    finally:
        scripts.forget()
        if directory and result is None:
            shutil.rmtree(directory, ignore_errors=True)
    if directory and not options.get("quiet"):
        print("result: temporary; measure(output=) keeps it in a file", flush=True)
    return result
