#include "loaders/system/numa.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "loaders/system/memory.h"

namespace loadline {
namespace {

constexpr std::size_t kPagesOfAPiece = 8;
constexpr std::size_t kPagesOfAll = 4096;

// Up to `most` addresses in `memory`, one per page, evenly spread.
void add_pages(std::span<const std::byte> memory, std::size_t most, std::vector<const std::byte*>& addresses) {
  const std::size_t pages = memory.size() / bytes_of_a_page();
  const std::size_t count = std::min(std::max<std::size_t>(pages, memory.empty() ? 0 : 1), most);
  for (std::size_t i = 0; i < count; ++i) {
    addresses.push_back(memory.data() + i * pages / count * bytes_of_a_page());
  }
}

using Counts = std::map<std::size_t, std::size_t>;

std::vector<OnNode> listed(const Counts& counts) {
  std::vector<OnNode> list;
  for (const auto& [node, count] : counts) list.push_back({node, count});
  return list;
}

Counts count_pages(std::span<const std::byte* const> addresses) {
  Counts counts;
  for (const auto& node : nodes_of(addresses)) {
    if (node) ++counts[*node];
  }
  return counts;
}

}  // namespace

std::optional<std::size_t> node_here() {
  unsigned cpu = 0;
  unsigned node = 0;
  if (::getcpu(&cpu, &node) != 0) return std::nullopt;
  return node;
}

std::vector<std::optional<std::size_t>> nodes_of(std::span<const std::byte* const> addresses) {
  if (addresses.empty()) return {};
  std::vector<void*> pages;
  for (const std::byte* address : addresses) pages.push_back(const_cast<std::byte*>(address));
  std::vector<int> status(pages.size(), -1);
  // Without target nodes the call reports where pages are.
  if (::syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, status.data(), 0) != 0) return {};
  std::vector<std::optional<std::size_t>> nodes;
  for (const int node : status) {
    nodes.push_back(node < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(node)));
  }
  return nodes;
}

std::optional<std::size_t> node_of(std::span<const std::byte> memory) {
  std::vector<const std::byte*> addresses;
  add_pages(memory, kPagesOfAPiece, addresses);
  const Counts counts = count_pages(addresses);
  const auto most = std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

std::vector<OnNode> pieces_by_node(std::span<const std::span<const std::byte>> pieces) {
  Counts counts;
  for (const auto& piece : pieces) {
    if (const auto node = node_of(piece)) ++counts[*node];
  }
  return listed(counts);
}

std::vector<OnNode> pages_by_node(std::span<const std::span<const std::byte>> pieces) {
  std::vector<const std::byte*> addresses;
  for (const auto& piece : pieces) add_pages(piece, kPagesOfAll / std::min(pieces.size(), kPagesOfAll), addresses);
  return listed(count_pages(addresses));
}

NodeMemory::NodeMemory(HugeMemory memory) {
  copies_.push_back(std::move(memory));
}

void NodeMemory::replicate(std::span<const std::size_t> nodes) {
  nodes_.assign(nodes.begin(), nodes.end());
  copies_.reserve(nodes.size());
  for (std::size_t i = 1; i < nodes.size(); ++i) {
    HugeMemory copy(first().size(), Faults::kNow, nodes.subspan(i, 1));
    std::ranges::copy(first(), copy.bytes().begin());
    copies_.push_back(std::move(copy));
  }
}

std::span<const std::byte> NodeMemory::bytes() const {
  if (copies_.size() == 1) return first();
  const auto node = node_here();
  const auto found = node ? std::ranges::find(nodes_, *node) : nodes_.end();
  return found == nodes_.end() ? first() : copies_[static_cast<std::size_t>(found - nodes_.begin())].bytes();
}

std::vector<std::span<const std::byte>> NodeMemory::all() const {
  std::vector<std::span<const std::byte>> all;
  for (const HugeMemory& copy : copies_) all.push_back(copy.bytes());
  return all;
}

NodeMemory MemoryPlace::spread(HugeMemory filled) const {
  NodeMemory memory(std::move(filled));
  if (copies() > 1) memory.replicate(nodes);
  return memory;
}

}  // namespace loadline
