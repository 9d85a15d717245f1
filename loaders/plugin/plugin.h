// Loads plug-in loaders through the C interface of loadline/plugin.h.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/loader.h"

namespace loadline {

// "./libmine.so:shards=8,mode=fast", as written in --loader.
struct PluginWord {
  std::string path;
  std::vector<std::pair<std::string, std::string>> options;
};

// Whether a word names a shared library: the part before the colon contains '/' or ends in ".so".
bool names_plugin(std::string_view word);

// Throws usage Error for malformed options.
PluginWord parse_plugin(std::string_view word);

// Loads the library permanently. Throws Error naming the word and what is wrong: no such file, not a shared library,
// no loadline_plugin(), made for another version, missing functions.
LoaderKind open_plugin(std::string_view word);

}  // namespace loadline
