// Progress of the verbs that make files.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

namespace loadline {

// Called with how much of the work is done.
using ShowDone = std::function<void(std::size_t done, std::size_t total)>;

// Does work that a signal can interrupt. Unless `quiet`, shows progress on stderr and then the outcome, which `work`
// returns as a short text. Returns an exit code; throws what `work` throws.
int at_work(const std::string& place, bool quiet,
            const std::function<std::string(const ShowDone& show, const std::stop_token& stop)>& work);

inline constexpr std::string_view kNothingChanged = "already there, nothing changed";

}  // namespace loadline
