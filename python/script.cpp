#include "python/script.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <deque>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/cli/child.h"
#include "harness/cli/cli.h"
#include "harness/cli/result_file.h"
#include "harness/measure/apart.h"
#include "loaders/datasets/script.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "python/python_call.h"
#include "python/script_error.h"
#include "python/script_feed.h"
#include "python/script_step.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

namespace py = pybind11;

// Never released, so that nothing in the tables is destroyed after the interpreter.
py::handle kept(const py::object& object) {
  return object.inc_ref();
}

// "make_loader()" of "train.py:make_loader".
std::string call_of(std::string_view word) {
  return fmt::format("{}()", word.substr(word.rfind(':') + 1));
}

// Python's find(): the script for a word. Throws the exception of importing it, as an Error.
py::object script_of(std::string_view who, std::string_view word) {
  const std::string owner = fmt::format("{} {}", who, word);
  try {
    const PythonCall call(owner, "its import");
    return py::module_::import("loadline.scripts").attr("find")(std::string(word));
  } catch (py::error_already_set& exception) {
    if (exception.matches(py::module_::import("loadline").attr("Error"))) {
      throw usage_error(py::str(exception.value()));
    }
    throw script_error(owner, exception);
  }
}

std::unique_ptr<Feed> make_feed(py::handle script, const LoaderKind& kind, const Sampler& sampler,
                                const LoaderOptions& options) {
  const py::gil_scoped_acquire gil;
  const std::string owner = fmt::format("loader {}", kind.name);
  py::object iterable;
  try {
    using namespace pybind11::literals;
    const SamplerOptions& order = sampler.options();
    const PythonCall call(owner, call_of(kind.name));
    iterable =
        script.attr("make")("workers"_a = options.workers, "batch_size"_a = order.batch_size, "seed"_a = order.seed,
                            "data"_a = options.data.string(), "rank"_a = order.rank, "ranks"_a = order.world_size);
  } catch (py::error_already_set& exception) {
    throw script_error(owner, exception);
  }
  return make_script_feed(kind.name, std::move(iterable), kind.uses_batch_size, options);
}

bool is_script(std::string_view word) {
  const py::gil_scoped_acquire gil;
  return py::module_::import("loadline.scripts").attr("is_script")(std::string(word)).cast<bool>();
}

LoaderKind open_loader(std::string_view word) {
  const py::gil_scoped_acquire gil;
  const py::object script = script_of("loader", word);
  script.attr("loads") = true;
  const auto where = script.attr("path").cast<std::string>();
  return {.name = std::string(word),
          .summary = "a loader in Python",
          .has_workers = script.attr("takes")("workers").cast<bool>(),
          .engine = [handle = kept(script)](
                        const LoaderKind& kind, const Assembler&, const Sampler& sampler,
                        const LoaderOptions& options) { return make_feed(handle, kind, sampler, options); },
          .origin = {.name = std::string(word), .version = {}, .path = where},
          .may_do_without = true,
          .uses_prefetch = false,
          .uses_batch_size = script.attr("takes")("batch_size").cast<bool>(),
          .hang = Hang::kUntilClosed};
}

// The opened steps; a kind in the table knows its own by number.
struct Step {
  std::string word;
  std::string file;
  py::handle script;
  ComputeKind kind;
};

std::deque<Step>& steps() {
  static std::deque<Step> all;
  return all;
}

std::unique_ptr<Sink> make_step(std::span<const double> values, const ComputeContext& context) {
  const py::gil_scoped_acquire gil;
  const Step& step = steps()[static_cast<std::size_t>(values.front())];
  const std::string owner = fmt::format("compute {}", step.word);
  py::object made;
  try {
    using namespace pybind11::literals;
    const StepSetting& setting = context.setting;
    const PythonCall call(owner, call_of(step.word));
    made = step.script.attr("make")("batch_size"_a = setting.batch_size, "seed"_a = setting.seed,
                                    "classes"_a = setting.classes, "threads"_a = setting.threads);
  } catch (py::error_already_set& exception) {
    throw script_error(owner, exception);
  }
  return make_script_step(step.word, std::move(made), context);
}

