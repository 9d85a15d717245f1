// The filling itself, shared by the ceilings whose threads fill slots.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "harness/ceilings/ceilings.h"

namespace loadline {

// Threads that fill slots with the batches of the cell, dealt in turn, in the cell's own order. Borrows the subject's
// assembler.
class Fillers {
 public:
  Fillers(const CeilingSubject& subject, std::size_t threads);

  std::size_t threads() const { return hands_.size(); }
  // The kinds of stores, as the ways of a ceiling.
  std::vector<std::string_view> ways() const;
  // Fills the slot with the next batch of thread `thread`, which only that thread may do. Returns how many samples it
  // holds: fewer than a batch if corrupt ones are skipped. Throws what the assembler throws.
  double fill(std::size_t thread, std::size_t way, Slot& slot);

 private:
  // What one thread needs, on its own cache lines.
  struct alignas(64) Hand {
    std::unique_ptr<Filler> filler;
    std::size_t next;  // batch, of all that the threads take in turn
  };

  bool streams_;
  std::size_t batch_size_;
  std::vector<SampleIndex> order_;
  std::vector<Hand> hands_;
};

// Reads one byte of every cache line, as the sink of IO trials does.
void read_lines(std::span<const std::byte> bytes);

}  // namespace loadline
