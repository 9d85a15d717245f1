# Finds libjpeg-turbo of any build. Debian's has no CMake file, and CMake's own FindJPEG accepts any libjpeg, but others
# cannot decode a part of an image.

find_path(libjpegTurbo_INCLUDE_DIR jpeglib.h)
find_library(libjpegTurbo_LIBRARY jpeg)
# The file is beside jpeglib.h or in the folder of the architecture, under this name or that of the word size.
find_path(libjpegTurbo_CONFIG_DIR NAMES jconfig.h HINTS "${libjpegTurbo_INCLUDE_DIR}")
if(libjpegTurbo_CONFIG_DIR)
  file(GLOB configs "${libjpegTurbo_CONFIG_DIR}/jconfig*.h")
  foreach(config IN LISTS configs)
    file(STRINGS "${config}" version_line REGEX "#define LIBJPEG_TURBO_VERSION +[0-9]" LIMIT_COUNT 1)
    if(version_line)
      string(REGEX REPLACE ".*VERSION +([0-9.]+).*" "\\1" libjpegTurbo_VERSION "${version_line}")
    endif()
  endforeach()
endif()

include(FindPackageHandleStandardArgs)
# The version is required too: no other libjpeg has that line.
find_package_handle_standard_args(libjpegTurbo
  REQUIRED_VARS libjpegTurbo_LIBRARY libjpegTurbo_INCLUDE_DIR libjpegTurbo_VERSION VERSION_VAR libjpegTurbo_VERSION)

if(libjpegTurbo_FOUND AND NOT TARGET libjpegTurbo::jpeg)
  add_library(libjpegTurbo::jpeg UNKNOWN IMPORTED)
  set_target_properties(libjpegTurbo::jpeg PROPERTIES
    IMPORTED_LOCATION "${libjpegTurbo_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${libjpegTurbo_INCLUDE_DIR};${libjpegTurbo_CONFIG_DIR}")
endif()
