// What an epoch in random order can reach if its files are not in memory when it begins: a pure function.
#pragma once

#include <cstddef>

namespace loadline {

struct RandomEpoch {
  double samples;  // samples of the epoch, in uniformly random order
  double blocks;   // blocks in which the files are read, each once, in the order in which samples need them
  double samples_per_second_read;    // where blocks are read as fast as storage delivers them
  double samples_per_second_filled;  // of samples whose blocks are in memory
};

// Samples per second if reading and filling overlap as much as the order allows. Before the n-th sample of the order,
// a share of 1 - exp(-n / blocks) of all blocks must be read, and then samples - n are still to be filled; the epoch
// takes the maximum of that time over n. Where samples share blocks, that is nearly the sum of both times: the first
// samples need nearly all blocks.
double samples_per_second_of(const RandomEpoch& epoch);

}  // namespace loadline
