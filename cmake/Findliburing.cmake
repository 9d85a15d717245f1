# Finds liburing, which has no CMake file.

find_path(liburing_INCLUDE_DIR liburing.h)
find_library(liburing_LIBRARY uring)
if(liburing_INCLUDE_DIR AND EXISTS "${liburing_INCLUDE_DIR}/liburing/io_uring_version.h")
  file(STRINGS "${liburing_INCLUDE_DIR}/liburing/io_uring_version.h" version_lines REGEX "#define IO_URING_VERSION_")
  string(REGEX REPLACE "[^0-9]*MAJOR *([0-9]+).*MINOR *([0-9]+).*" "\\1.\\2" liburing_VERSION "${version_lines}")
elseif(liburing_LIBRARY)
  # Before version 2.4 no header names it.
  cmake_path(GET liburing_LIBRARY PARENT_PATH liburing_folder)
  find_file(liburing_PC liburing.pc PATHS "${liburing_folder}/pkgconfig" NO_DEFAULT_PATH)
  mark_as_advanced(liburing_PC)
  if(liburing_PC)
    file(STRINGS "${liburing_PC}" version_line REGEX "^Version:")
    string(REGEX REPLACE "^Version: *" "" liburing_VERSION "${version_line}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(liburing REQUIRED_VARS liburing_LIBRARY liburing_INCLUDE_DIR
  VERSION_VAR liburing_VERSION)

if(liburing_FOUND AND NOT TARGET liburing::uring)
  add_library(liburing::uring UNKNOWN IMPORTED)
  set_target_properties(liburing::uring PROPERTIES
    IMPORTED_LOCATION "${liburing_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${liburing_INCLUDE_DIR}")
endif()
