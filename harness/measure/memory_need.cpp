#include "harness/measure/memory_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "harness/ceilings/kernels.h"
#include "harness/ceilings/requests.h"
#include "harness/machine/machine.h"
#include "harness/result/memory_words.h"
#include "loaders/batch_pool.h"
#include "loaders/datasets/formats.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr std::uint64_t kMostCounted = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
  return a > kMostCounted - b ? kMostCounted : a + b;
}

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMostCounted : product;
}

std::uint64_t sum_of(const std::vector<MemoryPart>& parts) {
  std::uint64_t sum = 0;
  for (const MemoryPart& part : parts) sum = plus(sum, part.bytes);
  return sum;
}

// A permutation of all samples, for the orders that need one.
std::uint64_t permutation_bytes(const Cell& cell, const DatasetInfo& info) {
  const Shuffle shuffle = shuffle_of(cell.sampler.order, info.samples, cell.sampler.world_size);
  return shuffle == Shuffle::kInMemory ? times(info.samples, sizeof(SampleIndex)) : 0;
}

// A name of up to 32 characters, its end, and its length for lookups.
constexpr std::uint64_t kBytesAFile = 48;

void add_dataset(const DatasetFacts& facts, std::size_t copies, MemoryNeed& need) {
  const DatasetInfo& info = facts.info;
  const std::string path = facts.path.string();
  if (info.access == Access::kResident) {
    need.parts.push_back(
        {fmt::format("the samples of {} in memory{}", path, copies > 1 ? fmt::format(" on {} NUMA nodes", copies) : ""),
         times(info.all_bytes(), copies)});
  }
  if (info.access == Access::kMapped) need.mapped_bytes = plus(need.mapped_bytes, info.stored_bytes);
  if (info.tokens && info.tokens->sequences == Sequences::kDocuments) {
    need.parts.push_back({fmt::format("the documents of {}", path),
                          times(info.tokens->documents.value_or(0), sizeof(std::uint64_t) + sizeof(SampleIndex))});
  }
  if (const auto& text = info.text) {
    // For lines the begin and length of each, and a label that all shards have; for files their paths; for rows the
    // begin of each document.
    constexpr std::uint64_t kBytesALine = sizeof(std::uint64_t) + sizeof(std::uint32_t) + sizeof(std::int32_t);
    constexpr std::uint64_t kBytesAPath = 256;
    const std::uint64_t each = (text->stored_as == TextDocuments::kFiles ? kBytesAPath : kBytesALine) +
                               (text->row_bytes ? sizeof(std::uint64_t) : 0);
    need.parts.push_back({fmt::format("the positions of the documents of {}", path), times(text->documents, each)});
  }
  if (info.labelled() && info.labels_in_memory && info.access != Access::kFiles) {
    need.parts.push_back({fmt::format("the labels of {}", path), times(info.samples, sizeof(std::int32_t))});
  }
  if (info.access == Access::kChunks) {
    need.parts.push_back({fmt::format("the inflated chunks of {}", path),
                          std::min<std::uint64_t>(info.all_bytes(), kInflatedChunksBytes)});
  }
  if (info.access == Access::kFiles && !info.text) {
    need.parts.push_back({fmt::format("the file names of {}", path), times(info.samples, kBytesAFile)});
  }
}

std::uint64_t bytes_a_slot(const CellResult& cell) {
  const std::size_t batch_size = cell.cell.sampler.batch_size;
  return BatchPool::slot_size_bytes(batch_size, cell.slot_bytes / batch_size);
}

// Two permutations, because the next epoch's is made during the current one.
std::vector<MemoryPart> parts_of(const CellResult& cell, const DatasetInfo& info) {
  const std::string name = cell.cell.name();
  if (cell.cell.mode == Mode::kOverhead) return {};
  return {{fmt::format("the sample orders of {}", name), times(2, permutation_bytes(cell.cell, info))},
          {fmt::format("the slots of {}", name), times(cell.slots, bytes_a_slot(cell))},
          {fmt::format("the compute of {}", name), cell.compute_bytes}};
}

std::size_t slots_of(const Ceiling& ceiling, std::size_t slot_bytes) {
  switch (ceiling.kind->role) {
    case CeilingRole::kHandingOver: return slots_across(slot_bytes).all(ceiling.threads - 1);
    case CeilingRole::kExchanging: return ceiling.threads * slots_exchanged(slot_bytes);
    case CeilingRole::kTaking: return slots_drained(ceiling.threads - 1, slot_bytes);
    case CeilingRole::kFilling: break;
  }
  return ceiling.threads;
}

// Ceilings on samples in memory use a copy of some of them, one per dataset, which stays until the end.
void add_copies(const Result& prepared, MemoryNeed& need) {
  const Machine& machine = prepared.environment.machine;
  std::set<std::optional<std::uint64_t>> known;
  for (const CeilingResult& ceiling : prepared.ceilings) {
    if (ceiling.ceiling.kind->scope != CeilingScope::kBatch) continue;
    const DatasetFacts& facts = prepared.datasets[prepared.cells[ceiling.cell].dataset];
    const DatasetInfo& info = facts.info;
    if (info.access == Access::kResident || stays_mapped(info, memory_in_force(machine))) continue;
    if (!known.insert(facts.fingerprint).second) continue;
    need.parts.push_back(
        {fmt::format("a copy of {} for ceilings", facts.path.string()), copied_for_ceilings_bytes(info, machine)});
  }
}

