#include "harness/show/report/first_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "harness/judge/phrase.h"
#include "harness/judge/rate_interval.h"
#include "harness/judge/spread.h"
#include "harness/result/memory_words.h"
#include "harness/show/columns.h"
#include "harness/show/recommendation_text.h"
#include "harness/show/report/verdicts.h"
#include "harness/show/search_text.h"
#include "harness/show/table.h"
#include "harness/show/warning_text.h"
#include "loaders/listed.h"

namespace loadline {
namespace {

// "a", "a and b", "a, b and c"; for more than five, how many there are.
std::string named_or_counted(const std::vector<std::string>& names, std::string_view things) {
  constexpr std::size_t kMost = 5;
  return names.size() > kMost ? fmt::format("{} {}", names.size(), things) : listed(names);
}

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

// For cells with trials, except OVERHEAD.
template <typename Name>
std::vector<std::string> names_over_cells(const Result& result, const Name& name_of_cell) {
  std::vector<std::string> names;
  for (const CellResult& cell : result.cells) {
    if (cell.cell.mode != Mode::kOverhead && !cell.trials.empty()) add_once(names, name_of_cell(cell.cell));
  }
  return names;
}

std::vector<std::string> workloads_of(const Result& result) {
  return names_over_cells(result, [](const Cell& cell) { return cell.workload; });
}

std::string workers_range(const Result& result) {
  std::set<std::size_t> counts;
  for (const CellResult& cell : result.cells) {
    if (!cell.trials.empty() && cell.cell.workers > 0) counts.insert(cell.cell.workers);
  }
  if (counts.empty()) return "";
  if (counts.size() == 1) return fmt::format(" with {}", plural(*counts.begin(), "worker"));
  return fmt::format(" with {} to {} workers", *counts.begin(), *counts.rbegin());
}

std::string measured_text(const Result& result) {
  const auto modes = names_over_cells(result, [](const Cell& cell) { return std::string(name(cell.mode)); });
  if (modes.empty()) return "";
  const auto loaders = names_over_cells(result, [](const Cell& cell) { return cell.loader.value_or(""); });
  std::size_t cells = 0;
  std::size_t trials = 0;
  for (const CellResult& cell : result.cells) {
    if (!cell.trials.empty()) ++cells;
    trials += cell.trials.size();
  }
  std::string text =
      fmt::format("{} of {}", named_or_counted(modes, "modes"), named_or_counted(workloads_of(result), "workloads"));
  if (!loaders.empty()) text += fmt::format("; {}{}", named_or_counted(loaders, "loaders"), workers_range(result));
  return fmt::format("{}; {} in {}", text, plural(trials, "trial"), plural(cells, "cell"));
}

std::string machine_text(const Machine& machine) {
  std::vector<std::string> parts;
  if (machine.hostname) parts.push_back(*machine.hostname);
  if (machine.cpu_model) parts.push_back(*machine.cpu_model);
  parts.push_back(fmt::format("{:.4g} CPU{} in force", cpus_in_force(machine), cpus_in_force(machine) == 1 ? "" : "s"));
  if (machine.memory_total_bytes) {
    parts.push_back(fmt::format("{} of memory", size_words(*machine.memory_total_bytes)));
  }
  if (machine.operating_system) parts.push_back(*machine.operating_system);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

// "2026-11-21 09:58:00 UTC" from ISO 8601; other text unchanged.
std::string moment_text(const std::string& moment) {
  constexpr std::size_t kLength = std::string_view("2026-11-21T09:58:00Z").size();
  if (moment.size() != kLength || moment[10] != 'T' || moment.back() != 'Z') return moment;
  return fmt::format("{} {} UTC", moment.substr(0, 10), moment.substr(11, 8));
}

std::string when_text(const Result& result) {
  const std::string began = moment_text(result.started);
  const std::string took = result.process ? time_text(result.process->wall_seconds) : "";
  if (result.resumed.empty()) return began + (took.empty() ? "" : ", for " + took);
  // Of the parts of a resumed run, the process knows the time of its own only.
  return fmt::format("{}, in {} parts; the last began {}{}", began, result.resumed.size() + 1,
                     moment_text(result.resumed.back()), took.empty() ? "" : " and took " + took);
}

// The first sentence ends with a full stop followed by a capital or a digit.
std::size_t end_of_sentence(std::string_view text) {
  for (std::size_t i = 0; i + 2 < text.size(); ++i) {
    const auto next = static_cast<unsigned char>(text[i + 2]);
    if (text[i] == '.' && text[i + 1] == ' ' && (std::isupper(next) != 0 || std::isdigit(next) != 0)) return i + 1;
  }
  return text.size();
}

std::vector<std::string> lines_of(const std::string& text, const std::string& without) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    line.erase(0, line.find_first_not_of(' '));
    if (line.starts_with(without)) line.erase(0, without.size());
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string interval_text(const Interval& interval, std::size_t full, std::size_t synthetic) {
  return fmt::format("95 % interval of the stall: {} to {} %, from {} of FULL and {} of SYNTHETIC",
                     fixed_number(100 * interval.low, 1), fixed_number(100 * interval.high, 1), plural(full, "trial"),
                     synthetic);
}

// The interval that the verdict rests on: that of the stall, or of the only rate.
std::string sure_text(const Run& run, const Configuration& configuration) {
  const auto rate_of = [&](std::optional<std::size_t> cell) {
    return cell ? run.judgement.cells[*cell].samples_per_second : std::nullopt;
  };
  const auto full = rate_of(configuration.full);
  const auto synthetic = rate_of(configuration.synthetic);
  const Verdict& verdict = configuration.verdict;
  if (verdict.stall && full && synthetic) {
    if (!verdict.stall->ci95) return "no interval: FULL or SYNTHETIC has only one trial";
    return interval_text(*verdict.stall->ci95, full->count, synthetic->count);
  }
  const auto& only = full ? full : rate_of(configuration.io);
  if (!only) return "";
  const auto interval = rate_interval(*only);
  if (!interval) return "no interval: there is only one trial";
  return fmt::format("95 % interval of the rate: {} to {} samples/s, from {}", rate(interval->low),
                     rate(interval->high), plural(only->count, "trial"));
}

WorkloadVerdict verdict_of(const Run& run, const Headline& headline) {
  Judgement alone = run.judgement;
  alone.headlines = {headline};
  const std::string subject = subject_words(headline.workload, headline.task);
  WorkloadVerdict verdict{.workload = subject,
                          .sure = sure_text(run, run.judgement.configurations[headline.configuration])};
  for (const std::string& line : lines_of(verdict_text(alone), subject + ", ")) {
    verdict.more += (verdict.more.empty() ? "" : " ") + line;
  }
  verdict.advice = lines_of(recommendation_text(run.result, alone), subject + ": ");
  for (std::string& line : verdict.advice) {
    if (!is_command(line)) line.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(line.front())));
  }
  const std::size_t end = end_of_sentence(verdict.more);
  verdict.sentence = verdict.more.substr(0, end);
  verdict.more.erase(0, std::min(end + 1, verdict.more.size()));
  return verdict;
}

}  // namespace

