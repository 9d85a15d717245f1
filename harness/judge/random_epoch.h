// What an epoch in random order can reach whose files are not in memory when it begins: a pure function.
#pragma once

#include <cstddef>

namespace loadline {

struct RandomEpoch {
  double samples;                    // of the epoch, in uniformly random order
  double blocks;                     // that the files are read in, each once, in the order in which samples need them
  double samples_per_second_read;    // of an epoch whose blocks are read as fast as storage gives them
  double samples_per_second_filled;  // of samples whose blocks are there
};

// Samples per second where both are done beside each other as far as the order lets them. Before the n-th sample of
// the order 1 - exp(-n / blocks) of all blocks have to be read, and samples - n are still to be filled then; the epoch
// takes the most that this comes to for any n. Where samples share blocks, that is nearly the sum of both times: the
// first samples need nearly all blocks.
double samples_per_second_of(const RandomEpoch& epoch);

}  // namespace loadline
