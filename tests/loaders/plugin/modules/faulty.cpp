// A plug-in that keeps the rules of loadline/plugin.h, or breaks the one that its option `fault` names. It delivers the
// samples of test::patterned_dataset() in order, u8 of 1 x 4 x 4. Its option `classes` is the number of labels.
#include <loadline/plugin.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr std::size_t kPixels = 16;

struct Batch {
  std::vector<unsigned char> pixels;
  std::vector<std::int32_t> labels;
  std::vector<std::uint32_t> indices;
};

void hang() {
  std::fputs("hangs now\n", stderr);
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

// Calls itself until no stack is left.
std::size_t overflow_stack(std::size_t depth) {
  volatile std::size_t here[512] = {depth};
  return here[0] == ~std::size_t{0} ? 0 : overflow_stack(here[0] + 1) + here[0];
}

std::int32_t fail(const std::string& text, char* error, std::size_t bytes) {
  std::strncpy(error, text.c_str(), bytes - 1);
  error[bytes - 1] = '\0';
  return LOADLINE_FAILED;
}

}  // namespace

struct loadline_loader {
  explicit loadline_loader(const loadline_request& request) : asked(request), samples(request.samples) {
    for (std::size_t i = 0; i < request.option_count; ++i) {
      const std::string key = request.options[i].key;
      if (key == "fault") fault = request.options[i].value;
      if (key == "classes") classes = std::stoi(request.options[i].value);
    }
    if (fault == "loses-a-sample") samples -= 1;
    if (fault == "ends-early") samples /= 2;
    if (fault == "workers-lose" && request.workers > 1) samples -= 1;
  }

  std::uint32_t index_at(std::size_t place) const {
    if (fault == "repeats" && place == 3) return 2;
    return static_cast<std::uint32_t>(place);
  }

  std::int32_t next(loadline_batch& out, char* error, std::size_t error_bytes) {
    if (fault == "throws-next") throw std::runtime_error("the shard is gone");
    if (fault == "throws-a-number") throw 42;
    if (fault == "throws-nothing") throw std::runtime_error("");
    if (fault == "fails-next") return fail("shard 3 is gone", error, error_bytes);
    if (fault == "fails-silently") return LOADLINE_FAILED;
    if (fault == "result") return 99;
    if (fault == "says-stopped") return LOADLINE_STOPPED;
    if (fault == "aborts" && batches == 2) std::abort();
    if (fault == "exits" && batches == 2) std::exit(0);
    if (fault == "overflows" && batches == 2) overflow_stack(0);
    if (fault == "hangs" && batches == 2) hang();
    if (fault == "waits" && batches == 2) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return stopped; });
      return LOADLINE_STOPPED;
    }
    if (fault == "no-samples" || (place >= samples && fault != "never-ends")) {
      place = 0;
      return LOADLINE_EPOCH_END;
    }
    if (place >= samples) place = 0;
    auto* batch = new Batch;
    std::size_t count = std::min(asked.batch_size, samples - place);
    if (fault == "short-batch" && batches == 1) count -= 1;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t index = index_at(place + i);
      for (std::size_t p = 0; p < kPixels; ++p) {
        batch->pixels.push_back(static_cast<unsigned char>((31 * index + 7 * p) % 251));
      }
      batch->labels.push_back(static_cast<std::int32_t>(index % static_cast<unsigned>(classes)));
      batch->indices.push_back(index);
    }
    if (fault == "wrong-label" && place == 0) batch->labels[1] += 1;
    if (fault == "wrong-index" && place == 0) batch->indices[1] = 1'000'000;
    if (fault == "wrong-pixels" && place == 0) batch->pixels[5] ^= 0xff;
    place += count;
    ++batches;
    const bool untold = fault == "tells-no-indices" || fault == "wrong-pixels";
    out.data = batch->pixels.data();
    out.count = static_cast<std::int64_t>(count);
    out.dtype = LOADLINE_U8;
    out.dimensions = 3;
    out.shape[0] = 1;
    out.shape[1] = out.shape[2] = 4;
    out.labels = batch->labels.data();
    out.indices = untold ? nullptr : batch->indices.data();
    out.own = batch;
    if (fault == "small-samples") out.shape[1] = out.shape[2] = 2;
    if (fault == "zero") out.count = 0;
    if (fault == "negative") out.count = -5;
    if (fault == "too-many") out.count += 1;
    if (fault == "no-data") out.data = nullptr;
    if (fault == "dtype") out.dtype = 77;
    if (fault == "dimensions") out.dimensions = 9;
    if (fault == "extent") out.shape[1] = 0;
    if (fault == "overflow") out.shape[1] = out.shape[2] = std::int64_t{1} << 40;
    if (fault == "changes-shape" && batches == 2) out.dimensions = 1, out.shape[0] = 16;
    if (fault == "changes-dtype" && batches == 2) out.dtype = LOADLINE_I8;
    if (fault == "loses-labels" && batches == 2) out.labels = nullptr;
    // Not a fault: zeros may be read as tokens, which need no labels.
    if (fault == "tokens") {
      std::fill(batch->pixels.begin(), batch->pixels.end(), static_cast<unsigned char>(0));
      out.dtype = LOADLINE_I32, out.dimensions = 1, out.shape[0] = 4, out.labels = nullptr;
    }
    return LOADLINE_OK;
  }

  void stop() {
    if (fault == "hangs-in-stop") hang();
    const std::lock_guard lock(mutex);
    stopped = true;
    changed.notify_all();
  }

  const loadline_request asked;
  std::size_t samples;
  std::string fault;
  int classes = 7;
  std::size_t place = 0;    // in the epoch
  std::size_t batches = 0;  // so far
  bool stopped = false;
  std::mutex mutex;
  std::condition_variable changed;
};

namespace {

std::int32_t open(const loadline_request* request, loadline_loader** loader, char* error, std::size_t error_bytes) {
  auto made = std::make_unique<loadline_loader>(*request);
  if (made->fault == "throws-open") throw std::runtime_error("no such dataset");
  if (made->fault == "fails-open") return fail("cannot read " + std::string(request->data), error, error_bytes);
  if (made->fault == "hangs-in-open") hang();
  if (made->fault == "makes-nothing") return LOADLINE_OK;
  if (made->fault == "tells") {
    return fail(std::to_string(request->batch_size) + " " + std::to_string(request->workers) + " " +
                    std::to_string(request->prefetch) + " " + request->order + " " + std::to_string(request->seed) +
                    " " + std::to_string(request->rank) + "/" + std::to_string(request->ranks) + " " + request->layout +
                    " " + request->split + " " + std::to_string(request->dtype) + " " + request->options[1].value,
                error, error_bytes);
  }
  *loader = made.release();
  return LOADLINE_OK;
}

std::int32_t next(loadline_loader* loader, loadline_batch* batch, char* error, std::size_t error_bytes) {
  return loader->next(*batch, error, error_bytes);
}

void release(loadline_loader* loader, const loadline_batch* batch) {
  delete static_cast<Batch*>(batch->own);
  if (loader->fault == "throws-release") throw std::runtime_error("not mine");
}

void stop(loadline_loader* loader) {
  loader->stop();
}

void close(loadline_loader* loader) {
  const bool throws = loader->fault == "throws-close";
  delete loader;
  if (throws) throw std::runtime_error("not now");
}

}  // namespace

const loadline_plugin_table* loadline_plugin() {
  static const loadline_plugin_table table{
      LOADLINE_PLUGIN_VERSION, 1, "faulty", "2.5", open, next, release, stop, close};
  return &table;
}
