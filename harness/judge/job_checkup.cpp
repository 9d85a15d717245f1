#include "harness/judge/job_checkup.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/judge/phrase.h"
#include "loaders/printable.h"
#include "loaders/size_words.h"

namespace loadline {
namespace {

constexpr double kUsualRunSeconds = 60;                          // of one workload with standard options
constexpr std::uint64_t kCeilingBytes = std::uint64_t{1} << 30;  // the most that a ceiling fills

std::optional<Symptom> task_symptom(const JobTasks& tasks) {
  if (tasks.started > 1) {
    return Symptom{Health::kFine, "job tasks",
                   fmt::format("this process is one of {} ranks that {} started", tasks.started, tasks.launcher), ""};
  }
  if (tasks.requested < 2) return std::nullopt;
  return Symptom{Health::kNote, "job tasks",
                 fmt::format("the job has {} tasks, but this process runs alone", tasks.requested),
                 "start one rank per task with srun or mpirun to measure all of them"};
}

std::optional<Symptom> cpu_symptom(const Job& job, const Machine& machine, const JobTasks& tasks) {
  if (!job.cpus && !job.total_cpus) return std::nullopt;
  // Slurm tells a rank the CPUs of a task or those of its node, and not which of these it is.
  const std::string_view whose = tasks.started > 1 ? "given here" : "for this process";
  std::string found = job.cpus ? fmt::format("{} {}", *job.cpus, whose) : "";
  if (job.total_cpus && job.total_cpus != job.cpus) {
    found += fmt::format("{}{} in the whole job", job.cpus ? ", " : "", *job.total_cpus);
  }
  const double in_force = cpus_in_force(machine);
  const bool in_lsf = job.scheduler == "lsf";
  // Ranks of one node share its CPUs, and each is bound to its own.
  if (job.cpus && tasks.started == 1 && in_force < static_cast<double>(*job.cpus)) {
    return Symptom{Health::kDisturbs, "job CPUs",
                   fmt::format("{}, but an affinity mask or a quota leaves it only {:.3g}", found, in_force),
                   fmt::format("start it with all CPUs of the job{}",
                               in_lsf ? "" : " (srun --cpus-per-task, or --cpu-bind=none)")};
  }
  if (in_force < 2) {
    return Symptom{Health::kNote, "job CPUs", fmt::format("{}: a worker and the training step share one CPU", found),
                   fmt::format("request 2 or more ({})", in_lsf ? "-n 2 -R 'span[hosts=1]'" : "--cpus-per-task")};
  }
  return Symptom{Health::kFine, "job CPUs", found, ""};
}

std::optional<Symptom> memory_symptom(const Job& job) {
  if (!job.memory_bytes) return std::nullopt;
  const std::string found = fmt::format("{} requested on this node", size_words(*job.memory_bytes));
  if (*job.memory_bytes > 2 * kCeilingBytes) return Symptom{Health::kFine, "job memory", found, ""};
  return Symptom{
      Health::kNote, "job memory",
      fmt::format("{}: the dataset, all slots and ceilings of up to {} share it", found, size_words(kCeilingBytes)),
      "request more (--mem), or measure no ceilings (--ceilings off)"};
}

std::optional<Symptom> time_symptom(const Job& job, const std::string& now) {
  const auto left = seconds_left(job, now);
  if (!left) return std::nullopt;
  if (*left >= kUsualRunSeconds) {
    return Symptom{Health::kFine, "job time", fmt::format("{} left, until {}", time_text(*left), *job.ends), ""};
  }
  const std::string found = *left > 0 ? fmt::format(
                                            "{} left, less than the minute or so that a run takes with "
                                            "standard options",
                                            time_text(*left))
                                      : fmt::format("the time limit of the job passed at {}", *job.ends);
  return Symptom{
      Health::kDisturbs, "job time", found,
      *left > 0 ? "--time-limit makes a run fit, or request more time (--time)" : "request more time (--time)"};
}

}  // namespace

std::string job_words(const Job& job) {
  std::string text = fmt::format("{} of {}", job.id, job.scheduler);
  if (job.array_id && job.array_index && job.scheduler == "slurm") {
    text += fmt::format(" ({}_{})", *job.array_id, *job.array_index);
  }
  if (job.nodes) text += fmt::format(" on {}", *job.nodes);
  if (job.partition) text += fmt::format(", {} {}", job.scheduler == "lsf" ? "queue" : "partition", *job.partition);
  if (job.restarts > 0) text += fmt::format(", restarted {}", plural(job.restarts, "time"));
  return printable(text);
}

std::vector<Symptom> job_checkup(const Job& job, const Machine& machine, const JobTasks& tasks,
                                 const std::string& now) {
  std::vector<Symptom> symptoms{{Health::kFine, "job", job_words(job), ""}};
  for (auto& symptom :
       {task_symptom(tasks), cpu_symptom(job, machine, tasks), memory_symptom(job), time_symptom(job, now)}) {
    if (symptom) symptoms.push_back(*symptom);
  }
  return symptoms;
}

}  // namespace loadline
