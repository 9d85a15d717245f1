"""Functions of a user's own files and modules, as `--loader` and `--compute` name them: `train.py:make_loader`,
`package.module:make_step`."""

import importlib
import importlib.util
import inspect
import os
import re
import shlex
import signal
import sys
import traceback

from loadline import _arguments, _core
from loadline._core import Error

_WORD = re.compile(r"(?P<place>.+\.py|[^\W\d]\w*(\.[^\W\d]\w*)*):(?P<name>[^\W\d][\w.]*)")
_PLACE = re.compile(r"(?P<place>.+\.py):?")  # of which no function was named

_scripts = {}  # by word
_modules = {}  # of files, by path


class Script:
    """A factory of loaders or steps. It is called once for each combination of the arguments that it takes; what it
    made serves all trials with these."""

    def __init__(self, word, function, path=""):
        self.word = word
        self.path = path
        self.made = {}
        self.loads = False  # whether it is used as a loader
        self._function = function
        self._samples = []  # once it was asked
        parameters = inspect.signature(function).parameters.values()
        self._takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters)
        by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        self._names = {p.name for p in parameters if p.kind in by_name}
        self._needs = [p.name for p in parameters if p.kind in by_name and p.default is p.empty]

    def takes(self, name):
        return self._takes_all or name in self._names

    def call(self, **offered):
        return self._function(**self._taken(offered))

    def make(self, **offered):
        if offered.get("data") == self.path:
            del offered["data"]  # no data was named
        key = tuple(sorted(self._taken(offered).items()))
        if key not in self.made:
            made = self.call(**offered)
            self._check(made)
            self.made[key] = made
        return self.made[key]

    def samples(self):
        """How many samples an epoch of its loader has, by len(loader.dataset); None: not known."""
        if not self._samples:
            try:
                found = len(self.call(workers=0, batch_size=64, seed=1, rank=0, ranks=1).dataset)
            except (Exception, SystemExit):  # the trials of its cells report what is wrong
                found = None
            self._samples = [found]
        return self._samples[0]

    def _check(self, made):
        if _arguments.is_iterable(made) if self.loads else callable(made):
            return
        want = "an iterable of batches" if self.loads else "a step, which is a function of a batch"
        raise _arguments.refusal(f"{self.word.rpartition(':')[2]}()", f"{want}, as its return value", made)

    def _taken(self, offered):
        missing = [name for name in self._needs if name not in offered]
        if missing:
            hint = "" if self.loads else "; want a function that makes the step, not the step itself"
            raise Error(f"{self.word} needs a parameter {missing[0]}, but gets only {', '.join(offered)}{hint}")
        return {name: value for name, value in offered.items() if self.takes(name)}


def _file_of(function):
    """The file of the function; for a function typed into a notebook, that of Python."""
    try:
        path = inspect.getsourcefile(function)
    except TypeError:
        path = None
    return path if path and os.path.exists(path) else sys.executable


def register(function):
    """A word for an existing function."""
    name = getattr(function, "__qualname__", type(function).__qualname__)  # a functools.partial has none
    word = f"{function.__module__}:{name}".replace("<", "").replace(">", "")
    if word in _scripts and _scripts[word]._function is not function:
        word += f"_{len(_scripts)}"
    if word not in _scripts:
        _scripts[word] = Script(word, function, _file_of(function))
    return word


def is_script(word):
    return any((word in _scripts, _WORD.fullmatch(word), _PLACE.fullmatch(word)))


def _module_of(place):
    if not place.endswith(".py"):
        return importlib.import_module(place)
    path = os.path.abspath(place)
    if path not in _modules:
        if not os.path.exists(path):
            raise Error(f"cannot open {place}: there is no such file")
        name = os.path.splitext(os.path.basename(path))[0]
        # Its neighbours are found as where it is run itself, also by workers that import it anew.
        sys.path.insert(0, os.path.dirname(path))
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        _modules[path] = module
    return _modules[path]


def _defined_in(module):
    """The names of what it defines: functions that begin with `make`, other functions, classes."""

    def defined(is_kind):
        return [name for name, thing in vars(module).items() if is_kind(thing) and thing.__module__ == module.__name__]

    functions = sorted(defined(inspect.isfunction), key=lambda name: not name.startswith("make"))
    return functions + defined(inspect.isclass)


