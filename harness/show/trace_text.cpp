#include "harness/show/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

#include "loaders/printable.h"

namespace loadline {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;

std::string json_text(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : printable(text)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

Time of_steady(std::chrono::steady_clock::time_point time) {
  return std::chrono::duration_cast<Time>(time.time_since_epoch());
}

constexpr int kTrialTrack = 1;
constexpr int kEpochTrack = 2;
constexpr int kFirstWorkerTrack = 3;

}  // namespace

// Puts the events of one trial.
class TraceText::Process {
  // A slice written to the trace that may be on a batch's way.
  struct Stop {
    int track = 0;
    Time begin{};
    Time end{};
  };

  // The way of a batch: its read, its hand-over, the wait that it ended, its step.
  struct BatchWay {
    std::optional<Stop> read;
    std::optional<Stop> hand_over;
    std::optional<Stop> wait;
    std::optional<Stop> take;
    std::optional<Stop> copy;  // by a device
    std::optional<Stop> step;
  };

 public:
  Process(TraceText& trace, const TrialTrace& trial, int pid)
      : out_(trace),
        trial_(trial),
        pid_(pid),
        consumer_track_(kFirstWorkerTrack + static_cast<int>(trial.workers.size())) {}

  void put_names() {
    const std::string& cell = trial_.cell;
    out_.put(fmt::format(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":{}}}}})", pid_, json_text(cell)));
    out_.put(
        fmt::format(R"({{"ph":"M","pid":{},"name":"process_sort_index","args":{{"sort_index":{}}}}})", pid_, pid_));
    put_track(kTrialTrack, "trial");
    put_track(kEpochTrack, "epochs");
    for (std::size_t i = 0; i < trial_.workers.size(); ++i) {
      const int track = kFirstWorkerTrack + static_cast<int>(i);
      if (!trial_.workers[i].spans().empty()) put_track(track, fmt::format("worker {}", i));
    }
    put_track(consumer_track_, "consumer");
    std::set<std::pair<int, bool>> engines;
    for (const StepSpan& span : trial_.steps.spans()) {
      if (span.place != StepSpan::Place::kConsumer) engines.emplace(span.device, span.place == StepSpan::Place::kSteps);
    }
    const bool several = !engines.empty() && engines.rbegin()->first > 0;
    for (const auto& [device, steps] : engines) {
      put_track(track_of(static_cast<std::size_t>(device), steps),
                fmt::format("device{} {}", several ? fmt::format(" {}", device) : "", steps ? "steps" : "copies"));
    }
  }

  void put_events() {
    put_phases();
    put_epochs();
    put_workers();
    put_consumer();
    put_steps();
    put_ways();
    put_counters();
  }

  std::uint64_t slices() const { return slices_; }

 private:
  int track_of(std::size_t device, bool steps) const {
    return consumer_track_ + 1 + 2 * static_cast<int>(device) + (steps ? 1 : 0);
  }

  // In µs, as the format has it.
  std::string time(Time at) const {
    const std::int64_t since = std::max<std::int64_t>(0, (at - out_.start_).count());
    return fmt::format("{}.{:03}", since / 1000, since % 1000);
  }

