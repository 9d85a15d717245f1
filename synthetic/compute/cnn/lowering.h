// Building blocks for lowering a network to oneDNN's operations: memory, lists of operations, and weights. Private to
// the files of this folder that see oneDNN.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "loaders/system/memory.h"
#include "synthetic/compute/cnn/graph.h"
#include "synthetic/compute/cnn/onednn.h"

namespace loadline::onednn {

// Memory in large pieces, faulted in so that no step pays for page faults.
class Arena {
 public:
  std::byte* take(std::size_t size_bytes) {
    constexpr std::size_t kPieceBytes = std::size_t{32} << 20;
    constexpr std::size_t kAlignment = 4096;
    const std::size_t size = (std::max<std::size_t>(size_bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    if (pieces_.empty() || pieces_.back().bytes().size() - used_ < size) {
      pieces_.emplace_back(std::max(size, kPieceBytes));
      all_ += pieces_.back().bytes().size();
      used_ = 0;
    }
    std::byte* const found = pieces_.back().bytes().data() + used_;
    used_ += size;
    return found;
  }
  std::size_t size_bytes() const { return all_; }

 private:
  std::vector<HugeMemory> pieces_;
  std::size_t used_ = 0;  // of the last piece
  std::size_t all_ = 0;
};
// One thread. Everything it hands out lives as long as it does.
class Lowering {
 public:
  explicit Lowering(std::uint64_t seed) : seed_(seed) {}
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  // Runs the operations in order and waits for the last.
  void run(const Operations& operations);
  // The same; calls `after` after each with the number of finished ones.
  void run(const Operations& operations, const std::function<void(std::size_t)>& after);

  // f32 values in place, in the plain order of their axes.
  std::span<float> plain(const memory& values) const {
    return {static_cast<float*>(values.get_data_handle()), values.get_desc().get_size() / sizeof(float)};
  }
  std::vector<float> read(const memory& from);
  void write(memory to, std::span<const float> values);

  const memory& weight(std::size_t parameter) const { return parameters_[parameter].weight; }
  const memory& gradient(std::size_t parameter) const { return parameters_[parameter].gradient; }
  std::span<float> weights() const { return weights_; }
  std::span<float> gradients() const { return gradients_; }
  std::span<const std::size_t> tensor_values() const { return tensor_values_; }
  std::size_t parameters() const { return parameters_.size(); }
  const GraphFacts& facts() const { return facts_; }

 protected:
  memory allocated(const memory::desc& format) { return {format, engine_, arena_.take(format.get_size())}; }
  memory unplaced(const memory::desc& format) { return {format, engine_, DNNL_MEMORY_NONE}; }

  primitive_attr attributes() const;
  primitive_attr attributes_with_relu(bool relu) const;
  // All operations share one scratch memory, because they never run at the same time.
  template <typename Primitive, typename Description>
  void add(Operations& operations, const Description& description, Args args) {
    const memory::desc scratch = description.scratchpad_desc();
    if (scratch.get_size() > 0) {
      args[DNNL_ARG_SCRATCHPAD] = unplaced(scratch);
      scratchpads_.push_back(args[DNNL_ARG_SCRATCHPAD]);
    }
    operations.push_back({Primitive(description), std::move(args), {}});
  }

  void add_reorder(Operations& operations, const memory& from, const memory& to, primitive_attr attr = {});
  // The same values in the format that an operation needs, reordered if necessary.
  memory in_format(Operations& operations, const memory& values, const memory::desc& format);
  void both(const std::function<void(Operations&)>& lower) {
    lower(forward_);
    lower(evaluate_);
  }
  void add_binary(Operations& operations, const memory& a, const memory& b, const memory& sum, bool relu);

  // Adds a weight tensor in the format that the forward pass prefers: drawn with this standard deviation around zero
  // or, if that is 0, filled with `constant`. Returns its index.
  std::size_t add_parameter(const memory::desc& format, double spread, float constant);
  // The weight in the format that an operation needs, converted from the f32 original before the forward pass.
  memory weight_in(std::size_t parameter, const memory::desc& format);
  // Where an operation writes a gradient in its own format; adds the conversion to the weight's format.
  memory parameter_gradient(std::size_t parameter, const memory::desc& format);
  void finish_parameter_gradient(std::size_t parameter, const memory& part);

  // Call after all operations were added: places weights and scratch, and sets the initial weights.
  void finish();

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  GraphFacts facts_;
  Operations copy_;      // brings the input into the first layer's format
  Operations convert_;   // converts weights after they have changed
  Operations forward_;   // for training
  Operations evaluate_;  // for evaluation
  Operations backward_;

 private:
  struct Parameter {
    memory weight;      // f32, in the format that the forward pass prefers
    memory gradient;    // the same
    double spread = 0;  // standard deviation of the initial values; 0: all are `constant`
    float constant = 0;
  };

  void run_one(const Operation& operation);
  void allocate_weights();
  void draw(std::size_t parameter);
  void allocate_scratch();

  std::uint64_t seed_;
  dnnl::stream stream_{engine_};
  Arena arena_;
  std::vector<Parameter> parameters_;
  std::vector<std::pair<std::size_t, memory>> converted_;
  std::vector<memory> scratchpads_;
  std::vector<std::size_t> tensor_values_;
  std::span<float> weights_;
  std::span<float> gradients_;
};

}  // namespace loadline::onednn
