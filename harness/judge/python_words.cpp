#include "harness/judge/python_words.h"

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
    Phrase{"use a --loader with workers", "load in workers (num_workers=1 or more)"},
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
};

// For a loader without workers, which loads while the step waits.
constexpr Phrase kWithoutWorkers{"use a --loader that reads ahead", "load in workers (num_workers=1 or more)"};

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

}  // namespace loadline
