#include "synthetic/compute/cnn/graph.h"

#include <fmt/format.h>

#include <memory>

#include "loaders/error.h"
#include "synthetic/compute/cnn/graph_builder.h"

namespace loadline {
namespace {

// Reports oneDNN's refusals in our words; its own message is only a code.
template <typename Work>
auto translated(const Work& work) {
  try {
    return work();
  } catch (const dnnl::error& error) {
    throw Error(fmt::format("compute cnn: oneDNN cannot do this here: {}", error.what()));
  }
}

}  // namespace

Graph::Graph(std::span<const Layer> layers, const SampleFormat& input, const GraphOptions& options)
    : built_(translated([&] { return std::make_unique<Builder>(layers, input, options); })) {}
Graph::~Graph() = default;

void Graph::set_input(const std::byte* batch) {
  translated([&] { built_->set_input(batch); });
}
void Graph::forward(bool training) {
  translated([&] { built_->forward(training); });
}
void Graph::backward() {
  translated([&] { built_->backward(); });
}
void Graph::backward(const std::function<void(std::size_t)>& after) {
  translated([&] { built_->backward(after); });
}
std::span<const std::size_t> Graph::gradient_operations() const {
  return built_->gradient_operations();
}
std::span<const float> Graph::outputs() const {
  return built_->plain(built_->outputs());
}
std::span<float> Graph::output_gradients() {
  return built_->plain(built_->output_gradients());
}
std::span<float> Graph::weights() {
  return built_->weights();
}
std::span<const float> Graph::gradients() const {
  return built_->gradients();
}
std::span<const std::size_t> Graph::tensor_values() const {
  return built_->tensor_values();
}
std::vector<float> Graph::plain_weights(std::size_t tensor) const {
  return built_->read(built_->weight(tensor));
}
void Graph::set_plain_weights(std::size_t tensor, std::span<const float> values) {
  built_->write(built_->weight(tensor), values);
}
std::vector<float> Graph::plain_gradient(std::size_t tensor) const {
  return built_->read(built_->gradient(tensor));
}
const GraphFacts& Graph::facts() const {
  return built_->facts();
}

PrecisionSupport support_of(Precision precision) {
  if (precision == Precision::kF32) return PrecisionSupport::kNative;
  // Levels are bit sets that include those of the levels below.
  const auto has = [own = static_cast<unsigned>(dnnl::get_effective_cpu_isa())](dnnl::cpu_isa level) {
    const auto bits = static_cast<unsigned>(level);
    return (own & bits) == bits;
  };
  if (has(dnnl::cpu_isa::avx512_core_bf16)) return PrecisionSupport::kNative;
  return has(dnnl::cpu_isa::avx512_core) ? PrecisionSupport::kEmulated : PrecisionSupport::kNone;
}

}  // namespace loadline
