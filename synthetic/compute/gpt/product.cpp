#include "synthetic/compute/gpt/product.h"

#include <array>
#include <utility>

#include "loaders/system/memory.h"
#include "synthetic/compute/cnn/onednn.h"

namespace loadline {
namespace {

using onednn::Dims;
using onednn::Type;

dnnl::memory::dim dim_of(std::size_t value) {
  return static_cast<dnnl::memory::dim>(value);
}

// [batch, rows, columns], or the same with the last two swapped in memory.
dnnl::memory::desc matrix(std::size_t batch, std::size_t rows, std::size_t columns, bool turned, Type type) {
  const Dims dims{dim_of(batch), dim_of(rows), dim_of(columns)};
  const Dims strides =
      turned ? Dims{dim_of(rows * columns), 1, dim_of(rows)} : Dims{dim_of(rows * columns), dim_of(columns), 1};
  return {dims, type, strides};
}

// Bytes of an operand of bf16, in whole lines.
std::size_t half_of(std::size_t values) {
  return (2 * values + 63) / 64 * 64;
}

// oneDNN takes no const pointers, even if it only reads.
void* untold(const float* values) {
  return const_cast<float*>(values);
}

}  // namespace

struct ProductEngine::Parts {
  Precision precision;
  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  HugeMemory rounded;  // both operands of a product, one after the other
  std::size_t half_bytes;
};

ProductEngine::ProductEngine(Precision precision, std::size_t most_values)
    : parts_(new Parts{.precision = precision,
                       .rounded = HugeMemory(precision == Precision::kBF16 ? 2 * half_of(most_values) : 1),
                       .half_bytes = half_of(most_values)}) {}
ProductEngine::~ProductEngine() = default;

struct Product::Parts {
  // An operand and, if it is rounded, its rounded copy.
  struct Operand {
    dnnl::memory given;
    dnnl::memory flat;
    dnnl::reorder rounding;
  };

  ProductEngine::Parts& engine;
  dnnl::matmul multiply;
  std::array<Operand, 2> operands;
  dnnl::memory result;
  dnnl::memory row;   // none where nothing is added
  onednn::Args args;  // the product's arguments: the same memories
};

Product::Product(ProductEngine& engine, const ProductShape& shape)
    : parts_(new Parts{.engine = *engine.parts_, .multiply = {}, .operands = {}, .result = {}, .row = {}, .args = {}}) {
  const dnnl::engine& cpu = parts_->engine.engine;
  const bool rounds = parts_->engine.precision == Precision::kBF16;
  const Type type = rounds ? Type::bf16 : Type::f32;
  const auto result = matrix(shape.batch, shape.rows, shape.columns, false, Type::f32);
  const auto left = matrix(shape.batch, shape.rows, shape.inner, shape.left_turned, type);
  const auto right = matrix(shape.batch, shape.inner, shape.columns, shape.right_turned, type);
  parts_->result = dnnl::memory(result, cpu, nullptr);
  parts_->args.emplace(DNNL_ARG_DST, parts_->result);
  if (shape.adds_row) {
    const auto row = matrix(1, 1, shape.columns, false, Type::f32);
    parts_->multiply = dnnl::matmul({{left, right, row, result}, cpu});
    parts_->row = dnnl::memory(row, cpu, nullptr);
    parts_->args.emplace(DNNL_ARG_BIAS, parts_->row);
  } else {
    parts_->multiply = dnnl::matmul({{left, right, result}, cpu});
  }
  const std::array sizes{shape.batch * shape.rows * shape.inner, shape.batch * shape.inner * shape.columns};
  const std::array types{left, right};
  const std::array names{DNNL_ARG_SRC, DNNL_ARG_WEIGHTS};
  for (std::size_t i = 0; i < 2; ++i) {
    Parts::Operand& operand = parts_->operands.at(i);
    if (!rounds) {
      operand.given = dnnl::memory(types.at(i), cpu, nullptr);
      parts_->args.emplace(names.at(i), operand.given);
      continue;
    }
    // Rounding goes value by value, whatever the storage order.
    const Dims dims{dim_of(sizes.at(i))};
    std::byte* const place = parts_->engine.rounded.bytes().data() + i * parts_->engine.half_bytes;
    operand.given = dnnl::memory({dims, Type::f32, Dims{1}}, cpu, nullptr);
    operand.flat = dnnl::memory({dims, Type::bf16, Dims{1}}, cpu, place);
    operand.rounding = dnnl::reorder(operand.given, operand.flat);
    parts_->args.emplace(names.at(i), dnnl::memory(types.at(i), cpu, place));
  }
}

Product::Product(Product&&) noexcept = default;
Product::~Product() = default;

void Product::run(const float* left, const float* right, float* result, const float* row) const {
  dnnl::stream& stream = parts_->engine.stream;
  const std::array given{left, right};
  for (std::size_t i = 0; i < 2; ++i) {
    Parts::Operand& operand = parts_->operands.at(i);
    operand.given.set_data_handle(untold(given.at(i)), stream);
    if (operand.flat) operand.rounding.execute(stream, operand.given, operand.flat);
  }
  parts_->result.set_data_handle(result, stream);
  if (parts_->row) parts_->row.set_data_handle(untold(row), stream);
  parts_->multiply.execute(stream, parts_->args);
  stream.wait();
}

}  // namespace loadline
