// bench/truth: counts how often the suite's statements about fully known systems are true.

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>

#include "bench/truth/machine.h"
#include "bench/truth/report.h"
#include "bench/truth/rows.h"
#include "loaders/error.h"

namespace loadline::truth {
namespace {

constexpr std::string_view kHelp =
    "usage: truth [--draws N] [--seed S] [--batches N] [--only NAME]... [--markdown] [--details] [-o FILE]\n\n"
    "Draws systems of which everything is known, measures and judges them with loadline's own code, and counts how\n"
    "often its statements are true. Ends with 1 if an attainable target is missed.\n\n"
    "  --draws N    configurations of the largest experiment (2000)\n"
    "  --seed S     seed of all draws (1)\n"
    "  --batches N  length of a run that determines a truth (1000000)\n"
    "  --only NAME  run this experiment: judge, clear, gate-equal, gate-loss, gate-equivalent, recommend, find, "
    "until-ci\n"
    "  --markdown   the tables as docs/measuring.md has them\n"
    "  --details    each row by parts of its draws, with examples\n"
    "  -o FILE      write everything as JSON\n";

std::uint64_t number(std::string_view option, std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size() || value == 0) {
    throw usage_error(fmt::format("{}: want a positive integer, got '{}'", option, text));
  }
  return value;
}

struct Request {
  MachineOptions machine;
  std::string output;
  bool markdown = false;
  bool details = false;
  bool help = false;
};

Request parse(int count, char** words) {
  Request request;
  request.machine.threads = std::max(1U, std::thread::hardware_concurrency());
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    const auto value = [&]() -> std::string_view {
      if (i + 1 == count) throw usage_error(fmt::format("{}: want a value", word));
      return words[++i];
    };
    if (word == "--help" || word == "-h") {
      request.help = true;
    } else if (word == "--draws") {
      request.machine.draws = number(word, value());
    } else if (word == "--seed") {
      request.machine.seed = number(word, value());
    } else if (word == "--batches") {
      request.machine.truth_batches = number(word, value());
    } else if (word == "--only") {
      request.machine.only.emplace_back(value());
    } else if (word == "--markdown") {
      request.markdown = true;
    } else if (word == "--details") {
      request.details = true;
    } else if (word == "-o" || word == "--output") {
      request.output = value();
    } else {
      throw usage_error(fmt::format("{}: no such option, see --help", word));
    }
  }
  return request;
}

int run(const Request& request) {
  if (request.help) {
    fmt::print("{}", kHelp);
    return 0;
  }
  const Tally tally = run_machine(request.machine);
  fmt::print("{}", request.markdown ? markdown_table(tally) : text_table(tally));
  if (request.details) {
    for (const Target& target : targets()) {
      fmt::print("\n{}\n{}", target.id, parts_text(tally, target.id));
      for (const std::string& example : tally.examples_of(target.id)) fmt::print("    e.g. {}\n", example);
    }
  }
  if (!request.output.empty()) {
    std::ofstream file(request.output);
    file << json_text({request.machine.draws, request.machine.seed, request.machine.truth_batches}, tally);
    if (!file.flush()) throw Error(fmt::format("cannot write {}", request.output));
  }
  return all_met(tally) ? 0 : 1;
}

}  // namespace
}  // namespace loadline::truth

int main(int count, char** words) {
  try {
    return loadline::truth::run(loadline::truth::parse(count, words));
  } catch (const loadline::Error& error) {
    std::fputs(fmt::format("truth: {}\n", error.what()).c_str(), stderr);
    return 2;
  }
}
