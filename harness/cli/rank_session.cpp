#include "harness/cli/rank_session.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <exception>
#include <filesystem>
#include <new>
#include <unordered_map>
#include <utility>

#include "harness/cli/cli.h"
#include "harness/cli/out_of_memory.h"
#include "harness/file/result_reader.h"
#include "harness/machine/build_facts.h"
#include "harness/machine/kernel_text.h"
#include "harness/machine/system_files.h"
#include "harness/plan/options.h"
#include "harness/plan/settings.h"
#include "harness/ranks/places.h"
#include "loaders/error.h"
#include "loaders/storage/file.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

using P = SettingPart;

std::string this_host() {
  return SystemFiles().line("/proc/sys/kernel/hostname").value_or("an unknown host");
}

// Equal for processes with one clock and one set of CPUs; different hosts may have the same name.
std::string host_key() {
  return this_host() + ' ' + SystemFiles().line("/proc/sys/kernel/random/boot_id").value_or("");
}

RankLimits limits_of(double timeout_seconds) {
  return {.silence_seconds = timeout_seconds};
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(text, '\n')) lines.emplace_back(line);
  return lines;
}

// The places of all ranks, from what each reports. `first_here`: whether no lower rank is on this host; different
// hosts may have the same name.
std::vector<RankPlace> places_of(Ranks& ranks, bool& first_here) {
  const std::string all = ranks.outer(
      host_key() + '\t' + format_cpu_list(affinity_cpus()),
      [](const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, "\n")); }, true);
  std::vector<RankPlace> places;
  for (const std::string& line : lines_of_text(all)) {
    const auto tab = line.find('\t');
    places.push_back({.host = line.substr(0, tab),
                      .cpus = parse_cpu_list(line.substr(tab + 1)).value_or(std::vector<std::size_t>())});
  }
  const auto first = std::ranges::find(places, places[ranks.rank()].host, &RankPlace::host);
  first_here = first - places.begin() == static_cast<std::ptrdiff_t>(ranks.rank());
  places = deal_cpus(std::move(places));
  for (RankPlace& place : places) place.host = place.host.substr(0, place.host.find(' '));
  return places;
}

// Identifies the process namespace of this process, and its number in it.
std::string process_key() {
  std::error_code unknown;
  const auto names = std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
  return fmt::format("{} {}\t{}", host_key(), names, ::getpid());
}

// From process_key() of each rank.
std::function<bool(std::size_t)> watch_of_processes(Ranks& ranks) {
  const std::vector<std::string> keys = lines_of_text(ranks.outer(
      process_key(), [](const std::vector<std::string>& parts) { return fmt::format("{}", fmt::join(parts, "\n")); },
      true));
  const auto where = [](const std::string& key) { return key.substr(0, key.find('\t')); };
  std::vector<pid_t> processes;  // 0: not visible from here
  for (const std::string& key : keys) {
    const bool here = where(key) == where(keys[ranks.rank()]);
    const auto number = parse_whole(key.substr(key.find('\t') + 1)).value_or(0);
    processes.push_back(here ? static_cast<pid_t>(number) : 0);
  }
  return [processes](std::size_t rank) {
    return processes[rank] > 0 && ::kill(processes[rank], 0) != 0 && errno == ESRCH;
  };
}

// What must be the same on all ranks, one line each: "batch_size\t64".
std::string terms_of(const RunRequest& request) {
  std::string terms = fmt::format("build\t{}", name_of(this_build()));
  const auto add = [&](std::string_view name, const std::string& value) {
    terms += fmt::format("\n--{}\t{}", name, value);
  };
  for (const OptionRow& row : run_options()) {
    if (row.name == "rank" || row.name == "output" || row.name == "quiet") continue;
    add(row.name, text_of(read_option(request.options, row)));
  }
  for (const Axis& axis : request.options.axes) add(axis.option, fmt::format("{}", fmt::join(axis.values, ",")));
  add("dry-run", request.dry_run ? "on" : "off");
  add("resume", request.resume);
  return terms;
}

// The first way in which a rank differs; empty: none does.
std::string first_difference(const Ranks& ranks, const std::vector<std::string>& parts) {
  const std::vector<std::string> first = lines_of_text(parts.front());
  for (std::size_t rank = 1; rank < parts.size(); ++rank) {
    if (parts[rank] == parts.front()) continue;
    const std::vector<std::string> other = lines_of_text(parts[rank]);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::string theirs = i < other.size() ? other[i] : "";
      if (theirs == first[i]) continue;
      const auto value = [](const std::string& line) {
        return line.substr(std::min(line.size(), line.find('\t') + 1));
      };
      const std::string what = first[i].substr(0, first[i].find('\t'));
      if (what == "build") {
        return fmt::format("{} runs {} and rank 0 runs {}", ranks.name_of(rank), value(theirs), value(first[i]));
      }
      const std::string other_value = value(theirs);
      const std::string first_value = value(first[i]);
      return fmt::format(
          "{} was started {} and rank 0 {}", ranks.name_of(rank),
          other_value.empty() ? fmt::format("without {}", what) : fmt::format("with {} {}", what, other_value),
          first_value.empty() ? "without it" : fmt::format("with {}", first_value));
    }
    return fmt::format("{} was started with different options from rank 0", ranks.name_of(rank));
  }
  return "";
}