  void put_track(int track, std::string_view name) {
    out_.put(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}}}})", pid_, track,
                         json_text(name)));
    out_.put(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                         pid_, track, track));
  }

  Stop put_slice(int track, std::string_view category, std::string_view name, Time begin, Time end,
                 std::string_view args = "") {
    out_.put(fmt::format(
        R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{}.{:03},"cat":"{}","name":"{}","args":{{{}}}}})", pid_, track,
        time(begin), (end - begin).count() / 1000, (end - begin).count() % 1000, category, name, args));
    ++slices_;
    return {.track = track, .begin = begin, .end = end};
  }

  void put_counter(std::string_view name, std::string_view unit, Time at, std::uint64_t value) {
    out_.put(fmt::format(R"({{"ph":"C","pid":{},"ts":{},"name":"{}","args":{{"{}":{}}}}})", pid_, time(at), name, unit,
                         value));
  }

  // When the clock of the trial started; nullopt: that batch was lost.
  std::optional<Time> timed_begin() const {
    std::uint64_t consumed = 0;
    for (const TracedBatch& batch : trial_.consumer.batches()) {
      if (!batch.consumed) continue;
      if (consumed == trial_.trial.warm_up_batches) return batch.asked;
      ++consumed;
    }
    return std::nullopt;
  }

  void put_phases() {
    const std::string number = fmt::format(R"("traced_trial":{})", trial_.number);
    put_slice(kTrialTrack, "trial", "set-up", trial_.begin, trial_.made, number);
    const auto timed = timed_begin();
    const Time end = trial_.consumer.last_done();
    if (!timed) {
      if (end > trial_.made) put_slice(kTrialTrack, "trial", "warm-up and timed", trial_.made, end, number);
      return;
    }
    if (*timed > trial_.made) put_slice(kTrialTrack, "trial", "warm-up", trial_.made, *timed, number);
    put_slice(kTrialTrack, "trial", "timed", *timed, end,
              fmt::format(R"({},"samples":{},"batches":{})", number, trial_.trial.samples, trial_.trial.batches));
  }

  // From the wait for the first batch of each to that of the next; in order of completion, of the latest that is begun.
  void put_epochs() {
    const auto batches = trial_.consumer.batches();
    for (std::size_t i = 0; i < batches.size();) {
      std::size_t next = i + 1;
      while (next < batches.size() && batches[next].epoch <= batches[i].epoch) ++next;
      const TracedBatch& last = batches[next - 1];
      const Time end = next < batches.size() ? batches[next].asked : last.consumed ? last.done : last.got;
      put_slice(kEpochTrack, "epoch", fmt::format("epoch {}", batches[i].epoch), batches[i].asked, end,
                fmt::format(R"("batches":{})", next - i));
      i = next;
    }
  }

  void put_workers() {
    for (std::size_t i = 0; i < trial_.workers.size(); ++i) {
      for (const WorkerSpan& span : trial_.workers[i].spans()) {
        const Time begin = of_steady(span.begin);
        const Time end = of_steady(span.end);
        if (span.stage == WorkerStage::kIdle || end <= begin) continue;
        std::string args;
        const bool of_batch = span.sequence != WorkerSpan::kNoBatch;
        if (of_batch) args = fmt::format(R"("batch":{})", span.sequence);
        if (span.bytes > 0) args += fmt::format(R"({}"bytes":{})", of_batch ? "," : "", span.bytes);
        const Stop stop =
            put_slice(kFirstWorkerTrack + static_cast<int>(i), "loader", name(span.stage), begin, end, args);
        if (!of_batch || span.stage == WorkerStage::kOrder) continue;
        BatchWay& way = ways_[span.sequence];
        if (!way.read) way.read = stop;
        if (span.stage == WorkerStage::kHandOver) way.hand_over = stop;
      }
    }
  }

  void put_consumer() {
    for (const TracedBatch& batch : trial_.consumer.batches()) {
      const std::string args =
          fmt::format(R"("batch":{},"epoch":{},"samples":{})", batch.sequence, batch.epoch, batch.samples);
      const Stop wait = put_slice(consumer_track_, "consumer", "wait", batch.asked, batch.got, args);
      if (batch.consumed) put_slice(consumer_track_, "consumer", "take", batch.taken, batch.done, args);
      // Resident batches have no way: the same ones come again and again.
      const auto way = ways_.find(batch.sequence);
      if (way == ways_.end()) continue;
      way->second.wait = wait;
      if (batch.consumed) way->second.take = Stop{consumer_track_, batch.taken, batch.done};
    }
  }

  void put_steps() {
    for (const StepSpan& span : trial_.steps.spans()) {
      if (span.end <= span.begin) continue;
      const bool host = span.place == StepSpan::Place::kConsumer;
      const bool steps = span.place == StepSpan::Place::kSteps;
      const int track = host ? consumer_track_ : track_of(span.device, steps);
      const Stop stop = put_slice(track, host ? "host" : "device", span.name, span.begin, span.end,
                                  fmt::format(R"("batch":{})", span.sequence));
      const auto way = ways_.find(span.sequence);
      if (host || way == ways_.end()) continue;
      (steps ? way->second.step : way->second.copy) = stop;
    }
  }

  void put_flow(std::string_view phase, std::uint64_t id, int track, Time at) {
    out_.put(fmt::format(R"({{"ph":"{}","pid":{},"tid":{},"ts":{},"cat":"batch","name":"batch","id":{}{}}})", phase,
                         pid_, track, time(at), id, phase == "f" ? R"(,"bp":"e")" : ""));
  }

  // Of the batches whose way is known from the read to the end of the step. Each event lies in the slice that it binds
  // to, and none before the one before it.
  void put_ways() {
    std::vector<std::pair<std::uint64_t, const BatchWay*>> whole;
    for (const auto& [sequence, way] : ways_) {
      if (way.read && way.wait && way.take) whole.emplace_back(sequence, &way);
    }
    std::ranges::sort(whole, {}, [](const auto& one) { return one.first; });
    constexpr Time kLast{1};  // what ends at a moment is over by then
    for (const auto& [sequence, way] : whole) {
      const std::uint64_t id = ++out_.flows_;
      Time at = way->read->begin;
      put_flow("s", id, way->read->track, at);
      const auto step_through = [&](const std::optional<Stop>& stop) {
        if (!stop || stop->end - kLast < at) return;
        at = std::max(at, stop->begin);
        put_flow("t", id, stop->track, at);
      };
      step_through(way->hand_over);
      // The wait for it may be over before it began to be read, as in order of completion it never is.
      const Stop& wait = *way->wait;
      if (wait.end > wait.begin && wait.end - kLast >= at) {
        at = wait.end - kLast;
        put_flow("t", id, wait.track, at);
      }
      // A device that is late by less than it is told may end a short step before its launch.
      const bool by_device = way->step && way->step->end - kLast >= way->take->begin;
      if (by_device) {
        step_through(way->take);
        step_through(way->copy);
      }
      const Stop& last = by_device ? *way->step : *way->take;
      put_flow("f", id, last.track, std::max(at, last.end - kLast));
    }
  }

  void put_counters() {
    for (const TracedBatch& batch : trial_.consumer.batches()) {
      if (batch.ready) put_counter("ready batches", "batches", batch.got, *batch.ready);
    }
    put_bytes();
    put_reads();
  }

  void put_bytes() {
    std::vector<std::pair<Time, std::uint64_t>> reads;
    for (const WorkerLog& log : trial_.workers) {
      for (const WorkerSpan& span : log.spans()) {
        if (span.bytes > 0) reads.emplace_back(of_steady(span.end), span.bytes);
      }
    }
    if (reads.empty()) return;
    std::ranges::sort(reads);
    put_counter("bytes read", "bytes", trial_.begin, 0);
    std::uint64_t bytes = 0;
    for (const auto& [at, more] : reads) put_counter("bytes read", "bytes", at, bytes += more);
  }

  // Of all workers together; nothing where none has any in flight.
  void put_reads() {
    std::vector<std::pair<Time, std::int64_t>> changes;
    for (const WorkerLog& log : trial_.workers) {
      std::int64_t before = 0;
      for (const WorkerSpan& span : log.spans()) {
        const std::int64_t now = span.reads_in_flight;
        if (now != before) changes.emplace_back(of_steady(span.end), now - before);
        before = now;
      }
    }
    std::ranges::sort(changes);
    std::int64_t reads = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      reads += changes[i].second;
      // Changes at the same moment are one change.
      if (i + 1 < changes.size() && changes[i + 1].first == changes[i].first) continue;
      put_counter("reads in flight", "reads", changes[i].first, static_cast<std::uint64_t>(reads));
    }
  }

  TraceText& out_;
  const TrialTrace& trial_;
  const int pid_;
  const int consumer_track_;
  std::unordered_map<std::uint64_t, BatchWay> ways_;
  std::uint64_t slices_ = 0;
};

