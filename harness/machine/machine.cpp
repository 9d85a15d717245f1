#include "harness/machine/machine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "harness/machine/cgroup.h"
#include "harness/machine/cpu_info.h"
#include "harness/machine/kernel_text.h"
#include "harness/machine/threads.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

std::string cpu_directory(std::size_t cpu) {
  return fmt::format("/sys/devices/system/cpu/cpu{}", cpu);
}

std::vector<std::size_t> list_in(const SystemFiles& files, const char* path) {
  return parse_cpu_list(files.text(path).value_or("")).value_or(std::vector<std::size_t>());
}

std::optional<std::size_t> unless_zero(std::size_t count) {
  return count == 0 ? std::nullopt : std::optional(count);
}

struct CpuCache {
  std::uint64_t level = 0;
  std::optional<std::uint64_t> bytes;
  std::vector<std::size_t> sharing_cpus;
};

// The caches that hold data, as `cpu` sees them.
std::vector<CpuCache> data_caches(const SystemFiles& files, std::size_t cpu) {
  std::vector<CpuCache> caches;
  for (int index = 0;; ++index) {
    const std::string directory = fmt::format("{}/cache/index{}", cpu_directory(cpu), index);
    const auto type = files.line(directory + "/type");
    if (!type) return caches;
    const auto level = parse_whole(files.text(directory + "/level").value_or(""));
    auto bytes = parse_size_bytes(files.text(directory + "/size").value_or(""));
    // Some virtual machines and firmwares report a cache of size 0: it exists, but its size is unknown.
    if (bytes == 0U) bytes = std::nullopt;
    if (*type == "Instruction" || !level) continue;
    caches.push_back({*level, bytes, list_in(files, (directory + "/shared_cpu_list").c_str())});
  }
}

std::optional<std::uint64_t> last_level_bytes(const SystemFiles& files, const std::vector<std::size_t>& cpus) {
  std::set<std::pair<std::uint64_t, std::vector<std::size_t>>> seen;
  std::uint64_t bytes = 0;
  for (const std::size_t cpu : cpus) {
    const auto caches = data_caches(files, cpu);
    const auto last = std::max_element(caches.begin(), caches.end(),
                                       [](const CpuCache& a, const CpuCache& b) { return a.level < b.level; });
    if (last == caches.end() || !last->bytes || last->sharing_cpus.empty()) return std::nullopt;
    if (seen.emplace(last->level, last->sharing_cpus).second) bytes += *last->bytes;
  }
  return bytes == 0 ? std::nullopt : std::optional(bytes);
}

void add_caches(Machine& machine, const SystemFiles& files, const std::vector<std::size_t>& affinity) {
  const std::size_t first_cpu = affinity.empty() ? 0 : affinity.front();
  for (const CpuCache& cache : data_caches(files, first_cpu)) {
    if (cache.level == 1) machine.l1d_cache_bytes = cache.bytes;
    if (cache.level == 2) machine.l2_cache_bytes = cache.bytes;
    if (cache.level == 3) {
      machine.l3_cache_bytes = cache.bytes;
      machine.l3_sharing_cpus = unless_zero(cache.sharing_cpus.size());
    }
  }
  machine.last_level_cache_bytes = last_level_bytes(files, affinity);
}

// Counts sockets and cores by what identifies them on every architecture: the package number and the CPUs that share
// a core. Either may be missing in virtual machines, and then is not counted.
void add_topology(Machine& machine, const SystemFiles& files) {
  const auto online = list_in(files, "/sys/devices/system/cpu/online");
  machine.logical_cpus = unless_zero(online.size());
  std::set<std::uint64_t> packages;
  std::set<std::string> cores;
  bool every_package = true;
  bool every_core = true;
  for (const std::size_t cpu : online) {
    const std::string topology = cpu_directory(cpu) + "/topology";
    const auto package = parse_whole(files.text(topology + "/physical_package_id").value_or(""));
    const auto core = files.line(topology + "/thread_siblings_list");
    every_package = every_package && package;
    every_core = every_core && core;
    if (package) packages.insert(*package);
    if (core) cores.insert(*core);
  }
  if (every_package) machine.sockets = unless_zero(packages.size());
  if (every_core) machine.physical_cores = unless_zero(cores.size());
  machine.numa_nodes = unless_zero(list_in(files, "/sys/devices/system/node/online").size());
}

