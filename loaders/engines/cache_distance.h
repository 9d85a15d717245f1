// Whether threads that hand each other data do so through a cache they share.
#pragma once

namespace loadline {

// Bounces a cache line between the calling thread and a few others, one after the other, for a millisecond or two, and
// says whether any of them was too far away to share a cache with: in another socket, or another core complex of the
// same. Asks the hardware, since a virtual machine may present caches that it has not got, or move between them. Where
// the threads did not get to run side by side it says no.
bool caches_are_far_apart();

}  // namespace loadline
