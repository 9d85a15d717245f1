"""Recipe for Spack. Nobody has built with it yet: a test holds it to cmake/dependencies.sh, and reads it as Spack would.

In a checkout of loadline:

    mkdir -p ~/spack-loadline/packages/loadline
    printf 'repo:\n  namespace: loadline\n' >~/spack-loadline/repo.yaml
    cp cmake/packaging/package.py ~/spack-loadline/packages/loadline/
    spack repo add ~/spack-loadline
    spack dev-build loadline@0.1.0
"""

from spack.package import *


class Loadline(CMakePackage):
    """A data-loading throughput benchmark suite for people who train models on clusters."""

    license("Apache-2.0")
    version("0.1.0")

    variant("cnn", default=True, description="The computes cnn and gpt: training steps on the CPU")
    variant("mpi", default=True, description="Runs of many ranks, started by mpirun or srun")
    variant("simgrid", default=False, description="Forecasts by simulation")
    variant("python", default=True, description="The Python package")
    variant("tensorboard", default=True, description="Event files for TensorBoard")

    generator("ninja")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("gcc@12:", type="build", when="%gcc")

    depends_on("benchmark")
    depends_on("boost@1.74:+math")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("hdf5@1.10.5:")
    depends_on("intel-tbb@2021.5:")
    depends_on("libdeflate")
    depends_on("libjpeg-turbo@2:")
    depends_on("liburing@2.2:")
    depends_on("nlohmann-json")
    depends_on("opencv@4+imgcodecs+imgproc")
    depends_on("sentencepiece")
    depends_on("xxhash")
    depends_on("zlib")

    # Its interface changed with version 3.
    depends_on("onednn@2.6:2", when="+cnn")
    depends_on("openmpi", when="+mpi")
    depends_on("simgrid@3.32:", when="+simgrid")
    depends_on("protobuf", when="+tensorboard")

    extends("python", when="+python")
    depends_on("py-numpy", when="+python", type=("build", "run"))
    depends_on("py-pybind11@2.8:", when="+python", type="build")

    def cmake_args(self):
        return [
            self.define("BUILD_TESTING", False),
            self.define("LOADLINE_UNITY", True),
            self.define_from_variant("LOADLINE_PYTHON_PACKAGE", "python"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_MPI", "~mpi" in self.spec),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_SimGrid", "~simgrid" in self.spec),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_oneDNN", "~cnn" in self.spec),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_Protobuf", "~tensorboard" in self.spec),
        ]
