// An iterator whose next() is one call of a function: what stands in the user's own loop, where a method of pybind11
// would cost as much as all that is measured.
#pragma once

#include <Python.h>

namespace loadline {

// As tp_iternext of Python: a new reference, or null with an exception, or null without one at the end.
using Next = PyObject* (*)(void* state);

// A new reference to an iterator that calls next(state), and keeps `owner`, which `state` is a part of.
PyObject* make_hot_iterator(PyObject* owner, void* state, Next next);

}  // namespace loadline
