#include "harness/cli/completion.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>

#include "harness/cli/help.h"
#include "harness/plan/options.h"
#include "loaders/names.h"

namespace loadline {
namespace {

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
  return option.get_items_expected_max() > 0;
}

// Whether the word after the option is its value, even if it begins with a dash.
bool needs_value(const CLI::Option& option) {
  return option.get_items_expected_min() > 0;
}

bool wants_file(std::string_view placeholder) {
  return std::ranges::any_of(std::array{"FILE", "DIR", "PATH", "RESULT", "SRC", "DST", "LOADER"},
                             [&](std::string_view word) { return placeholder.find(word) != std::string_view::npos; });
}

using Texts = std::vector<std::string>;

// What a command line has before the word to complete, and the values that are known from elsewhere.
struct Line {
  Texts arguments;
  std::span<const KnownValues> known;
};

// The words between bars in a placeholder.
Texts words_in(std::string placeholder) {
  Texts words;
  std::erase_if(placeholder, [](char c) { return c == '[' || c == ']' || c == '\''; });
  if (placeholder.find('|') == std::string::npos) return words;
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

// The possible values of an option or argument, as far as they are known.
Texts values_of(const CLI::Option& option, const Line& line) {
  Texts words = words_in(option.get_type_name());
  if (!words.empty()) return words;
  const auto own = std::ranges::find_if(line.known, [&](const KnownValues& one) {
    return option.check_name(std::string(one.option)) || option.get_type_name() == one.option;
  });
  if (own != line.known.end()) return own->values(line.arguments);
  const auto rows = run_options();
  const auto row = std::ranges::find_if(rows, [&](const OptionRow& one) {
    return option.check_lname(std::string(one.name)) || option.check_name(std::string(one.name));
  });
  if (row == rows.end() || row->choices == nullptr) return words;
  for (const std::string_view choice : row->choices()) words.emplace_back(choice);
  return words;
}

void offer(std::string_view prefix, const std::string& word, const std::string& what, Completion& completion) {
  const bool offered = std::ranges::find(completion.candidates, word, &Offer::word) != completion.candidates.end();
  if (word.starts_with(prefix) && !offered) completion.candidates.push_back({word, what});
}

// `text`: the value so far; in a list only the last item is completed, and those before it are not offered again.
// `before`: what precedes it in the same word.
void offer_values(const CLI::Option& option, const Line& line, std::string_view before, std::string_view text,
                  Completion& completion) {
  const std::string type = option.get_type_name();
  const bool list = type.ends_with(",...");
  const std::size_t comma = list ? text.rfind(',') : std::string_view::npos;
  const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
  const std::string kept = fmt::format("{}{}", before, text.substr(0, begin));
  const std::string items = fmt::format(",{}", text.substr(0, begin));
  for (const std::string& word : values_of(option, line)) {
    if (items.find(fmt::format(",{},", word)) != std::string::npos) continue;
    offer(fmt::format("{}{}", before, text), kept + word, "", completion);
  }
  if (wants_file(type) || option.check_lname("loader")) completion.files_after = kept;
}

// The next argument: the one after those on the line, or the last, which then takes several.
void offer_arguments(const CLI::App& verb, const Line& line, std::string_view last, Completion& completion) {
  const auto arguments = verb.get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (arguments.empty()) return;
  const std::size_t index = line.arguments.size();
  const CLI::Option& argument = *arguments[std::min(index, arguments.size() - 1)];
  if (index < arguments.size() || argument.get_items_expected_max() > 1)
    offer_values(argument, line, "", last, completion);
}

// The first line of a description.
std::string summary_of(const std::string& description) {
  return description.substr(0, std::min(description.find('\n'), description.find("; ")));
}

void offer_options(const CLI::App& verb, std::string_view last, Completion& completion) {
  for (const CLI::Option* option : verb.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      offer(last, "--" + name, summary_of(option->get_description()), completion);
    }
  }
}

void offer_list(const WordList& list, std::string_view last, Completion& completion) {
  for (const HelpWord& word : list.words) {
    for (const std::string& name : word.names) offer(last, name, summary_of(word.meaning), completion);
  }
}

// The words of `help`: a verb, one below it, and the beginning of a section's name or an option; and the words of the
// lists, all of them only after the list's topic.
void offer_help(const CLI::App& app, std::span<const WordList> lists, const Texts& before, std::string_view last,
                Completion& completion) {
  if (before.size() == 1) {
    const auto list = std::ranges::find(lists, before.front(), &WordList::topic);
    if (list != lists.end()) return offer_list(*list, last, completion);
  }
  const CLI::App* subject = &app;
  for (const std::string& word : before) {
    subject = verb_below(*subject, word);
    if (subject == nullptr) return;
  }
  const CLI::App& verb = subject == &app ? main_verb(app) : *subject;
  if (last.starts_with('-')) {
    offer_options(verb, last, completion);
    return offer_options(*subject, last, completion);
  }
  for (const CLI::App* below : verbs_below(*subject)) {
    offer(last, below->get_name(), summary_of(below->get_description()), completion);
  }
  if (subject == &app) {
    offer(last, std::string(kTopics), "", completion);
    for (const WordList& list : lists) offer(last, std::string(list.topic), "", completion);
  }
  if (!verbs_below(verb).empty()) return;
  for (const std::string& section : section_names(verb)) {
    const std::size_t begin = section.starts_with("the ") ? 4 : 0;
    const std::string word = section.substr(begin, section.find(' ', begin) - begin);
    offer(last, word, word == section ? "" : section, completion);
  }
  if (subject != &app || last.empty()) return;
  for (const WordList& list : lists) offer_list(list, last, completion);
}

// The scripts do not offer *.lock, the locks that a crash leaves beside results.
constexpr std::string_view kBash = R"(_loadline() {
  # `kept`: bash replaces only what stands behind the last unquoted '=' or ':' of the word.
  local line=${COMP_LINE:0:COMP_POINT} word='' kept='' quote='' words=() c i begun=
  # Not COMP_WORDS, which bash breaks at '=' and ':'.
  for ((i = 0; i < ${#line}; ++i)); do
    c=${line:i:1}
    if [[ -n $quote && $c == "$quote" ]]; then quote=
    elif [[ $c == \\ && $quote != \' ]]; then ((++i)); word+=${line:i:1}
    elif [[ -z $quote && $c == [\'\"] ]]; then quote=$c begun=1
    elif [[ -z $quote && $c == [[:space:]] ]]; then
      [[ -z $word && -z $begun ]] || words+=("$word")
      word='' kept='' begun=
    else
      word+=$c
      [[ -n $quote || $c != [=:] ]] || kept=$word
    fi
  done
  words+=("$word")
  local before file
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files* ]]; then
      compopt -o filenames
      before=${line#:files} before=${before# }
      while IFS= read -r file; do
        file=$before$file
        COMPREPLY+=("${file#"$kept"}")
      done < <(compgen -f -X '*.lock' -- "${word#"$before"}")
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
  local line files before
  local -a given offers
  given=("${(@Q)words[2,CURRENT]}")
  # A quote that is still open stays.
  [[ ${given[-1]} != "${words[CURRENT]}" ]] || given[-1]=${given[-1]/[\"\']/}
  for line in "${(@f)$("${words[1]/#\~\//$HOME/}" __complete "${(@)given}" 2>/dev/null)}"; do
    case $line in
      '') ;;
      :files*) files=yes before=${${line#:files}# } ;;
      *) offers+=("${${line//:/\\:}/$'\t'/:}") ;;
    esac
  done
  (( ${#offers} == 0 )) || _describe loadline offers
  [[ -z $files ]] && return
  [[ -z $before ]] || compset -P "${(b)before}"
  _files -F '(*.lock)'
}
# Run as a file that defines a function of its name, or evaluated.
if [[ ${funcstack[1]-} == _loadline ]]; then _loadline "$@"; else compdef _loadline loadline; fi
)";

constexpr std::string_view kFish = R"(function __loadline_complete
  set -l token (commandline -ct)
  # Without quotes and backslashes, even if a quote is still open.
  set -l word (string unescape -- "$token"; or string replace -r '^["\']' '' -- "$token")
  set -l words (commandline -opc) $word
  set -l program (string replace -r '^~/' $HOME/ -- $words[1])
  for line in ($program __complete $words[2..-1] 2>/dev/null)
    if string match -q ':files*' -- $line
      set -l before (string sub -s 8 -- $line)
      # As typed, because fish expands ~ and variables.
      for path in (complete -C "'' "(string replace -- "$before" '' "$token"))
        string match -q '*.lock' -- $path; or echo $before$path
      end
    else
      echo $line
    end
  end
end
complete -c loadline -f -a '(__loadline_complete)'
)";

}  // namespace

Completion complete(const CLI::App& app, std::span<const std::string> words, std::span<const KnownValues> known,
                    std::span<const WordList> lists) {
  Completion completion;
  if (words.empty()) return completion;
  const CLI::App* verb = &app;
  const CLI::Option* wanting = nullptr;  // an option whose value is next
  Line line{.known = known};
  const auto is_value = [&](std::string_view word) {
    return wanting != nullptr && (needs_value(*wanting) || !word.starts_with('-'));
  };
  for (const std::string& word : words.first(words.size() - 1)) {
    if (is_value(word)) {
      wanting = nullptr;
      continue;
    }
    if (const CLI::App* below = verb_below(*verb, word); below != nullptr)
      verb = below;
    else if (!word.starts_with('-'))
      line.arguments.push_back(word);
    const CLI::Option* option = option_named(*verb, word);
    wanting = option != nullptr && takes_value(*option) ? option : nullptr;
  }
  const std::string& last = words.back();
  if (is_value(last)) {
    offer_values(*wanting, line, "", last, completion);
    return completion;
  }
  if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = option_named(*verb, last.substr(0, equals));
    if (option != nullptr) {
      offer_values(*option, line, std::string_view(last).substr(0, equals + 1),
                   std::string_view(last).substr(equals + 1), completion);
    }
    return completion;
  }
  if (last.starts_with('-')) {
    offer_options(*verb, last, completion);
    if (verb->get_name() == "help") offer_help(app, lists, line.arguments, last, completion);
    return completion;
  }
  for (const CLI::App* below : verbs_below(*verb)) {
    offer(last, below->get_name(), summary_of(below->get_description()), completion);
  }
  if (verb->get_name() == "help") {
    offer_help(app, lists, line.arguments, last, completion);
  } else if (verb != &app) {
    offer_arguments(*verb, line, last, completion);
  }
  return completion;
}

std::string completion_text(const Completion& completion) {
  std::string text;
  for (const Offer& candidate : completion.candidates) {
    text += fmt::format("{}{}{}\n", candidate.word, candidate.what.empty() ? "" : "\t", candidate.what);
  }
  if (!completion.files_after) return text;
  return text + (completion.files_after->empty() ? ":files\n" : fmt::format(":files {}\n", *completion.files_after));
}

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return std::string(kBash);
  if (shell == "zsh") return std::string(kZsh);
  if (shell == "fish") return std::string(kFish);
  static constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};
  throw unknown_name("completion: shell", shell, kShells);
}

}  // namespace loadline
