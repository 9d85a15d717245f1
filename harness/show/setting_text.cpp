#include "harness/show/setting_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/judge/phrase.h"
#include "harness/show/placement_text.h"
#include "harness/show/ranks_text.h"
#include "harness/show/staging_text.h"
#include "loaders/datasets/script.h"
#include "loaders/printable.h"

namespace loadline {
namespace {

// "of 3x32x32 u8".
std::string stored_text(const DatasetInfo& info) {
  if (info.encoded) return fmt::format("in {}{} bytes", info.sized_files ? "about " : "", info.stored_bytes);
  if (const auto& volume = info.volume) {
    return fmt::format("out of {} + {} channels of {}^3 f32", volume->input_channels, volume->target_channels,
                       volume->edge);
  }
  if (const auto& tokens = info.tokens) {
    return fmt::format("out of {} tokens of u{}", tokens->tokens, 8 * tokens->token_bytes);
  }
  if (const auto& text = info.text) {
    return fmt::format("of {} documents, {} bytes, tokenised by {}", text->documents, text->bytes,
                       printable(text->tokenizer));
  }
  return fmt::format("of {}x{}x{} u8{}", info.shape.channels, info.shape.height, info.shape.width,
                     info.channels_last ? " stored with channels last" : "");
}

std::string data_line(const DatasetFacts& facts) {
  const std::string path = printable(facts.path.string());
  if (facts.info.format == kScriptFormat) return fmt::format("data: delivered by {}\n", path);
  const std::string samples = plural(facts.info.samples, "sample");
  if (facts.info.access == Access::kUnknown) {
    return fmt::format("data: {} ({})\n", path, facts.info.samples > 0 ? samples : "samples unknown");
  }
  return fmt::format("data: {} ({}, {} {}, {}{})\n", path, facts.info.format, samples, stored_text(facts.info),
                     name(facts.info.access), fingerprint_text(facts));
}

// The name of a program that measured itself.
std::string program_of(const Result& result) {
  return result.arguments.empty() ? "a program" : result.arguments.front();
}

}  // namespace

std::string fingerprint_text(const DatasetFacts& facts) {
  if (!facts.fingerprint) return "";
  const std::string_view them = facts.info.labelled() ? " of them" : " pieces";
  return fmt::format(", fingerprint {:016x}{}", *facts.fingerprint,
                     facts.fingerprint_samples ? fmt::format(" of {}{}", *facts.fingerprint_samples, them) : "");
}

std::string setting_text(const Result& result) {
  const Machine& machine = result.environment.machine;
  const Build& build = result.environment.build;
  std::string text =
      fmt::format("loadline {} ({}, {} kernels) on {}, {:.4g} of {} in force\n", build.version,
                  build.build_type.value_or("build type unknown"), result.kernels,
                  printable(machine.cpu_model.value_or("an unknown CPU")), cpus_in_force(machine),
                  machine.logical_cpus ? plural(*machine.logical_cpus, "CPU") : "an unknown number of CPUs");
  text += ranks_text(result) + staged_text(result);
  if (const auto& loop = result.loop) {
    text += fmt::format("loop: {} of {}, {}", printable(loop->loader), printable(program_of(result)),
                        loop->restarts ? "a new iterator for each trial" : "one iterator for all trials");
    for (const auto& [name, version] : loop->versions) text += fmt::format(", {} {}", name, printable(version));
    text += '\n';
  }
  // The same data are opened once for each way of reading them.
  std::vector<std::string> lines;
  for (const DatasetFacts& facts : result.datasets) {
    std::string line = data_line(facts);
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  text += fmt::format("{}", fmt::join(lines, ""));
  for (const std::string& line : placement_lines(result)) text += line + '\n';
  return text;
}

}  // namespace loadline
