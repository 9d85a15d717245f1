// An example loader: CIFAR-10 in its binary form, shuffled, in u8 batches that worker threads assemble.
//
//     loadline run --workload cifar10 --dtype u8 --loader thread-pool,./libcifar10.so --workers 1,2
#include <loadline/plugin.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <mutex>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

constexpr std::size_t kPixels = 3 * 32 * 32;
constexpr std::size_t kRecord = 1 + kPixels;  // a label, then the image

struct Buffer {
  std::vector<unsigned char> pixels;
  std::vector<std::int32_t> labels;
  std::vector<std::uint32_t> indices;
  std::uint64_t turn = 0;  // number of the batch that may be filled next
  bool ready = false;
};

struct loadline_loader {
  explicit loadline_loader(const loadline_request& request)
      : asked(request), buffers(asked.workers + asked.prefetch + asked.held + 1) {
    const bool test = std::string(asked.split) == "test";
    for (const char* part :
         test ? std::vector{"test_batch"}
              : std::vector{"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5"}) {
      const std::string path = std::string(asked.data) + '/' + part + ".bin";
      std::ifstream file(path, std::ios::binary);
      records.insert(records.end(), std::istreambuf_iterator<char>(file), {});
      if (!file || records.empty()) throw std::runtime_error("cannot read " + path);
    }
    order.resize(records.size() / kRecord);
    share = order.size() / asked.ranks + (asked.rank < order.size() % asked.ranks ? 1 : 0);
    batches = (share + (asked.drop_last != 0 ? 0 : asked.batch_size - 1)) / asked.batch_size;
    if (batches == 0) throw std::runtime_error("an epoch of " + std::to_string(share) + " samples has no batch");
    for (std::size_t i = 0; i < buffers.size(); ++i) buffers[i].turn = i;
    for (std::size_t i = 0; i < asked.workers; ++i) workers.emplace_back([this] { work(); });
  }
  ~loadline_loader() {
    stop();
    for (std::thread& worker : workers) worker.join();
  }

  void work() {
    std::vector<std::uint32_t> chosen;
    std::unique_lock lock(mutex);
    while (!stopped) {
      const std::uint64_t number = begun++;
      if (number % batches == 0) shuffle(asked.epoch + number / batches);
      const auto first = number % batches * asked.batch_size;
      chosen.clear();
      for (std::size_t i = first; i < std::min(first + asked.batch_size, share); ++i) {
        chosen.push_back(order[i * asked.ranks + asked.rank]);
      }
      Buffer& buffer = buffers[number % buffers.size()];
      changed.wait(lock, [&] { return stopped || buffer.turn == number; });
      if (stopped) return;  // the buffer may still be lent
      lock.unlock();
      fill(buffer, chosen);
      lock.lock();
      buffer.ready = true;
      changed.notify_all();
    }
  }

  void shuffle(std::uint64_t epoch) {
    std::iota(order.begin(), order.end(), 0U);
    std::mt19937_64 random(asked.seed + epoch);
    if (std::string(asked.order) != "sequential") std::shuffle(order.begin(), order.end(), random);
  }

  void fill(Buffer& buffer, const std::vector<std::uint32_t>& chosen) const {
    buffer.pixels.resize(chosen.size() * kPixels);
    buffer.labels.resize(chosen.size());
    buffer.indices = chosen;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const char* record = records.data() + chosen[i] * kRecord;
      buffer.labels[i] = static_cast<unsigned char>(*record);
      std::copy_n(record + 1, kPixels, buffer.pixels.begin() + static_cast<std::ptrdiff_t>(i * kPixels));
    }
  }

  std::int32_t next(loadline_batch& batch) {
    if (taken == batches) {
      taken = 0;
      return LOADLINE_EPOCH_END;
    }
    Buffer& buffer = buffers[delivered % buffers.size()];
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return stopped || buffer.ready; });
    if (stopped) return LOADLINE_STOPPED;
    ++delivered;
    ++taken;
    batch = {buffer.pixels.data(),  static_cast<std::int64_t>(buffer.labels.size()),
             LOADLINE_U8,           3,
             {3, 32, 32},           buffer.labels.data(),
             buffer.indices.data(), &buffer};
    return LOADLINE_OK;
  }

  void release(Buffer& buffer) {
    const std::lock_guard lock(mutex);
    buffer.ready = false;
    buffer.turn += buffers.size();
    changed.notify_all();
  }

  void stop() {
    const std::lock_guard lock(mutex);
    stopped = true;
    changed.notify_all();
  }

  const loadline_request asked;
  std::vector<char> records;
  std::vector<std::uint32_t> order;  // of the current epoch
  std::size_t share = 0, batches = 0;
  std::vector<Buffer> buffers;
  std::uint64_t begun = 0, delivered = 0, taken = 0;  // batches; `taken` in this epoch
  bool stopped = false;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::thread> workers;
};

extern "C" const loadline_plugin_table* loadline_plugin() {
  static const loadline_plugin_table kTable{
      LOADLINE_PLUGIN_VERSION,
      1,
      "cifar10-example",
      "1.0",
      [](const loadline_request* request, loadline_loader** loader, char*, std::size_t) -> std::int32_t {
        *loader = new loadline_loader(*request);  // loadline prints what it throws
        return LOADLINE_OK;
      },
      [](loadline_loader* loader, loadline_batch* batch, char*, std::size_t) { return loader->next(*batch); },
      [](loadline_loader* loader, const loadline_batch* batch) { loader->release(*static_cast<Buffer*>(batch->own)); },
      [](loadline_loader* loader) { loader->stop(); },
      [](loadline_loader* loader) { delete loader; }};
  return &kTable;
}
