# Event files for TensorBoard, if there is protobuf: its compiler, and its small runtime, a fifth of the whole. Without
# it the tool says how to get it.

find_package(Protobuf 3.12 QUIET)
set(LOADLINE_HAVE_TENSORBOARD FALSE)
# A package may have the library without the compiler, or a version whose CMake file has no such target.
if(Protobuf_FOUND AND TARGET protobuf::libprotobuf-lite AND TARGET protobuf::protoc AND NOT LOADLINE_SANITIZE STREQUAL "thread")
  set(LOADLINE_HAVE_TENSORBOARD TRUE)
  set(generated "${PROJECT_BINARY_DIR}/tensorboard")
  file(MAKE_DIRECTORY "${generated}/tensorboard")
  add_custom_command(OUTPUT "${generated}/tensorboard/event.pb.cc" "${generated}/tensorboard/event.pb.h"
    COMMAND protobuf::protoc "--cpp_out=${generated}/tensorboard" "--proto_path=${PROJECT_SOURCE_DIR}/harness/show/tensorboard"
      event.proto
    DEPENDS "${PROJECT_SOURCE_DIR}/harness/show/tensorboard/event.proto"
    COMMENT "Generating the messages of event files"
    VERBATIM)
  # Not our code: without our warnings.
  add_library(loadline_event_messages OBJECT "${generated}/tensorboard/event.pb.cc" "${generated}/tensorboard/event.pb.h")
  target_compile_features(loadline_event_messages PUBLIC cxx_std_20)
  target_compile_options(loadline_event_messages PRIVATE -w ${LOADLINE_COMPILE_OPTIONS})
  target_link_libraries(loadline_event_messages PUBLIC protobuf::libprotobuf-lite)
elseif(NOT LOADLINE_SANITIZE STREQUAL "thread")
  message(STATUS "Without event files for TensorBoard: there is no protobuf (Debian: libprotobuf-dev, protobuf-compiler)")
endif()

# loadline_sees_events(<target> <file>...): only these files of the target may include <tensorboard/event.pb.h>, by a
# flag of their own. The others are compiled without it.
function(loadline_sees_events target)
  add_dependencies(${target} loadline_event_messages)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "-isystem${PROJECT_BINARY_DIR}/tensorboard" SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Lets `target` define what harness/show/tensorboard/events.h declares.
function(loadline_write_events target)
  if(LOADLINE_HAVE_TENSORBOARD)
    target_sources(${target} PRIVATE show/tensorboard/events.cpp)
    loadline_sees_events(${target} show/tensorboard/events.cpp)
  else()
    target_sources(${target} PRIVATE show/tensorboard/events_left_out.cpp)
  endif()
endfunction()

# Lets `target`, the library that holds those objects, be linked.
function(loadline_link_events target)
  if(LOADLINE_HAVE_TENSORBOARD)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:loadline_event_messages>)
    target_link_libraries(${target} PRIVATE protobuf::libprotobuf-lite)
  endif()
endfunction()
