// An iterator whose next() is a single function call. It runs in the user's own loop, where a pybind11 method would
// cost as much as everything that is measured.
#pragma once

#include <Python.h>

namespace loadline {

// As Python's tp_iternext: a new reference, null with an exception set, or null without one at the end.
using Next = PyObject* (*)(void* state);

// A new reference to an iterator that calls next(state) and keeps `owner`, which holds `state`, alive.
PyObject* make_hot_iterator(PyObject* owner, void* state, Next next);

}  // namespace loadline
