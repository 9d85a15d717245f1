"""Recording what a job waits for, while it runs as usual."""

import atexit
import functools
import importlib.util
import os
import random
import shlex
import sys
import time
import weakref

from loadline import _arguments, _core, _facts
from loadline._printing import Printer

_SAVE_SECONDS = 60.0  # the most that a killed job loses, besides the current pass

_jobs = {}  # by file, those of wrap(record=)


class record:
    """Records a job, for `loadline report` and for `--compute replay:file=`:

        with loadline.record("job.json"):
            train()

    For every pass over a torch.utils.data.DataLoader that begins meanwhile, it notes for each batch
    how long the step waited and how long it took, which costs less than 1 us per batch.
    `job(loader)` in place of `loader` does the same for any other iterable: `with
    loadline.record("job.json") as job: for batch in job(loader): ...`

    With several loaders, such as one for validation, the file holds the one with the most time, and
    only totals of the others. A loader that the program makes anew for each epoch counts as one: a new
    one of the same type, length and number of workers takes the place of one that the program has
    dropped, which the recording does not keep alive (except lists and other objects to which Python
    has no weak references). Memory is bounded (1.5 MiB per loader): beyond 65536 batches, two
    neighbours become one entry. The file is written at the end (marked partial if that is an
    exception) and about once a minute, before a pass. A pass that is abandoned keeps all batches
    except the last, the end of whose step is not known.

    path: the file. count: a function that returns the samples of a batch; without it they are the
    first dimension of the first array. overwrite: whether an existing recording is replaced; no other
    file is. quiet: without the line at the end, on stderr, that says what was recorded.
    Raises loadline.Error for a wrong argument, if a file exists that must not be replaced, or if it
    cannot be written. A program records one job at a time; passes of several threads are recorded as
    they come.
    """

    def __init__(self, path, *, count=None, overwrite=False, quiet=False):
        _arguments.check_count(count)
        self._path = _arguments.path("path", path)
        self._count = count
        self._overwrite = overwrite
        self._quiet = quiet
        self._subjects = []
        self._begun = False
        self._ended = False
        self._recordable = "a DataLoader of PyTorch or over job(loader)"

    def __enter__(self):
        self._begin()
        self._ended = False
        _hook(self)
        return self

    def __exit__(self, kind, error, traceback):
        _unhook(self)
        self._end(complete=kind is None)
        return False

    def __call__(self, loader):
        """`loader` as an iterable whose passes are recorded until the recording ends. Raises Error for what is none."""
        if not _arguments.is_iterable(loader):
            raise _arguments.refusal("loader", "an iterable of batches", loader)
        self._begin()
        return Recorded(self, loader)

    def _begin(self):
        if self._begun:
            return
        if os.path.exists(self._path) and os.path.getsize(self._path) > 0:
            if not _is_recording(self._path):
                raise _core.Error(
                    f"cannot write {self._path}: the file is not a recording and is not replaced; name another"
                )
            if not self._overwrite:
                raise _core.Error(
                    f"cannot write {self._path}: a recording exists already; overwrite=True replaces it"
                )
        self._begun = True
        self._run_id = _core.run_id(random.SystemRandom().getrandbits(24))
        self._started = _core.utc_now()
        self._process = os.getpid()
        self._saved = time.monotonic()
        # Fails before the job runs if the file cannot be written.
        self._write(finished=False, complete=False)

    def _pass(self, loader, iterable):
        """An iterator over `iterable`, recorded as a pass over `loader`."""
        if self._ended or os.getpid() != self._process:
            return iter(iterable)
        if time.monotonic() - self._saved > _SAVE_SECONDS:
            self._write(finished=False, complete=False)
        subject = self._subject_of(loader)
        its_pass = _core.RecordedPass(subject.recorder, iterable)
        subject.follow(loader, its_pass)
        return its_pass.iterator()

    def _subject_of(self, loader):
        for subject in self._subjects:
            if subject.is_loader(loader):
                return subject
        kind = _facts.kind_of(loader)
        for subject in self._subjects:
            if subject.kind == kind and subject.is_free():
                return subject
        self._subjects.append(_Subject(loader, kind, _core.Recorder(count=self._count)))
        return self._subjects[-1]

    def _end(self, complete):
        if os.getpid() != self._process:
            return
        self._ended = True
        self._write(finished=True, complete=complete)
        found = self._by_time()
        batches = found[0].recorder.batches if found else 0
        if batches:
            number = "1 batch" if batches == 1 else f"{batches} batches"
            report = f"loadline report {shlex.quote(self._path)}"
            what = f"{number} in {self._path}; `{report}` shows what the loop waited for"
        elif found:
            what = f"no batches in {self._path}: {found[0].name} gave none, or the loop ended within its first step"
        else:
            what = f"no batches in {self._path}: no loop was over {self._recordable}"
        Printer(self._quiet, _facts.rank()).news(f"recorded {what}")

    def _by_time(self):
        """The subjects, that with the most time first: it is the one that the file describes."""
        return sorted(
            self._subjects,
            key=lambda one: one.recorder.wait_seconds + one.recorder.step_seconds,
            reverse=True,
        )

    def _write(self, finished, complete):
        if os.getpid() != self._process:
            return
        found = self._by_time()
        described = found[0] if found else _Subject(None, None, _core.Recorder(count=None))
        text = described.recorder.document(
            {
                "run_id": self._run_id,
                "started": self._started,
                "finished": _core.utc_now() if finished else None,
                "complete": complete,
                "argv": _facts.arguments(),
                "versions": _facts.versions(),
                "loader": described.name if found else "nothing",
                "workers": described.workers,
                "prefetch": described.prefetch,
                "asynchronous": _facts.cuda() is not None,
                "neighbours": [(other.name, other.recorder) for other in found[1:]],
            }
        )
        _core.write_file(self._path, text)
        self._saved = time.monotonic()


