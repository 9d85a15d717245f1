# Sets LOADLINE_HAVE_CUDA if the compute `cuda` is built. To build it takes nvcc and the headers of cuBLAS, CUDA 12 or
# newer; to run it takes a driver and libcublas.

set(LOADLINE_CUDA AUTO CACHE STRING "Build the compute 'cuda': AUTO where there is a CUDA toolkit, ON or OFF")
set_property(CACHE LOADLINE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(LOADLINE_HAVE_CUDA FALSE)

if(LOADLINE_CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${LOADLINE_CCACHE}")
endif()

# Kernels for the most common devices, and code that the driver translates for all others from Turing on. There are few,
# because compiling each takes as long as running them all.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(CMAKE_CUDA_ARCHITECTURES 75-virtual 80-real 90-real)
endif()

# The sanitizers cannot see what a device does, and report what CUDA's driver does on the host.
if(LOADLINE_SANITIZE)
  if(LOADLINE_CUDA STREQUAL "ON")
    message(FATAL_ERROR "LOADLINE_CUDA=ON: CUDA is left out of a build with LOADLINE_SANITIZE=${LOADLINE_SANITIZE}")
  endif()
elseif(LOADLINE_CUDA)
  # Toolkits are often installed outside the PATH.
  find_program(LOADLINE_NVCC nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  mark_as_advanced(LOADLINE_NVCC)
  if(LOADLINE_NVCC AND NOT DEFINED ENV{CUDACXX})
    set(ENV{CUDACXX} "${LOADLINE_NVCC}")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit 12)
    if(CUDAToolkit_FOUND AND EXISTS "${CUDAToolkit_INCLUDE_DIRS}/cublas_v2.h")
      set(LOADLINE_HAVE_CUDA TRUE)
    endif()
  endif()
  if(NOT LOADLINE_HAVE_CUDA)
    set(why "no CUDA toolkit 12 or newer with a compiler that works and the headers of cuBLAS")
    if(NOT LOADLINE_CUDA STREQUAL "AUTO")
      message(FATAL_ERROR "LOADLINE_CUDA=${LOADLINE_CUDA}: there is ${why}")
    endif()
    message(STATUS "Without the compute cuda: there is ${why}")
  endif()
endif()
