# Finds SentencePiece: not all packages have its CMake file, and only the file of pkg-config has the version.

find_path(SentencePiece_INCLUDE_DIR sentencepiece_processor.h)
find_library(SentencePiece_LIBRARY sentencepiece)
set(SentencePiece_VERSION "")
if(SentencePiece_LIBRARY)
  set(SentencePiece_VERSION "of unknown version")
  get_filename_component(sentencepiece_folder "${SentencePiece_LIBRARY}" DIRECTORY)
  if(EXISTS "${sentencepiece_folder}/pkgconfig/sentencepiece.pc")
    file(STRINGS "${sentencepiece_folder}/pkgconfig/sentencepiece.pc" version_line REGEX "^Version:")
    string(REGEX REPLACE "^Version: *" "" SentencePiece_VERSION "${version_line}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SentencePiece REQUIRED_VARS SentencePiece_LIBRARY SentencePiece_INCLUDE_DIR)
mark_as_advanced(SentencePiece_INCLUDE_DIR SentencePiece_LIBRARY)

if(SentencePiece_FOUND AND NOT TARGET SentencePiece::sentencepiece)
  add_library(SentencePiece::sentencepiece UNKNOWN IMPORTED)
  set_target_properties(SentencePiece::sentencepiece PROPERTIES
    IMPORTED_LOCATION "${SentencePiece_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES "${SentencePiece_INCLUDE_DIR}")
endif()
