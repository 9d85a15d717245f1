#include "harness/cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "harness/plan/options.h"
#include "loaders/names.h"

namespace loadline {
namespace {

std::vector<const CLI::App*> verbs_below(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

const CLI::App* verb_below(const CLI::App& app, const std::string& word) {
  const auto verbs = verbs_below(app);
  const auto verb = std::ranges::find(verbs, word, [](const CLI::App* one) { return one->get_name(); });
  return verb == verbs.end() ? nullptr : *verb;
}

const CLI::Option* option_named(const CLI::App& verb, std::string_view word) {
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (word == "--" + name) return option;
    }
    for (const std::string& name : option->get_snames()) {
      if (word == "-" + name) return option;
    }
  }
  return nullptr;
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_min() > 0;
}

bool wants_file(std::string_view placeholder) {
  return std::ranges::any_of(std::array{"FILE", "DIR", "PATH", "RESULT", "SRC", "DST", "LOADER"},
                             [&](std::string_view word) { return placeholder.find(word) != std::string_view::npos; });
}

// The possible words of an option's value: the words between bars in its placeholder, or the choices of a run's option.
std::vector<std::string> value_words(const CLI::Option& option) {
  std::vector<std::string> words;
  std::string placeholder = option.get_type_name();
  std::erase_if(placeholder, [](char c) { return c == '[' || c == ']' || c == '\''; });
  if (placeholder.find('|') == std::string::npos) {
    const auto rows = run_options();
    const auto row =
        std::ranges::find_if(rows, [&](const OptionRow& one) { return option.check_lname(std::string(one.name)); });
    if (row == rows.end() || row->choices == nullptr) return words;
    for (const std::string_view choice : row->choices()) words.emplace_back(choice);
    return words;
  }
  for (std::size_t begin = 0; begin < placeholder.size();) {
    const std::size_t end = std::min(placeholder.find_first_of("|,", begin), placeholder.size());
    std::string word = placeholder.substr(begin, end - begin);
    // Capitals are placeholders: "pin:LIST".
    word = word.substr(0, word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"));
    if (!word.empty() && word != "...") words.push_back(std::move(word));
    begin = end + 1;
  }
  return words;
}

void offer(std::string_view prefix, const std::string& word, const std::string& what, Completion& completion) {
  if (word.starts_with(prefix)) completion.candidates.push_back({word, what});
}

// `text`: the value so far; in a list only the last item is completed. `before`: what precedes it in the same word.
void offer_values(const CLI::Option& option, std::string_view before, std::string_view text, Completion& completion) {
  const std::string type = option.get_type_name();
  const bool list = type.ends_with(",...");
  const std::size_t comma = list ? text.rfind(',') : std::string_view::npos;
  const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
  const std::string kept = fmt::format("{}{}", before, text.substr(0, begin));
  for (const std::string& word : value_words(option))
    offer(fmt::format("{}{}", before, text), kept + word, "", completion);
  completion.files = wants_file(type) || option.check_lname("loader");
}

// The first line of a description.
std::string summary_of(const std::string& description) {
  return description.substr(0, std::min(description.find('\n'), description.find("; ")));
}

constexpr std::string_view kBash = R"(_loadline() {
  local line word words
  # Not COMP_WORDS, which bash breaks at '=' and ':'.
  line=${COMP_LINE:0:COMP_POINT}
  read -ra words <<<"$line"
  [[ $line != *[[:space:]] ]] || words+=("")
  word=${words[${#words[@]} - 1]}
  # bash replaces what stands behind the last of these alone.
  local kept=${word%"${word##*[=:]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "${word##*[=:]}")
    else
      line=${line%%$'\t'*}
      COMPREPLY+=("${line#"$kept"}")
    fi
  done < <("${words[0]/#\~\//$HOME/}" __complete "${words[@]:1}" 2>/dev/null)
}
complete -F _loadline loadline
)";

constexpr std::string_view kZsh = R"(#compdef loadline
_loadline() {
  local line
  local -a candidates shown
  for line in "${(@f)$("${words[1]/#\~\//$HOME/}" __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files) _files ;;
      *) candidates+=("${line%%$'\t'*}") shown+=("${line/$'\t'/  }") ;;
    esac
  done
  (( ${#candidates} == 0 )) || compadd -l -d shown -- "${candidates[@]}"
}
compdef _loadline loadline
)";

constexpr std::string_view kFish = R"(function __loadline_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l program (string replace -r '^~/' $HOME/ -- $words[1])
  for line in ($program __complete $words[2..-1] 2>/dev/null)
    if test "$line" = :files
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c loadline -f -a '(__loadline_complete)'
)";

}  // namespace

Completion complete(const CLI::App& app, std::span<const std::string> words) {
  Completion completion;
  if (words.empty()) return completion;
  const CLI::App* verb = &app;
  const CLI::Option* wanting = nullptr;  // an option whose value is next
  for (const std::string& word : words.first(words.size() - 1)) {
    const CLI::Option* option = wanting == nullptr ? option_named(*verb, word) : nullptr;
    wanting = option != nullptr && takes_value(*option) ? option : nullptr;
    if (const CLI::App* below = verb_below(*verb, word)) verb = below;
  }
  const std::string& last = words.back();
  if (wanting != nullptr) {
    offer_values(*wanting, "", last, completion);
    return completion;
  }
  if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = option_named(*verb, last.substr(0, equals));
    if (option != nullptr) {
      offer_values(*option, std::string_view(last).substr(0, equals + 1), std::string_view(last).substr(equals + 1),
                   completion);
    }
    return completion;
  }
  if (last.starts_with('-')) {
    for (const CLI::Option* option : verb->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        offer(last, "--" + name, summary_of(option->get_description()), completion);
      }
    }
    return completion;
  }
  for (const CLI::App* below : verbs_below(*verb)) {
    offer(last, below->get_name(), summary_of(below->get_description()), completion);
  }
  if (verb->get_name() == "help") {
    for (const CLI::App* other : verbs_below(app)) {
      offer(last, other->get_name(), summary_of(other->get_description()), completion);
    }
  }
  completion.files = verb != &app && std::ranges::any_of(verb->get_options(), [](const CLI::Option* option) {
                       return option->get_positional() && wants_file(option->get_type_name());
                     });
  return completion;
}

std::string completion_text(const Completion& completion) {
  std::string text;
  for (const Offer& candidate : completion.candidates) {
    text += fmt::format("{}{}{}\n", candidate.word, candidate.what.empty() ? "" : "\t", candidate.what);
  }
  return text + (completion.files ? ":files\n" : "");
}

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return std::string(kBash);
  if (shell == "zsh") return std::string(kZsh);
  if (shell == "fish") return std::string(kFish);
  static constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};
  throw unknown_name("completion: shell", shell, kShells);
}

}  // namespace loadline
