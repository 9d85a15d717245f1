// What a shell offers to complete a command line with.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

struct Offer {
  std::string word;
  std::string what;  // may be empty
};

struct Completion {
  std::vector<Offer> candidates;
  bool files = false;  // the shell's own completion of file names fits too
};

// `words`: those behind the program's name up to the cursor; the last one, which may be empty, is the one to complete.
// What it offers begins with that word.
Completion complete(const CLI::App& app, std::span<const std::string> words);

// A word and a description a line, with a tab between them; ":files" last where file names fit too.
std::string completion_text(const Completion& completion);

// The hidden verb by which a shell asks.
inline constexpr std::string_view kCompleteVerb = "__complete";

// What a shell runs to learn to ask: bash, zsh or fish. Throws usage Error for another.
std::string completion_script(std::string_view shell);

}  // namespace loadline
