// What a program's batch holds, whatever it is made of: tensors, arrays, buffers, in tuples, lists, dicts and objects.
// The GIL is held; none of these leaves a Python exception behind.
#pragma once

#include <Python.h>

#include <cstdint>

namespace loadline {

// The first dimension of the first array in it, depth first; without arrays the length of its innermost first list.
// -1: neither is there.
std::int64_t samples_of(PyObject* batch);

// Of all arrays and buffers in it; of what is neither nothing is known.
std::uint64_t bytes_in(PyObject* batch);

// Reads a byte of every 64 of all that lies in the memory of the host, so that what is mapped is loaded. Without the
// GIL where there is much of it.
void touch(PyObject* batch);

}  // namespace loadline
