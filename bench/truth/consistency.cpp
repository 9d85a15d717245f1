#include "bench/truth/consistency.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <optional>
#include <utility>

namespace loadline::truth {
namespace {

// "38 ± 2 %", "1.2 (0.6 to 2.4)", "23": the value with its interval, and the words around it.
struct Figure {
  double value = 0;
  double low = 0;
  double high = 0;
  bool interval = false;
  bool both_sides_alike = false;  // written with ±
  std::string_view unit;          // "%", "k", "M"; empty: a number
  std::string_view before;
  std::string_view after;
  double place = 0;  // what rounding of the last digit can hide
};

// A cursor over a line; each take...() moves only where it succeeds.
struct Cursor {
  std::string_view rest;

  bool take(std::string_view words) {
    if (!rest.starts_with(words)) return false;
    rest.remove_prefix(words.size());
    return true;
  }

  std::optional<double> take_number(double* place = nullptr) {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (error != std::errc()) return std::nullopt;
    const std::string_view digits(rest.data(), static_cast<std::size_t>(end - rest.data()));
    if (digits.ends_with('.')) return std::nullopt;
    const auto point = digits.find('.');
    if (place != nullptr) {
      *place = point == std::string_view::npos ? 1 : std::pow(10.0, -static_cast<double>(digits.size() - point - 1));
    }
    rest.remove_prefix(digits.size());
    return number;
  }