ComputeSpec open_step(std::string_view word) {
  for (std::size_t i = 0; i < steps().size(); ++i) {
    if (steps()[i].word == word) return {.kind = &steps()[i].kind, .values = {static_cast<double>(i)}};
  }
  const py::gil_scoped_acquire gil;
  if (!is_script(word)) throw usage_error(fmt::format("--compute: '{}': want a name or FILE.py:FUNCTION", word));
  const py::object script = script_of("compute", word);
  Step& step = steps().emplace_back(Step{
      .word = std::string(word), .file = script.attr("path").cast<std::string>(), .script = kept(script), .kind = {}});
  step.kind = {.name = step.word,
               .summary = "a training step in Python",
               .parameters = {},
               .make = make_step,
               .external = true,
               .file = step.file};
  return {.kind = &step.kind, .values = {static_cast<double>(steps().size() - 1)}};
}

std::size_t samples_of_loader_in(const std::filesystem::path& path) {
  constexpr std::size_t kUnknown = std::size_t{1} << 20;  // about as many as any
  const py::gil_scoped_acquire gil;
  const py::list loaders = py::module_::import("loadline.scripts").attr("loaders_in")(path.string());
  for (const py::handle script : loaders) {
    const auto word = script.attr("word").cast<std::string>();
    const std::string owner = fmt::format("loader {}", word);
    try {
      const PythonCall call(owner, call_of(word));
      const py::object samples = script.attr("samples")();
      if (!samples.is_none()) return std::max<std::size_t>(1, samples.cast<std::size_t>());
    } catch (py::error_already_set& exception) {
      throw script_error(owner, exception);
    }
  }
  return kUnknown;
}

// A run that a signal ends leaves signals as they are, because the process usually ends. This process goes on, so
// restore them.
class SignalsAsTheyWere {
 public:
  SignalsAsTheyWere() {
    for (Action& one : actions_) ::sigaction(one.signal, nullptr, &one.action);
  }
  SignalsAsTheyWere(const SignalsAsTheyWere&) = delete;
  SignalsAsTheyWere& operator=(const SignalsAsTheyWere&) = delete;
  ~SignalsAsTheyWere() {
    for (const Action& one : actions_) ::sigaction(one.signal, &one.action, nullptr);
  }

 private:
  struct Action {
    int signal;
    struct sigaction action {};
  };
  std::array<Action, 3> actions_{Action{SIGINT}, Action{SIGTERM}, Action{SIGHUP}};
};

// Verbs that only read results name the steps in them, as loaders, without opening them: their scripts may be
// elsewhere, or be the program itself, which another process cannot import.
bool measures(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 6> kReading{"report", "diff", "merge", "export", "baseline", "forecast"};
  return words.size() < 2 || std::ranges::find(kReading, words[1]) == kReading.end();
}

// While it lives, results are temporary.
class TemporaryResults {
 public:
  explicit TemporaryResults(bool temporary) { set_results_temporary(temporary); }
  TemporaryResults(const TemporaryResults&) = delete;
  TemporaryResults& operator=(const TemporaryResults&) = delete;
  ~TemporaryResults() { set_results_temporary(false); }
};

int run_tool(std::vector<std::string> words, bool owns_process, bool temporary, const py::object& failed) {
  const TemporaryResults results(temporary);
  set_gives_up(owns_process);
  take_interrupts(owns_process);
  set_compute_opener(measures(words) ? ComputeOpener(open_step) : ComputeOpener());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  set_this_program({py::module_::import("sys").attr("executable").cast<std::string>(), "-m", "loadline"});
  std::string failure;
  int code = 0;
  {
    const SignalsAsTheyWere signals;
    const py::gil_scoped_release release;
    code = run_cli(static_cast<int>(words.size()), arguments.data(), &failure);
  }
  if (!failed.is_none() && !failure.empty()) failed(failure);
  return code;
}

}  // namespace

void bind_script(py::module_& module) {
  add_loader_opener({.recognises = is_script, .open = open_loader});
  set_compute_opener(open_step);
  set_sample_count(samples_of_loader_in);
  module.def("saved_words", saved_words, "Where trials are saved already, for the last sentence of the process.");
  module.def("any_left_behind", any_left_behind,
             "Whether a thread of a plug-in hangs: the process must then end at once.");
  module.def("run_cli", run_tool, py::arg("words"), py::arg("owns_process") = false, py::arg("temporary") = false,
             py::arg("failed") = py::none(),
             "Runs the command line, with `words` from the program's name on; returns its exit code. Call it on the "
             "main thread. If it owns the process, it may end that when a call into a script never returns. "
             "Of a `temporary` result no text names the file. If an error ends the run, failed() is called with its "
             "sentence.");
  module.def("flags_of_run", flags_of_run,
             "The names of the options of `loadline run` that are on without a value, without those that print help.");
}

}  // namespace loadline
