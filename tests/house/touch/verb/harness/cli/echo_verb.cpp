#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/screen.h"
#include "harness/cli/verb_options.h"

namespace loadline {
namespace {

struct EchoRequest {
  std::vector<std::string> words;
};

int echo_verb(const EchoRequest& request) {
  put_text(stdout, fmt::format("{}\n", fmt::join(request.words, " ")));
  return kExitOk;
}

}  // namespace

void add_echo(CLI::App& app, Request& all) {
  CLI::App* echo = app.add_subcommand("echo", "Say words");
  auto& request = runs<EchoRequest>(*echo, all, echo_verb);
  echo->add_option("words", request.words, "what to say")->required();
}

}  // namespace loadline
