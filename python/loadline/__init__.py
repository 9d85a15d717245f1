"""loadline: is a training job bound by its data loading?"""

from loadline._core import Array, Error, touch
from loadline.loader import Loader
from loadline.sweep import measure
from loadline.result import Result

__all__ = ["Array", "Error", "Loader", "Result", "measure", "touch"]

# Tracebacks and help name them as users do.
Array.__module__ = Error.__module__ = __name__
