#include "synthetic/compute/compute.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "loaders/names.h"
#ifdef LOADLINE_HAVE_ONEDNN
#include "synthetic/compute/cnn.h"
#include "synthetic/compute/gpt.h"
#endif
#ifdef LOADLINE_HAVE_CUDA
#include "synthetic/compute/cuda.h"
#endif
#include "synthetic/compute/device.h"
#include "synthetic/compute/drain.h"
#include "synthetic/compute/replay.h"

namespace loadline {
namespace {

constexpr std::array kComputes{
    ComputeKind{.name = "drain",
                .summary = "touches every cache line of the batch, then drops it",
                .parameters = {},
                .make = make_drain,
                .only_reads = true},
    ComputeKind{.name = "device",
                .summary = "emulated accelerators: timed steps that use no CPU",
                .parameters = kDeviceParameters,
                .make = make_device_of,
                .held_batches = device_held_batches,
                .memory_bytes = device_memory_bytes,
                .samples_per_second = device_samples_per_second,
                .launches_ahead = device_launches_ahead},
    ComputeKind{.name = "replay",
                .summary = "takes as long as the steps of a job that loadline.record recorded",
                .parameters = kReplayParameters,
                .make = make_replay_of,
                .memory_bytes = replay_memory_bytes},
#ifdef LOADLINE_HAVE_ONEDNN
    ComputeKind{.name = "cnn",
                .summary = "a training step of a small network on the CPU, by oneDNN",
                .parameters = kCnnParameters,
                .make = make_cnn,
                .memory_bytes = cnn_memory_bytes,
                .make_trainer = make_cnn_trainer,
                .needs_samples = true,
                .heeds_precision = true,
                .heeds_fusion = true,
                .heeds_threads = true},
    ComputeKind{.name = "gpt",
                .summary = "a training step of a small language model on the CPU, by oneDNN",
                .parameters = kGptParameters,
                .make = make_gpt,
                .memory_bytes = gpt_memory_bytes,
                .make_trainer = make_gpt_trainer,
                .needs_samples = true,
                .heeds_precision = true,
                .heeds_fusion = true,
                .heeds_threads = true},
#endif
#ifdef LOADLINE_HAVE_CUDA
    ComputeKind{.name = "cuda",
                .summary = "a training step on a GPU: a multi-layer network by cuBLAS",
                .parameters = kCudaParameters,
                .make = make_cuda,
                .held_batches = cuda_held_batches,
                .memory_bytes = cuda_memory_bytes,
                .needs_samples = true,
                .heeds_precision = true,
                .heeds_fusion = true,
                .launches_ahead = cuda_launches_ahead},
#endif
};

std::unique_ptr<Sink> refuse_to_step(std::span<const double> /*values*/, const ComputeContext& /*context*/) {
  throw usage_error(
      fmt::format("compute {}: it is the training step of a program that measured itself, and only that program has it",
                  kProgramStep));
}

// Not in the table: it appears only in results.
constexpr ComputeKind kStepOfProgram{.name = kProgramStep,
                                     .summary = "the training step of a program that measured itself",
                                     .parameters = {},
                                     .make = refuse_to_step,
                                     .launches_ahead = [](std::span<const double> /*values*/) { return true; }};
std::unique_ptr<Sink> refuse_to_make(std::span<const double> /*values*/, const ComputeContext& /*context*/) {
  throw usage_error("--compute: only `python3 -m loadline` can call a Python function");
}

// For a compute that this process cannot open.
constexpr ComputeKind kElsewhere{.name = "of a script",
                                 .summary = "an outside training step",
                                 .parameters = {},
                                 .make = refuse_to_make,
                                 .external = true};

ComputeOpener& opener() {
  static ComputeOpener the_one;
  return the_one;
}

std::size_t place_of_parameter(const ComputeKind& kind, std::string_view name) {
  if (kind.parameters.empty()) throw usage_error(fmt::format("compute {}: it has no parameters", kind.name));
  const auto& row = row_named(kind.parameters, fmt::format("compute {}: parameter", kind.name), name);
  return static_cast<std::size_t>(&row - kind.parameters.data());
}

struct Texts {
  std::mutex mutex;
  std::vector<std::string> all;
};

Texts& texts() {
  static Texts kept;
  return kept;
}

double parse_value(const ComputeKind& kind, const ComputeParameter& parameter, std::string_view text) {
  if (parameter.text) {
    if (text.empty()) throw usage_error(fmt::format("compute {}: {}= is empty", kind.name, parameter.name));
    return keep_text(text);
  }
  if (!parameter.words.empty()) {
    const auto word = std::ranges::find(parameter.words, text);
    if (word != parameter.words.end()) return static_cast<double>(word - parameter.words.begin());
    throw unknown_name(fmt::format("compute {}: {}", kind.name, parameter.name), text, parameter.words);
  }
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = status == std::errc{} && end == text.data() + text.size() && std::isfinite(value);
  const bool in_range = is_number && value >= parameter.least && value <= parameter.most;
  if (in_range && (!parameter.whole || value == std::floor(value))) return value;
  const bool is_beyond = status == std::errc::result_out_of_range;
  const double most = is_beyond ? std::min(parameter.most, std::numeric_limits<double>::max()) : parameter.most;
  const std::string range = std::isinf(most) ? fmt::format("of at least {}", parameter.least)
                                             : fmt::format("from {} to {}", parameter.least, most);
  throw usage_error(fmt::format("compute {}: {}={}: want a {}number {}", kind.name, parameter.name, text,
                                parameter.whole ? "whole " : "", range));
}

void parse_assignment(const ComputeKind& kind, std::string_view text, std::vector<std::optional<double>>& values) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) {
    throw usage_error(fmt::format("compute {}: '{}': want parameter=value", kind.name, text));
  }
  const std::size_t index = place_of_parameter(kind, text.substr(0, equals));
  values[index] = parse_value(kind, kind.parameters[index], text.substr(equals + 1));
}

