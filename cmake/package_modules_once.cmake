# Run by cpack before it makes the packages: leaves lib/loadline to the package of the tool, because two packages that
# own the same file cannot be installed together. The components `tool` and `libraries` both have it, so that each is
# complete where it is installed alone.
file(REMOVE_RECURSE "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/dev${CPACK_PACKAGING_INSTALL_PREFIX}/lib/loadline")
