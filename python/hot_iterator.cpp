#include "python/hot_iterator.h"

namespace loadline {
namespace {

struct HotIterator {
  PyObject_HEAD PyObject* owner;
  void* state;
  Next next;
};

HotIterator* as_hot(PyObject* self) {
  return reinterpret_cast<HotIterator*>(self);
}

PyObject* call_next(PyObject* self) {
  HotIterator* const hot = as_hot(self);
  return hot->owner == nullptr ? nullptr : hot->next(hot->state);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(as_hot(self)->owner);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(as_hot(self)->owner);
  return 0;
}

void destroy(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear(self);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* make_type() {
  static PyType_Slot slots[] = {
      {Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)}, {Py_tp_iternext, reinterpret_cast<void*>(call_next)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},        {0, nullptr}};
  static PyType_Spec spec = {"loadline._core.HotIterator", sizeof(HotIterator), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  return PyType_FromSpec(&spec);
}

}  // namespace

PyObject* make_hot_iterator(PyObject* owner, void* state, Next next) {
  static PyObject* const type = make_type();
  if (type == nullptr) return nullptr;
  PyObject* const self = PyType_GenericAlloc(reinterpret_cast<PyTypeObject*>(type), 0);
  if (self == nullptr) return nullptr;
  Py_INCREF(owner);
  as_hot(self)->owner = owner;
  as_hot(self)->state = state;
  as_hot(self)->next = next;
  return self;
}

}  // namespace loadline
