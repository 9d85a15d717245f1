#include "synthetic/compute/gradient_sum.h"

#include <algorithm>
#include <numeric>

namespace loadline {

GradientBuckets::GradientBuckets(GradientSum& sum, std::span<const std::size_t> tensor_values, double bucket_bytes)
    : sum_(sum), values_(std::accumulate(tensor_values.begin(), tensor_values.end(), std::size_t{0})) {
  std::size_t begin = values_;
  std::size_t end = values_;
  for (std::size_t tensor = tensor_values.size(); tensor-- > 0;) {
    begin -= tensor_values[tensor];
    if (tensor > 0 && static_cast<double>((end - begin) * sizeof(float)) < bucket_bytes) continue;
    begins_.push_back(begin);
    first_tensors_.push_back(tensor);
    end = begin;
  }
  if (begins_.empty()) {
    begins_.push_back(0);
    first_tensors_.push_back(0);
  }
  const auto room = sum_.meet(kAhead + values_);
  left_ = !room;
  if (room) room_ = *room;
}

GradientBuckets::~GradientBuckets() {
  if (left_) return;
  room_[kAhead - 1] = 1;
  while (started_ < count()) start({});
  sum_.wait();
}

void GradientBuckets::start(std::span<const float> gradients) {
  const std::size_t index = started_++;
  if (left_) return;
  const bool last = index + 1 == count();
  const std::size_t begin = begins_[index];
  const std::size_t end = index == 0 ? values_ : begins_[index - 1];
  if (!gradients.empty()) {
    const auto share = 1.0F / static_cast<float>(ranks());
    float* const to = room_.data() + kAhead;
    for (std::size_t i = begin; i < end; ++i) to[i] = share * gradients[i];
  }
  const std::size_t from = last ? kAhead - 1 : kAhead + begin;
  sum_.start(room_.subspan(from, kAhead + end - from));
}

void GradientBuckets::start_without() {
  std::ranges::fill(room_, 0.0F);
  while (started_ < count()) start({});
}

void GradientBuckets::poll() {
  if (!left_ && started_ > 0) sum_.poll();
}

bool GradientBuckets::finish() {
  started_ = 0;
  if (left_) return false;
  left_ = !sum_.wait() || room_[kAhead - 1] > 0;
  return !left_;
}

}  // namespace loadline
