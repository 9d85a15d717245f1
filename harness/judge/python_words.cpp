#include "harness/judge/python_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace loadline {
namespace {

struct Phrase {
  std::string_view option;
  std::string_view argument;
};

// Whole phrases come before the options that they contain; each row is applied to what the rows above it left.
constexpr std::array kPhrases{
    Phrase{"use a faster compute", "make the step faster"},
    Phrase{"use a --loader with workers", "load in workers (num_workers=1 or more in a DataLoader)"},
    Phrase{"use a --loader that reads ahead", "use a loader that reads ahead"},
    Phrase{"use a larger --batch-size", "use larger batches"},
    Phrase{"raise --batch-size", "raise the batch size"},
    Phrase{"run with --mode io,synthetic,full", "measure all three modes"},
    Phrase{"deepen --prefetch", "raise prefetch_factor"},
    Phrase{"(--trial-seconds)", "(trial_seconds=)"},
    Phrase{"(--trials)", "(trials=)"},
    Phrase{"more --trials", "more trials (trials=)"},
    Phrase{"--trials ", "trials="},
    Phrase{"--trial-seconds", "trial_seconds"},
    Phrase{"--batch-size", "the batch size"},
    Phrase{"--prefetch", "prefetch_factor"},
    Phrase{"--workers", "num_workers"},
    Phrase{"--loader", "loader"},
    Phrase{"--order page-shuffled", "order=page-shuffled"},
    Phrase{"--scaled-dct", "scaled_dct"},
};

// For a loader without workers, which loads while the step waits.
constexpr Phrase kWithoutWorkers{"use a --loader that reads ahead",
                                 "load in workers (num_workers=1 or more in a DataLoader)"};

// --until-ci gives a cell 5 trials or more wherever --max-trials lets it.
constexpr std::array kUntilCiPhrases{
    Phrase{"5 or more (--trials)", "5 or more (--max-trials)"},
    Phrase{"use --trials 5", "use --max-trials 5"},
    Phrase{"more --trials", "more trials (a larger --max-trials or a smaller --until-ci)"},
};

void replace_all(const Phrase& phrase, std::string& text) {
  for (auto at = text.find(phrase.option); at != std::string::npos; at = text.find(phrase.option, at)) {
    text.replace(at, phrase.option.size(), phrase.argument);
    at += phrase.argument.size();
  }
}

}  // namespace

std::string in_python(std::string_view sentence, bool loads_ahead) {
  std::string text(sentence);
  if (!loads_ahead) replace_all(kWithoutWorkers, text);
  for (const Phrase& phrase : kPhrases) replace_all(phrase, text);
  return text;
}

std::string with_until_ci(std::string_view sentence) {
  constexpr std::string_view kNumber = "--trials ";
  std::string text(sentence);
  for (const Phrase& phrase : kUntilCiPhrases) replace_all(phrase, text);
  for (auto at = text.find(kNumber); at != std::string::npos; at = text.find(kNumber, at + 1)) {
    const auto digits = at + kNumber.size();
    const auto end = std::min(text.find_first_not_of("0123456789", digits), text.size());
    if (end == digits) continue;
    const std::string count = text.substr(digits, end - digits);
    text.replace(at, end - at, fmt::format("{} trials (a larger --max-trials or a smaller --until-ci)", count));
  }
  return text;
}

}  // namespace loadline
