#include "harness/judge/checkup.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "harness/judge/phrase.h"
#include "harness/machine/kernel_text.h"
#include "harness/result/memory_words.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr double kOtherWork = 0.02;     // share of the CPUs in force that other processes may use unnoticed
constexpr double kMuchOtherWork = 0.1;  // from which trials slow down visibly
constexpr double kStolen = 0.01;        // share of all CPU time
constexpr double kReadAgain = 256;      // pages a second, of 4 KiB a MiB; a few always are
constexpr double kShortMemory = 0.1;    // share of memory that should be available

using Symptoms = std::vector<Symptom>;

std::optional<double> count_of(std::string_view text, std::string_view key) {
  const auto value = value_of(text, key, ' ');
  return value ? parse_decimal(*value) : std::nullopt;
}

std::optional<double> growth(std::optional<double> before, std::optional<double> after) {
  return before && after && *after >= *before ? std::optional(*after - *before) : std::nullopt;
}

Symptom not_told(std::string subject, std::string_view where) {
  return {Health::kUnknown, std::move(subject), fmt::format("{} does not tell", where), ""};
}

void check_cpus(const Machine& machine, Symptoms& symptoms) {
  const std::size_t all = machine.logical_cpus.value_or(machine.threads_in_force);
  const double in_force = cpus_in_force(machine);
  const std::string found = fmt::format("{:.3g} of {} in force", in_force, plural(all, "CPU"));
  const double quota = machine.cgroup_cpu_limit.value_or(in_force);
  if (quota < static_cast<double>(machine.affinity_cpus.value_or(all))) {
    symptoms.push_back({Health::kNote, "CPUs",
                        fmt::format("{}: a quota of {:.3g} CPUs throttles a process that uses more", found, quota),
                        "request whole CPUs, or use no more --workers than the quota"});
  } else {
    symptoms.push_back({Health::kFine, "CPUs", found, ""});
  }
  if (machine.physical_cores && machine.logical_cpus && *machine.physical_cores < *machine.logical_cpus) {
    symptoms.push_back({Health::kNote, "cores",
                        fmt::format("{} hold {}: two threads of one core slow each other down",
                                    plural(*machine.physical_cores, "core"), plural(*machine.logical_cpus, "CPU")),
                        ""});
  }
}

void check_frequency(const Machine& machine, const SystemFiles& files, Symptoms& symptoms) {
  if (machine.cpu_governor && *machine.cpu_governor != "performance") {
    symptoms.push_back({Health::kDisturbs, "governor",
                        fmt::format("'{}' changes CPU frequency with load", *machine.cpu_governor),
                        "cpupower frequency-set --governor performance"});
  } else if (machine.cpu_governor) {
    symptoms.push_back({Health::kFine, "governor", "performance", ""});
  }
  if (cpu_boost(files).value_or(false)) {
    symptoms.push_back({Health::kNote, "turbo",
                        "on: a busy or warm machine runs slower, so figures from different days differ",
                        "compare within one run (`loadline ab`), or turn it off"});
  }
}

void check_other_work(const Machine& machine, const MachineCounts& before, const MachineCounts& after,
                      Symptoms& symptoms) {
  const auto all = growth(before.cpu_ticks, after.cpu_ticks);
  const auto busy = growth(before.busy_ticks, after.busy_ticks);
  if (all && busy && *all > 0) {
    const double cpus = *busy / *all * static_cast<double>(machine.logical_cpus.value_or(machine.threads_in_force));
    const double share = cpus / static_cast<double>(machine.threads_in_force);
    const Health health = share > kMuchOtherWork ? Health::kDisturbs
                          : share > kOtherWork   ? Health::kNote
                                                 : Health::kFine;
    symptoms.push_back({health, "other work", fmt::format("other processes use {:.2f} CPUs", cpus),
                        health == Health::kFine ? "" : "stop other work, or request a node of your own"});
  } else {
    symptoms.push_back(not_told("other work", "/proc/stat"));
  }
  const auto stolen = growth(before.stolen_ticks, after.stolen_ticks);
  if (all && stolen && *all > 0 && machine.virtualised.value_or(false)) {
    const bool much = *stolen / *all > kStolen;
    symptoms.push_back({much ? Health::kDisturbs : Health::kFine, "steal",
                        fmt::format("the host gives {} of this virtual machine's CPU time to others",
                                    percent({.value = *stolen / *all, .ci95 = {}})),
                        much ? "measure on a quieter host" : ""});
  }
}

