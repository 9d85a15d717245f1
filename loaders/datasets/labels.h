// The labels of a dataset: in memory, or where they are stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "loaders/sample_index.h"
#include "loaders/storage/mapping.h"

namespace loadline {

// More than any image dataset has. A larger number claimed by a file would exhaust memory.
inline constexpr std::int32_t kMostClasses = 1 << 24;

// Opening a larger dataset does not read every label, if its format allows that: the cost would grow with each
// sample.
inline constexpr std::size_t kMostLabelsRead = std::size_t{1} << 20;

// One label per sample, like a vector of i32. Any thread.
//
// Stored labels are read on demand and have not been checked against the number of classes: their user must check
// them (Dataset::check_labels()).
class Labels {
 public:
  using value_type = std::int32_t;

  // Labels at regular places in a mapped file, for samples from `first` on.
  struct Stored {
    std::size_t first = 0;
    const std::byte* at = nullptr;  // the first label
  };
  // Labels of `bytes` bytes each, little-endian, `stride` bytes apart.
  struct Layout {
    std::size_t bytes = 1;
    std::size_t stride = 1;
    bool is_signed = false;
  };

  Labels() = default;
  Labels(Labels&&) = default;
  Labels& operator=(Labels&&) = default;
  Labels(std::vector<std::int32_t> values) : size_(values.size()), values_(std::move(values)) {}
  // `parts` are in the order of their samples, `size` in all. `storage` holds them.
  Labels(std::vector<Stored> parts, const Layout& layout, std::size_t size,
         std::vector<std::shared_ptr<const MappedFile>> storage)
      : kind_(Kind::kStored), size_(size), parts_(std::move(parts)), layout_(layout), storage_(std::move(storage)) {}
  // For samples ordered by class: `begins` has the first sample of each class.
  static Labels of_classes(std::vector<SampleIndex> begins, std::size_t size) {
    Labels labels;
    labels.kind_ = Kind::kClasses;
    labels.begins_ = std::move(begins);
    labels.size_ = size;
    return labels;
  }

  // A copy of all labels.
  std::vector<std::int32_t> all() const { return {begin(), end()}; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Whether they are read on demand, unchecked.
  bool stored() const { return kind_ == Kind::kStored; }

  std::int32_t operator[](std::size_t index) const {
    return kind_ == Kind::kValues ? values_[index] : kind_ == Kind::kStored ? load(index) : class_of(index);
  }

  // Throws Error naming the file if any label read so far was in a part of it that has vanished.
  void check_intact() const {
    for (const auto& file : storage_) file->check_intact();
  }

  // Releases this process's memory for stored labels read so far; they can still be read again. Any thread.
  void forget_pages() const {
    for (const auto& file : storage_) file->forget_pages();
  }

  class const_iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::int32_t;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::int32_t*;
    using reference = std::int32_t;

    const_iterator() = default;
    const_iterator(const Labels* labels, std::size_t at) : labels_(labels), at_(at) {}

    std::int32_t operator*() const { return (*labels_)[at_]; }
    std::int32_t operator[](difference_type by) const { return *(*this + by); }
    const_iterator& operator+=(difference_type by) {
      at_ += static_cast<std::size_t>(by);
      return *this;
    }
    const_iterator& operator-=(difference_type by) { return *this += -by; }
    const_iterator& operator++() { return *this += 1; }
    const_iterator& operator--() { return *this += -1; }
    const_iterator operator++(int) { return {labels_, at_++}; }
    const_iterator operator--(int) { return {labels_, at_--}; }
    friend const_iterator operator+(const_iterator it, difference_type by) { return it += by; }
    friend const_iterator operator+(difference_type by, const_iterator it) { return it += by; }
    friend const_iterator operator-(const_iterator it, difference_type by) { return it -= by; }
    friend difference_type operator-(const const_iterator& a, const const_iterator& b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    friend bool operator==(const const_iterator& a, const const_iterator& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const const_iterator& a, const const_iterator& b) { return a.at_ <=> b.at_; }

   private:
    const Labels* labels_ = nullptr;
    std::size_t at_ = 0;
  };
  using iterator = const_iterator;
  using const_reference = std::int32_t;
  using reference = std::int32_t;

  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size_}; }

 private:
  enum class Kind : std::uint8_t { kValues, kStored, kClasses };

  std::int32_t load(std::size_t index) const {
    // There are few parts and access is random: counting costs less than a mispredicted search.
    std::size_t part = 0;
    for (std::size_t k = 1; k < parts_.size(); ++k) part += index >= parts_[k].first ? 1 : 0;
    const std::byte* at = parts_[part].at + (index - parts_[part].first) * layout_.stride;
    if (layout_.bytes == 1 && !layout_.is_signed) return std::to_integer<std::int32_t>(*at);
    return wide(at);
  }
  // Returns -1 for a value that does not fit, which is never a class.
  std::int32_t wide(const std::byte* at) const;
  std::int32_t class_of(std::size_t index) const;

  Kind kind_ = Kind::kValues;
  std::size_t size_ = 0;
  std::vector<std::int32_t> values_;
  std::vector<Stored> parts_;
  Layout layout_;
  std::vector<SampleIndex> begins_;
  std::vector<std::shared_ptr<const MappedFile>> storage_;
};

// How many classes a dataset has that says nothing else about them: one more than its highest label. `labels` are at
// least one, and not negative.
std::size_t class_count(std::span<const std::int32_t> labels);

}  // namespace loadline
