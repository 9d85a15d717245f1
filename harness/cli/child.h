// Another program, run to its end.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

namespace loadline {

// Runs words[0], as a shell would find it, with the others as its arguments; its streams are ours, and it heeds the
// signals that we do not. Returns its exit code, or 128 + the signal that ended it. When a stop is requested it is sent
// SIGTERM, and waited for all the same. Throws Error where it cannot be started.
int run_child(const std::vector<std::string>& words, const std::stop_token& stop);

// How this program is run again: by its own file or, where it is a module of an interpreter, as that says.
std::vector<std::string> this_program();
// By the interpreter, before any verb runs: {"/usr/bin/python3", "-m", "loadline"}.
void set_this_program(std::vector<std::string> words);

}  // namespace loadline
