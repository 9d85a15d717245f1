#include "harness/judge/python_words.h"

#include <array>

namespace loadline {
namespace {

struct Phrase {
  std::string_view option;
  std::string_view argument;
};

// Whole phrases before the options that they have; each is looked for in what those above it left.
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

}  // namespace

std::string in_python(std::string_view sentence) {
  std::string text(sentence);
  for (const Phrase& phrase : kPhrases) {
    for (auto at = text.find(phrase.option); at != std::string::npos; at = text.find(phrase.option, at)) {
      text.replace(at, phrase.option.size(), phrase.argument);
      at += phrase.argument.size();
    }
  }
  return text;
}

}  // namespace loadline
