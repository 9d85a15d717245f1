# cmake --build build/dev --target tidy: clang-tidy on what has changed; tests/tidy.sh says since when.
add_custom_target(tidy
  COMMAND "${PROJECT_SOURCE_DIR}/tests/tidy.sh"
  WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
  USES_TERMINAL VERBATIM)
add_dependencies(tidy loadline_build_info)
