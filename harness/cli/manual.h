// Pages for man(1).
#pragma once

#include <string>

namespace CLI {  // NOLINT(readability-identifier-naming): its own
class App;
}

namespace loadline {

// The page of a verb, loadline-run(1), or of `app` itself, loadline(1), in the macros of man(7).
std::string manual_page(const CLI::App& verb, const std::string& version);

}  // namespace loadline