void add_memory(Machine& machine, const SystemFiles& files) {
  const std::string meminfo = files.text("/proc/meminfo").value_or("");
  machine.memory_total_bytes = parse_size_bytes(value_of(meminfo, "MemTotal").value_or(""));
  machine.memory_available_bytes = parse_size_bytes(value_of(meminfo, "MemAvailable").value_or(""));
  machine.transparent_huge_pages =
      parse_selected(files.text("/sys/kernel/mm/transparent_hugepage/enabled").value_or(""));
}

void add_limits(Machine& machine, const SystemFiles& files, const std::vector<std::size_t>& affinity,
                std::optional<std::size_t> job_cpus) {
  if (!affinity.empty()) {
    machine.affinity_cpus = affinity.size();
    machine.affinity_list = format_cpu_list(affinity);
  }
  const CgroupLimits limits = cgroup_limits(files);
  machine.cgroup_cpu_limit = limits.cpus;
  machine.cgroup_memory_limit_bytes = limits.memory_bytes;
  machine.cgroup_memory_left_bytes = limits.memory_left_bytes;
  machine.cgroup_memory_seen = limits.memory_seen;
  machine.threads_in_force = threads_within(affinity.size(), limits.cpus, job_cpus);
}

std::optional<std::string> operating_system(const SystemFiles& files) {
  for (const char* path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const std::string text = files.text(path).value_or("");
    auto name = value_of(text, "PRETTY_NAME", '=');
    if (!name) continue;
    const bool quoted =
        name->size() >= 2 && (name->front() == '"' || name->front() == '\'') && name->back() == name->front();
    return std::string(quoted ? name->substr(1, name->size() - 2) : *name);
  }
  return std::nullopt;
}

constexpr std::string_view kBetweenHosts = ", ";

// The unused part of a soft limit in bytes; the field with this number in /proc/self/statm has the used pages.
std::optional<std::uint64_t> left_of(__rlimit_resource_t resource, std::size_t field, std::uint64_t page_size_bytes) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::nullopt;
  const std::string statm = SystemFiles().text("/proc/self/statm").value_or("");
  const auto fields = split(trimmed(statm), ' ');
  const std::uint64_t used = fields.size() <= field ? 0 : parse_whole(fields[field]).value_or(0) * page_size_bytes;
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

// Facts from system calls, for what /proc does not have.
void add_process_limits(Machine& machine) {
  constexpr std::size_t kMapped = 0;  // in statm: the whole address space
  constexpr std::size_t kData = 5;    // and data and stack
  const std::uint64_t page = machine.page_size_bytes.value_or(4096);
  machine.address_space_left_bytes = left_of(RLIMIT_AS, kMapped, page);
  machine.data_left_bytes = left_of(RLIMIT_DATA, kData, page);
  std::size_t stack = 0;
  pthread_attr_t attributes;
  if (::pthread_getattr_default_np(&attributes) == 0) {
    if (::pthread_attr_getstacksize(&attributes, &stack) == 0) machine.thread_stack_bytes = stack;
    ::pthread_attr_destroy(&attributes);
  }
  if (machine.memory_available_bytes) return;
  struct sysinfo system {};
  if (::sysinfo(&system) != 0) return;
  machine.memory_total_bytes = std::uint64_t{system.totalram} * system.mem_unit;
  machine.memory_available_bytes = (std::uint64_t{system.freeram} + system.bufferram) * system.mem_unit;
}

}  // namespace

