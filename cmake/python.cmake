# Sets LOADLINE_BUILDS_PYTHON: the Python package needs pybind11 and the headers of the interpreter. It is not built
# with sanitizers: they would have to be loaded before the interpreter, and they check the same code in the tests of the
# layers.

option(LOADLINE_PYTHON_PACKAGE "Build the Python package where pybind11 is found" ON)

function(loadline_imports_numpy found python)
  execute_process(COMMAND "${python}" -c "import numpy" RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(NOT status EQUAL 0)
    set(${found} FALSE PARENT_SCOPE)
  endif()
endfunction()

set(LOADLINE_BUILDS_PYTHON FALSE)
if(LOADLINE_PYTHON_PACKAGE AND NOT LOADLINE_SANITIZE AND NOT LOADLINE_FUZZ)
  # The first interpreter that has NumPy: of several, it is the one that people train with.
  if(NOT Python_EXECUTABLE)
    find_program(Python_EXECUTABLE python3 PATHS /usr/bin VALIDATOR loadline_imports_numpy)
  endif()
  find_package(Python 3.8 QUIET COMPONENTS Interpreter Development.Module)
  if(Python_FOUND)
    find_package(pybind11 2.8 QUIET CONFIG)
  endif()
  if(Python_FOUND AND pybind11_FOUND)
    set(LOADLINE_BUILDS_PYTHON TRUE)
    # The layers become part of a shared library; hidden symbols keep their code the same as in an executable.
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
    set(CMAKE_CXX_VISIBILITY_PRESET hidden)
    set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
  else()
    message(STATUS "Without the Python package: needs pybind11 and the headers of a Python with NumPy")
  endif()
endif()
