#include "synthetic/compute/cnn/lowering.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "loaders/random.h"

namespace loadline::onednn {

void Lowering::run(const Operations& operations) {
  for (const Operation& operation : operations) run_one(operation);
  stream_.wait();
}

// On the CPU an operation has ended when its call returns.
void Lowering::run(const Operations& operations, const std::function<void(std::size_t)>& after) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    run_one(operations[i]);
    after(i + 1);
  }
  stream_.wait();
}

void Lowering::run_one(const Operation& operation) {
  if (operation.other) {
    operation.other();
  } else {
    operation.primitive.execute(stream_, operation.args);
  }
}

std::vector<float> Lowering::read(const memory& from) {
  const memory::desc plain_format = plain_of(from.get_desc().dims());
  std::vector<float> values(plain_format.get_size() / sizeof(float));
  memory to(plain_format, engine_, values.data());
  dnnl::reorder(from, to).execute(stream_, const_cast<memory&>(from), to);
  return values;
}

void Lowering::write(memory to, std::span<const float> values) {
  memory from(plain_of(to.get_desc().dims()), engine_, const_cast<float*>(values.data()));
  dnnl::reorder(from, to).execute(stream_, from, to);
}

primitive_attr Lowering::attributes() const {
  primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attr;
}

primitive_attr Lowering::attributes_with_relu(bool relu) const {
  primitive_attr attr = attributes();
  if (relu) {
    dnnl::post_ops after;
    after.append_eltwise(1, algorithm::eltwise_relu, 0, 0);
    attr.set_post_ops(after);
  }
  return attr;
}

void Lowering::add_reorder(Operations& operations, const memory& from, const memory& to, primitive_attr attr) {
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::reorder::primitive_desc description(engine_, from.get_desc(), engine_, to.get_desc(), attr);
  add<dnnl::reorder>(operations, description, {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  ++facts_.reorders;
}

memory Lowering::in_format(Operations& operations, const memory& values, const memory::desc& format) {
  if (values.get_desc() == format) return values;
  memory other = allocated(format);
  add_reorder(operations, values, other);
  return other;
}

void Lowering::add_binary(Operations& operations, const memory& a, const memory& b, const memory& sum, bool relu) {
  const dnnl::binary::primitive_desc description({algorithm::binary_add, a.get_desc(), b.get_desc(), sum.get_desc()},
                                                 attributes_with_relu(relu), engine_);
  add<dnnl::binary>(operations, description, {{DNNL_ARG_SRC_0, a}, {DNNL_ARG_SRC_1, b}, {DNNL_ARG_DST, sum}});
}

std::size_t Lowering::add_parameter(const memory::desc& format, double spread, float constant) {
  const memory::desc own = with_type(format, Type::f32);
  parameters_.push_back({.weight = unplaced(own), .gradient = unplaced(own), .spread = spread, .constant = constant});
  return parameters_.size() - 1;
}

memory Lowering::weight_in(std::size_t parameter, const memory::desc& format) {
  const memory& weight = parameters_[parameter].weight;
  if (weight.get_desc() == format) return weight;
  for (const auto& [owner, known] : converted_) {
    if (owner == parameter && known.get_desc() == format) return known;
  }
  const memory other = allocated(format);
  add_reorder(convert_, weight, other);
  converted_.emplace_back(parameter, other);
  return other;
}

memory Lowering::parameter_gradient(std::size_t parameter, const memory::desc& format) {
  const memory& gradient = parameters_[parameter].gradient;
  return gradient.get_desc() == format ? gradient : allocated(format);
}

void Lowering::finish_parameter_gradient(std::size_t parameter, const memory& part) {
  const memory& gradient = parameters_[parameter].gradient;
  if (gradient.get() != part.get()) add_reorder(backward_, part, gradient);
}

void Lowering::allocate_weights() {
  std::size_t values = 0;
  for (const Parameter& parameter : parameters_) {
    // To the next cache line, so that no two tensors share one.
    tensor_values_.push_back((parameter.weight.get_desc().get_size() / sizeof(float) + 15) / 16 * 16);
    values += tensor_values_.back();
    const Dims dims = parameter.weight.get_desc().dims();
    facts_.weights +=
        static_cast<std::size_t>(std::accumulate(dims.begin(), dims.end(), memory::dim{1}, std::multiplies<>()));
  }
  weights_ = {reinterpret_cast<float*>(arena_.take(values * sizeof(float))), values};
  gradients_ = {reinterpret_cast<float*>(arena_.take(values * sizeof(float))), values};
  std::size_t at = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    parameters_[i].weight.set_data_handle(weights_.data() + at);
    parameters_[i].gradient.set_data_handle(gradients_.data() + at);
    at += tensor_values_[i];
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) draw(i);
}

// In the plain order of the axes, so that the values do not depend on the format.
void Lowering::draw(std::size_t parameter) {
  const Parameter& own = parameters_[parameter];
  std::vector<float> values(plain_of(own.weight.get_desc().dims()).get_size() / sizeof(float), own.constant);
  if (own.spread > 0) {
    Random random(key_of(seed_, parameter, 0x7765696768747321ULL));
    for (float& value : values) {
      // Box and Muller, 1958.
      const double radius = std::sqrt(-2 * std::log(1 - random.unit()));
      value = static_cast<float>(own.spread * radius * std::cos(2 * std::numbers::pi * random.unit()));
    }
  }
  write(own.weight, values);
}

void Lowering::allocate_scratch() {
  std::size_t most = 0;
  for (const memory& scratch : scratchpads_) most = std::max(most, scratch.get_desc().get_size());
  std::byte* const place = arena_.take(most);
  for (memory& scratch : scratchpads_) scratch.set_data_handle(place);
}

void Lowering::finish() {
  allocate_weights();
  allocate_scratch();
  facts_.memory_bytes = arena_.size_bytes();
}

}  // namespace loadline::onednn