void check_terms(Ranks& ranks, const std::string& terms) {
  const std::string difference = ranks.outer(
      terms, [&](const std::vector<std::string>& parts) { return first_difference(ranks, parts); }, true);
  if (!difference.empty()) throw Error(difference);
}

// A key that distinguishes cells on any machine.
std::string cell_key(const Cell& cell) {
  Cell of_first = cell;
  of_first.sampler.rank = 0;
  return fmt::format("{}\t{}", name(cell.mode),
                     key_of(of_first, {P::kSubject, P::kStorage, P::kOrder, P::kLoading, P::kCompute}));
}

std::string data_text(const DatasetFacts& facts) {
  return fmt::format("{}\t{} samples{}", facts.path.string(), facts.info.samples,
                     facts.fingerprint ? fmt::format(" with fingerprint {:016x}", *facts.fingerprint) : "");
}

// Refuses what works only in a single process.
void refuse_for_ranks(const RunRequest& request) {
  if (!request.options.find.empty())
    throw usage_error("--find: it works only in one process, but this run has several ranks");
  if (!request.trace.empty())
    throw usage_error("--trace: it works only in one process, but this run has several ranks");
}

}  // namespace

RankSession::RankSession(const Launch& launch, double timeout_seconds)
    : ranks_(start_mpi(launch), this_host(), limits_of(timeout_seconds), print_error) {
  ranks_.watch(interrupt_.token(), [this] { return interrupt_.signal(); });
  facts_ = {.launcher = launch.launcher, .library = ranks_.description(), .places = places_of(ranks_, first_here_)};
  const RankPlace& own = facts_.places[ranks_.rank()];
  if (own.dealt) keep_this_thread_on(own.cpus);
  ranks_.watch_processes(watch_of_processes(ranks_));
  const ClockOffset offset = measure_offset(ranks_, clock_, host_key());
  joint_trials_.emplace(ranks_, clock_, offset.offset);
  const std::string worst =
      ranks_.outer(fmt::format("{}", offset.error.count()), [](const std::vector<std::string>& parts) {
        std::uint64_t most = 0;
        for (const std::string& part : parts) most = std::max(most, parse_whole(part).value_or(0));
        return fmt::format("{}", most);
      });
  facts_.clock_error_seconds = 1e-9 * static_cast<double>(parse_whole(worst).value_or(0));
}

std::size_t RankSession::ranks_here() const {
  return ranks_beside(facts_.places, ranks_.rank());
}

// An exception on one rank ends the run on all. If all throw the same, each ends by itself.
int RankSession::run(const std::function<int()>& command) {
  std::string sentence;
  int code = kExitFailed;
  try {
    code = command();
    return static_cast<int>(of_first(static_cast<std::size_t>(code)));
  } catch (const Error& error) {
    sentence = error.what();
    if (error.kind() == Error::Kind::kUsage) code = kExitUsage;
  } catch (const std::bad_alloc&) {
    sentence = kOutOfMemory;
  } catch (const std::exception& error) {
    sentence = error.what();
  }
  if (code != kExitUsage) code = kExitFailed;
  ranks_.fail(is_first() ? sentence : fmt::format("{}: {}", ranks_.name_of(ranks_.rank()), sentence));
  const auto failure = ranks_.failure();
  const bool speaks = is_first() || (failure->of == 0 && !failure->orderly && ranks_.rank() == 1);
  if (speaks) print_error(sentence);
  return code;
}

void RankSession::share_request(RunRequest& request) {
  refuse_for_ranks(request);
  if (!request.resume.empty()) {
    // Only rank 0 needs to see the file.
    const std::string text = ranks_.broadcast(is_first() && request.earlier ? read_text(request.resume) : "");
    if (!is_first() && !text.empty()) request.earlier = parse_result(text, request.resume);
    const std::size_t there = request.earlier && request.earlier->ranks ? request.earlier->ranks->places.size() : 1;
    if (request.earlier && there != ranks_.size()) {
      throw usage_error(fmt::format("--resume {}: it is a run of {} rank{}, but this run has {}", request.resume, there,
                                    there == 1 ? "" : "s", ranks_.size()));
    }
  }
  request.options.world_size = ranks_.size();
  request.options.rank = 0;
  check_terms(ranks_, terms_of(request));
  request.options.rank = ranks_.rank();
  // The file has the options of rank 0, and check_terms() has verified that all ranks have the same.
  if (request.earlier) request.earlier->options.rank = ranks_.rank();
  if (!is_first()) request.options.quiet = true;
  ranks_.set_limits(
      {.silence_seconds = request.options.rank_timeout, .trial_seconds = 4 * request.options.trial_seconds});
}

