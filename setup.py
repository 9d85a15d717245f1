"""Builds the extension module loadline._core by CMake; all else about the package is in pyproject.toml.

LOADLINE_BUILD names a build folder to take the module from, in place of building it anew. CMAKE_ARGS has further options
for CMake, as conda sets them.
"""

import glob
import os
import pathlib
import re
import shlex
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).parent.absolute()


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        folder = os.environ.get("LOADLINE_BUILD")
        if folder is None:
            folder = self.build_temp
            subprocess.run(["cmake", "-S", SOURCE, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_TESTING=OFF",
                            "-DLOADLINE_UNITY=ON", f"-DPython_EXECUTABLE={sys.executable}", *pybind11_folder(),
                            *shlex.split(os.environ.get("CMAKE_ARGS", ""))], check=True)
            subprocess.run(["cmake", "--build", folder, "--target", "loadline_python", "--parallel",
                            str(os.cpu_count() or 1)], check=True)
        built = glob.glob(os.path.join(folder, "python", "loadline", "_core*.so"))
        if len(built) != 1:
            sys.exit(f"setup.py: {folder} has no module loadline/_core: it needs NumPy and the headers of this Python")
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        target.parent.mkdir(parents=True, exist_ok=True)
        self.copy_file(built[0], target)


def pybind11_folder():
    """Where pip has put it for the time of the build, which CMake does not search."""
    try:
        import pybind11
    except ImportError:
        return []
    return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]


def version():
    text = (SOURCE / "CMakeLists.txt").read_text()
    return re.search(r"project\(loadline VERSION (\S+)", text)[1]


setup(version=version(), ext_modules=[Extension("loadline._core", [])], cmdclass={"build_ext": CMakeBuild})
