// What on this machine disturbs a measurement, and what to do about it: known before anything is measured.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/machine/system_files.h"

namespace loadline {

enum class Health {
  kFine,
  kNote,      // changes figures in a way worth knowing
  kUnknown,   // could disturb, but the system does not tell
  kDisturbs,  // makes figures worse or less certain
};

// "ok", "note", "unknown", "disturbs".
std::string_view name(Health health);

struct Symptom {
  Health health = Health::kFine;
  std::string subject;  // "swap"
  std::string found;    // "nothing is swapped out"
  std::string advice;   // empty where there is nothing to do
};

// A library that a module holds, which is loaded when it is needed.
struct Loadable {
  std::string_view subject;   // "MPI"
  std::string left_out;       // why this build lacks it; empty if it is built in
  std::string_view without;   // what a build without it cannot do
  std::string_view unloaded;  // what does not work here if its module cannot be loaded
};

// `load` loads it and returns what works with it; it throws Error if it cannot.
Symptom module_symptom(const Loadable& library, const std::function<std::string()>& load);

// What the system has counted since it started.
struct MachineCounts {
  std::optional<double> cpu_ticks;     // of all CPUs, idle ones too
  std::optional<double> busy_ticks;    // of these, in use by any process
  std::optional<double> stolen_ticks;  // of these, given to other virtual machines by the host
  std::optional<double> swapped_pages;
  std::optional<double> refaulted_pages;  // pages of files read again after the page cache had evicted them
};

MachineCounts machine_counts(const SystemFiles& files);

// `machine` as it is now; `before` and `after` are its counts around a second or so in which this process slept.
// What other programs do to the CPUs, the swap and the page cache is unknown if the system does not report it; other
// subjects on which it reports nothing are left out. Pure, except for the files it reads.
std::vector<Symptom> checkup(const Machine& machine, const SystemFiles& files, const MachineCounts& before,
                             const MachineCounts& after);

}  // namespace loadline