std::optional<bool> cpu_boost(const SystemFiles& files) {
  // Intel's driver says whether boost is off, all others whether it is on.
  if (const auto off = files.line("/sys/devices/system/cpu/intel_pstate/no_turbo")) return *off == "0";
  if (const auto on = files.line("/sys/devices/system/cpu/cpufreq/boost")) return *on == "1";
  return std::nullopt;
}

double cpus_in_force(const Machine& machine) {
  const auto threads = static_cast<double>(machine.threads_in_force);
  return std::min(threads, machine.cgroup_cpu_limit.value_or(threads));
}

std::vector<std::string> hosts_of(const Machine& machine) {
  std::vector<std::string> hosts;
  if (!machine.hostname) return hosts;
  std::string_view rest = *machine.hostname;
  for (auto end = rest.find(kBetweenHosts); end != std::string_view::npos; end = rest.find(kBetweenHosts)) {
    hosts.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + kBetweenHosts.size());
  }
  hosts.emplace_back(rest);
  return hosts;
}

void add_hosts(const Machine& other, Machine& machine) {
  std::vector<std::string> hosts = hosts_of(machine);
  for (std::string& host : hosts_of(other)) {
    if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(std::move(host));
  }
  if (!hosts.empty()) machine.hostname = fmt::format("{}", fmt::join(hosts, kBetweenHosts));
}

Machine machine_from(const SystemFiles& files, const std::vector<std::size_t>& affinity,
                     std::optional<std::size_t> job_cpus) {
  const CpuInfo cpu = parse_cpu_info(files.text("/proc/cpuinfo").value_or(""));
  const std::string load = files.text("/proc/loadavg").value_or("");
  Machine machine;
  machine.hostname = files.line("/proc/sys/kernel/hostname");
  machine.operating_system = operating_system(files);
  machine.kernel_release = files.line("/proc/sys/kernel/osrelease");
  machine.virtualised = cpu.virtualised;
  machine.cpu_model = cpu.model;
  machine.cpu_governor =
      files.line(cpu_directory(affinity.empty() ? 0 : affinity.front()) + "/cpufreq/scaling_governor");
  machine.clocksource = files.line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  machine.load_average_1_minute = parse_decimal(load.substr(0, load.find(' ')));
  add_topology(machine, files);
  add_limits(machine, files, affinity, job_cpus);
  add_memory(machine, files);
  add_caches(machine, files, affinity);
  return machine;
}

Machine this_machine(std::optional<std::size_t> job_cpus) {
  Machine machine = machine_from(SystemFiles(), affinity_cpus(), job_cpus);
  if (struct utsname name{}; ::uname(&name) == 0) machine.architecture = name.machine;
  if (const long bytes = ::sysconf(_SC_PAGESIZE); bytes > 0) {
    machine.page_size_bytes = static_cast<std::uint64_t>(bytes);
  }
  add_process_limits(machine);
  return machine;
}

std::uint64_t memory_left_bytes(const Machine& machine) {
  constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();
  return std::min(
      {machine.memory_available_bytes.value_or(kUnlimited), machine.cgroup_memory_limit_bytes.value_or(kUnlimited),
       machine.cgroup_memory_left_bytes.value_or(kUnlimited), machine.let_memory_left_bytes.value_or(kUnlimited)});
}

std::optional<std::uint64_t> memory_in_force(const Machine& machine) {
  if (!machine.memory_total_bytes) return machine.cgroup_memory_limit_bytes;
  return std::min(*machine.memory_total_bytes, machine.cgroup_memory_limit_bytes.value_or(*machine.memory_total_bytes));
}

std::optional<std::uint64_t> memory_in_force() {
  static const std::optional<std::uint64_t> kInForce = [] {
    const SystemFiles files;
    Machine machine;
    add_memory(machine, files);
    machine.cgroup_memory_limit_bytes = cgroup_limits(files).memory_bytes;
    return memory_in_force(machine);
  }();
  return kInForce;
}

}  // namespace loadline
