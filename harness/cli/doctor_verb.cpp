#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "harness/cli/cli.h"
#include "harness/cli/screen.h"
#include "harness/cli/verbs.h"
#include "harness/forecast/simgrid.h"
#include "harness/judge/checkup.h"
#include "harness/judge/job_checkup.h"
#include "harness/machine/build_facts.h"
#include "harness/machine/environment.h"
#include "harness/machine/run_id.h"
#include "harness/monitor/counters.h"
#include "harness/monitor/energy.h"
#include "harness/monitor/gpu_library.h"
#include "harness/ranks/mpi.h"
#include "harness/show/checkup_text.h"
#include "harness/show/report/page.h"
#include "harness/show/tensorboard/events.h"
#include "loaders/error.h"
#include "loaders/storage/file_ring.h"
#include "loaders/transforms/kernels.h"
#include "loaders/transforms/opencv.h"
#include "loaders/transforms/sentencepiece.h"
#include "synthetic/compute/compute.h"

namespace loadline {
namespace {

constexpr std::chrono::seconds kWatched{1};

}  // namespace

std::string build_text(const Build& build) {
  std::string text = fmt::format("{}, {}{}, {} kernels\n", name_of(build), build.build_type.value_or("no build type"),
                                 build.sanitizer ? fmt::format(" with the {} sanitizer", *build.sanitizer) : "",
                                 supported_kernels().back()->name);
  std::vector<std::string> libraries;
  for (const Build::Library& library : build.libraries) {
    if (library.version) libraries.push_back(fmt::format("{} {}", library.name, *library.version));
  }
  text += fmt::format("built with {}\n", fmt::join(libraries, ", "));
  for (const LeftOut& row : computes_left_out()) text += fmt::format("left out: {}: {}\n", row.name, row.reason);
  if (embedded_page().libraries.empty()) {
    text += "left out: charts in reports: built without npm; install npm and configure again\n";
  }
  if (const auto why = why_no_mpi(); !why.empty()) text += fmt::format("left out: MPI: {}\n", why);
  if (const auto why = why_no_simgrid(); !why.empty()) text += fmt::format("left out: SimGrid: {}\n", why);
  if (const auto why = why_no_tensorboard(); !why.empty()) text += fmt::format("left out: TensorBoard: {}\n", why);
  if (const auto why = why_no_sentencepiece(); !why.empty()) text += fmt::format("left out: SentencePiece: {}\n", why);
  return text;
}

namespace {

Symptom ring_symptom() {
  try {
    make_file_ring(1);
    return {Health::kFine, "io_uring", "the system allows it, so --read uring works", ""};
  } catch (const Error& error) {
    return {Health::kNote, "io_uring", error.what(), "--read uring does not work here"};
  }
}

Symptom counter_symptom() {
  const auto refusal = EventCounters().facts().refusal;
  if (!refusal) return {Health::kFine, "counters", "--counters counts all its events", ""};
  return {Health::kNote, "counters", "with --counters, " + *refusal, ""};
}

Symptom energy_symptom(const GpuLibraries& gpus) {
  if (EnergyMeter(SystemFiles(), gpus).has_counters()) return {Health::kFine, "energy", "is counted", ""};
  return {Health::kNote, "energy", "no energy counter of CPUs or GPUs can be read, so results have no joules",
          "root may read /sys/class/powercap on Intel and AMD CPUs"};
}

Symptom mpi_symptom() {
  Symptom symptom = module_symptom({.subject = "MPI",
                                    .left_out = why_no_mpi(),
                                    .without = "several ranks cannot form one run",
                                    .unloaded = "mpirun -n 2 loadline run does not work here"},
                                   [] { return mpi_library() + ": mpirun makes one run of many ranks"; });
  if (symptom.health != Health::kFine || !mpirun_refuses_user()) return symptom;
  return {Health::kNote, symptom.subject, mpi_library() + ": its mpirun refuses to run as root",
          std::string(kRootRemedy)};
}

Symptom simgrid_symptom() {
  return module_symptom({.subject = "SimGrid",
                         .left_out = why_no_simgrid(),
                         .without = "forecasts are not simulated",
                         .unloaded = "forecast --simulate does not work here"},
                        [] { return simgrid_library() + ": forecast --simulate works"; });
}

Symptom opencv_symptom() {
  return module_symptom(
      {.subject = "OpenCV", .left_out = "", .without = "", .unloaded = "only JPEG can be decoded here"}, [] {
        OpenCvDecoder::load();
        return std::string("works: PNG and other formats can be decoded");
      });
}

Symptom sentencepiece_symptom() {
  return module_symptom({.subject = "SentencePiece",
                         .left_out = why_no_sentencepiece(),
                         .without = "text is tokenised as bytes alone",
                         .unloaded = "text can be tokenised as bytes alone here"},
                        [] {
                          load_sentencepiece();
                          return std::string("works: --tokenizer takes its models");
                        });
}

Symptom gpu_symptom(const GpuLibraries& gpus) {
  std::size_t devices = 0;
  for (const auto& library : gpus) devices += library->devices();
  return {Health::kFine, "GPUs", devices == 0 ? "neither NVML nor ROCm SMI finds a GPU" : fmt::format("{}", devices),
          ""};
}

std::vector<Symptom> job_symptoms(const Environment& here) {
  if (!here.job) return {};
  JobTasks tasks{.requested = tasks_of_job().value_or(1)};
  if (const auto launch = this_launch()) {
    tasks.started = launch->size;
    tasks.launcher = launch->launcher;
  }
  return job_checkup(*here.job, here.machine, tasks, utc_timestamp(std::chrono::system_clock::now()));
}

}  // namespace

int doctor_verb() {
  const SystemFiles files;
  const MachineCounts before = machine_counts(files);
  std::this_thread::sleep_for(kWatched);
  const MachineCounts after = machine_counts(files);
  const Environment here = this_environment();
  const GpuLibraries gpus = gpu_libraries();
  std::vector<Symptom> symptoms = job_symptoms(here);
  for (Symptom& symptom : checkup(here.machine, files, before, after)) symptoms.push_back(std::move(symptom));
  symptoms.push_back(ring_symptom());
  symptoms.push_back(counter_symptom());
  symptoms.push_back(energy_symptom(gpus));
  symptoms.push_back(gpu_symptom(gpus));
  symptoms.push_back(mpi_symptom());
  symptoms.push_back(simgrid_symptom());
  symptoms.push_back(opencv_symptom());
  symptoms.push_back(sentencepiece_symptom());
  put_text(stdout,
           fmt::format("{}\n{}, {}: watched for {} s\n\n{}", build_text(here.build),
                       here.machine.hostname.value_or("this machine"), here.machine.cpu_model.value_or("unknown CPU"),
                       kWatched.count(), checkup_text(symptoms)));
  return kExitOk;
}

}  // namespace loadline
