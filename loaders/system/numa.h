// NUMA nodes: where memory lies, and where it should lie.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "loaders/system/memory.h"

namespace loadline {

// The node of the CPU that the calling thread runs on at the moment; nullopt where the system does not tell. Takes some
// nanoseconds.
std::optional<std::size_t> node_here();

// The node of the page at each address; std::nullopt for a page that is not there, such as one that nobody touched.
// Empty where the system does not tell, as in a container that forbids move_pages().
std::vector<std::optional<std::size_t>> nodes_of(std::span<const std::byte* const> addresses);

// The node of most pages of `memory`, of which it looks at a few, evenly spread; nullopt where none is there or the
// system does not tell.
std::optional<std::size_t> node_of(std::span<const std::byte> memory);

// What is on a node, such as pages or slots.
struct OnNode {
  std::size_t node = 0;
  std::size_t count = 0;

  bool operator==(const OnNode&) const = default;
};

// Of these pieces of memory, how many lie on each node, ascending; without those that are not there. Empty where the
// system does not tell.
std::vector<OnNode> pieces_by_node(std::span<const std::span<const std::byte>> pieces);
// The same of the pages of all of them, of which it looks at some thousands.
std::vector<OnNode> pages_by_node(std::span<const std::span<const std::byte>> pieces);

// Memory that is only read once it is filled: one block, or a copy of it for each node. Any thread.
class NodeMemory {
 public:
  NodeMemory(HugeMemory memory);  // NOLINT(google-explicit-constructor): the same, with one copy

  // Copies the block to all nodes but the first, which it lies on. Throws Error where the memory is refused.
  void replicate(std::span<const std::size_t> nodes);

  // The copy on the calling thread's node; the first where there is none.
  std::span<const std::byte> bytes() const;
  std::span<const std::byte> first() const { return copies_.front().bytes(); }
  // Where the calling thread reads what the first copy has at `address`.
  template <typename T>
  const T* here(const T* address) const {
    if (copies_.size() == 1) return address;
    return reinterpret_cast<const T*>(bytes().data() + (reinterpret_cast<const std::byte*>(address) - first().data()));
  }
  std::vector<std::span<const std::byte>> all() const;

 private:
  std::vector<HugeMemory> copies_;
  std::vector<std::size_t> nodes_;  // of each; empty: there is one
};

// Where to place a large block.
struct MemoryPlace {
  std::vector<std::size_t> nodes;  // in turn, page by page; empty: where its pages are touched first
  bool replicated = false;         // a copy on each of these nodes in place of that

  std::size_t copies() const { return replicated && !nodes.empty() ? nodes.size() : 1; }
  // Nodes that the first copy lies on.
  std::span<const std::size_t> first() const { return copies() > 1 ? std::span(nodes).first(1) : std::span(nodes); }
  // NodeMemory of a block that was filled and lies on first().
  NodeMemory spread(HugeMemory filled) const;

  bool operator==(const MemoryPlace&) const = default;
};

}  // namespace loadline