FirstScreen first_screen_of(const Run& run) {
  FirstScreen screen;
  const auto add = [&](std::string_view what, std::string text) {
    if (!text.empty()) screen.facts.emplace_back(what, std::move(text));
  };
  add("Measured", measured_text(run.result));
  add("Machine", machine_text(run.result.environment.machine));
  add("When", when_text(run.result));
  const auto spread = spread_of(run.result, run.judgement.cells);
  if (spread) add("Noise", spread_sentence(*spread, run.result));
  for (const Headline& headline : run.judgement.headlines) screen.workloads.push_back(verdict_of(run, headline));
  if (run.result.status == Status::kPartial) {
    screen.others.emplace_back(unfinished_text(run.result));
  }
  if (const std::string failed = failure_text(run.result); !failed.empty()) screen.others.push_back(failed);
  if (screen.workloads.empty())
    screen.others.emplace_back("No loader has trials, so nothing can be said about loading.");
  for (const std::string& line : lines_of(search_text(run.result, run.judgement), "")) screen.others.push_back(line);
  return screen;
}

std::string title_of(std::span<const Run> runs) {
  std::vector<std::string> workloads;
  std::vector<std::string> hosts;
  std::vector<std::string> days;
  for (const Run& run : runs) {
    for (const std::string& workload : workloads_of(run.result)) add_once(workloads, workload);
    add_once(hosts, run.result.environment.machine.hostname.value_or(""));
    add_once(days, run.result.started.substr(0, std::min<std::size_t>(10, run.result.started.size())));
  }
  std::ranges::sort(days);
  std::string title = workloads.empty() ? std::string("loadline") : named_or_counted(workloads, "workloads");
  if (runs.size() > 1) title += fmt::format(", {} runs", runs.size());
  if (!hosts.empty()) title += " on " + named_or_counted(hosts, "hosts");
  if (!days.empty()) title += ", " + days.front() + (days.size() > 1 ? " to " + days.back() : "");
  return title;
}

}  // namespace loadline
