// What a program's batch holds: tensors, arrays and buffers, in tuples, lists, dicts and objects. Call these with the
// GIL; none leaves a Python exception set.
#pragma once

#include <Python.h>

#include <cstdint>

namespace loadline {

// The first dimension of the first array in the batch, depth first; without arrays the length of its innermost first
// list. -1: it has neither.
std::int64_t samples_of(PyObject* batch);

// The bytes of all arrays and buffers in the batch; other objects do not count.
std::uint64_t bytes_in(PyObject* batch);

// Reads one byte in every 64 of all host memory in the batch, so that mapped pages are loaded. Releases the GIL if
// there is much to read.
void touch(PyObject* batch);

}  // namespace loadline
