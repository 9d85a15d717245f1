#include "harness/cli/manual.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "harness/cli/examples.h"
#include "harness/cli/help.h"
#include "harness/machine/kernel_text.h"

namespace loadline {
namespace {

// Text that roff shows unchanged: hyphens can be copied, and no line begins with a request.
std::string roff(std::string_view text) {
  std::string shown;
  bool first = true;
  for (const char c : text) {
    if (first && (c == '.' || c == '\'')) shown += "\\&";
    if (c == '\\') {
      shown += "\\e";
    } else if (c == '-') {
      shown += "\\-";
    } else {
      shown += c;
    }
    first = c == '\n';
  }
  return shown;
}

std::string words_of(const CLI::App& verb, char between) {
  const CLI::App* parent = verb.get_parent();
  return parent == nullptr ? verb.get_name() : words_of(*parent, between) + between + verb.get_name();
}

std::string option_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back(fmt::format("\\fB\\-{}\\fR", roff(name)));
  for (const std::string& name : option.get_lnames()) names.push_back(fmt::format("\\fB\\-\\-{}\\fR", roff(name)));
  const std::string type = option.get_type_name();
  return fmt::format(".TP\n{}{}{}\n{}\n", fmt::join(names, ", "), type.empty() ? "" : " ",
                     type.empty() ? "" : fmt::format("\\fI{}\\fR", roff(type)), roff(option.get_description()));
}

}  // namespace

std::string manual_page(const CLI::App& verb, const std::string& version) {
  const std::string name = words_of(verb, '-');
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string page =
      fmt::format(".TH {} 1 \"\" \"loadline {}\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n", roff(upper),
                  roff(version), roff(name), roff(verb.get_description()), roff(words_of(verb, ' ')));
  const auto below = verb.get_subcommands([](const CLI::App*) { return true; });
  if (!below.empty()) page += "\\fIVERB\\fR ...\n";
  if (below.empty()) page += "[\\fIOPTIONS\\fR]";
  const auto options = verb.get_options();
  for (const CLI::Option* option : options) {
    if (option->get_positional()) page += fmt::format(" \\fI{}\\fR", roff(option->get_type_name()));
  }
  if (below.empty()) page += '\n';
  if (!below.empty()) {
    page += ".SH VERBS\n";
    for (const CLI::App* one : below) {
      page += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(one->get_name()), roff(one->get_description()));
    }
  }
  for (const CLI::Option* option : options) {
    if (!option->get_positional()) continue;
    page += fmt::format(".PP\n\\fI{}\\fR: {}\n", roff(option->get_type_name()), roff(option->get_description()));
  }
  for (const std::string& group : verb.get_groups()) {
    std::string entries;
    for (const CLI::Option* option : options) {
      if (option->nonpositional() && option->get_group() == group) entries += option_of(*option);
    }
    if (entries.empty()) continue;
    std::string title = group;
    std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    page += fmt::format(".SH \"{}\"\n{}", roff(title), entries);
  }
  if (const auto examples = examples_of(words_of(verb, ' ')); !examples.empty()) {
    page += ".SH EXAMPLES\n.nf\n";
    for (const std::string_view line : examples) page += fmt::format("{}\n", roff(line));
    page += ".fi\n";
  }
  if (const std::string notes = notes_of(verb); !notes.empty()) {
    page += ".SH NOTES\n";
    for (const std::string_view line : lines_of(notes)) page += fmt::format("{}\n.br\n", roff(line));
  }
  if (verb.get_parent() != nullptr)
    return page + fmt::format(".SH SEE ALSO\n\\fB{}\\fR(1)\n", roff(words_of(*verb.get_parent(), '-')));
  std::vector<std::string> pages;
  for (const CLI::App* one : below) pages.push_back(fmt::format("\\fB{}\\fR(1)", roff(words_of(*one, '-'))));
  return page + fmt::format(".SH SEE ALSO\n{}\n", fmt::join(pages, ",\n"));
}

}  // namespace loadline
