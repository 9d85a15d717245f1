# cmake --build build/dev --target tidy: clang-tidy, configured by .clang-tidy, over every source of compile_commands.

find_program(LOADLINE_RUN_CLANG_TIDY NAMES run-clang-tidy run-clang-tidy-19 run-clang-tidy-16 run-clang-tidy-14)
if(LOADLINE_RUN_CLANG_TIDY)
  # -Wno-...: flags and warnings of the compiler that wrote compile_commands, which need not be clang.
  add_custom_target(tidy
    COMMAND "${LOADLINE_RUN_CLANG_TIDY}" -quiet -p "${PROJECT_BINARY_DIR}"
      -extra-arg=-Wno-unknown-warning-option -extra-arg=-Wno-error
      "^${PROJECT_SOURCE_DIR}/(loaders|synthetic|harness|bench|tests)/.*\\.cpp$"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    USES_TERMINAL VERBATIM)
  add_dependencies(tidy loadline_build_info)
else()
  add_custom_target(tidy
    COMMAND "${CMAKE_COMMAND}" -E echo "tidy: run-clang-tidy not found, install clang-tidy"
    COMMAND "${CMAKE_COMMAND}" -E false
    VERBATIM)
endif()
