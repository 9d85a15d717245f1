# build_info.h in two steps: CMake fills in what it knows and leaves the git state, which changes without CMake being
# run, to git_state.cmake at build time. It rewrites the header only when it differs, so a build with the same git
# state compiles nothing, and another state compiles only the one file that includes it.

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
list(JOIN LOADLINE_COMPILE_OPTIONS " " options)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}} -std=c++20 ${options}" LOADLINE_BUILD_FLAGS)
string(REPLACE "\\" "\\\\" LOADLINE_BUILD_FLAGS "${LOADLINE_BUILD_FLAGS}")
string(REPLACE "\"" "\\\"" LOADLINE_BUILD_FLAGS "${LOADLINE_BUILD_FLAGS}")
set(LOADLINE_SANITIZER "${LOADLINE_SANITIZE}")
if(NOT LOADLINE_SANITIZER)
  set(LOADLINE_SANITIZER none)
endif()
set(ZLIB_VERSION "${ZLIB_VERSION_STRING}")

# These two stand for themselves, so they survive the first step.
set(LOADLINE_GIT_REVISION "@LOADLINE_GIT_REVISION@")
set(LOADLINE_GIT_DIRTY "@LOADLINE_GIT_DIRTY@")
configure_file("${CMAKE_CURRENT_LIST_DIR}/build_info.h.in" "${PROJECT_BINARY_DIR}/generated/build_info.h.in" @ONLY)

add_custom_target(loadline_build_info
  COMMAND "${CMAKE_COMMAND}"
    -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}"
    -D "INPUT=${PROJECT_BINARY_DIR}/generated/build_info.h.in"
    -D "OUTPUT=${PROJECT_BINARY_DIR}/generated/build_info.h"
    -P "${CMAKE_CURRENT_LIST_DIR}/git_state.cmake"
  BYPRODUCTS "${PROJECT_BINARY_DIR}/generated/build_info.h"
  COMMENT "Reading the git state"
  VERBATIM)

# Lets the sources of `target` include "build_info.h".
function(loadline_use_build_info target)
  add_dependencies(${target} loadline_build_info)
  target_include_directories(${target} PRIVATE "${PROJECT_BINARY_DIR}/generated")
endfunction()