std::size_t RankSession::of_first(std::size_t mine) {
  return static_cast<std::size_t>(parse_whole(ranks_.broadcast(fmt::format("{}", mine))).value_or(mine));
}

std::optional<std::vector<StagedCopy>> RankSession::share_staging(const std::optional<std::vector<StagedCopy>>& own) {
  std::string mine = own ? "" : "stopped";
  for (const StagedCopy& copy : own.value_or(std::vector<StagedCopy>())) {
    mine += fmt::format("{}{}\t{}\t{}\t{}\t{}", mine.empty() ? "" : "\n", copy.files, copy.bytes, copy.nodes,
                        copy.copied_nodes, copy.seconds ? std::llround(1e9 * *copy.seconds) : 0);
  }
  const auto copies_of = [](const std::string& text) {
    std::vector<StagedCopy> copies;
    for (const std::string& line : lines_of_text(text)) {
      std::vector<std::uint64_t> numbers;
      for (const std::string_view part : split(line, '\t')) numbers.push_back(parse_whole(part).value_or(0));
      if (numbers.size() != 5) continue;
      copies.push_back(
          {.from = {}, .files = numbers[0], .bytes = numbers[1], .nodes = numbers[2], .copied_nodes = numbers[3]});
      if (numbers[3] > 0) copies.back().seconds = 1e-9 * static_cast<double>(numbers[4]);
    }
    return copies;
  };
  const std::string all = ranks_.outer(
      mine,
      [&](const std::vector<std::string>& parts) -> std::string {
        if (std::ranges::find(parts, "stopped") != parts.end()) return "stopped";
        std::vector<std::vector<std::uint64_t>> sums;
        for (const std::string& part : parts) {
          const auto copies = copies_of(part);
          if (sums.empty()) {
            for (const StagedCopy& copy : copies) sums.push_back({copy.files, copy.bytes, 0, 0, 0});
          }
          for (std::size_t i = 0; i < std::min(copies.size(), sums.size()); ++i) {
            sums[i][2] += copies[i].nodes;
            sums[i][3] += copies[i].copied_nodes;
            const auto took = static_cast<std::uint64_t>(std::llround(1e9 * copies[i].seconds.value_or(0)));
            sums[i][4] = std::max(sums[i][4], took);
          }
        }
        std::vector<std::string> lines;
        for (const auto& sum : sums) lines.push_back(fmt::format("{}", fmt::join(sum, "\t")));
        return fmt::format("{}", fmt::join(lines, "\n"));
      },
      true);
  if (all == "stopped") return std::nullopt;
  return copies_of(all);
}

void RankSession::share_plan(Plan& plan) {
  std::vector<std::string> keys;
  for (const Cell& cell : plan.cells) keys.push_back(cell_key(cell));
  const std::string own = fmt::format("{}", fmt::join(keys, "\v"));
  const std::string first = ranks_.broadcast(own);
  if (own == first) return;
  std::unordered_map<std::string, Cell> by_key;
  for (std::size_t i = 0; i < keys.size(); ++i) by_key.emplace(keys[i], plan.cells[i]);
  std::vector<Cell> arranged;
  for (const std::string_view key : split(first, '\v')) {
    const auto found = by_key.find(std::string(key));
    if (found != by_key.end()) arranged.push_back(found->second);
  }
  if (arranged.size() != plan.cells.size())
    throw Error("on its machine these options make different cells than on rank 0's");
  plan.cells = std::move(arranged);
}

bool RankSession::check_prepared(bool done, const Result& result) {
  std::string facts = done ? "done" : "stopped";
  if (done) {
    for (const DatasetFacts& data : result.datasets) facts += '\n' + data_text(data);
  }
  const std::string outcome = ranks_.outer(
      facts,
      [&](const std::vector<std::string>& parts) -> std::string {
        if (std::ranges::find(parts, "stopped") != parts.end()) return "stopped";
        const auto first = lines_of_text(parts.front());
        for (std::size_t rank = 1; rank < parts.size(); ++rank) {
          const auto other = lines_of_text(parts[rank]);
          for (std::size_t i = 0; i < std::min(first.size(), other.size()); ++i) {
            if (first[i] == other[i]) continue;
            const auto what = [](const std::string& line) { return line.substr(line.find('\t') + 1); };
            return fmt::format("{} has different data from rank 0: {} holds {}, not {}", ranks_.name_of(rank),
                               other[i].substr(0, other[i].find('\t')), what(other[i]), what(first[i]));
          }
        }
        return "";
      },
      true);
  if (outcome.empty()) return true;
  if (outcome == "stopped") return false;
  throw Error(outcome);
}

std::optional<Launch> launch_of_run(bool has_own_share) {
  return has_own_share ? std::nullopt : this_launch();
}

}  // namespace loadline
