"""loadline: is a training job bound by its data loading?"""

from loadline._core import Array, Error, touch
from loadline._record import record
from loadline._wrap import wrap
from loadline.loader import Loader
from loadline.result import Result
from loadline.sweep import measure

__all__ = ["Array", "Error", "Loader", "Result", "measure", "record", "touch", "wrap"]

# Tracebacks and help name them as users do.
Array.__module__ = Error.__module__ = __name__
