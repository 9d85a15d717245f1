#include "harness/show/search_text.h"

#include <gtest/gtest.h>

#include "tests/harness/support/results.h"

namespace loadline {
namespace {

Probe probe(double value, double utilisation, bool confirms = false) {
  return {.value = value,
          .synthetic = {1000, 1000},
          .full = {1000 * utilisation, 1000 * utilisation},
          .enough = utilisation >= 0.9,
          .confirms = confirms};
}

Result searched(const std::string& kind, const std::vector<Probe>& probes) {
  Result result = test::result_of({
      {.mode = Mode::kSynthetic, .rates = {1000, 1000}},
      {.mode = Mode::kFull, .rates = {900, 900}, .loader = "thread-pool", .workers = 2},
  });
  result.options.find = kind;
  result.search = Search{.kind = kind, .utilisation = 0.9, .probes = probes};
  return result;
}

std::string search_text_of(const Result& result) {
  return search_text(result, judge_run(result));
}

TEST(ProbeText, IsALinePerValueThatWasTried) {
  const auto text = [](const std::string& kind, const std::vector<Probe>& probes) {
    return probe_text({.kind = kind, .utilisation = 0.9, .probes = probes});
  };
  EXPECT_EQ(text("max-rate", {probe(412345, 0.906)}), "probe 1: 412.3 k samples/s: AU 90.6 ± 0.0 %, enough");
  EXPECT_EQ(text("min-workers", {probe(2, 0.95), probe(1, 0.5)}), "probe 2: 1 worker: AU 50.0 ± 0.0 %, not enough");
  EXPECT_EQ(text("max-devices", {probe(2, 0.95), probe(1, 0.5, true)}),
            "confirmation 1: 1 device: AU 50.0 ± 0.0 %, missed");
  Probe noisy = probe(1, 0.94, true);
  noisy.full = {900, 940, 980};
  noisy.enough = false;
  EXPECT_EQ(text("max-devices", {noisy}), "confirmation 1: 1 device: AU 94 ± 10 %, unclear");
  noisy.confirms = false;
  EXPECT_EQ(text("max-devices", {noisy}), "probe 1: 1 device: AU 94 ± 10 %, not certainly enough");
}

// The text used to be "AU too noisy to say, enough".
TEST(ProbeText, GivesTheBoundThatDecidedWhereTheFigureIsTooNoisy) {
  Probe noisy = probe(1.569e6, 1.263);
  noisy.full = {1100, 1263, 1450};
  noisy.synthetic = {1000, 1000, 1000};
  const auto text = [&] { return probe_text({.kind = "max-rate", .utilisation = 0.9, .probes = {noisy}}); };
  EXPECT_EQ(text(), "probe 1: 1.569 M samples/s: AU at least 100.0 %, enough");
  noisy.enough = false;
  EXPECT_EQ(text(), "probe 1: 1.569 M samples/s: AU too noisy to say, not certainly enough");
  noisy.full = {400, 500, 624};
  EXPECT_EQ(text(), "probe 1: 1.569 M samples/s: AU at most 86.9 %, not enough");
}

TEST(SearchText, SaysWhatWasConfirmed) {
  Result rate = searched("max-rate", {probe(412345, 0.91), probe(412345, 0.906, true)});
  rate.search->found = rate.search->confirmed = 412345;
  EXPECT_EQ(
      search_text_of(rate),
      "max-rate: thread-pool with 2 workers feeds up to 412.3 k samples/s at AU 90 % or more (AU 90.6 ± 0.0 %).\n");
  Result devices = searched("max-devices", {probe(3, 0.93, true)});
  devices.search->found = devices.search->confirmed = 3;
  EXPECT_EQ(search_text_of(devices),
            "max-devices: thread-pool with 2 workers feeds up to 3 devices at AU 90 % or more (AU 93.0 ± 0.0 %).\n");
  Result all = searched("max-devices", {probe(64, 0.93, true)});
  all.search->found = all.search->confirmed = 64;
  EXPECT_EQ(search_text_of(all),
            "max-devices: thread-pool with 2 workers feeds 64 devices, the highest value accepted, at AU 90 % or "
            "more (AU 93.0 ± 0.0 %).\n");
  Result workers = searched("min-workers", {probe(2, 0.93, true)});
  workers.search->found = workers.search->confirmed = 2;
  EXPECT_EQ(search_text_of(workers),
            "min-workers: thread-pool keeps AU 90 % or more with 2 workers (AU 93.0 ± 0.0 %).\n");
}

TEST(SearchText, SaysThatFewerWorkersWereNotTriedWhereTheShortTrialsOfAllWereTooNoisy) {
  Result workers = searched("min-workers", {probe(2, 0.89), probe(2, 0.93, true)});
  workers.search->confirmed = 2;
  EXPECT_EQ(search_text_of(workers),
            "min-workers: thread-pool keeps AU 90 % or more with 2 workers (AU 93.0 ± 0.0 %). Fewer were not tried, "
            "because short trials were too noisy: run it again.\n");
}

// The text used to be "AU 93 ± 10 % may meet the 90 % or miss it" beside "feeds up to 556 k at AU 90 % or more".
TEST(SearchText, SaysThatItIsUnclearWhereTheIntervalContainsTheUtilisation) {
  Result rate = searched("max-rate", {probe(556e3, 0.93, true)});
  rate.search->probes[0].full = {900, 930, 960};
  rate.search->found = rate.search->confirmed = 556e3;  // as an older version wrote it
  EXPECT_EQ(search_text_of(rate),
            "max-rate: whether thread-pool with 2 workers keeps AU 90 % or more at 556.0 k samples/s is unclear: AU 93 "
            "± 8 %; use --trials 5 or more.\n");
  rate.search->probes[0].full = {990};
  EXPECT_EQ(search_text_of(rate),
            "max-rate: whether thread-pool with 2 workers keeps AU 90 % or more at 556.0 k samples/s is unclear: AU "
            "99.0 % by one trial; use --trials 5 or more.\n");
}

// The text used to be "feeds up to 10 devices" after "11 devices: AU 92 ± 11 %, not certainly enough".
TEST(SearchText, SaysThatTheNextMayDoWhereShortTrialsCouldNotTell) {
  Probe next = probe(11, 0.92);
  next.synthetic = {1000, 1000, 1000};
  next.full = {880, 920, 960};
  next.enough = false;
  Result devices =
      searched("max-devices", {probe(8, 0.95), probe(12, 0.6), probe(10, 0.93), next, probe(10, 0.93, true)});
  devices.search->found = devices.search->confirmed = 10;
  EXPECT_EQ(
      search_text_of(devices),
      "max-devices: thread-pool with 2 workers feeds at least 10 devices at AU 90 % or more (AU 93.0 ± 0.0 %). 11 "
      "devices may do too: short trials were too noisy to tell (AU 92 ± 10 %).\n");
  devices.search->probes[3] = probe(11, 0.6);
  EXPECT_EQ(search_text_of(devices),
            "max-devices: thread-pool with 2 workers feeds up to 10 devices at AU 90 % or more (AU 93.0 ± 0.0 %).\n");
  next.value = 2;
  next.full = {300, 920, 1400};
  Result workers = searched("min-workers", {probe(4, 0.95), next, probe(3, 0.93), probe(3, 0.93, true)});
  workers.search->found = workers.search->confirmed = 3;
  EXPECT_EQ(search_text_of(workers),
            "min-workers: thread-pool keeps AU 90 % or more with 3 workers (AU 93.0 ± 0.0 %). 2 workers may do too: "
            "short trials were too noisy to tell.\n");
}

TEST(SearchText, SaysThatMoreDevicesWereNotTriedWhereTheShortTrialsOfOneWereTooNoisy) {
  Result devices = searched("max-devices", {probe(1, 0.89), probe(1, 0.93, true)});
  devices.search->confirmed = 1;
  EXPECT_EQ(
      search_text_of(devices),
      "max-devices: thread-pool with 2 workers feeds at least 1 device at AU 90 % or more (AU 93.0 ± 0.0 %). More "
      "were not tried, because short trials were too noisy: run it again.\n");
}

TEST(SearchText, SaysWhereAFullRunLoweredTheValue) {
  Result rate = searched("max-rate", {probe(500e3, 0.91), probe(500e3, 0.88, true), probe(490e3, 0.92, true)});
  rate.search->found = 500e3;
  rate.search->confirmed = 490e3;
  EXPECT_EQ(
      search_text_of(rate),
      "max-rate: thread-pool with 2 workers feeds at least 490.0 k samples/s at AU 90 % or more (AU 92.0 ± 0.0 %). "
      "Short trials had suggested 500.0 k samples/s, which a full run did not confirm.\n");
}

TEST(SearchText, SaysWhereNothingIsEnough) {
  EXPECT_EQ(
      search_text_of(searched("min-workers", {probe(2, 0.6), probe(2, 0.61, true)})),
      "min-workers: thread-pool does not keep AU 90 % or more: at 2 workers, one for each CPU in force, it reaches "
      "AU 61.0 ± 0.0 %. --workers N searches up to N.\n");
  Result asked = searched("min-workers", {probe(2, 0.6), probe(2, 0.61, true)});
  asked.options.workers = {2};
  EXPECT_EQ(search_text_of(asked),
            "min-workers: thread-pool does not keep AU 90 % or more: at 2 workers it reaches AU 61.0 ± 0.0 %.\n");
}

TEST(SearchText, IsEmptyWithoutASearchOrWithOneThatWasStopped) {
  Result none = searched("max-rate", {});
  EXPECT_EQ(search_text_of(none), "");
  none.search->probes = {probe(1000, 0.95)};
  EXPECT_EQ(search_text_of(none), "");
  none.search.reset();
  EXPECT_EQ(search_text_of(none), "");
}

}  // namespace
}  // namespace loadline
