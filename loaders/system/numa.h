// NUMA nodes: where memory is, and where it should be.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "loaders/system/memory.h"

namespace loadline {

// The node of the CPU on which the calling thread runs now; nullopt if the system does not tell. Takes some
// nanoseconds.
std::optional<std::size_t> node_here();

// The node of the page at each address; std::nullopt for a page that does not exist, such as one that nobody touched.
// Empty if the system does not tell, as in a container that forbids move_pages().
std::vector<std::optional<std::size_t>> nodes_of(std::span<const std::byte* const> addresses);

// The node of most pages of `memory`, judged by a few evenly spread ones; nullopt if none of these exists or the
// system does not tell.
std::optional<std::size_t> node_of(std::span<const std::byte> memory);

// A count of things on a node, such as pages or slots.
struct OnNode {
  std::size_t node = 0;
  std::size_t count = 0;

  bool operator==(const OnNode&) const = default;
};

// How many of these pieces of memory are on each node, in ascending order of nodes; pieces without pages do not
// count. Empty if the system does not tell.
std::vector<OnNode> pieces_by_node(std::span<const std::span<const std::byte>> pieces);
// The same for the pages of all pieces, judged by some thousands of them.
std::vector<OnNode> pages_by_node(std::span<const std::span<const std::byte>> pieces);

// Memory that is only read once filled: one block, or a copy of it per node. Any thread.
class NodeMemory {
 public:
  NodeMemory(HugeMemory memory);  // NOLINT(google-explicit-constructor): the same, with one copy

  // Copies the block to all nodes but the first, which has it already. Throws Error if the memory is refused.
  void replicate(std::span<const std::size_t> nodes);

  // The copy on the calling thread's node; the first copy if that node has none.
  std::span<const std::byte> bytes() const;
  std::span<const std::byte> first() const { return copies_.front().bytes(); }
  // Where the calling thread should read what the first copy has at `address`.
  template <typename T>
  const T* here(const T* address) const {
    if (copies_.size() == 1) return address;
    return reinterpret_cast<const T*>(bytes().data() + (reinterpret_cast<const std::byte*>(address) - first().data()));
  }
  std::vector<std::span<const std::byte>> all() const;

 private:
  std::vector<HugeMemory> copies_;
  std::vector<std::size_t> nodes_;  // of each copy; empty: there is only one
};

// Where to place a large block.
struct MemoryPlace {
  std::vector<std::size_t> nodes;  // in turn, page by page; empty: where each page is first touched
  bool replicated = false;         // instead, a whole copy on each of these nodes

  std::size_t copies() const { return replicated && !nodes.empty() ? nodes.size() : 1; }
  // The nodes of the first copy.
  std::span<const std::size_t> first() const { return copies() > 1 ? std::span(nodes).first(1) : std::span(nodes); }
  // Makes NodeMemory from a filled block on first().
  NodeMemory spread(HugeMemory filled) const;

  bool operator==(const MemoryPlace&) const = default;
};

}  // namespace loadline
