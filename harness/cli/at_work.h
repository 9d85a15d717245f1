// How the verbs that make files show what they do.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace loadline {

// Told how much of the work is done.
using ShowDone = std::function<void(std::size_t done, std::size_t total)>;

// Does work that can be interrupted by a signal, and shows on stderr, unless `quiet`, how far it is and what came of
// it, which `work` returns in a word. Returns an exit code; throws what `work` throws.
int at_work(const std::string& place, bool quiet,
            const std::function<std::string(const ShowDone& show, const std::stop_token& stop)>& work);

inline constexpr std::string_view kNothingChanged = "already there, nothing changed";

}  // namespace loadline
