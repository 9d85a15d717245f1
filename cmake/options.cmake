# How every target is compiled: only loadline_options, which every target links, sets language, warnings and sanitizers.

option(LOADLINE_WERROR "Treat warnings as errors" ON)
set(LOADLINE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them: 'address,undefined', 'thread' or empty")
option(LOADLINE_UNITY "Compile several files of a target at once, and headers beforehand: a clean build in half the time" OFF)
option(LOADLINE_FUZZ "Build the fuzz targets of tests/fuzz with libFuzzer too (needs clang, whatever compiles)" OFF)

# -ffp-contract=off: the scalar, AVX2 and AVX-512 kernels must agree to the last bit, and a compiler free to fuse
# a*b+c where the instruction set has it would round differently on each level.
set(LOADLINE_COMPILE_OPTIONS -ffp-contract=off)
set(LOADLINE_LINK_OPTIONS)
if(LOADLINE_SANITIZE)
  list(APPEND LOADLINE_COMPILE_OPTIONS
    -fsanitize=${LOADLINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  list(APPEND LOADLINE_LINK_OPTIONS -fsanitize=${LOADLINE_SANITIZE})
  # These take a third of the time to compile, and the address sanitizer reports the same: uses of null pointers, and
  # accesses past the end of an object.
  if(LOADLINE_SANITIZE MATCHES "address.*undefined|undefined.*address")
    list(APPEND LOADLINE_COMPILE_OPTIONS -fno-sanitize=null,object-size,vptr)
  endif()
  # lld links programs of 100 MiB in a third of the time.
  find_program(LOADLINE_LLD ld.lld)
  mark_as_advanced(LOADLINE_LLD)
  if(LOADLINE_LLD AND LOADLINE_SANITIZE MATCHES "address")
    list(APPEND LOADLINE_LINK_OPTIONS -fuse-ld=lld)
  endif()
  # Sanitizers describe each check in data with addresses. At a fixed place these need no relocation, which is half of the
  # time that such a program takes to start.
  list(APPEND LOADLINE_LINK_OPTIONS $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>)
  # This makes each check of memory a call, which compiles much faster than the check itself.
  if(LOADLINE_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND LOADLINE_COMPILE_OPTIONS --param=asan-instrumentation-with-call-threshold=0)
  endif()
endif()
# GCC spends a tenth of its time looking for memory to free. Files compiled together need up to 1.4 GB.
if(LOADLINE_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
  cmake_host_system_information(RESULT memory_mib QUERY TOTAL_PHYSICAL_MEMORY)
  math(EXPR wanted_mib "2048 * ${cores}")
  if(memory_mib GREATER wanted_mib)
    list(APPEND LOADLINE_COMPILE_OPTIONS --param=ggc-min-expand=1000 --param=ggc-min-heapsize=1500000)
  endif()
endif()
if(LOADLINE_FUZZ)
  # Lets the fuzzer see which way an input takes.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    list(APPEND LOADLINE_COMPILE_OPTIONS -fsanitize-coverage=trace-pc,trace-cmp)
  else()
    list(APPEND LOADLINE_COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
  endif()
endif()

add_library(loadline_options INTERFACE)
target_compile_features(loadline_options INTERFACE cxx_std_20)
target_include_directories(loadline_options INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>" "$<INSTALL_INTERFACE:include/loadline>")
# -Wno-missing-field-initializers: {.workers = 8} leaves the other options at their defaults on purpose. nvcc, for the
# kernels of the compute cuda, takes warnings only through -Xcompiler; CMake knows since 3.26 that nvcc supports C++20.
target_compile_options(loadline_options INTERFACE
  "$<BUILD_INTERFACE:$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-missing-field-initializers;$<$<BOOL:${LOADLINE_WERROR}>:-Werror>;${LOADLINE_COMPILE_OPTIONS}>>"
  "$<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;-Xcompiler=-Wall,-Wextra,-Wshadow;$<$<BOOL:${LOADLINE_WERROR}>:-Werror=all-warnings>>>")
target_link_options(loadline_options INTERFACE ${LOADLINE_LINK_OPTIONS})
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC bug 105651: adding a string literal to a std::string warns of an impossible overlap. Bug 105593 and others:
  # AVX-512's own header, and moving a std::variant that may hold a string, warn of values that are never read.
  target_compile_options(loadline_options INTERFACE
    "$<BUILD_INTERFACE:$<$<NOT:$<COMPILE_LANGUAGE:CUDA>>:-Wno-restrict;-Wno-uninitialized>>")
endif()
set(CMAKE_CXX_EXTENSIONS OFF)

# loadline_precompile(<target> PRIVATE <header>... | REUSE_FROM <target>): precompiles the headers. By the flag ccache
# sees what GCC takes from them.
function(loadline_precompile target)
  target_precompile_headers(${target} ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
endfunction()

# loadline_precompile_layer(<target>): in builds from nothing, precompiles the headers that most files of the layers
# read, and compiles several files at once. tests/house/includes.py finds what a file uses but does not include.
function(loadline_precompile_layer target)
  loadline_unity(${target})
  if(LOADLINE_UNITY)
    loadline_precompile(${target} PRIVATE <fmt/format.h> <algorithm> <array> <chrono> <cmath> <filesystem> <functional> <map>
      <optional> <ranges> <span> <string> <utility> <variant> <vector>)
  endif()
endfunction()

# loadline_unity(<target>): with LOADLINE_UNITY the files of the target are compiled 24 at a time, because headers take
# most of the time, or eight at a time on a machine of more than eight cores, so that all of them have something to do.
# The presets that build everything from nothing have it; the preset dev, for work on one file after the other, does
# not. It requires that no two files of a target define the same name.
function(loadline_unity target)
  if(LOADLINE_UNITY)
    cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
    set(files 24)
    # The thread sanitizer compiles only some files of tests, and each new test changes which.
    if(target MATCHES "_tests(_shared)?$")
      if(LOADLINE_SANITIZE STREQUAL "thread")
        set(files 8)
      endif()
    elseif(cores GREATER 8 AND NOT LOADLINE_SANITIZE)
      set(files 8)
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
    # GCC takes the unnamed namespace of a file that is included for one of a header.
    target_compile_options(${target} PRIVATE
      $<$<AND:$<CXX_COMPILER_ID:GNU>,$<COMPILE_LANGUAGE:CXX>>:-Wno-subobject-linkage>)
  endif()
endfunction()
