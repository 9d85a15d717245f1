#include "bench/truth/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/truth/rows.h"

namespace loadline::truth {
namespace {

std::string percent(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

std::string target_text(const Target& target) {
  if (target.high >= 1) return fmt::format("≥ {}", percent(target.low));
  if (target.low <= 0) return target.high == 0 ? "0" : fmt::format("≤ {}", percent(target.high));
  return fmt::format("{:.3g} to {}", 100 * target.low, percent(target.high));
}

std::string share_text(const Count& count) {
  if (count.draws == 0) return "";
  const Interval interval = exact_interval(count);
  return fmt::format("{} ({:.3g} to {})", percent(count.share()), 100 * interval.low, percent(interval.high));
}

// The subject of a line: the words before the slash apply to the following lines without such words.
std::string what_of(const Target& target) {
  if (const auto slash = target.id.find('/'); slash != std::string_view::npos && target.what.empty()) {
    return fmt::format("... {}", target.id.substr(slash + 1));
  }
  const auto slash = target.id.find('/');
  const bool coverage = target.low == 0.93 && slash != std::string_view::npos;
  return coverage ? fmt::format("coverage {}: {}", target.what, target.id.substr(slash + 1)) : std::string(target.what);
}

std::string json_string(std::string_view text) {
  std::string json_string = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') json_string += '\\';
    if (letter == '\n') {
      json_string += "\\n";
    } else {
      json_string += letter;
    }
  }
  return json_string + '"';
}

std::string count_json(const Count& count) {
  if (count.draws == 0) return R"("hits": 0, "draws": 0, "share": null, "ci95": null)";
  const Interval interval = exact_interval(count);
  return fmt::format(R"("hits": {}, "draws": {}, "share": {:.6g}, "ci95": [{:.6g}, {:.6g}])", count.hits, count.draws,
                     count.share(), interval.low, interval.high);
}

}  // namespace

std::string text_table(const Tally& tally) {
  std::string text;
  for (const Target& target : targets()) {
    const Count count = tally.of(target.id);
    text += fmt::format("{:<24} {:>10} {:>28} {:>8}  {:<10} {}\n", target.id, target_text(target), share_text(count),
                        count.draws, name(outcome_of(target, count)), what_of(target));
  }
  return text;
}

std::string markdown_table(const Tally& tally) {
  std::string text = "| | to reach | came out | draws | |\n|---|---|---|---|---|\n";
  for (const Target& target : targets()) {
    const Count count = tally.of(target.id);
    text += fmt::format("| {} | {} | {} | {} | {} |\n", what_of(target), target_text(target), share_text(count),
                        count.draws, name(outcome_of(target, count)));
  }
  return text;
}

std::string json_text(const Header& header, const Tally& tally) {
  std::string text = fmt::format(
      "{{\n  \"schema_version\": 1,\n  \"draws\": {},\n  \"seed\": {},\n  \"truth_batches\": {},\n"
      "  \"rows\": [",
      header.draws, header.seed, header.truth_batches);
  bool first = true;
  for (const Target& target : targets()) {
    const Count count = tally.of(target.id);
    text += fmt::format(
        "{}\n    {{\"id\": {}, \"what\": {}, \"target\": [{}, {}], {}, \"outcome\": {},\n     \"theory\": {},\n     "
        "\"parts\": {{",
        first ? "" : ",", json_string(target.id), json_string(what_of(target)), target.low, target.high,
        count_json(count), json_string(name(outcome_of(target, count))),
        target.theory.empty() ? "null" : json_string(target.theory));
    first = false;
    bool first_part = true;
    for (const auto& [part, its] : tally.parts_of(target.id)) {
      text += fmt::format("{}\n       {}: {{{}}}", first_part ? "" : ",", json_string(part), count_json(its));
      first_part = false;
    }
    text += "}}";
  }
  return text + "\n  ]\n}\n";
}

std::string parts_text(const Tally& tally, std::string_view id) {
  std::string text;
  for (const auto& [part, count] : tally.parts_of(id)) {
    text += fmt::format("    {:<36} {:>28} {:>8}\n", part, share_text(count), count.draws);
  }
  return text;
}

bool all_met(const Tally& tally) {
  return std::ranges::none_of(
      targets(), [&](const Target& target) { return outcome_of(target, tally.of(target.id)) == Outcome::kMissed; });
}

}  // namespace loadline::truth
