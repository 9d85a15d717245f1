# What `cmake --install` puts into its prefix, besides the Python package: the tool with its man pages, completions, batch
# scripts and documentation, the header that plug-ins include, the libraries and their headers, and the CMake package by
# which find_package(loadline) finds them.
#
#     loadline::plugin     loadline/plugin.h, for loaders in plug-ins; needs nothing else
#     loadline::loaders    loadline::synthetic    loadline::harness    the libraries, each with those before it

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/loadline")

add_library(loadline_plugin INTERFACE)
target_include_directories(loadline_plugin INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/loaders/plugin/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
add_library(loadline::plugin ALIAS loadline_plugin)
set_target_properties(loadline_plugin PROPERTIES EXPORT_NAME plugin)
install(TARGETS loadline_plugin EXPORT loadline_plugin COMPONENT plugin)
install(EXPORT loadline_plugin NAMESPACE loadline:: FILE loadlinePlugin.cmake DESTINATION "${package_dir}" COMPONENT plugin)
install(DIRECTORY loaders/plugin/include/loadline DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT plugin)

write_basic_package_version_file("${PROJECT_BINARY_DIR}/generated/loadlineConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
configure_package_config_file(cmake/loadlineConfig.cmake.in "${PROJECT_BINARY_DIR}/generated/loadlineConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/generated/loadlineConfig.cmake"
    "${PROJECT_BINARY_DIR}/generated/loadlineConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT plugin)

foreach(layer IN ITEMS loaders synthetic harness)
  set_target_properties(loadline_${layer} PROPERTIES EXPORT_NAME ${layer})
  # Beside the folder of plugin.h, under the names by which the headers include each other.
  install(DIRECTORY ${layer} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/loadline" COMPONENT libraries
    FILES_MATCHING PATTERN "*.h" PATTERN "plugin/include" EXCLUDE PATTERN "page" EXCLUDE)
endforeach()
set_target_properties(loadline_options PROPERTIES EXPORT_NAME options)
install(TARGETS loadline_options loadline_loaders loadline_synthetic loadline_harness EXPORT loadline_libraries
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT libraries)
install(EXPORT loadline_libraries NAMESPACE loadline:: FILE loadlineLibraries.cmake DESTINATION "${package_dir}"
  COMPONENT libraries)
install(FILES cmake/FindOpenCVParts.cmake cmake/FindlibjpegTurbo.cmake cmake/Findliburing.cmake
    cmake/Findlibdeflate.cmake cmake/FindoneDNN.cmake cmake/FindxxHash.cmake
  DESTINATION "${package_dir}" COMPONENT libraries)
# Modules that the tool and the libraries load on demand. Their place below the prefix is fixed, whatever GNUInstallDirs
# says, because the tool looks for them in ../lib/loadline.
set(modules loadline_opencv)
if(TARGET loadline_sentencepiece)
  list(APPEND modules loadline_sentencepiece)
endif()
install(TARGETS ${modules} LIBRARY DESTINATION lib/loadline COMPONENT tool)
install(TARGETS ${modules} LIBRARY DESTINATION lib/loadline COMPONENT libraries)
foreach(module IN ITEMS loadline_mpi loadline_simgrid)
  if(TARGET ${module})
    install(TARGETS ${module} LIBRARY DESTINATION lib/loadline COMPONENT tool)
  endif()
endforeach()
install(TARGETS loadline RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tool)
# The tool itself writes these files, so a tool that was built for another machine leaves them out. Below /usr Debian's zsh
# looks only into a folder of its own.
install(CODE "
  set(zsh site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\" AND EXISTS /etc/debian_version)
    set(zsh vendor-completions)
  endif()
  execute_process(
    COMMAND \"${CMAKE_COMMAND}\" -D \"TOOL=$<TARGET_FILE:loadline>\" -D \"PREFIX=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\"
      -D ZSH=\${zsh} -P \"${PROJECT_SOURCE_DIR}/cmake/manual.cmake\"
    OUTPUT_VARIABLE written RESULT_VARIABLE failed)
  if(failed)
    message(WARNING \"without man pages and completions: \${failed}\")
  endif()
  string(REGEX MATCHALL \"[^\n]+\" written \"\${written}\")
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \${written})" COMPONENT tool)

# The pages, and what they link to, at the places that they have in the repository.
install(FILES README.md CHANGELOG.md CONTRIBUTING.md LICENSE CITATION.cff DESTINATION "${CMAKE_INSTALL_DOCDIR}"
  COMPONENT tool)
install(DIRECTORY docs DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT tool)
install(DIRECTORY results DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT tool PATTERN "*.py" EXCLUDE)
install(DIRECTORY bench/examples DESTINATION "${CMAKE_INSTALL_DOCDIR}/bench" COMPONENT tool)
install(FILES loaders/plugin/include/loadline/plugin.h
  DESTINATION "${CMAKE_INSTALL_DOCDIR}/loaders/plugin/include/loadline" COMPONENT tool)
install(FILES harness/show/tensorboard/event.proto DESTINATION "${CMAKE_INSTALL_DOCDIR}/harness/show/tensorboard"
  COMPONENT tool)
# The scripts keep the names that they have in the repository, by which they find each other. A batch system runs a copy
# of a script, which cannot see where it was, so the installed scripts name their root.
set(batch_root "${CMAKE_INSTALL_DATADIR}/loadline")
install(DIRECTORY bench/batch bench/slurm bench/lsf DESTINATION "${batch_root}/bench" COMPONENT tool USE_SOURCE_PERMISSIONS)
install(CODE "
  file(GLOB scripts \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${batch_root}/bench/*/*.sbatch\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${batch_root}/bench/*/*.lsf\")
  execute_process(COMMAND sed -i \"s|^root=.*|root=\\\${LOADLINE_ROOT:-\${CMAKE_INSTALL_PREFIX}/${batch_root}}|\" \${scripts}
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT tool)
