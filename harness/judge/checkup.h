// What on this machine disturbs a measurement, told before anything is measured, and what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/machine/machine.h"
#include "harness/machine/system_files.h"

namespace loadline {

enum class Health {
  kFine,
  kNote,      // changes figures in a way worth knowing
  kDisturbs,  // makes figures worse or less certain
};

// "ok", "note", "disturbs".
std::string_view name(Health health);

struct Symptom {
  Health health = Health::kFine;
  std::string subject;  // "swap"
  std::string found;    // "nothing is swapped out"
  std::string advice;   // empty where there is nothing to do
};

// What the system has counted up to a moment, since it was started.
struct MachineCounts {
  std::optional<double> cpu_ticks;     // of all CPUs, idle ones too
  std::optional<double> busy_ticks;    // of these in use, by whatever process
  std::optional<double> stolen_ticks;  // and given to other virtual machines by the host
  std::optional<double> swapped_pages;
  std::optional<double> refaulted_pages;  // of files, read again after the page cache had given them up
};

MachineCounts machine_counts(const SystemFiles& files);

// `machine` as it is now, and what it counted at the beginning and at the end of a second or so in which this process
// slept. Subjects that the system says nothing about are left out. Pure but for the files it reads.
std::vector<Symptom> checkup(const Machine& machine, const SystemFiles& files, const MachineCounts& before,
                             const MachineCounts& after);

}  // namespace loadline
