"""loadline: is a training job bound by its data loading?"""

from loadline._core import Error

__all__ = ["Error"]