def _list_of(names):
    more = f" and {len(names) - 6} more" if len(names) > 6 else ""
    return ", ".join(names[:6]) + more


def _hint(module, name=""):
    names = _defined_in(module)
    return _core.hint_of(name, names) or (f" (it has {_list_of(names)})" if names else "")


def _refusal(match, thing, module):
    """The Error for a word that names `thing`, which is no function, or nothing if that is None."""
    word, place, name = match[0], match["place"], match["name"]
    if thing is None:
        return Error(f"{word}: {place} has no function {name}{_hint(module, name)}")
    kind = "a module" if inspect.ismodule(thing) else f"of type {type(thing).__name__}"
    names = _defined_in(module)
    defined = f" ({place} has {_list_of(names)})" if names else ""
    return Error(f"{word}: {name} is {kind}, not a function{defined}")


def find(word):
    """The Script of a word. Raises Error where there is none, and what importing it raises."""
    if word not in _scripts:
        match = _WORD.fullmatch(word)
        if match is None:
            place = _PLACE.fullmatch(word)["place"]
            raise Error(f"{word}: want FILE.py:FUNCTION, such as {place}:make_loader{_hint(_module_of(place))}")
        module = _module_of(match["place"])
        function = module
        for name in match["name"].split("."):
            function = getattr(function, name, None)
        if not callable(function):
            raise _refusal(match, function, module)
        _scripts[word] = Script(word, function, _file_of(function))
    return _scripts[word]


def loaders_in(path):
    """The scripts in a file that are used as loaders."""
    return [script for script in _scripts.values() if script.loads and script.path == path]


def forget():
    """Drops all loaders and steps: worker processes end with their loaders."""
    for script in _scripts.values():
        script.made.clear()


def completed(words):
    """The words of a command line, completed for scripts if all its loaders are scripts and no dataset is named."""
    if not words or words[0] not in ("run", "ab", "check"):
        return words
    given = {}
    rest = list(words[1:])
    for word, following in zip(rest, rest[1:] + [""]):
        flag, equals, value = word.partition("=")
        value = value if equals else following
        given.setdefault(flag, []).append(value)
        if flag in ("--base", "--new"):
            rest_of_side = shlex.split(value)
            for one, next_one in zip(rest_of_side, rest_of_side[1:] + [""]):
                given.setdefault(one.partition("=")[0], []).append(one.partition("=")[2] or next_one)
    if any(flag in given for flag in ("--data", "--config", "--resume", "--help", "-h")):
        return words
    named = given.get("--workload", [])
    if any(workload != "python" for workload in named):
        return words
    loaders = [loader for value in given.get("--loader", []) for loader in value.split(",")]
    if words[0] == "check":
        loaders = [word for word in rest if is_script(word)]
    if not loaders or not all(is_script(loader) for loader in loaders):
        return words
    if not named:
        words = [*words, "--workload", "python"]
    if words[0] == "check":
        return words
    if words[0] == "run" and "--ceilings" not in given:
        words += ["--ceilings", "off"]
    if "--compute" not in given and "--mode" not in given:
        words += ["--mode", "io"]
    return words


def begin_epoch(iterable, epoch):
    """An iterator over the epoch. Tells the epoch's number to samplers that have set_epoch()."""
    for owner in (iterable, getattr(iterable, "sampler", None), getattr(iterable, "batch_sampler", None)):
        if hasattr(owner, "set_epoch"):
            owner.set_epoch(epoch)
    return iter(iterable)


def _is_ours(frame):
    file = frame.f_code.co_filename
    return file == __file__ or file.startswith("<frozen importlib")


def told(kind, value, trace):
    """Prints the traceback, if it has any line of the user's; returns the exception as one line."""
    sys.stdout.flush()
    while trace is not None and _is_ours(trace.tb_frame):
        trace = trace.tb_next
    if trace is None and isinstance(value, Error):
        return str(value)  # a sentence of ours about the function, in which nothing has failed
    if isinstance(value, BaseException):
        value = value.with_traceback(trace)
    traceback.print_exception(kind, value, trace)
    sys.stderr.flush()
    text = " ".join(str(value).split())
    return f"{kind.__name__}: {text}" if text else kind.__name__


def has_torch():
    return "torch" in sys.modules


def synchronise():
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _let_signals_through():
    # The tool leaves these to one of its threads, which a child does not have.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCONT))


os.register_at_fork(after_in_child=_let_signals_through)
