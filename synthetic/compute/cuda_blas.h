// Matrix products on the GPU.
#pragma once

#include <memory>

#include "synthetic/compute/cuda_kernels.h"

namespace loadline::cuda {

enum class Read { kAsItIs, kTransposed };

// cuBLAS, loaded by the first Blas, so that a tool built with it also starts on machines without it. One stream, one
// thread.
class Blas {
 public:
  // Throws Error if the library is missing or refuses.
  explicit Blas(StreamHandle stream);
  ~Blas();

  // Launches product = a * b, with each operand read as given. `a` and `b` have one type, f32 or bf16; the product
  // has theirs or f32. Sums are f32. Throws Error.
  void multiply(const Matrix& a, Read read_a, const Matrix& b, Read read_b, const Matrix& product);

 private:
  struct Library;
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace loadline::cuda
