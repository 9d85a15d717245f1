// A training step of each network, and its convolutions and dense layers alone, with each in oneDNN's preferred data
// format. The step adds copies, pools, normalisations, loss and optimizer. Items are arithmetic operations, so both
// rates are in operations per second.
#include <fmt/format.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>
#include <vector>

#include "bench/components.h"
#include "harness/machine/threads.h"
#include "loaders/batch_pool.h"
#include "loaders/error.h"
#include "loaders/random.h"
#include "loaders/system/memory.h"
#include "synthetic/compute/cnn/training_step.h"

namespace loadline::bench {
namespace {

using dnnl::algorithm;
using dnnl::memory;
using dnnl::prop_kind;

struct Case {
  std::string_view network;
  SampleFormat sample;
  std::size_t batch_size;
};

std::vector<Case> cases() {
  const auto format = [](std::vector<std::size_t> input, std::vector<std::size_t> target = {}) {
    return SampleFormat{.dtype = DType::kF32, .input = std::move(input), .target = std::move(target)};
  };
  return {{"lenet", format({1, 28, 28}), 512},
          {"resnet20", format({3, 32, 32}), 128},
          {"unet3d", format({4, 32, 32, 32}, {5, 32, 32, 32}), 2}};
}

const Network& network_of(const Case& which) {
  for (const Network& network : networks()) {
    if (network.name == which.network) return network;
  }
  throw Error(fmt::format("no network {}", which.network));
}

StepSetting setting_of(const Case& which, Precision precision, bool fusion) {
  return {.sample = which.sample,
          .batch_size = which.batch_size,
          .classes = 10,
          .precision = precision,
          .fusion = fusion,
          .threads = threads_in_force()};
}

void run_step(benchmark::State& state, const Case& which, Precision precision, bool fusion) {
  const StepSetting setting = setting_of(which, precision, fusion);
  const Network& network = network_of(which);
  const SteadyClock clock;
  TrainingStep step(
      {.network = &network, .optimizer = {.kind = network.optimizer, .learning_rate = 1e-4, .fused = fusion}}, setting,
      clock);
  const auto layers = network.layers(outputs_of(network, setting.sample, setting.classes));
  const auto shapes = tensor_shapes(layers, setting.sample.input);
  const auto values_of = [](const std::vector<std::size_t>& shape) {
    std::size_t values = shape.empty() ? 0 : 1;
    for (const std::size_t extent : shape) values *= extent;
    return values;
  };
  const std::size_t target_bytes = values_of(setting.sample.target) * sizeof(float);
  const std::size_t sample_bytes = values_of(setting.sample.input) * sizeof(float) + target_bytes;
  BatchPool pool(1, which.batch_size, sample_bytes);
  const Batch batch = pool.try_acquire();
  batch->count = which.batch_size;
  batch->sample_bytes = sample_bytes;
  batch->target_bytes = target_bytes;
  Random random(1);
  auto* values = reinterpret_cast<float*>(batch->data.data());
  for (std::size_t i = 0; i < batch->data.size() / sizeof(float); ++i) values[i] = static_cast<float>(random.unit());
  for (auto& label : batch->labels) label = static_cast<std::int32_t>(random.below(10));
  for (auto pass : state) {
    (void)pass;
    step.train(*batch);
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(static_cast<double>(which.batch_size) *
                                                                         step_operations(layers, shapes)));
}

// The primitives of one layer and memory for them.
class LayerAlone {
 public:
  LayerAlone(const Layer& layer, const std::vector<std::size_t>& input, const std::vector<std::size_t>& output,
             std::size_t batch, memory::data_type type, const dnnl::engine& engine)
      : engine_(engine) {
    const auto dims = [batch](const std::vector<std::size_t>& shape) {
      memory::dims all{static_cast<memory::dim>(batch)};
      for (const std::size_t extent : shape) all.push_back(static_cast<memory::dim>(extent));
      return all;
    };
    const memory::dims src = dims(input);
    memory::dims weights{static_cast<memory::dim>(layer.channels), src[1]};
    const bool dense = layer.kind == LayerKind::kDense;
    for (std::size_t k = 2; k < src.size(); ++k) {
      weights.push_back(dense ? src[k] : static_cast<memory::dim>(layer.kernel));
    }
    const auto any = [](const memory::dims& of, memory::data_type kind) {
      return memory::desc(of, kind, memory::format_tag::any);
    };
    const memory::dims strides(src.size() - 2, static_cast<memory::dim>(layer.stride));
    const memory::dims padding(src.size() - 2, static_cast<memory::dim>(layer.padding));
    const auto whole = memory::data_type::f32;
    const bool first = layer.input == 0;
    if (dense) {
      const memory::dims dst{src[0], weights[0]};
      const dnnl::inner_product_forward::primitive_desc forward(
          {prop_kind::forward_training, any(src, type), any(weights, type), any(dst, type)}, engine);
      add_three<dnnl::inner_product_forward, dnnl::inner_product_backward_data, dnnl::inner_product_backward_weights>(
          forward, {{any(src, type), any(weights, type), any(dst, type)}, engine, forward},
          {{any(src, type), any(weights, whole), any(dst, type)}, engine, forward}, first);
    } else if (layer.kind == LayerKind::kTransposed) {
      add_sliding<dnnl::deconvolution_forward, dnnl::deconvolution_backward_data, dnnl::deconvolution_backward_weights>(
          algorithm::deconvolution_direct, any(src, type), any(weights, type), any(weights, whole),
          any(dims(output), type), strides, padding, first);
    } else {
      add_sliding<dnnl::convolution_forward, dnnl::convolution_backward_data, dnnl::convolution_backward_weights>(
          algorithm::convolution_direct, any(src, type), any(weights, type), any(weights, whole),
          any(dims(output), type), strides, padding, first);
    }
  }

