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


def _knows_cpu_time():
    return _on_cpu_seconds("/proc/self") is not None


def _waits_for_a_cpu(path):
    """Whether a thread has work, though other threads may keep the CPUs from it: its state is R."""
    try:
        with open(path + "/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] == "R"
    except (OSError, IndexError):
        return False


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
    """Ids of the processes that this one started, and of those that they started; except those
    in `without`.
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


def threads():
    """System ids of all threads of this process, those of libraries too."""
    return {int(thread) for thread in _threads_of("self")}


def places_of_threads(ids):
    """The directories in /proc of these threads of this process, except the calling one."""
    return {f"/proc/self/task/{thread}" for thread in ids if thread != threading.get_native_id()}


def places_below(without=()):
    """The directories in /proc of the threads of all processes below this one but those of `without`."""
    return {
        f"/proc/{pid}/task/{thread}" for pid in descendants(without) for thread in _threads_of(pid)
    }


class CpuMeter:
    """CPU time of threads. `places` returns their directories in /proc each time that it is called."""

    def __init__(self, places):
        self._places = places
        self._used = 0.0
        self._all_known = True
        self.resume()

    def _read(self):
        return {place: _on_cpu_seconds(place) for place in self._places()}

    def resume(self):
        """Counts from here on."""
        self._before = self._read()

    def pause(self):
        """Counts no further."""
        now = self._read()
        if not self._before.keys() <= now.keys():
            self._all_known = False  # nothing tells what a thread used that has ended
        self._used += sum(
            used - (self._before.get(place) or 0)
            for place, used in now.items()
            if used is not None
        )

    def seconds(self):
        """What was counted before the last pause(). None if threads ended while their time was
        counted, or if the system does not tell.
        """
        return self._used if self._all_known and _knows_cpu_time() else None

    def anyone_waits_for_a_cpu(self):
        return any(_waits_for_a_cpu(place) for place in self._places())


def wait_until_idle(without=(), most_seconds=10.0, window_seconds=0.02, idle_share=0.02):
    """Waits until no other thread of this process, and no process below it except those in
    `without`, uses a CPU or waits for one. Returns False if that takes longer than `most_seconds`, or
    if the system does not report CPU time.
    """
    if not _knows_cpu_time():
        return False
    end = time.monotonic() + most_seconds
    quiet = 0
    while quiet < 2:
        meter = CpuMeter(lambda: places_of_threads(threads()) | places_below(without))
        time.sleep(window_seconds)
        meter.pause()
        used = meter.seconds()
        idle = (
            used is not None
            and used <= idle_share * window_seconds
            and not meter.anyone_waits_for_a_cpu()
        )
        quiet = quiet + 1 if idle else 0
        if quiet < 2 and time.monotonic() > end:
            return False
    return True
