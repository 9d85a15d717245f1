#include "harness/plan/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/plan/word_lists.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

using V = SettingValue;

// The smallest number from which a double no longer distinguishes whole numbers.
constexpr double kWholeEnd = 9007199254740992;

template <typename T>
struct Wanted;
template <>
struct Wanted<bool> {
  static constexpr std::string_view kText = "true or false";
};
template <>
struct Wanted<std::size_t> {
  static constexpr std::string_view kText = "a whole number";
};
template <>
struct Wanted<std::string> {
  static constexpr std::string_view kText = "text";
};
template <>
struct Wanted<std::vector<std::size_t>> {
  static constexpr std::string_view kText = "a list of whole numbers";
};
template <>
struct Wanted<std::vector<double>> {
  static constexpr std::string_view kText = "a list of numbers";
};

template <typename T>
T as(const V& value) {
  if (const T* same = std::get_if<T>(&value)) return *same;
  if constexpr (std::is_same_v<T, std::size_t>) {
    const double* number = std::get_if<double>(&value);
    if (number != nullptr && *number >= 0 && *number < kWholeEnd && std::trunc(*number) == *number) {
      return static_cast<std::size_t>(*number);
    }
  }
  if constexpr (std::is_same_v<T, std::vector<double>>) {
    if (const auto* whole = std::get_if<std::vector<std::size_t>>(&value)) return {whole->begin(), whole->end()};
  }
  if constexpr (std::is_same_v<T, std::vector<std::size_t>>) {
    const auto* numbers = std::get_if<std::vector<double>>(&value);
    if (numbers != nullptr && numbers->empty()) return {};
  }
  throw Error(fmt::format("want {}, got '{}'", Wanted<T>::kText, text_of(value)));
}

bool is_none(const V& value) {
  return std::holds_alternative<std::monostate>(value);
}

template <typename T>
std::optional<T> as_optional(const V& value) {
  return is_none(value) ? std::nullopt : std::optional(as<T>(value));
}

V text(std::string_view value) {
  return std::string(value);
}

template <typename T>
V optional_value(const std::optional<T>& value) {
  return value ? V(*value) : V();
}

// The element of `values` with this name.
template <typename Enum, std::size_t N>
Enum named(const V& value, const std::array<Enum, N>& values) {
  const auto given = as<std::string>(value);
  std::vector<std::string_view> names;
  for (const Enum one : values) {
    if (name(one) == given) return one;
    names.push_back(name(one));
  }
  throw Error(fmt::format("want one of {}, got '{}'", list_of(names), given));
}

// Whether it is the word that means yes.
bool is_first(const V& value, const WordPair& pair) {
  const auto given = as<std::string>(value);
  if (given != pair.yes && given != pair.no) {
    throw Error(fmt::format("want {} or {}, got '{}'", pair.yes, pair.no, given));
  }
  return given == pair.yes;
}

V word(bool first, const WordPair& pair) {
  return text(first ? pair.yes : pair.no);
}

bool has_workers(const Cell& cell) {
  return cell.workers > 0;
}
bool loads(const Cell& cell) {
  return uses_loader(cell.mode);
}
const ComputeKind& compute_in(const Cell& cell) {
  return *parse_compute(cell.compute).kind;
}
bool of_tokens(const Cell& cell) {
  return cell.dataset.sequence_length > 0;
}
// Only text is padded or packed.
bool of_text(const Cell& cell) {
  return of_tokens(cell) && is_of_text(cell.dataset.sequences);
}
std::string_view token_type_of(const Cell& cell) {
  return cell.dataset.token_bytes == 2 ? "u16" : cell.dataset.token_bytes == 4 ? "u32" : "auto";
}
std::size_t token_bytes_of(const V& value) {
  if (is_none(value)) return 0;
  const auto given = as<std::string>(value);
  if (given == "u16") return 2;
  if (given == "u32") return 4;
  if (given == "auto") return 0;
  throw Error(fmt::format("want auto, u16 or u32, got '{}'", given));
}
bool reads_ahead(const Cell& cell) {
  return loads(cell) && cell.dataset.read == FileRead::kUring;
}
bool in_pages(const Cell& cell) {
  return cell.sampler.order == Order::kPageShuffled;
}

