"""loadline: is a training job bound by its data loading?"""

from loadline._core import Error
from loadline._record import record
from loadline._wrap import wrap

__all__ = ["Error", "record", "wrap"]
