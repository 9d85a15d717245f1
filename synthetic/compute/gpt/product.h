// Matrix products by oneDNN.
#pragma once

#include <cstddef>
#include <memory>

#include "synthetic/compute/compute.h"

namespace loadline {

// oneDNN's shared state for all products, and memory for rounded operands.
class ProductEngine {
 public:
  // `most_values`: values of the largest operand that is rounded.
  ProductEngine(Precision precision, std::size_t most_values);
  ProductEngine(const ProductEngine&) = delete;
  ProductEngine& operator=(const ProductEngine&) = delete;
  ~ProductEngine();

 private:
  friend class Product;
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

struct ProductShape {
  std::size_t batch = 1;  // products of the same shape, one after another
  std::size_t rows = 0;   // of the result
  std::size_t inner = 0;
  std::size_t columns = 0;    // of the result
  bool left_turned = false;   // the left operand is stored as [inner, rows]
  bool right_turned = false;  // the right operand is stored as [columns, inner]
  bool adds_row = false;      // add one value per column to each row of the result
};

// left x right for one shape, prepared once and run often. Operands and result are f32 and dense; in bf16 both
// operands are rounded first, but sums are still f32. Borrows the engine. Threads: those of OpenMP.
class Product {
 public:
  Product(ProductEngine& engine, const ProductShape& shape);
  Product(Product&&) noexcept;
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product();

  void run(const float* left, const float* right, float* result, const float* row = nullptr) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace loadline
