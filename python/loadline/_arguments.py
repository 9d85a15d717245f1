"""The arguments of the package's functions: the checks that several share, and the sentences of their refusals."""

import math
import numbers
import os
import reprlib

from loadline import _facts
from loadline._core import Error

_MOST = 2**63 - 1  # that the native part takes for any whole number


def refusal(name, want, got):
    """The Error for an argument. Names the type of an object whose own text would say little."""
    plain = got is None or isinstance(got, (str, bytes, numbers.Number, tuple, list, dict))
    return Error(f"{name}: want {want}, got {reprlib.repr(got) if plain else _facts.short_name(got)}")


def whole(name, value, least):
    """The value as an int."""
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value < least:
        raise refusal(name, f"a whole number of at least {least}", value)
    if value > _MOST:
        raise refusal(name, f"a whole number of at most {_MOST}", value)
    return int(value)


def above_zero(name, value):
    """The value as a float."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool) or not 0 < value < math.inf:
        raise refusal(name, "a number above 0", value)
    return float(value)


def path(name, value):
    """The value as a string."""
    if not isinstance(value, (str, os.PathLike)):
        raise refusal(name, "a path", value)
    return os.fspath(value)


def check_count(function):
    if function is not None and not callable(function):
        raise refusal("count", "a function that returns the samples of a batch", function)


def is_iterable(thing):
    """Whether iter() takes it; calls nothing of its own."""
    return any(hasattr(type(thing), name) for name in ("__iter__", "__getitem__"))


def in_python(error):
    """The Error of the command line, as one of a function that has `overwrite` as an argument."""
    return Error(str(error).replace("--overwrite", "overwrite=True"))