  std::string_view take_unit() {
    for (const std::string_view unit : {" %", " k", " M", " G", " ms", " µs", " s"}) {
      if (!rest.starts_with(unit)) continue;
      const std::string_view next = rest.substr(unit.size());
      if (!next.empty() && next[0] >= 'a' && next[0] <= 'z') continue;
      rest.remove_prefix(unit.size());
      return unit.substr(1);
    }
    return {};
  }
};

std::optional<Figure> figure_at(std::string_view line, std::size_t start) {
  Cursor cursor{line.substr(start)};
  Figure figure{.before = line.substr(0, start)};
  const auto value = cursor.take_number(&figure.place);
  if (!value) return std::nullopt;
  figure.value = figure.low = figure.high = *value;
  figure.unit = cursor.take_unit();
  const std::string_view behind = cursor.rest;
  if (cursor.take(" ± ")) {
    if (const auto half = cursor.take_number()) {
      figure.interval = figure.both_sides_alike = true;
      figure.low = *value - *half;
      figure.high = *value + *half;
      if (figure.unit.empty()) figure.unit = cursor.take_unit();
    }
  } else if (cursor.take(" (")) {
    const auto low = cursor.take_number();
    const auto high = low && cursor.take(" to ") ? cursor.take_number() : std::nullopt;
    if (high) {
      cursor.take_unit();
      figure.interval = cursor.take(")");
    }
    if (figure.interval) {
      figure.low = *low;
      figure.high = *high;
    } else {
      cursor.rest = behind;
    }
  }
  figure.after = cursor.rest;
  return figure;
}

// The figures of a line, from left to right; digits within words do not count.
std::vector<Figure> figures_of(std::string_view line) {
  std::vector<Figure> figures;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool starts_word = i == 0 || line[i - 1] == ' ' || line[i - 1] == '(';
    const bool digit = (line[i] >= '0' && line[i] <= '9') || line[i] == '-';
    if (!starts_word || !digit) continue;
    const auto figure = figure_at(line, i);
    if (!figure) continue;
    const std::size_t end = line.size() - figure->after.size();
    if (end < line.size() && std::string_view(" ,;:.)").find(line[end]) == std::string_view::npos) continue;
    i = end - 1;
    figures.push_back(*figure);
  }
  return figures;
}

bool has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

// The first figure between two sets of words.
std::optional<Figure> figure_between(const std::vector<Figure>& figures, std::string_view before,
                                     std::string_view after) {
  for (const Figure& figure : figures) {
    if (figure.before.ends_with(before) && figure.after.starts_with(after)) return figure;
  }
  return std::nullopt;
}

// The text of a line around a place: what it says about the workload that it begins with.
std::string_view workload_of(std::string_view line) {
  return line.substr(0, std::min(line.find(", "), line.find(": ")));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  std::vector<std::string> read() {
    for (std::size_t start = 0; start < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', start), text_.size());
      line_ = text_.substr(start, end - start);
      figures_ = figures_of(line_);
      read_line();
      start = end + 1;
    }
    compare_lines();
    line_ = {};
    if (has(text_, "wait for data")) blame("a host that waits while steps go on is no wait of the compute");
    // The title of the table has one itself.
    const auto title = text_.find("mean ± standard deviation");
    if (title != std::string_view::npos && has(text_.substr(title + 10), "±") &&
        !has(text_, "in sentences, the 95 % interval")) {
      blame("± means two things and nothing says which");
    }
    return std::move(found_);
  }

 private:
  // What later lines are compared with.
  struct Gain {
    std::string workload;
    std::optional<double> at_most;  // percent gained by faster loading
    std::optional<Figure> kept_up;  // times the throughput
  };
  struct Goal {
    double asked;
    bool met;
  };

  void blame(std::string_view what) {
    found_.push_back(line_.empty() ? std::string(what) : std::string(what) + ": " + std::string(line_));
  }

  void read_line() {
    read_widths();
    if (has(line_, "Bound by ") || has(line_, "Balanced: ") || has(line_, "Too noisy to say") ||
        has(line_, "The trials contradict") || has(line_, "One trial of ") || has(line_, "Not known: ")) {
      read_bound();
      read_gain();
    }
    read_goal();
    read_choice();
    read_prediction();
    read_search();
    read_cold();
    read_causes();
  }

  // For any line: figures that say nothing, and words in place of a figure.
  void read_widths() {
    for (const std::string_view far : {"over 10000", "under -10000"}) {
      if (has(line_, far)) blame("an interval without an end");
    }
    for (const std::string_view unit : {" times", " of the time", " of its time", " less done", " samples/s"}) {
      if (has(line_, "too noisy to say" + std::string(unit))) blame("words where a figure belongs");
    }
    for (const Figure& figure : figures_) {
      if (!figure.interval) continue;
      // ± shows the wider of two sides, which is up to 1.25 times the other: a width of 50 shows as twice 27.8 at
      // most, and ends with a ratio of 4 show as ends with a ratio of 6.
      const double widest = figure.both_sides_alike ? 55.6 : 50;
      const double farthest = figure.both_sides_alike ? 6 : 4;
      if (figure.unit == "%" && figure.high - figure.low > widest + 2 * figure.place)
        blame("a share that says nothing");
      const bool factor = figure.unit.empty() && figure.after.starts_with(" times");
      if (factor && figure.high - figure.place > farthest * (figure.low + figure.place)) {
        blame("a factor that says nothing");
      }
    }
  }

  std::optional<Figure> stall() const {
    if (const auto stall = figure_between(figures_, "(stall ", "")) return stall;
    if (const auto waits = figure_between(figures_, "waits ", " of the time")) return waits;
    return figure_between(figures_, " gets ", " less done");
  }

  void read_bound() {
    const auto stall = this->stall();
    std::optional<Figure> supply;
    for (const Figure& figure : figures_) {
      const bool of_what = figure.after.starts_with(" times as fast as ") ||
                           figure.after.starts_with(" times the rate") ||
                           figure.after.starts_with(" times the throughput");
      const bool one_sided = figure.before.ends_with("at least ") || figure.before.ends_with("at most ");
      if (of_what && !figure.interval && !one_sided) blame("a figure without its interval");
      const bool alone = figure.before.ends_with("by itself is ") || figure.before.ends_with(" is at least ") ||
                         figure.before.ends_with(" is at most ");
      if (alone && figure.after.starts_with(" times as fast as ") && figure.interval) supply = figure;
    }
    if (stall && !stall->interval && !stall->before.ends_with("at least ")) blame("a stall without its interval");
    const bool at_least = supply && supply->before.ends_with("at least ");
    const double low = stall ? stall->low - stall->place : 0;
    const double high = stall ? stall->high + stall->place : 100;
    const double least = supply ? supply->low - supply->place : 0;
    const double most = supply && !at_least ? supply->high + supply->place : 1e9;
    if (has(line_, "Bound by compute") && low > 10) blame("bound by compute that waits");
    if (has(line_, "Bound by compute") && most < 1) blame("bound by compute that loading does not feed");
    if (has(line_, "Bound by loading") && high < 5) blame("bound by loading that is not waited for");
    if (has(line_, "Bound by loading") && least > 1) blame("bound by loading that is faster");
    if (has(line_, "Bound by interference") && high < 5) blame("interference that costs nothing");
    if (has(line_, "Bound by interference") && most < 0.95) blame("interference of loading that is too slow by itself");
    if (has(line_, "Balanced: ") && (least > 1.1 || most < 0.9)) blame("balanced, with one faster than the other");
    if (has(line_, "may or may not be enough") && (least > 1.05 || most < 0.95))
      blame("open, though the interval tells");
    if (has(line_, "may be negligible or worth removing") && (low > 10 || high < 5))
      blame("open, though the interval tells");
    const auto beaten = figure_between(figures_, "FULL gave ", " times");
    if (beaten && beaten->high < 1.05) blame("a contradiction that is none");
    if (has(line_, "One trial of ") && has(line_, "Bound by ")) blame("one trial tells nothing");
    if (has(line_, "cannot help") && has(line_, "Bound by loading")) blame("loading limits and cannot help");
  }

  void read_gain() {
    Gain gain{.workload = std::string(workload_of(line_)), .at_most = {}, .kept_up = {}};
    if (const auto most = figure_between(figures_, "gives at most ", " more")) gain.at_most = most->value;
    if (has(line_, "faster loading cannot help")) gain.at_most = 0;
    gain.kept_up = figure_between(figures_, "would give ", " times the throughput");
    gains_.push_back(std::move(gain));
  }

  void read_goal() {
    for (const auto& [words, standing] :
         {std::pair{" meets the ", 1}, std::pair{" misses the ", -1}, std::pair{" may meet the ", 0}}) {
      const auto at = line_.find(words);
      if (at == std::string_view::npos) continue;
      const bool cannot_tell = has(line_, "whether AU meets the ");
      const auto asked = figure_at(line_, at + std::string_view(words).size());
      if (!asked || asked->unit != "%") continue;
      goals_.push_back({asked->value, standing == 1 && !cannot_tell});
      const auto reached = figure_between(figures_, "AU ", words);
      if (!reached || !reached->interval) continue;
      if (standing == 1 && reached->low + reached->place < asked->value) blame("met by less than asked for");
      if (standing == -1 && reached->high - reached->place > asked->value) blame("missed by more than asked for");
      const bool inside =
          reached->low - reached->place <= asked->value && asked->value <= reached->high + reached->place;
      if (standing == 0 && !inside) blame("open, though the interval tells");
    }
  }

  void read_choice() {
    const bool chosen = has(line_, ": use ");
    for (const Figure& figure : figures_) {
      if (!figure.after.starts_with(" times that")) continue;
      const bool clear = figure.interval;
      if (chosen && clear && figure.low - figure.place > 1.05) blame("recommended, though another is faster");
      const bool is_compared = figure.before.ends_with("is no better (");
      if (is_compared && (!clear || figure.high - figure.place > 1.05)) blame("no better, though it may be");
      if (figure.before.ends_with(" reaches ") && clear && figure.low < 1 && figure.high > 1) {
        blame("slower or faster, said as if it were known");
      }
    }
  }

  void read_prediction() {
    auto more = figure_between(figures_, "a perfect loader would give ", " more throughput");
    if (const auto times = figure_between(figures_, "a perfect loader would give ", " times the throughput")) {
      more = times;
      for (double* const figure : {&more->value, &more->low, &more->high}) *figure = 100 * (*figure - 1);
      more->place *= 100;
    }
    if (!more || !more->interval) return;
    const std::string_view stripped = line_.substr(std::min(line_.find_first_not_of(' '), line_.size()));
    for (const Gain& gain : gains_) {
      if (gain.workload != workload_of(stripped)) continue;
      if (gain.at_most && more->low - more->place > *gain.at_most) blame("predicts more than loading can give");
      if (!gain.kept_up || !gain.kept_up->interval) continue;
      const double low = 100 * (gain.kept_up->low - 1 - gain.kept_up->place);
      const double high = 100 * (gain.kept_up->high - 1 + gain.kept_up->place);
      if (more->low - more->place > high || more->high + more->place < low) blame("predicts another gain than it said");
    }
  }

  // "max-rate: serial feeds up to 556 k samples/s at AU 90 % or more (AU 96 ± 1 %)."
  void read_search() {
    if (!has(line_, " feeds ") && !has(line_, " keeps AU ")) return;
    if (has(line_, "unclear")) return;
    const auto wanted = figure_between(figures_, "AU ", " or more");
    if (!wanted) return;
    kept_.push_back(wanted->value);
    const auto reached = figure_between(figures_, "(AU ", ")");
    if (reached && reached->interval && reached->low + reached->place < wanted->value) {
      blame("kept by less than wanted");
    }
  }

  void read_cold() {
    const auto fetching = figure_between(figures_, "spends ", " of its time on fetching");
    if (!fetching || !fetching->interval) return;
    if (has(line_, "storage keeps up") && fetching->low - fetching->place > 10)
      blame("keeps up, though it is waited for");
    if (has(line_, "copy the data to faster storage") && fetching->high + fetching->place < 5)
      blame("faster storage for nothing");
  }

  void read_causes() {
    read_storage();
    if (!has(line_, "storage latency")) return;
    const auto busy = figure_between(figures_, "on a CPU for ", " of the time");
    const auto others = figure_between(figures_, "off the CPUs for at least ", " of ");
    if (busy && others && busy->value + others->value > 51) blame("storage blamed for what others took");
  }

  // Storage that has no more to give serves more reads no faster.
  void read_storage() {
    const bool by_storage = has(line_, "oading is bound by storage") && !has(line_, "bound by storage latency");
    if (!by_storage) return;
    bool more = has(line_, "more reads in flight with");
    for (const std::string_view advice : {"raise --workers", "more --workers", "use a --loader with workers"}) {
      more = more || (has(line_, "Bound by loading") && has(line_, advice));
    }
    if (more) blame("more reads for storage that has no more to give");
  }

  void compare_lines() {
    for (const double kept : kept_) {
      for (const Goal& goal : goals_) {
        if (!goal.met && std::abs(goal.asked - kept) < 0.05)
          blame("a rate that keeps a utilisation that may be missed");
      }
    }
  }

  std::string_view text_;
  std::string_view line_;
  std::vector<Figure> figures_;
  std::vector<Gain> gains_;
  std::vector<Goal> goals_;
  std::vector<double> kept_;  // utilisations, in percent, that a search claims to keep
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> contradictions(std::string_view text) {
  return Reader(text).read();
}

}  // namespace loadline::truth
