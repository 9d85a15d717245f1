"""What processes and threads of a loader use of the CPUs, by /proc; None where there is none."""

import os
import threading
import time


def _on_cpu_seconds(path):
    """Of one thread: the first figure of its schedstat is nanoseconds on a CPU."""
    try:
        with open(path + "/schedstat") as file:
            return int(file.read().split()[0]) * 1e-9
    except (OSError, ValueError, IndexError):
        return None


def _threads_of(pid):
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []


def _children_of(pid):
    children = []
    for thread in _threads_of(pid):
        try:
            with open(f"/proc/{pid}/task/{thread}/children") as file:
                children += [int(child) for child in file.read().split()]
        except (OSError, ValueError):
            pass
    return children


def descendants(without=()):
    """Ids of the processes that this one started, and of those that they started; but for those of
    `without`.
    """
    found, open_ids = [], _children_of(os.getpid())
    while open_ids:
        pid = open_ids.pop()
        if pid not in found and pid not in without:
            found.append(pid)
            open_ids += _children_of(pid)
    return found


def python_threads():
    """System ids of the threads that Python knows."""
    return {thread.native_id for thread in threading.enumerate() if thread.native_id is not None}


class CpuMeter:
    """CPU time of all processes below this one but those of `without`, and of its own threads:
    those in `threads`, or all but the caller's.
    """

    def __init__(self, threads=None, without=()):
        self._threads = threads
        self._without = without
        self._before = self._read()

    def _read(self):
        times = {}
        own = threading.get_native_id()
        for thread in _threads_of("self"):
            if int(thread) != own if self._threads is None else int(thread) in self._threads:
                times[thread] = _on_cpu_seconds(f"/proc/self/task/{thread}")
        for pid in descendants(self._without):
            for thread in _threads_of(pid):
                times[pid, thread] = _on_cpu_seconds(f"/proc/{pid}/task/{thread}")
        return times

    def seconds(self):
        """Since the meter was made, of all that still run; None where the system does not tell."""
        if _on_cpu_seconds("/proc/self") is None:
            return None
        return sum(
            used - (self._before.get(key) or 0)
            for key, used in self._read().items()
            if used is not None
        )


def wait_until_idle(without=(), most_seconds=10.0, window_seconds=0.02, idle_share=0.02):
    """Until no thread of this process but the calling one, and no process below it but those of
    `without`, uses a CPU. False where that did not come about in time, or is not known.
    """
    end = time.monotonic() + most_seconds
    quiet = 0
    while quiet < 2:
        meter = CpuMeter(without=without)
        time.sleep(window_seconds)
        used = meter.seconds()
        if used is None:
            return False
        quiet = quiet + 1 if used <= idle_share * window_seconds else 0
        if quiet < 2 and time.monotonic() > end:
            return False
    return True
