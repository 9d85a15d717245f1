#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>

#include "harness/cli/cli.h"
#include "harness/cli/screen.h"
#include "harness/cli/verb_options.h"

namespace loadline {

void add_echo(CLI::App& app, EchoRequest& request) {
  app.add_subcommand("echo", "Say words")->add_option("words", request.words, "what to say")->required();
}

int echo_verb(const EchoRequest& request) {
  put_text(stdout, fmt::format("{}\n", fmt::join(request.words, " ")));
  return kExitOk;
}

}  // namespace loadline