TraceText::TraceText(std::function<void(std::string_view)> write, Time start)
    : write_(std::move(write)), start_(start) {
  text_ = "{\"traceEvents\":[";
}

const TraceFacts& TraceText::add(const TrialTrace& trace, std::optional<double> of_counted_per_second) {
  const auto [process, is_new] = processes_.try_emplace(trace.cell, static_cast<int>(processes_.size()) + 1);
  Process events(*this, trace, process->second);
  if (is_new) events.put_names();
  events.put_events();
  std::uint64_t lost = trace.steps.lost() + 2 * trace.consumer.lost();
  for (const WorkerLog& log : trace.workers) lost += log.lost();
  facts_.push_back({.cell = trace.cell,
                    .number = trace.number,
                    .samples_per_second = static_cast<double>(trace.trial.samples) / trace.trial.wall_seconds,
                    .of_counted_per_second = of_counted_per_second,
                    .slices = events.slices(),
                    .lost = lost});
  return facts_.back();
}

void TraceText::finish(const std::vector<std::pair<std::string, std::string>>& origin) {
  text_ += "\n],\n\"displayTimeUnit\":\"ms\",\n\"metadata\":{";
  for (const auto& [key, value] : origin) text_ += fmt::format("\n{}:{},", json_text(key), json_text(value));
  std::uint64_t lost = 0;
  for (const TraceFacts& facts : facts_) lost += facts.lost;
  text_ += fmt::format("\n\"most_slices_of_a_track\":{},\n\"most_slices\":{},\n\"lost_slices\":{},\n\"trials\":[",
                       TraceLimits::kMostOfTrack, TraceLimits::kMostOfAll, lost);
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    const TraceFacts& facts = facts_[i];
    const auto counted = facts.of_counted_per_second;
    text_ += fmt::format(
        "{}\n{{\"cell\":{},\"traced_trial\":{},\"samples_per_second\":{:.6g},\"mean_of_counted_trials\":{},"
        "\"share_of_mean\":{},\"slices\":{},\"lost_slices\":{}}}",
        i == 0 ? "" : ",", json_text(facts.cell), facts.number, facts.samples_per_second,
        counted ? fmt::format("{:.6g}", *counted) : "null",
        counted ? fmt::format("{:.4g}", facts.samples_per_second / *counted) : "null", facts.slices, facts.lost);
  }
  text_ += "\n]}}\n";
  flush(0);
}

void TraceText::put(std::string_view event) {
  text_ += events_ == 0 ? "\n" : ",\n";
  text_ += event;
  ++events_;
  flush(kPieceBytes);
}

void TraceText::flush(std::size_t least) {
  if (text_.size() < least) return;
  write_(text_);
  text_.clear();
}

}  // namespace loadline
