// What an epoch in random order can reach if its files are not in memory when it begins: a pure function.
#pragma once

#include <cstddef>

namespace loadline {

struct RandomEpoch {
  double samples;                    // in the epoch, in uniformly random order
  double blocks;                     // in the files; each is read once, in the order in which samples need them
  double blocks_per_sample;          // touched by one sample
  double samples_per_second_read;    // of an epoch whose blocks are read as fast as storage gives them
  double samples_per_second_filled;  // of samples whose blocks are there
};

// Samples per second where reading and filling overlap as much as the order allows. A share of 1 - exp(-n *
// blocks_per_sample / blocks) of all blocks must be read before the n-th sample, and samples - n remain to be filled
// then; the epoch takes the longest time that this gives for any n. Where samples share blocks, that is nearly the sum
// of both times: the first samples need nearly all blocks.
double samples_per_second_of(const RandomEpoch& epoch);

}  // namespace loadline