  void execute(dnnl::stream& stream) {
    for (auto& [primitive, args] : operations_) primitive.execute(stream, args);
  }

 private:
  using Args = std::unordered_map<int, memory>;

  template <typename Forward, typename Data, typename Weights>
  void add_sliding(algorithm kind, const memory::desc& src, const memory::desc& weights,
                   const memory::desc& weight_gradient, const memory::desc& dst, const memory::dims& strides,
                   const memory::dims& padding, bool first) {
    const typename Forward::primitive_desc forward(
        {prop_kind::forward_training, kind, src, weights, dst, strides, padding, padding}, engine_);
    add_three<Forward, Data, Weights>(forward, {{kind, src, weights, dst, strides, padding, padding}, engine_, forward},
                                      {{kind, src, weight_gradient, dst, strides, padding, padding}, engine_, forward},
                                      first);
  }

  template <typename Forward, typename Data, typename Weights>
  void add_three(const typename Forward::primitive_desc& forward, const typename Data::primitive_desc& data,
                 const typename Weights::primitive_desc& weights, bool first) {
    operations_.emplace_back(Forward(forward), Args{{DNNL_ARG_SRC, make(forward.src_desc())},
                                                    {DNNL_ARG_WEIGHTS, make(forward.weights_desc())},
                                                    {DNNL_ARG_DST, make(forward.dst_desc())}});
    if (!first) {
      operations_.emplace_back(Data(data), Args{{DNNL_ARG_DIFF_DST, make(data.diff_dst_desc())},
                                                {DNNL_ARG_WEIGHTS, make(data.weights_desc())},
                                                {DNNL_ARG_DIFF_SRC, make(data.diff_src_desc())}});
    }
    operations_.emplace_back(Weights(weights), Args{{DNNL_ARG_SRC, make(weights.src_desc())},
                                                    {DNNL_ARG_DIFF_DST, make(weights.diff_dst_desc())},
                                                    {DNNL_ARG_DIFF_WEIGHTS, make(weights.diff_weights_desc())}});
  }

  memory make(const memory::desc& format) {
    pieces_.emplace_back(format.get_size());
    return {format, engine_, pieces_.back().bytes().data()};
  }

  dnnl::engine engine_;
  std::vector<HugeMemory> pieces_;
  std::vector<std::pair<dnnl::primitive, Args>> operations_;
};

void run_layers(benchmark::State& state, const Case& which, Precision precision) {
  const StepSetting setting = setting_of(which, precision, true);
  const Network& network = network_of(which);
  const auto layers = network.layers(outputs_of(network, setting.sample, setting.classes));
  const auto shapes = tensor_shapes(layers, setting.sample.input);
  const auto type = precision == Precision::kBF16 ? memory::data_type::bf16 : memory::data_type::f32;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  dnnl::stream stream(engine);
  std::vector<LayerAlone> alone;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const LayerKind kind = layers[i].kind;
    if (kind != LayerKind::kConvolution && kind != LayerKind::kDense && kind != LayerKind::kTransposed) continue;
    alone.emplace_back(layers[i], shapes[layers[i].input], shapes[i + 1], which.batch_size, type, engine);
  }
  for (auto pass : state) {
    (void)pass;
    for (LayerAlone& layer : alone) layer.execute(stream);
    stream.wait();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(static_cast<double>(which.batch_size) *
                                                                         step_operations(layers, shapes)));
}

}  // namespace

void add_cnn_rows(Rows& rows) {
  for (const Case& which : cases()) {
    for (const Precision precision : {Precision::kF32, Precision::kBF16}) {
      if (support_of(precision) != PrecisionSupport::kNative) continue;
      rows.add(fmt::format("cnn/{}/{}/layers-alone", which.network, name(precision)),
               [which, precision](benchmark::State& state) { run_layers(state, which, precision); })
          ->UseRealTime();
      for (const bool fusion : {true, false}) {
        rows.add(fmt::format("cnn/{}/{}/{}", which.network, name(precision), fusion ? "fused" : "apart"),
                 [which, precision, fusion](benchmark::State& state) { run_step(state, which, precision, fusion); })
            ->UseRealTime();
      }
    }
  }
}

}  // namespace loadline::bench
