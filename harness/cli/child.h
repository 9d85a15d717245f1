// Another program, run to its end.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace loadline {

// Runs words[0], found as a shell would find it, with the other words as arguments and our standard streams. Signals
// that this process blocks are not blocked there. Returns its exit code, or 128 + the signal that ended it. A
// requested stop sends it SIGTERM; the call still waits for it to end. Throws Error if it cannot be started.
// In that program and in those it runs, print_interruption() prints nothing: this process says what is kept.
int run_child(const std::vector<std::string>& words, const std::stop_token& stop);

// Whether a run ended with the exit code of one that SIGHUP, SIGINT or SIGTERM stopped.
bool is_interrupted(int exit_code);

// Whether run_child() of another loadline started this process, or the one that did; or a batch script that says
// itself how to continue.
bool is_child_of_loadline();

// An error that says what is left of interrupted work and how to continue it.
void print_interruption(std::string_view sentence);

// The words that run this program again: its own file or, if an interpreter runs it as a module, what that has set.
std::vector<std::string> this_program();
// Set by the interpreter before any verb runs: {"/usr/bin/python3", "-m", "loadline"}.
void set_this_program(std::vector<std::string> words);

}  // namespace loadline
