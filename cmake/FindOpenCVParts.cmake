# Finds the three parts of OpenCV that loadline uses, core, imgproc and imgcodecs, by their headers and libraries.
# OpenCV's own CMake file names all parts, so Debian has it only in a package of a gigabyte.

find_path(OpenCVParts_INCLUDE_DIR opencv2/imgcodecs.hpp PATH_SUFFIXES opencv4)
set(required OpenCVParts_INCLUDE_DIR)
foreach(part IN ITEMS core imgproc imgcodecs)
  find_library(OpenCVParts_${part}_LIBRARY opencv_${part})
  list(APPEND required OpenCVParts_${part}_LIBRARY)
endforeach()
if(OpenCVParts_INCLUDE_DIR AND EXISTS "${OpenCVParts_INCLUDE_DIR}/opencv2/core/version.hpp")
  set(OpenCVParts_VERSION)
  foreach(piece IN ITEMS MAJOR MINOR REVISION)
    file(STRINGS "${OpenCVParts_INCLUDE_DIR}/opencv2/core/version.hpp" line
      REGEX "#define CV_VERSION_${piece} +[0-9]" LIMIT_COUNT 1)
    string(REGEX REPLACE "[^0-9]+" "" line "${line}")
    list(APPEND OpenCVParts_VERSION "${line}")
  endforeach()
  list(JOIN OpenCVParts_VERSION "." OpenCVParts_VERSION)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(OpenCVParts REQUIRED_VARS ${required} VERSION_VAR OpenCVParts_VERSION)

if(OpenCVParts_FOUND AND NOT TARGET OpenCVParts::imgcodecs)
  foreach(part IN ITEMS core imgproc imgcodecs)
    add_library(OpenCVParts::${part} UNKNOWN IMPORTED)
    set_target_properties(OpenCVParts::${part} PROPERTIES
      IMPORTED_LOCATION "${OpenCVParts_${part}_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${OpenCVParts_INCLUDE_DIR}")
  endforeach()
  set_property(TARGET OpenCVParts::imgproc PROPERTY INTERFACE_LINK_LIBRARIES OpenCVParts::core)
  set_property(TARGET OpenCVParts::imgcodecs PROPERTY INTERFACE_LINK_LIBRARIES OpenCVParts::imgproc)
endif()
