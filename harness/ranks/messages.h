// How the processes of one run send each other bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace loadline {

struct Message {
  std::size_t from = 0;
  std::string bytes;
};

// One process's end. Messages of one sender come whole and in the order in which they were sent. No call blocks. One
// thread at a time. What cannot be done throws Error.
class Messages {
 public:
  virtual ~Messages() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // What carries them, with its version.
  virtual std::string description() const = 0;

  virtual void send(std::size_t to, std::string bytes) = 0;
  // The next message that is there.
  virtual std::optional<Message> receive() = 0;

  // Starts to add up f32 numbers over all ranks, in place. All ranks start as many in the same order. The memory is
  // used until all that were started are summed up, or for good where that is never so.
  virtual void start_sum(std::span<float> numbers) = 0;
  // Whether all are; lets them go on.
  virtual bool sums_done() = 0;

  // The orderly end, for which all ranks wait: nothing may be on its way.
  virtual void finish() = 0;
  // Ends this process and, as far as the launcher can, all others. Returns only where ranks are no processes.
  virtual void abort(int code) = 0;
};

}  // namespace loadline
