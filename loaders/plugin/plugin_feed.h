// The feed of a plug-in.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "loaders/plugin/include/loadline/plugin.h"

namespace loadline {

// What a feed of a plug-in is made of.
struct Plugin {
  std::string word;  // that names it in messages
  std::vector<std::pair<std::string, std::string>> options;
  const loadline_plugin_table* table = nullptr;  // lives as long as the program
};

// Opens a loader of the plug-in; its batches stand in its own memory. Holds it to the rules of loadline/plugin.h:
// next() throws Error for a batch that is against them and, where epochs go on without end, for one that has too few or
// too many samples: who asks for some epochs alone counts for himself. Throws Error where it cannot be opened.
std::unique_ptr<Feed> make_plugin_feed(const Plugin& plugin, const Assembler& assembler, const Sampler& sampler,
                                       const LoaderOptions& options);

}  // namespace loadline
