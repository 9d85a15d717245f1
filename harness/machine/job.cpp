#include "harness/machine/job.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <utility>
#include <vector>

#include "harness/machine/kernel_text.h"
#include "harness/machine/run_id.h"
#include "harness/machine/system_files.h"
#include "loaders/system/environment.h"

namespace loadline {
namespace {

// The variables; an empty one counts as unset.
class Reader {
 public:
  explicit Reader(const Variables& variables) : variables_(&variables) {}

  std::optional<std::string> text(const char* name) const {
    auto value = (*variables_)(name);
    return value && !trimmed(*value).empty() ? value : std::nullopt;
  }
  std::optional<std::uint64_t> number(const char* name) const { return parse_whole(text(name).value_or("")); }
  // A number of CPUs or nodes, which is never 0.
  std::optional<std::size_t> count(const char* name) const {
    const auto value = number(name);
    return value && *value > 0 ? std::optional<std::size_t>(*value) : std::nullopt;
  }

 private:
  const Variables* variables_;
};

// "2(x3),1" is {2, 2, 2, 1}; empty if it does not parse.
std::vector<std::size_t> parse_counts_per_node(std::string_view text) {
  constexpr std::size_t kMostNodes = 1 << 20;
  std::vector<std::size_t> counts;
  for (std::string_view part : split(trimmed(text), ',')) {
    std::optional<std::uint64_t> times = 1;
    if (const auto open = part.find("(x"); open != std::string_view::npos && part.back() == ')') {
      times = parse_whole(part.substr(open + 2, part.size() - open - 3));
      part = part.substr(0, open);
    }
    const auto count = parse_whole(part);
    if (!count || !times || *times > kMostNodes - counts.size()) return {};
    counts.insert(counts.end(), *times, *count);
  }
  return counts;
}

std::optional<std::size_t> sum_of(const std::vector<std::size_t>& counts) {
  std::size_t sum = 0;
  for (const std::size_t count : counts) {
    if (count > std::numeric_limits<std::size_t>::max() - sum) return std::nullopt;
    sum += count;
  }
  return sum == 0 ? std::nullopt : std::optional(sum);
}

std::optional<std::uint64_t> mebibytes(std::uint64_t count, std::uint64_t times = 1) {
  constexpr std::uint64_t kMebibyte = 1 << 20;
  if (count == 0 || times == 0 || count > std::numeric_limits<std::uint64_t>::max() / kMebibyte / times) {
    return std::nullopt;
  }
  return count * times * kMebibyte;
}

// The job's CPUs on this node. In a step, SLURM_CPUS_ON_NODE is that of the step, which is what its processes have.
std::optional<std::size_t> slurm_node_cpus(const Reader& read) {
  if (const auto cpus = read.count("SLURM_CPUS_ON_NODE")) return cpus;
  const auto counts = parse_counts_per_node(read.text("SLURM_JOB_CPUS_PER_NODE").value_or(""));
  const std::size_t node = read.number("SLURM_NODEID").value_or(0);
  return node < counts.size() && counts[node] > 0 ? std::optional(counts[node]) : std::nullopt;
}

// --mem=0 requests all memory of the node, whatever that is.
std::optional<std::uint64_t> slurm_memory_bytes(const Reader& read, std::optional<std::size_t> node_cpus) {
  if (const auto node = read.number("SLURM_MEM_PER_NODE")) return mebibytes(*node);
  const auto cpu = read.number("SLURM_MEM_PER_CPU");
  return cpu && node_cpus ? mebibytes(*cpu, *node_cpus) : std::nullopt;
}

std::optional<std::string> slurm_end(const Reader& read) {
  constexpr std::uint64_t kYear9999 = 253'402'300'799;
  const auto seconds = read.number("SLURM_JOB_END_TIME");
  if (!seconds || *seconds > kYear9999) return std::nullopt;
  return utc_timestamp(std::chrono::sys_seconds(std::chrono::seconds(*seconds)));
}

Job slurm_job(std::string id, const Reader& read, std::string_view /*hostname*/) {
  const auto node_cpus = slurm_node_cpus(read);
  const auto task_cpus = read.count("SLURM_CPUS_PER_TASK");
  return {.scheduler = "slurm",
          .id = std::move(id),
          .array_id = read.text("SLURM_ARRAY_JOB_ID"),
          .array_index = read.number("SLURM_ARRAY_TASK_ID"),
          .name = read.text("SLURM_JOB_NAME"),
          .partition = read.text("SLURM_JOB_PARTITION"),
          .nodes = read.text("SLURM_JOB_NODELIST"),
          .node_count = read.count("SLURM_JOB_NUM_NODES"),
          .cpus = task_cpus ? task_cpus : node_cpus,
          .total_cpus = sum_of(parse_counts_per_node(read.text("SLURM_JOB_CPUS_PER_NODE").value_or(""))),
          .memory_bytes = slurm_memory_bytes(read, node_cpus),
          .ends = slurm_end(read),
          .restarts = read.number("SLURM_RESTART_COUNT").value_or(0)};
}

struct Host {
  std::string_view name;
  std::size_t slots = 0;
};

// LSB_MCPU_HOSTS, "n1 4 n2 2"; or LSB_HOSTS, which names each host once per slot, if the former is not set. Views
// into `text`.
std::vector<Host> parse_hosts_and_slots(std::string_view text) {
  const auto words = split(trimmed(text), ' ');
  std::vector<Host> hosts;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const auto slots = parse_whole(words[i + 1]);
    if (!slots) return {};
    hosts.push_back({words[i], *slots});
  }
  return hosts;
}

std::vector<Host> count_hosts(std::string_view text) {
  std::vector<Host> hosts;
  for (const std::string_view name : split(trimmed(text), ' ')) {
    const auto known = std::ranges::find(hosts, name, &Host::name);
    if (known == hosts.end()) {
      hosts.push_back({name, 1});
    } else {
      ++known->slots;
    }
  }
  return hosts;
}

std::string_view short_name(std::string_view host) {
  return host.substr(0, host.find('.'));
}

std::optional<std::size_t> slots_here(const std::vector<Host>& hosts, std::string_view hostname) {
  if (hosts.size() == 1) return hosts.front().slots;
  const auto here =
      std::ranges::find(hosts, short_name(hostname), [](const Host& host) { return short_name(host.name); });
  return here == hosts.end() ? std::nullopt : std::optional(here->slots);
}

// A slot is a CPU unless the user requested affinity: then it may have many, and the affinity mask tells.
std::optional<std::size_t> lsf_cpus(const Reader& read, const std::vector<Host>& hosts, std::string_view hostname) {
  if (read.text("LSB_BIND_CPU_LIST")) return std::nullopt;
  const auto slots = hosts.empty() ? read.count("LSB_DJOB_NUMPROC") : slots_here(hosts, hostname);
  return slots == 0U ? std::nullopt : slots;
}

Job lsf_job(std::string id, const Reader& read, std::string_view hostname) {
  const auto slots_text = read.text("LSB_MCPU_HOSTS").value_or("");
  const auto hosts_text = read.text("LSB_HOSTS").value_or("");
  auto hosts = parse_hosts_and_slots(slots_text);
  if (hosts.empty()) hosts = count_hosts(hosts_text);
  std::string nodes;
  for (const Host& host : hosts) {
    if (!nodes.empty()) nodes += ',';
    nodes += host.name;
  }
  // LSB_JOBINDEX is 0 outside an array; indices in an array begin at 1.
  const auto index = read.number("LSB_JOBINDEX");
  const bool in_array = index && *index > 0;
  return {.scheduler = "lsf",
          .id = in_array ? id + "[" + std::to_string(*index) + "]" : id,
          .array_id = in_array ? std::optional(id) : std::nullopt,
          .array_index = in_array ? index : std::nullopt,
          .name = read.text("LSB_JOBNAME"),
          .partition = read.text("LSB_QUEUE"),
          .nodes = nodes.empty() ? std::nullopt : std::optional(nodes),
          .node_count = hosts.empty() ? std::nullopt : std::optional(hosts.size()),
          .cpus = lsf_cpus(read, hosts, hostname),
          .total_cpus = read.count("LSB_DJOB_NUMPROC"),
          .restarts = read.text("LSB_RESTART") == "Y" ? 1U : 0U};
}

struct Scheduler {
  const char* job_id_variable;
  Job (*job)(std::string id, const Reader& read, std::string_view hostname);
};

constexpr std::array kSchedulers{
    Scheduler{"SLURM_JOB_ID", slurm_job},
    Scheduler{"LSB_JOBID", lsf_job},
};

}  // namespace