// Throws if a required parameter is missing, or if both it and its stand-in are given.
void check_required(const ComputeKind& kind, std::span<const std::optional<double>> given) {
  for (std::size_t i = 0; i < given.size(); ++i) {
    const ComputeParameter& parameter = kind.parameters[i];
    if (!parameter.required) continue;
    const bool has_stand_in = !parameter.stand_in.empty();
    const bool stood_in = has_stand_in && given[place_of_parameter(kind, parameter.stand_in)].value_or(0) > 0;
    if (given[i] && stood_in) {
      throw usage_error(
          fmt::format("compute {}: it takes {} or {}, not both", kind.name, parameter.name, parameter.stand_in));
    }
    if (!given[i] && !stood_in) {
      throw usage_error(fmt::format("compute {}: it needs {}, such as {}:{}={}{}", kind.name, parameter.name, kind.name,
                                    parameter.name, parameter.text ? "job.json" : "1000",
                                    has_stand_in ? fmt::format(", or {}", parameter.stand_in) : ""));
    }
  }
}

}  // namespace

double keep_text(std::string_view text) {
  const std::lock_guard lock(texts().mutex);
  auto& all = texts().all;
  const auto found = std::ranges::find(all, text);
  if (found != all.end()) return static_cast<double>(found - all.begin());
  all.emplace_back(text);
  return static_cast<double>(all.size() - 1);
}

std::string kept_text(double value) {
  const std::lock_guard lock(texts().mutex);
  return texts().all.at(static_cast<std::size_t>(value));
}

std::span<const ComputeKind> computes() {
  return kComputes;
}

std::span<const LeftOut> computes_left_out() {
  static const std::vector<LeftOut> kRows{
#ifndef LOADLINE_HAVE_ONEDNN
      {"cnn", "built without oneDNN; install oneDNN 2 (Debian: libdnnl-dev) and OpenMP and configure again"},
      {"gpt", "built without oneDNN; install oneDNN 2 (Debian: libdnnl-dev) and OpenMP and configure again"},
#endif
#ifndef LOADLINE_HAVE_CUDA
      {"cuda", "built without CUDA; install the CUDA toolkit and configure again"},
#endif
  };
  return kRows;
}

bool may_name_external_compute(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon + 1 == text.size() || text.find('=') != std::string_view::npos) {
    return false;
  }
  const std::string_view head = text.substr(0, colon);
  return std::ranges::find(kComputes, head, &ComputeKind::name) == kComputes.end() &&
         std::ranges::find(computes_left_out(), head, &LeftOut::name) == computes_left_out().end();
}

void set_compute_opener(ComputeOpener new_opener) {
  opener() = std::move(new_opener);
}

ComputeSpec parse_compute(std::string_view text) {
  if (text == kProgramStep) return {.kind = &kStepOfProgram};
  if (may_name_external_compute(text)) return opener() ? opener()(text) : ComputeSpec{.kind = &kElsewhere};
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  for (const LeftOut& row : computes_left_out()) {
    if (row.name == name) throw usage_error(fmt::format("compute {}: {}", name, row.reason));
  }
  const ComputeKind& kind = row_named(kComputes, "compute", name);
  std::vector<std::optional<double>> given(kind.parameters.size());
  std::string_view rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    parse_assignment(kind, rest.substr(0, comma), given);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  check_required(kind, given);
  ComputeSpec spec{.kind = &kind};
  for (std::size_t i = 0; i < given.size(); ++i) {
    spec.values.push_back(given[i].value_or(kind.parameters[i].standard));
  }
  return spec;
}

}  // namespace loadline
