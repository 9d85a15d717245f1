// Sums the gradients of a training step over the ranks of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace loadline {

// Sums f32 numbers over all ranks while each of them computes. One thread at a time.
class GradientSum {
 public:
  virtual ~GradientSum() = default;

  virtual std::size_t ranks() const = 0;
  // All ranks call this before their first sum, with the same number of values. Waits for all of them. Returns room
  // for the values, all 0, which stays valid until the next call; if the run fails, it even outlives this object.
  // nullopt: another rank does not come. Throws Error if ranks give different numbers of values.
  virtual std::optional<std::span<float>> meet(std::size_t values) = 0;
  // Starts summing a part of that room in place and returns at once. All ranks start the same parts in the same
  // order.
  virtual void start(std::span<float> part) = 0;
  // Makes progress on the started sums. Returns whether all are done.
  virtual bool poll() = 0;
  // Waits for all started sums. False: the run has failed, and the numbers are meaningless.
  virtual bool wait() = 0;
};

// Sums the gradients of each training step in buckets while the step computes the rest. Gradients are contiguous and
// become known from their end to their beginning, as in a backward pass.
//
// Ranks take part until one leaves by destroying its buckets. The others learn this at the end of the same step, so
// nobody waits for ever. The destructor waits for their step. One thread at a time.
class GradientBuckets {
 public:
  // `tensor_values`: how many each tensor has, in memory order. A bucket is full when its tensors have `bucket_bytes`
  // or more. Waits for all ranks, which must give the same values. `sum` outlives this. Throws like meet().
  GradientBuckets(GradientSum& sum, std::span<const std::size_t> tensor_values, double bucket_bytes);
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;
  ~GradientBuckets();

  std::size_t count() const { return begins_.size(); }
  std::size_t size_bytes() const { return values_ * sizeof(float); }
  std::size_t ranks() const { return sum_.ranks(); }
  // How many buckets of this step were started.
  std::size_t started() const { return started_; }
  // The first tensor of the next bucket: it and all tensors after it must be known before start().
  std::size_t next_tensor() const { return first_tensors_[started_]; }
  // Starts the next bucket with a copy of its part of the gradients; if empty, with what the room holds.
  void start(std::span<const float> gradients);
  // Starts all buckets of a step in which this rank has no samples, with gradients of 0.
  void start_without();
  // Makes progress on the sums; call it now and then.
  void poll();
  // Waits for all buckets and ends the step. False: another rank has left, or the run has failed.
  bool finish();
  // The result of finish(): the mean over the ranks, in the order of the gradients.
  std::span<const float> averages() const { return room_.subspan(kAhead, values_); }
  // Whether finish() has returned false: there are no more sums.
  bool left() const { return left_; }

 private:
  // A cache line, in whose last value a rank announces that it leaves. It is summed with the last bucket.
  static constexpr std::size_t kAhead = 16;

  GradientSum& sum_;
  std::size_t values_ = 0;
  std::vector<std::size_t> begins_;         // of each bucket in the gradients, in the order they are started
  std::vector<std::size_t> first_tensors_;  // the same
  std::span<float> room_;
  std::size_t started_ = 0;
  bool left_ = false;
};

// What a sink sums with the other ranks of its run.
struct SummedGradients {
  std::uint64_t step_bytes = 0;
  std::size_t buckets = 0;
  // Hash of the current weights: ranks that sum their gradients keep the same weights. std::nullopt if there are no
  // weights.
  std::optional<std::uint64_t> weights_hash;
};

// The stage in which a step waits for its sums.
inline constexpr std::string_view kGradientStage = "gradients";

}  // namespace loadline
