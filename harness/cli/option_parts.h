// Adding options to verbs: those of the table of options, and those that several verbs share.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/plan/options.h"

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// Rows with their texts, in the order of the command line.
using GivenOptions = std::vector<std::pair<const OptionRow*, std::string>>;

// How the help of a verb shows rows, as far as this is not how `run` takes them.
struct RowTexts {
  RunOptions defaults = {};  // whose values are shown
  bool lists = true;         // false: no option takes several values, of which each is run
  std::map<std::string_view, std::string_view> help = {};  // by name: texts in place of the table's
};

// Adds the option of a row. Parsing `app` appends its texts to `given`, which must outlive `app`.
void add_row(CLI::App& app, const OptionRow& row, GivenOptions& given, const RowTexts& texts = {});

// Adds an option that takes a whole number; any other text is a usage Error.
void add_number(CLI::App& app, const std::string& flag, const std::string& help,
                std::function<void(std::uint64_t)> take);
// The same with `number` as the default and the target; it must outlive `app`.
void add_number(CLI::App& app, const std::string& flag, std::string_view help, std::uint64_t& number);

// Adds --overwrite, whose help says what it replaces.
void add_overwrite(CLI::App& verb, bool& overwrite, std::string_view replaced);

}  // namespace loadline