std::vector<std::size_t> nodes_in(const V& value) {
  return as_optional<std::vector<std::size_t>>(value).value_or(std::vector<std::size_t>());
}

using P = SettingPart;

// Readers first check whether the setting applies. A setting that three transforms share is written to all of them.
constexpr std::array kSettingRows{
    SettingRow{"workload", P::kSubject, [](const Cell& c) { return V(c.workload); },
               [](Cell& c, const V& v) { c.workload = as<std::string>(v); }},
    SettingRow{"mode", P::kMode, [](const Cell& c) { return text(name(c.mode)); },
               [](Cell& c, const V& v) { c.mode = named(v, kModes); }},
    SettingRow{"loader", P::kLoading, [](const Cell& c) { return optional_value(c.loader); },
               [](Cell& c, const V& v) {
                 c.loader = as_optional<std::string>(v);
                 // A loader unknown here, such as in a result from elsewhere, opens its data in its own way.
                 const LoaderKind* known = c.loader ? known_loader(*c.loader) : nullptr;
                 if (c.loader) c.dataset.access = known != nullptr ? known->access : std::nullopt;
               }},
    SettingRow{"workers", P::kLoading, [](const Cell& c) { return has_workers(c) ? V(c.workers) : V(); },
               [](Cell& c, const V& v) { c.workers = as_optional<std::size_t>(v).value_or(0); }},
    SettingRow{"batch_size", P::kSubject, [](const Cell& c) { return V(c.sampler.batch_size); },
               [](Cell& c, const V& v) { c.sampler.batch_size = as<std::size_t>(v); }},
    SettingRow{"prefetch", P::kLoading, [](const Cell& c) { return has_workers(c) ? optional_value(c.prefetch) : V(); },
               [](Cell& c, const V& v) { c.prefetch = as_optional<std::size_t>(v); }},
    SettingRow{"delivery", P::kLoading,
               [](const Cell& c) { return has_workers(c) ? word(c.in_order, kDeliveries) : V(); },
               [](Cell& c, const V& v) { c.in_order = is_none(v) || is_first(v, kDeliveries); }},
    SettingRow{"stores", P::kLoading,
               [](const Cell& c) { return has_workers(c) ? text(c.stores ? name(*c.stores) : "auto") : V(); },
               [](Cell& c, const V& v) {
                 c.stores = is_none(v) || v == text("auto") ? std::nullopt : std::optional(named(v, kEveryStore));
               }},
    SettingRow{"read", P::kLoading, [](const Cell& c) { return loads(c) ? text(name(c.dataset.read)) : V(); },
               [](Cell& c, const V& v) { c.dataset.read = is_none(v) ? FileRead::kPread : named(v, kFileReads); }},
    SettingRow{"reads_in_flight", P::kLoading,
               [](const Cell& c) { return reads_ahead(c) ? V(c.dataset.ahead.requests) : V(); },
               [](Cell& c, const V& v) {
                 c.dataset.ahead.requests = as_optional<std::size_t>(v).value_or(ReadAheadOptions().requests);
               },
               true},
    SettingRow{"read_ahead", P::kLoading,
               [](const Cell& c) { return reads_ahead(c) ? V(c.dataset.ahead.bytes >> 20) : V(); },
               [](Cell& c, const V& v) {
                 const auto mebibytes = as_optional<std::size_t>(v);
                 c.dataset.ahead.bytes = mebibytes ? *mebibytes << 20 : ReadAheadOptions().bytes;
               },
               true},
    SettingRow{"cache", P::kLoading, [](const Cell& c) { return loads(c) ? text(name(c.cache)) : V(); },
               [](Cell& c, const V& v) { c.cache = is_none(v) ? CacheState::kWarm : named(v, kCacheStates); }},
    SettingRow{"compute", P::kCompute, [](const Cell& c) { return V(c.compute); },
               [](Cell& c, const V& v) {
                 c.compute = as<std::string>(v);
                 parse_compute(c.compute);
               }},
    SettingRow{"precision", P::kCompute,
               [](const Cell& c) { return compute_in(c).heeds_precision ? text(name(c.precision)) : V(); },
               [](Cell& c, const V& v) { c.precision = is_none(v) ? Precision::kF32 : named(v, kPrecisions); }},
    SettingRow{"fusion", P::kCompute,
               [](const Cell& c) { return compute_in(c).heeds_fusion ? word(c.fusion, kSwitch) : V(); },
               [](Cell& c, const V& v) { c.fusion = is_none(v) || is_first(v, kSwitch); }},
    SettingRow{"compute_threads", P::kCompute,
               [](const Cell& c) { return compute_in(c).heeds_threads ? V(c.compute_threads) : V(); },
               [](Cell& c, const V& v) { c.compute_threads = as_optional<std::size_t>(v).value_or(1); }},
    SettingRow{"placement", P::kSubject, [](const Cell& c) { return V(c.placement.name); },
               [](Cell& c, const V& v) { c.placement.name = as<std::string>(v); }},
    SettingRow{"worker_cpus", P::kMachine, [](const Cell& c) { return V(c.placement.worker_cpus); },
               [](Cell& c, const V& v) { c.placement.worker_cpus = as<std::vector<std::size_t>>(v); }},
    SettingRow{"compute_cpus", P::kMachine, [](const Cell& c) { return V(c.placement.compute_cpus); },
               [](Cell& c, const V& v) { c.placement.compute_cpus = as<std::vector<std::size_t>>(v); }},
    SettingRow{"worker_nodes", P::kMachine,
               [](const Cell& c) { return c.placement.turns.empty() ? V() : V(c.placement.turns); },
               [](Cell& c, const V& v) { c.placement.turns = nodes_in(v); }, true},
    SettingRow{"slot_node", P::kMachine, [](const Cell& c) { return optional_value(c.placement.slot_node); },
               [](Cell& c, const V& v) { c.placement.slot_node = as_optional<std::size_t>(v); }, true},
    SettingRow{
        "data_nodes", P::kMachine,
        [](const Cell& c) { return c.dataset.memory.nodes.empty() ? V() : V(c.dataset.memory.nodes); },
        [](Cell& c, const V& v) { c.dataset.memory = {.nodes = nodes_in(v), .replicated = c.placement.replicates()}; },
        true},
    SettingRow{"threads_in_force", P::kMachine, [](const Cell& c) { return V(c.threads_in_force); },
               [](Cell& c, const V& v) { c.threads_in_force = as<std::size_t>(v); }},
    SettingRow{"data", P::kStorage, [](const Cell& c) { return V(c.data.string()); },
               [](Cell& c, const V& v) { c.data = as<std::string>(v); }},
    SettingRow{"format", P::kStorage, [](const Cell& c) { return V(c.dataset.format); },
               [](Cell& c, const V& v) { c.dataset.format = as<std::string>(v); }},
    SettingRow{"split", P::kStorage, [](const Cell& c) { return word(c.dataset.split == Split::kTrain, kSplits); },
               [](Cell& c, const V& v) { c.dataset.split = is_first(v, kSplits) ? Split::kTrain : Split::kTest; }},
    SettingRow{"labels", P::kStorage,
               [](const Cell& c) { return word(c.dataset.labels == LabelKind::kFine, kEveryLabels); },
               [](Cell& c, const V& v) {
                 c.dataset.labels = is_first(v, kEveryLabels) ? LabelKind::kFine : LabelKind::kCoarse;
               }},
    SettingRow{"classes", P::kSubject, [](const Cell& c) { return V(c.classes); },
               [](Cell& c, const V& v) { c.classes = as<std::size_t>(v); }},
    SettingRow{"in_memory", P::kStorage, [](const Cell& c) { return loads(c) ? V(c.dataset.in_memory) : V(); },
               [](Cell& c, const V& v) { c.dataset.in_memory = as_optional<bool>(v).value_or(false); }},
    SettingRow{"hdf5_images", P::kStorage, [](const Cell& c) { return V(c.dataset.hdf5_images); },
               [](Cell& c, const V& v) { c.dataset.hdf5_images = as<std::string>(v); }},
    SettingRow{"hdf5_labels", P::kStorage, [](const Cell& c) { return V(c.dataset.hdf5_labels); },
               [](Cell& c, const V& v) { c.dataset.hdf5_labels = as<std::string>(v); }},
    SettingRow{"crops", P::kSubject, [](const Cell& c) { return V(c.dataset.crops); },
               [](Cell& c, const V& v) { c.dataset.crops = as<std::size_t>(v); }},
    SettingRow{"token_type", P::kStorage,
               [](const Cell& c) { return of_tokens(c) && !of_text(c) ? text(token_type_of(c)) : V(); },
               [](Cell& c, const V& v) { c.dataset.token_bytes = token_bytes_of(v); }, true},
    SettingRow{"tokenizer", P::kSubject, [](const Cell& c) { return of_text(c) ? V(c.dataset.tokenizer) : V(); },
               [](Cell& c, const V& v) { c.dataset.tokenizer = as_optional<std::string>(v).value_or("auto"); }, true},
    SettingRow{"text_key", P::kStorage, [](const Cell& c) { return of_text(c) ? V(c.dataset.text_key) : V(); },
               [](Cell& c, const V& v) { c.dataset.text_key = as_optional<std::string>(v).value_or("text"); }, true},
    SettingRow{"documents", P::kStorage,
               [](const Cell& c) { return of_text(c) ? text(name(c.dataset.documents)) : V(); },
               [](Cell& c, const V& v) {
                 c.dataset.documents = is_none(v) ? TextDocuments::kAuto : named(v, kEveryDocuments);
               },
               true},
    SettingRow{"dtype", P::kSubject, [](const Cell& c) { return text(name(c.transform.dtype)); },
               [](Cell& c, const V& v) { c.transform.dtype = c.photo.dtype = c.volume.dtype = named(v, kEveryDType); }},
    SettingRow{"layout", P::kSubject, [](const Cell& c) { return text(name(c.transform.layout)); },
               [](Cell& c, const V& v) { c.transform.layout = c.photo.layout = named(v, kLayouts); }},
    SettingRow{"mean", P::kSubject, [](const Cell& c) { return V(c.transform.mean); },
               [](Cell& c, const V& v) { c.transform.mean = c.photo.mean = as<std::vector<double>>(v); }},
    SettingRow{"std", P::kSubject, [](const Cell& c) { return V(c.transform.stddev); },
               [](Cell& c, const V& v) { c.transform.stddev = c.photo.stddev = as<std::vector<double>>(v); }},
    SettingRow{"crop_padding", P::kSubject, [](const Cell& c) { return V(c.transform.crop_padding); },
               [](Cell& c, const V& v) { c.transform.crop_padding = as<std::size_t>(v); }},
    SettingRow{"flip", P::kSubject, [](const Cell& c) { return V(c.transform.flip); },
               [](Cell& c, const V& v) { c.transform.flip = c.photo.flip = as<bool>(v); }},
    SettingRow{"image_size", P::kSubject, [](const Cell& c) { return V(c.photo.size.height); },
               [](Cell& c, const V& v) { set_image_size(c.photo, as<std::size_t>(v)); }},
    SettingRow{"crop", P::kSubject, [](const Cell& c) { return text(name(c.photo.crop)); },
               [](Cell& c, const V& v) { c.photo.crop = named(v, kPhotoCrops); }},
    SettingRow{"decoder", P::kSubject, [](const Cell& c) { return text(name(c.photo.decoder)); },
               [](Cell& c, const V& v) { c.photo.decoder = named(v, kDecoders); }},
    SettingRow{"turn_upright", P::kSubject, [](const Cell& c) { return V(c.photo.turn_upright); },
               [](Cell& c, const V& v) { c.photo.turn_upright = as<bool>(v); }},
    SettingRow{"scaled_dct", P::kSubject, [](const Cell& c) { return V(c.photo.allow_scaled_dct); },
               [](Cell& c, const V& v) { c.photo.allow_scaled_dct = as<bool>(v); }},
    SettingRow{
        "on_corrupt", P::kSubject, [](const Cell& c) { return word(c.on_corrupt == OnCorrupt::kFail, kOnCorrupt); },
        [](Cell& c, const V& v) { c.on_corrupt = is_first(v, kOnCorrupt) ? OnCorrupt::kFail : OnCorrupt::kSkip; }},
    SettingRow{"crop_edge", P::kSubject, [](const Cell& c) { return V(c.volume.edge); },
               [](Cell& c, const V& v) { c.dataset.crop_edge = c.volume.edge = as<std::size_t>(v); }},
    SettingRow{"rotate", P::kSubject, [](const Cell& c) { return word(c.volume.rotate, kSwitch); },
               [](Cell& c, const V& v) { c.volume.rotate = is_first(v, kSwitch); }},
    SettingRow{"sequence_length", P::kSubject,
               [](const Cell& c) { return of_tokens(c) ? V(c.dataset.sequence_length) : V(); },
               [](Cell& c, const V& v) { c.dataset.sequence_length = as_optional<std::size_t>(v).value_or(0); }, true},
    SettingRow{
        "sequences", P::kSubject, [](const Cell& c) { return of_tokens(c) ? text(name(c.dataset.sequences)) : V(); },
        [](Cell& c, const V& v) { c.dataset.sequences = is_none(v) ? Sequences::kRandom : named(v, kSequences); },
        true},
    SettingRow{"kernels", P::kOrder, [](const Cell& c) { return loads(c) ? V(c.kernels) : V(); },
               [](Cell& c, const V& v) { c.kernels = as_optional<std::string>(v).value_or("auto"); }},
    SettingRow{"order", P::kOrder, [](const Cell& c) { return loads(c) ? text(name(c.sampler.order)) : V(); },
               [](Cell& c, const V& v) { c.sampler.order = is_none(v) ? Order::kShuffled : named(v, kOrders); }},
    SettingRow{"page_samples", P::kOrder,
               [](const Cell& c) { return loads(c) && in_pages(c) ? V(c.sampler.page_samples) : V(); },
               [](Cell& c, const V& v) {
                 c.sampler.page_samples = as_optional<std::size_t>(v).value_or(SamplerOptions().page_samples);
               }},
    SettingRow{"window_samples", P::kOrder,
               [](const Cell& c) { return loads(c) && in_pages(c) ? V(c.sampler.window_samples) : V(); },
               [](Cell& c, const V& v) {
                 c.sampler.window_samples = as_optional<std::size_t>(v).value_or(SamplerOptions().window_samples);
               }},
    SettingRow{"seed", P::kSubject, [](const Cell& c) { return V(c.sampler.seed); },
               [](Cell& c, const V& v) {
                 c.sampler.seed = c.transform.seed = c.photo.seed = c.volume.seed = as<std::size_t>(v);
               }},
    SettingRow{"rank", P::kSubject, [](const Cell& c) { return V(c.sampler.rank); },
               [](Cell& c, const V& v) { c.sampler.rank = as<std::size_t>(v); }},
    SettingRow{"world_size", P::kSubject, [](const Cell& c) { return V(c.sampler.world_size); },
               [](Cell& c, const V& v) { c.sampler.world_size = as<std::size_t>(v); }},
    SettingRow{"drop_last", P::kSubject, [](const Cell& c) { return V(c.sampler.drop_last); },
               [](Cell& c, const V& v) { c.sampler.drop_last = as<bool>(v); }},
    SettingRow{"bucket_batches", P::kSubject,
               [](const Cell& c) { return of_text(c) ? V(c.sampler.bucket_batches) : V(); },
               [](Cell& c, const V& v) { c.sampler.bucket_batches = as_optional<std::size_t>(v).value_or(0); }, true},
};

}  // namespace

std::span<const SettingRow> settings() {
  return kSettingRows;
}

const SettingRow& setting_named(std::string_view what, std::string_view name) {
  return row_named(kSettingRows, what, name);
}

}  // namespace loadline