class _Subject:
    """What a recorder records: a loader or, one after the other, those that a program makes anew for each epoch."""

    def __init__(self, loader, kind, recorder):
        self.kind = kind
        self.recorder = recorder
        self.name = _facts.short_name(loader)
        self.workers = _facts.workers_of(loader)
        self.prefetch = _facts.prefetch_of(loader)
        self._held = lambda: None

    def follow(self, loader, its_pass):
        """The loader is this subject's as long as the program has it."""
        if self.is_loader(loader):
            return
        try:
            self._held = weakref.ref(loader)
        except TypeError:
            # A zip() serves one pass and is not needed behind it; a list may be passed over again.
            self._held = weakref.ref(its_pass) if hasattr(type(loader), "__next__") else lambda: loader

    def is_loader(self, loader):
        return self._held() is loader

    def is_free(self):
        return self._held() is None


def _is_recording(path):
    if not os.path.isfile(path):
        return True  # a device or a pipe: writing to it loses nothing
    try:
        with open(path, "rb") as file:
            return b'"job_schema_version"' in file.read(4096)
    except OSError as error:
        raise _core.Error(f"cannot write {path}: it cannot be read: {error.strerror}") from error


class Recorded:
    """A loader whose passes are recorded; in all other respects the loader itself."""

    def __init__(self, job, loader):
        self._job = job
        self._loader = loader

    def __iter__(self):
        return self._job._pass(self._loader, self._loader)

    def __len__(self):
        return len(self._loader)

    def __getattr__(self, name):
        return getattr(self._loader, name)


def recorded(loader, path, *, count=None, overwrite=False, quiet=False):
    """What wrap(loader, record=path) returns. The recording ends with the program."""
    path = os.path.abspath(os.fspath(path))
    if path not in _jobs:
        job = record(path, count=count, overwrite=overwrite, quiet=quiet)
        job._recordable = "what loadline.wrap() returned"
        wrapped = job(loader)
        _jobs[path] = job
        # By then it is known whether an exception ended the program.
        atexit.register(lambda: job._end(complete=not hasattr(sys, "last_type")))
        return wrapped
    return _jobs[path](loader)


# ---- DataLoaders of PyTorch, imported before or meanwhile

_MODULE = "torch.utils.data.dataloader"
_active = []  # the current jobs, the innermost last


def _hook(job):
    _active.append(job)
    if len(_active) > 1:
        return
    if _MODULE in sys.modules:
        _patch(sys.modules[_MODULE])
    else:
        sys.meta_path.insert(0, _Finder)


def _unhook(job):
    _active.remove(job)
    if _active:
        return
    if _Finder in sys.meta_path:
        sys.meta_path.remove(_Finder)
    loader = getattr(sys.modules.get(_MODULE), "DataLoader", None)
    original = getattr(getattr(loader, "__iter__", None), "__wrapped__", None)
    if original is not None:
        loader.__iter__ = original


class _Pass:
    """One pass of a DataLoader, as it is without recording."""

    def __init__(self, loader, make):
        self._loader = loader
        self._make = make

    def __iter__(self):
        return self._make(self._loader)


def _patch(module):
    original = module.DataLoader.__iter__

    @functools.wraps(original)
    def recorded_iter(self):
        if not _active:
            return original(self)
        return _active[-1]._pass(self, _Pass(self, original))

    module.DataLoader.__iter__ = recorded_iter


class _Finder:
    """Finds the module as usual, and patches it once it is loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != _MODULE:
            return None
        sys.meta_path.remove(_Finder)
        spec = importlib.util.find_spec(name)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            if _active:
                _patch(module)

        spec.loader.exec_module = exec_module
        return spec
