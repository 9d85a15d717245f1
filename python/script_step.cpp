#include "python/script_step.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "loaders/error.h"
#include "python/batch_arrays.h"
#include "python/script_error.h"

namespace loadline {
namespace {

namespace py = pybind11;

class ScriptStep final : public Sink {
 public:
  ScriptStep(std::string name, py::object step, const ComputeContext& context)
      : name_(std::move(name)), format_(context.setting.sample), stop_(context.stop), step_(std::move(step)) {
    const py::gil_scoped_acquire gil;
    scripts_ = py::module_::import("loadline.scripts");
  }

  ~ScriptStep() override {
    const py::gil_scoped_acquire gil;
    step_ = py::object();
    try {
      given_back();  // of a step that failed
    } catch (const py::error_already_set&) {
    }
    tensors_ = py::object();
    scripts_ = py::object();
  }

  void consume(Batch batch) override {
    const py::gil_scoped_acquire gil;
    call([&] {
      if (batch->foreign != nullptr) {
        step_(py::reinterpret_borrow<py::object>(static_cast<PyObject*>(batch->foreign)));
      } else {
        step_with(std::move(batch));
      }
    });
  }

  // Work that a step has launched on a GPU.
  void finish() override {
    const py::gil_scoped_acquire gil;
    call([&] { scripts_.attr("synchronise")(); });
  }

 private:
  template <typename Work>
  void call(const Work& work) {
    try {
      work();
    } catch (py::error_already_set& exception) {
      throw script_error(fmt::format("compute {}", name_), exception);
    }
  }

  // The memory belongs to the loader, which takes it back when the trial ends, so a step may not keep any of it.
  void step_with(Batch batch) {
    auto owner = std::make_shared<Batch>(std::move(batch));
    lent_ = owner;
    if (!as_tensors_) {
      as_tensors_ = scripts_.attr("has_torch")().cast<bool>();
      if (*as_tensors_) tensors_ = py::module_::import("loadline.loader").attr("tensors_of_capsules")();
    }
    {
      py::object arrays =
          batch_arrays(**owner, format_, owner, *as_tensors_ ? ArrayForm::kDlpack : ArrayForm::kNumpy, false);
      if (*as_tensors_) arrays = tensors_(arrays);
      step_(arrays);
    }
    owner.reset();
    if (given_back()) return;
    throw Error(fmt::format(
        "compute {}: the step keeps a part of a batch that belongs to the loader; make it keep a copy", name_));
  }

  // Whether Python has dropped the last batch. A batch that it keeps could not be returned later.
  bool given_back() {
    if (lent_.expired()) return true;
    py::module_::import("gc").attr("collect")();  // in a cycle, perhaps
    const auto kept = lent_.lock();
    if (kept) kept->release();  // NOLINT(bugprone-unused-return-value)
    return kept == nullptr;
  }

  const std::string name_;
  const SampleFormat format_;
  const std::stop_token stop_;
  std::optional<bool> as_tensors_;
  py::object step_;
  py::object scripts_;
  py::object tensors_;         // makes them of capsules
  std::weak_ptr<Batch> lent_;  // of ours, the last one
};

}  // namespace

std::unique_ptr<Sink> make_script_step(std::string name, py::object step, const ComputeContext& context) {
  return std::make_unique<ScriptStep>(std::move(name), std::move(step), context);
}

}  // namespace loadline
