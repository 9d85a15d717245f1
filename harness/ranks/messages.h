// How the processes of one run exchange bytes.
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

// One process's end. Messages from one sender arrive whole and in the order sent. No call blocks, except finish().
// One thread at a time. Failures throw Error.
class Messages {
 public:
  virtual ~Messages() = default;

  virtual std::size_t rank() const = 0;
  virtual std::size_t size() const = 0;
  // The transport, with its version.
  virtual std::string description() const = 0;

  virtual void send(std::size_t to, std::string bytes) = 0;
  // The next message that has arrived; nullopt: none.
  virtual std::optional<Message> receive() = 0;

  // Starts summing f32 numbers over all ranks, in place. All ranks start sums of the same sizes in the same order.
  // The memory stays in use until all started sums are done, or for good if that never happens.
  virtual void start_sum(std::span<float> numbers) = 0;
  // Whether all started sums are done; also makes progress on them.
  virtual bool sums_done() = 0;

  // The orderly end, in which all ranks wait for each other. No message may still be in transit.
  virtual void finish() = 0;
  // Ends this process and, as far as the launcher can, all others. Returns only if ranks are not processes, as in
  // tests.
  virtual void abort(int code) = 0;
};

}  // namespace loadline
