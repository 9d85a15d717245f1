// What the Python side knows about a job, handed over as a dict: a fact by its name. Throws what pybind11 throws where
// it is missing or of another type.
#pragma once

#include <pybind11/pybind11.h>

#include <optional>

namespace loadline {

template <typename T>
T fact(const pybind11::dict& facts, const char* name) {
  return facts[name].cast<T>();
}

// nullopt: None.
template <typename T>
std::optional<T> maybe_fact(const pybind11::dict& facts, const char* name) {
  if (facts[name].is_none()) return std::nullopt;
  return fact<T>(facts, name);
}

}  // namespace loadline
