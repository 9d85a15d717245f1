# Packages of what install.cmake installs, for Debian and its descendants:
#
#     cmake --preset release -DCMAKE_INSTALL_PREFIX=/usr && cmake --build build/release
#     cpack --config build/release/CPackConfig.cmake -B build/release/packages
#
#     loadline               the tool, its pages, completions and batch scripts
#     loadline-dev           the header for plug-ins, the libraries, the CMake package
#     python3-loadline       the Python package, if it is built and the prefix is /usr: its folder depends on that
#
# The recipes for Spack, conda and Apptainer are in cmake/packaging/.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME loadline)
set(CPACK_PACKAGE_CONTACT "the loadline developers <loadline@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "is a training job bound by its data loading?")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)

set(CPACK_COMPONENTS_ALL tool plugin libraries)
if(LOADLINE_BUILDS_PYTHON AND CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENT_PLUGIN_GROUP dev)
set(CPACK_COMPONENT_LIBRARIES_GROUP dev)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME loadline)
set(CPACK_DEBIAN_TOOL_DESCRIPTION
  "loadline measures how fast training data can be loaded, how fast a training step
can take it, and both together, and says which of the two binds.")
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "python3-loadline, loadline-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_NAME loadline-dev)
set(CPACK_DEBIAN_DEV_DESCRIPTION
  "Headers and libraries of loadline.
For loaders of one's own: the header that plug-ins include, the libraries below
the tool, and the CMake package by which find_package(loadline) finds both.")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# The modules in lib/loadline, which the package of the tool has, and what find_package(loadline COMPONENTS libraries)
# looks for.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "loadline (= ${PROJECT_VERSION}), libboost-dev, libcli11-dev, libdeflate-dev, libdnnl-dev, libfmt-dev, libhdf5-dev,\
 libjpeg-dev, libopencv-core-dev, libopencv-imgcodecs-dev, libopencv-imgproc-dev, libprotobuf-dev, libtbb-dev,\
 liburing-dev, libxxhash-dev, nlohmann-json3-dev, zlib1g-dev")
if(LOADLINE_HAVE_CUDA)
  # It looks for that too, but only Debian's own package of CUDA has this name.
  set(CPACK_DEBIAN_DEV_PACKAGE_RECOMMENDS nvidia-cuda-toolkit)
endif()
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/package_modules_once.cmake")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-loadline)
set(CPACK_DEBIAN_PYTHON_DESCRIPTION
  "loadline for training scripts in Python.
Measures a data loader of Python beside the training step that it feeds.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3-numpy")

include(CPack)
