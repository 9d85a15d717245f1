// How a training step sums up its gradients with the other ranks of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace loadline {

// Sums of f32 numbers over all ranks, under way while each of them computes. One thread at a time.
class GradientSum {
 public:
  virtual ~GradientSum() = default;

  virtual std::size_t ranks() const = 0;
  // All ranks come here before their first sum, each with as many values. Waits for them. Returns room for the values,
  // all 0, which stays valid until the next call and longer than this object where the run fails. None: another rank
  // does not come. Throws Error where ranks want different numbers of values.
  virtual std::optional<std::span<float>> meet(std::size_t values) = 0;
  // Starts to sum up a part of that room, in place, and returns at once. All ranks start the same parts in the same
  // order.
  virtual void start(std::span<float> part) = 0;
  // Lets what was started go on. Returns whether all of it is summed up.
  virtual bool poll() = 0;
  // Waits for that. False: the run has failed, and the numbers mean nothing.
  virtual bool wait() = 0;
};

// The gradients of one training step after the other, in buckets that are summed up while the step computes the rest.
// Gradients lie in one piece and become known from its end to its beginning, as a backward pass has it.
//
// Ranks take part until one of them leaves by destroying its buckets, which the others learn at the end of the same
// step: nobody is left waiting. The destructor waits for their step. One thread at a time.
class GradientBuckets {
 public:
  // `tensor_values`: how many each tensor has, in the order in which they lie. A bucket is full when its tensors have
  // `bucket_bytes` or more. Waits for all ranks, which want the same. `sum` outlives this. Throws as meet() does.
  GradientBuckets(GradientSum& sum, std::span<const std::size_t> tensor_values, double bucket_bytes);
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;
  ~GradientBuckets();

  std::size_t count() const { return begins_.size(); }
  std::size_t size_bytes() const { return values_ * sizeof(float); }
  std::size_t ranks() const { return sum_.ranks(); }
  // The buckets of this step that were started.
  std::size_t started() const { return started_; }
  // The first tensor of the bucket that is to be started next: it and all behind it are to be known.
  std::size_t next_tensor() const { return first_tensors_[started_]; }
  // Starts the next bucket with its part of the gradients, which are copied; none: with what the room holds.
  void start(std::span<const float> gradients);
  // Starts all buckets of a step in which this rank has no samples, and gives 0.
  void start_without();
  // Lets sums go on: to be called now and then.
  void poll();
  // Ends the step when all buckets are summed up. False: another rank has left, or the run has failed.
  bool finish();
  // What finish() left: the mean over the ranks, as the gradients lie.
  std::span<const float> averages() const { return room_.subspan(kAhead, values_); }
  // Whether finish() was false once: there are no more sums.
  bool left() const { return left_; }

 private:
  // A cache line, in whose last value a rank says that it leaves. It is summed up with the last bucket.
  static constexpr std::size_t kAhead = 16;

  GradientSum& sum_;
  std::size_t values_ = 0;
  std::vector<std::size_t> begins_;         // of buckets in the gradients, by their order of time
  std::vector<std::size_t> first_tensors_;  // the same
  std::span<float> room_;
  std::size_t started_ = 0;
  bool left_ = false;
};

// What a sink sums up with the other ranks of its run.
struct SummedGradients {
  std::uint64_t step_bytes = 0;
  std::size_t buckets = 0;
  // Of the weights as they are: ranks that sum up their gradients keep the same. std::nullopt where there are no
  // weights.
  std::optional<std::uint64_t> weights_hash;
};

// The stage in which a step waits for its sums.
inline constexpr std::string_view kGradientStage = "gradients";

}  // namespace loadline
