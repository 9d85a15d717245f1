# Finds liburing, which has no CMake file.

find_path(liburing_INCLUDE_DIR liburing.h)
find_library(liburing_LIBRARY uring)
if(liburing_INCLUDE_DIR AND EXISTS "${liburing_INCLUDE_DIR}/liburing/io_uring_version.h")
  file(STRINGS "${liburing_INCLUDE_DIR}/liburing/io_uring_version.h" version_lines REGEX "#define IO_URING_VERSION_")
  string(REGEX REPLACE "[^0-9]*MAJOR *([0-9]+).*MINOR *([0-9]+).*" "\\1.\\2" liburing_VERSION "${version_lines}")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(liburing REQUIRED_VARS liburing_LIBRARY liburing_INCLUDE_DIR
  VERSION_VAR liburing_VERSION)

if(liburing_FOUND AND NOT TARGET liburing::uring)
  add_library(liburing::uring UNKNOWN IMPORTED)
  set_target_properties(liburing::uring PROPERTIES
    IMPORTED_LOCATION "${liburing_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${liburing_INCLUDE_DIR}")
endif()