std::optional<Job> job_from(const Variables& variables, std::string_view hostname) {
  const Reader read(variables);
  for (const Scheduler& scheduler : kSchedulers) {
    if (auto id = read.text(scheduler.job_id_variable)) return scheduler.job(std::move(*id), read, hostname);
  }
  return std::nullopt;
}

std::optional<Job> this_job() {
  const auto hostname = SystemFiles().line("/proc/sys/kernel/hostname").value_or("");
  return job_from(variable, hostname);
}

std::optional<std::size_t> tasks_of_job(const Variables& variables) {
  const Reader read(variables);
  const auto of_step = read.count("SLURM_STEP_NUM_TASKS");
  return of_step ? of_step : read.count("SLURM_NTASKS");
}

std::optional<std::size_t> tasks_of_job() {
  return tasks_of_job(variable);
}

std::optional<double> seconds_left(const Job& job, const std::string& now) {
  const auto ends = parse_utc_timestamp(job.ends.value_or(""));
  const auto begins = parse_utc_timestamp(now);
  if (!ends || !begins) return std::nullopt;
  return std::max(0.0, std::chrono::duration<double>(*ends - *begins).count());
}

std::size_t processes_here(const Variables& variables, std::size_t world_size) {
  if (world_size <= 1) return 1;
  const Reader read(variables);
  const auto steps = parse_counts_per_node(read.text("SLURM_STEP_TASKS_PER_NODE").value_or(""));
  const std::size_t node = read.number("SLURM_NODEID").value_or(0);
  std::optional<std::size_t> here = node < steps.size() ? std::optional(steps[node]) : std::nullopt;
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE"}) {
    if (!here) here = read.count(name);
  }
  return std::clamp<std::size_t>(here.value_or(1), 1, world_size);
}

std::size_t processes_here(std::size_t world_size) {
  return processes_here(variable, world_size);
}

}  // namespace loadline