void check_memory(const Machine& machine, const SystemFiles& files, const MachineCounts& before,
                  const MachineCounts& after, Symptoms& symptoms) {
  if (machine.memory_total_bytes && machine.memory_available_bytes) {
    const auto total = static_cast<double>(*machine.memory_total_bytes);
    const bool is_low = static_cast<double>(*machine.memory_available_bytes) < kShortMemory * total;
    symptoms.push_back({is_low ? Health::kDisturbs : Health::kFine, "memory",
                        fmt::format("{} of {} available", size_words(*machine.memory_available_bytes),
                                    size_words(*machine.memory_total_bytes)),
                        is_low ? "stop the processes that hold it: the page cache shrinks first" : ""});
  }
  if (machine.cgroup_memory_limit_bytes && machine.cgroup_memory_left_bytes) {
    symptoms.push_back(
        {Health::kNote, "memory limit",
         fmt::format("the control group may use {}, cached files included, and {} is left",
                     size_words(*machine.cgroup_memory_limit_bytes), size_words(*machine.cgroup_memory_left_bytes)),
         "warm trials need a limit that holds the dataset too"});
  }
  const std::string meminfo = files.text("/proc/meminfo").value_or("");
  const auto swap = parse_size_bytes(value_of(meminfo, "SwapTotal").value_or(""));
  const auto unused = parse_size_bytes(value_of(meminfo, "SwapFree").value_or(""));
  const auto swapped = growth(before.swapped_pages, after.swapped_pages);
  if (swap && unused) {
    const bool swaps = swapped.value_or(0) > 0;
    const std::string found = *swap == 0         ? "none"
                              : *swap == *unused ? fmt::format("{}, none of it in use", size_words(*swap))
                                                 : fmt::format("{} in use", size_words(*swap - *unused));
    symptoms.push_back({swaps              ? Health::kDisturbs
                        : *swap == *unused ? Health::kFine
                                           : Health::kNote,
                        "swap", found + (swaps ? ", and pages move" : ""), swaps ? "free memory" : ""});
  } else {
    symptoms.push_back(not_told("swap", "/proc/meminfo"));
  }
  if (const auto again = growth(before.refaulted_pages, after.refaulted_pages)) {
    const bool reclaims = *again > kReadAgain;
    symptoms.push_back({reclaims ? Health::kDisturbs : Health::kFine, "page cache",
                        reclaims ? "the system drops cached files that are then read again" : "keeps what is read",
                        reclaims ? "free memory, or use less data" : ""});
  } else {
    symptoms.push_back(not_told("page cache", "/proc/vmstat"));
  }
  if (machine.transparent_huge_pages) {
    const bool never = *machine.transparent_huge_pages == "never";
    symptoms.push_back({never ? Health::kDisturbs : Health::kFine, "huge pages",
                        fmt::format("'{}'{}", *machine.transparent_huge_pages,
                                    never ? ": slots use small pages and cost more address translations" : ""),
                        never ? "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled" : ""});
  }
}

void check_nodes(const Machine& machine, const SystemFiles& files, Symptoms& symptoms) {
  if (machine.numa_nodes.value_or(1) < 2) return;
  const bool moves = files.line("/proc/sys/kernel/numa_balancing").value_or("0") != "0";
  symptoms.push_back({Health::kNote, "NUMA",
                      fmt::format("{} nodes{}: memory on another node is slower", *machine.numa_nodes,
                                  moves ? ", and the kernel moves pages between them" : ""),
                      "keep a process on one node (--placement pin:LIST, numactl, srun --cpu-bind)"});
}

void check_clock(const Machine& machine, Symptoms& symptoms) {
  if (!machine.clocksource) return;
  const bool slow = *machine.clocksource == "hpet" || *machine.clocksource == "acpi_pm";
  symptoms.push_back({slow ? Health::kDisturbs : Health::kFine, "clock",
                      fmt::format("{}{}", *machine.clocksource, slow ? ": each clock reading takes a microsecond" : ""),
                      slow ? "boot with clocksource=tsc where the CPU's counter is stable" : ""});
}

}  // namespace

std::string_view name(Health health) {
  switch (health) {
    case Health::kFine: return "ok";
    case Health::kNote: return "note";
    case Health::kUnknown: return "unknown";
    case Health::kDisturbs: return "disturbs";
  }
  return "";
}

MachineCounts machine_counts(const SystemFiles& files) {
  MachineCounts counts;
  const std::string stat = files.text("/proc/stat").value_or("");
  // user, nice, system, idle, iowait, irq, softirq, steal (proc(5)); what guests use is in user.
  const auto ticks = split(value_of(stat, "cpu", ' ').value_or(""), ' ');
  constexpr std::size_t kIdle = 3;
  constexpr std::size_t kWait = 4;
  constexpr std::size_t kSteal = 7;
  if (ticks.size() > kSteal) {
    double all = 0;
    double idle = 0;
    for (std::size_t i = 0; i <= kSteal; ++i) {
      const double of_kind = parse_decimal(ticks[i]).value_or(0);
      all += of_kind;
      if (i == kIdle || i == kWait) idle += of_kind;
      if (i == kSteal) counts.stolen_ticks = of_kind;
    }
    counts.cpu_ticks = all;
    counts.busy_ticks = all - idle - *counts.stolen_ticks;
  }
  const std::string vmstat = files.text("/proc/vmstat").value_or("");
  const auto in = count_of(vmstat, "pswpin");
  const auto out = count_of(vmstat, "pswpout");
  if (in && out) counts.swapped_pages = *in + *out;
  counts.refaulted_pages = count_of(vmstat, "workingset_refault_file");
  if (!counts.refaulted_pages) counts.refaulted_pages = count_of(vmstat, "workingset_refault");  // before Linux 5.9
  return counts;
}

Symptom module_symptom(const Loadable& library, const std::function<std::string()>& load) {
  const std::string subject(library.subject);
  if (!library.left_out.empty()) return {Health::kNote, subject, std::string(library.without), library.left_out};
  try {
    return {Health::kFine, subject, load(), ""};
  } catch (const Error& error) {
    return {Health::kNote, subject, error.what(), std::string(library.unloaded)};
  }
}

std::vector<Symptom> checkup(const Machine& machine, const SystemFiles& files, const MachineCounts& before,
                             const MachineCounts& after) {
  Symptoms symptoms;
  check_cpus(machine, symptoms);
  check_frequency(machine, files, symptoms);
  check_other_work(machine, before, after, symptoms);
  check_memory(machine, files, before, after, symptoms);
  check_nodes(machine, files, symptoms);
  check_clock(machine, symptoms);
  return symptoms;
}

}  // namespace loadline
