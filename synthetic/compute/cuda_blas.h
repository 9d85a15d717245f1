// Matrix products on the GPU.
#pragma once

#include <memory>

#include "synthetic/compute/cuda_kernels.h"

namespace loadline::cuda {

enum class Read { kAsItIs, kTransposed };

// cuBLAS, loaded by the first that is made, so that a tool built with it starts where it is not installed. One stream,
// one thread.
class Blas {
 public:
  // Throws Error when the library is not there or refuses.
  explicit Blas(StreamHandle stream);
  ~Blas();

  // Launches product = a * b, each read as told. `a` and `b` are of one type, f32 or bf16; the product is of theirs or
  // f32. Sums are f32. Throws Error.
  void multiply(const Matrix& a, Read read_a, const Matrix& b, Read read_b, const Matrix& product);

 private:
  struct Library;
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace loadline::cuda