struct Limit {
  std::string_view name;
  std::optional<std::uint64_t> left_bytes;
  std::uint64_t needed_bytes;
};

}  // namespace

std::uint64_t MemoryNeed::total_bytes() const {
  return sum_of(parts);
}

std::uint64_t copied_for_ceilings_bytes(const DatasetInfo& info, const Machine& machine) {
  constexpr std::uint64_t kMost = 256 * kMebibyte;
  const std::uint64_t all = info.all_bytes();
  const std::uint64_t room = memory_left_bytes(machine) / 8;
  if (info.labelled()) return std::min({all, room, kMost});
  return all <= room ? all : 0;
}

std::uint64_t ceiling_bytes(const CeilingResult& ceiling, const Result& prepared) {
  const CellResult& cell = prepared.cells[ceiling.cell];
  const DatasetInfo& info = prepared.datasets[cell.dataset].info;
  constexpr std::uint64_t kOrdered = 4 * kMebibyte;
  const std::uint64_t order = permutation_bytes(cell.cell, info);
  switch (ceiling.ceiling.kind->scope) {
    case CeilingScope::kMachine:
      return ceiling.ceiling.kind->role == CeilingRole::kHandingOver
                 ? 0
                 : memory_kernel_bytes(prepared.environment.machine);
    case CeilingScope::kDataset: {
      const std::size_t wanted = ceiling.ceiling.kind->of_device ? largest_request_bytes(info.stored_bytes) : kMebibyte;
      return times(ceiling.ceiling.threads, block_bytes(wanted, ceiling.ceiling.threads));
    }
    case CeilingScope::kBatch: break;
  }
  const std::uint64_t slots = times(slots_of(ceiling.ceiling, cell.slot_bytes), cell.slot_bytes);
  if (ceiling.ceiling.kind->role == CeilingRole::kTaking) {
    return plus(slots, times(ceiling.ceiling.threads - 1, kScratchBytes));
  }
  return plus(plus(order, std::min(order, kOrdered)), slots);
}

MemoryNeed memory_need(const Result& prepared, std::size_t processes) {
  MemoryNeed need;
  for (std::size_t i = 0; i < prepared.datasets.size(); ++i) {
    const auto cell = std::ranges::find(prepared.cells, i, &CellResult::dataset);
    add_dataset(prepared.datasets[i], cell == prepared.cells.end() ? 1 : cell->cell.dataset.memory.copies(), need);
  }
  add_copies(prepared, need);
  std::vector<MemoryPart> most;
  std::size_t threads = 0;
  for (const CellResult& cell : prepared.cells) {
    auto parts = parts_of(cell, prepared.datasets[cell.dataset].info);
    if (sum_of(parts) > sum_of(most)) most = std::move(parts);
    threads = std::max(threads, cell.cell.workers + cell.cell.compute_threads);
  }
  for (const CeilingResult& ceiling : prepared.ceilings) {
    const std::uint64_t bytes = ceiling_bytes(ceiling, prepared);
    if (bytes > sum_of(most)) most = {{fmt::format("the ceiling {}", ceiling.ceiling.id()), bytes}};
  }
  need.parts.insert(need.parts.end(), most.begin(), most.end());
  std::erase_if(need.parts, [](const MemoryPart& part) { return part.bytes == 0; });
  for (MemoryPart& part : need.parts) {
    part.bytes = times(part.bytes, processes);
    if (processes > 1) part.what += fmt::format(" in {} processes", processes);
  }
  const std::uint64_t stack = prepared.environment.machine.thread_stack_bytes.value_or(0);
  need.mapped_bytes = plus(need.mapped_bytes, times(threads, stack));
  return need;
}

MemoryUse memory_use(const MemoryNeed& need, const Machine& machine, std::size_t processes) {
  const std::uint64_t total = need.total_bytes();
  MemoryUse use{.needed_bytes = total};
  for (const MemoryPart& part : need.parts) {
    if (part.bytes <= use.largest_bytes) continue;
    use.largest_bytes = part.bytes;
    use.largest = part.what;
  }
  const std::uint64_t own = total / std::max<std::size_t>(1, processes);
  const Limit limits[] = {
      {"MemAvailable", machine.memory_available_bytes, total},
      {"the memory limit of the control group", machine.cgroup_memory_limit_bytes, total},
      {"the memory limit of the control group", machine.cgroup_memory_left_bytes, total},
      {"the container (found by trial)", machine.let_memory_left_bytes, total},
      {"RLIMIT_AS", machine.address_space_left_bytes, plus(own, need.mapped_bytes)},
      {"RLIMIT_DATA", machine.data_left_bytes, own},
  };
  double worst = -1;
  for (const Limit& limit : limits) {
    if (!limit.left_bytes) continue;
    const double share =
        static_cast<double>(limit.needed_bytes) / std::max(1.0, static_cast<double>(*limit.left_bytes));
    if (share <= worst) continue;
    worst = share;
    use.needed_bytes = limit.needed_bytes;
    use.available_bytes = limit.left_bytes;
    use.limit = limit.name;
  }
  return use;
}

void check_memory(const MemoryUse& use) {
  if (!use.available_bytes || use.needed_bytes <= *use.available_bytes) return;
  throw usage_error(fmt::format("{}; reduce the need{} or allow more memory", memory_words(use),
                                use.largest.starts_with("the slots of ")
                                    ? ", such as by a smaller --batch-size, --prefetch or --image-size,"
                                    : ""));
}

}  // namespace loadline
