#include "synthetic/compute/cuda_blas.h"

#include <cublas_v2.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "loaders/error.h"
#include "synthetic/compute/cuda_resources.h"

namespace loadline::cuda {
namespace {

// NVIDIA's recommendation for Hopper, the largest of any device. We own it, so that captured products never allocate.
constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

cudaDataType_t type_of(const Matrix& matrix) {
  return matrix.dtype == DType::kBF16 ? CUDA_R_16BF : CUDA_R_32F;
}

// First where the dynamic linker finds it, then where it was at build time: toolkits are seldom on the linker's path.
void* open_library() {
  const std::string name = fmt::format("libcublas.so.{}", CUBLAS_VER_MAJOR);
  if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  const std::string why = dlerror();
  const std::string beside_toolkit = fmt::format("{}/{}", LOADLINE_CUDA_LIBRARIES, name);
  if (void* library = dlopen(beside_toolkit.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  throw Error(fmt::format("compute cuda: cannot load cuBLAS: {}", why));
}

template <typename Function>
void find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) throw Error(fmt::format("compute cuda: cuBLAS lacks {}", name));
}

}  // namespace

// Never unloaded: it registers kernels with the driver, which must not outlive it.
struct Blas::Library {
  decltype(cublasCreate_v2)* create;
  decltype(cublasDestroy_v2)* destroy;
  decltype(cublasSetStream_v2)* set_stream;
  decltype(cublasSetWorkspace_v2)* set_workspace;
  decltype(cublasGetStatusString)* status_string;
  // Written out because the header overloads it.
  cublasStatus_t (*gemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*,
                         cudaDataType, int, const void*, cudaDataType, int, const void*, void*, cudaDataType, int,
                         cublasComputeType_t, cublasGemmAlgo_t);

  Library() {
    void* library = open_library();
    find(library, "cublasCreate_v2", create);
    find(library, "cublasDestroy_v2", destroy);
    find(library, "cublasSetStream_v2", set_stream);
    find(library, "cublasSetWorkspace_v2", set_workspace);
    find(library, "cublasGetStatusString", status_string);
    find(library, "cublasGemmEx", gemm);
  }

  void check(cublasStatus_t status, std::string_view what) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw Error(fmt::format("compute cuda: cuBLAS cannot {}: {}", what, status_string(status)));
  }
};

struct Blas::Context {
  Library library;
  DeviceMemory workspace{kWorkspaceBytes, "cuBLAS"};
  cublasHandle_t handle = nullptr;

  explicit Context(StreamHandle stream) {
    library.check(library.create(&handle), "start");
    try {
      // In this order: setting the stream resets the workspace.
      library.check(library.set_stream(handle, stream), "take a stream");
      library.check(library.set_workspace(handle, workspace.data(), kWorkspaceBytes), "take a workspace");
    } catch (...) {
      library.destroy(handle);
      throw;
    }
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() { library.destroy(handle); }
};

Blas::Blas(StreamHandle stream) : context_(std::make_unique<Context>(stream)) {}
Blas::~Blas() = default;

void Blas::multiply(const Matrix& a, Read read_a, const Matrix& b, Read read_b, const Matrix& product) {
  // cuBLAS expects column-major matrices and so sees ours transposed: the transposed product is b's times a's.
  const auto operation = [](Read read) { return read == Read::kAsItIs ? CUBLAS_OP_N : CUBLAS_OP_T; };
  const std::size_t inner = read_a == Read::kAsItIs ? a.columns : a.rows;
  const float one = 1;
  const float zero = 0;
  const Library& library = context_->library;
  library.check(
      library.gemm(context_->handle, operation(read_b), operation(read_a), static_cast<int>(product.columns),
                   static_cast<int>(product.rows), static_cast<int>(inner), &one, b.data, type_of(b),
                   static_cast<int>(b.columns), a.data, type_of(a), static_cast<int>(a.columns), &zero, product.data,
                   type_of(product), static_cast<int>(product.columns), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
      "multiply matrices");
}

}  // namespace loadline::cuda
