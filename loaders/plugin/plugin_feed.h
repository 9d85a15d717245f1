// The feed of a plug-in.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/loader.h"
#include "loaders/plugin/include/loadline/plugin.h"

namespace loadline {

// What a plug-in's feed is made from.
struct Plugin {
  std::string word;  // its name in messages
  std::vector<std::pair<std::string, std::string>> options;
  const loadline_plugin_table* table = nullptr;  // lives as long as the program
};

// Says which exception left `function` of a plug-in, on one line. Call it only in a catch block.
std::string text_of_exception(std::string_view function);

// Opens a loader of the plug-in, which keeps batches in its own memory. Enforces the rules of loadline/plugin.h:
// next() throws Error for a batch that breaks them. In an endless stream it also throws for an epoch with too few or
// too many samples; a caller that requests a number of epochs must count by itself. Throws Error if the loader cannot
// be opened. An exception that leaves release() fails the next call of next(); those that leave stop() and close() are
// dropped.
std::unique_ptr<Feed> make_plugin_feed(const Plugin& plugin, const Assembler& assembler, const Sampler& sampler,
                                       const LoaderOptions& options);

}  // namespace loadline
