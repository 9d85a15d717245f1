#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "loaders/assemble.h"
#include "loaders/error.h"
#include "loaders/printable.h"
#include "loaders/worker_clock.h"

namespace loadline {
namespace {

// The tokens of a sample while they are made.
struct TokenRow {
  std::span<std::int32_t> places;
  std::size_t used = 0;
  std::size_t made = 0;  // including those that did not fit
};

class TextFiller final : public Filler {
 public:
  TextFiller(const TextDataset& dataset, SkippedSamples* skipped)
      : dataset_(dataset),
        skipped_(skipped),
        encoder_(dataset.tokenizer().make_encoder()),
        end_(dataset.tokenizer().end()),
        copied_(is_copied(dataset.info().access)),
        reader_(dataset.documents(), dataset.is_json(), dataset.json_key(), dataset.tokenizer().one_a_byte()) {}

  // The library behind the tokenizer may allocate.
  void fill(Slot& slot, Stores /*stores*/) override {
    // One stage for everything: short documents take less time than changes of stage.
    const InStage tokenising(WorkerStage::kTokenise);
    const TextShape& shape = *dataset_.info().text;
    const std::size_t places = shape.sequence_length + 1;
    auto* out = reinterpret_cast<std::int32_t*>(slot.data.data());
    std::size_t good = 0;
    std::size_t longest = 1;  // nothing to predict
    slot.tokens = slot.tokens_cut = 0;
    for (std::size_t i = 0; i < slot.count; ++i) {
      const SampleIndex index = slot.indices[i];
      TokenRow row{.places = {out + good * places, places}};
      const bool whole = make(index, row);
      if (!whole && shape.sequences == Sequences::kPadded) continue;
      std::ranges::fill(row.places.subspan(row.used), kNoToken);
      slot.tokens += row.used - std::min<std::size_t>(row.used, 1);
      slot.tokens_cut += row.made - row.used;
      longest = std::max(longest, row.used);
      slot.indices[good] = index;
      slot.labels[good++] = 0;
    }
    slot.count = good;
    // At least one place each, so that empty rows show in the count.
    slot.token_places = good * std::max<std::size_t>(longest - 1, 1);
    slot.stores = Stores::kCached;
    dataset_.check_intact();
  }

 private:
  // False if a document was corrupt and is skipped.
  bool make(SampleIndex index, TokenRow& row) {
    bool whole = true;
    dataset_.visit_parts(index, [&](const TextPart& part) { whole = add(index, part, row) && whole; });
    return whole;
  }

  bool add(SampleIndex index, const TextPart& part, TokenRow& row) {
    {
      std::optional<InStage> reading;
      if (copied_) reading.emplace(WorkerStage::kRead);
      reader_.read(part);
    }
    std::string_view text;
    try {
      text = reader_.text();
    } catch (const Error& error) {
      refuse(index, part.document, error.what());
      return false;
    }
    append(row, encoder_->encode(text, row.places.subspan(row.used)));
    if (part.ends && end_) {
      if (row.used < row.places.size()) row.places[row.used] = *end_;
      append(row, 1);
    }
    return true;
  }

  static void append(TokenRow& row, std::size_t made) {
    row.made += made;
    row.used = std::min(row.used + made, row.places.size());
  }

  // Throws, unless corrupt documents are skipped.
  void refuse(SampleIndex index, SampleIndex document, std::string_view why) {
    const std::string what =
        fmt::format("cannot read {} (sample {}): {}", dataset_.documents().where(document), index, why);
    if (skipped_ == nullptr) throw Error(what);
    skipped_->add(index, printable(what));
  }

  const TextDataset& dataset_;
  SkippedSamples* skipped_;
  std::unique_ptr<Encoder> encoder_;
  std::optional<std::int32_t> end_;
  bool copied_;
  TextReader reader_;
};

}  // namespace

SampleFormat TextAssembler::sample_format() const {
  return {
      .dtype = DType::kI32, .layout = Layout::kNCHW, .input = {text_.info().text->sequence_length + 1}, .target = {}};
}

std::unique_ptr<Filler> TextAssembler::make_filler(std::size_t /*batch_size*/) const {
  return std::make_unique<TextFiller>(text_, on_corrupt_ == OnCorrupt::kSkip ? &skipped_ : nullptr);
}

}  // namespace loadline
