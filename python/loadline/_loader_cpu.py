"""Which CPU time is a loader's: that of the threads and processes that began with it."""

from loadline import _machine

_IDLE_SHARE = 0.01  # of a CPU


class LoaderCpu:
    """Tells the threads and processes of one loader from all others. Those that exist already when
    it is made are not the loader's.
    """

    def __init__(self):
        self._threads_before = _machine.python_threads()
        self._threads_of_iterators = set()
        self._processes_before = _machine.descendants()
        self._only_loader_works = None  # whether that was so in all trials of IO; None: none yet

    def iterator(self, loader):
        """A new iterator of the loader. The threads that begin meanwhile are the loader's."""
        before = _machine.threads()
        iterator = iter(loader)
        self._threads_of_iterators |= _machine.threads() - before
        return iterator

    def meter(self):
        """A meter of the loader's CPU time."""
        return _machine.CpuMeter(self._places)

    def meter_of_others(self):
        return _machine.CpuMeter(self._other_places)

    def wait_until_idle(self):
        """Waits until the loader has no more work. False: it did not end, or nothing tells."""
        return _machine.wait_until_idle(self._processes_before)

    def note(self, others, wall_seconds):
        """After IO, where only the loader has work: others that worked too may belong to it."""
        used = others.seconds()
        idle = used is not None and used <= _IDLE_SHARE * wall_seconds
        self._only_loader_works = idle and self._only_loader_works is not False

    def is_known(self):
        """Whether the meters found all that the loader uses, as far as the trials of IO can tell."""
        return bool(self._only_loader_works)

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
