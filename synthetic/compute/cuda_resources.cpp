#include "synthetic/compute/cuda_resources.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <nvtx3/nvToolsExt.h>

#include "loaders/error.h"

namespace loadline::cuda {

void check(int status, std::string_view what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // clears the error, so that the next check reports only later ones
  throw Error(fmt::format("compute cuda: cannot {}: {}", what, cudaGetErrorString(static_cast<cudaError_t>(status))));
}

void check_launches() {
  check(cudaGetLastError(), "launch the step");
}

void use_first_device() {
  int devices = 0;
  cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices == 0) status = cudaErrorNoDevice;
  if (status != cudaSuccess) {
    cudaGetLastError();
    throw Error(fmt::format("compute cuda: no CUDA device found: {}", cudaGetErrorString(status)));
  }
  check(cudaSetDevice(0), "use the first device");
}

DeviceMemory::DeviceMemory(std::size_t size_bytes, std::string_view what_for) {
  void* data = nullptr;
  check(cudaMalloc(&data, size_bytes), fmt::format("allocate {} bytes on the device for {}", size_bytes, what_for));
  data_.reset(data);
  check(cudaMemset(data, 0, size_bytes), "zero the device's memory");
  // Our streams do not wait for the default stream, which did this.
  check(cudaStreamSynchronize(nullptr), "zero the device's memory");
}

void DeviceMemory::Free::operator()(void* data) const {
  cudaFree(data);
}

PinnedMemory::PinnedMemory(std::size_t size_bytes) {
  void* data = nullptr;
  check(cudaMallocHost(&data, size_bytes), fmt::format("allocate {} bytes of pinned memory", size_bytes));
  data_.reset(data);
}

void PinnedMemory::Free::operator()(void* data) const {
  cudaFreeHost(data);
}

PinnedRange::PinnedRange(std::span<std::byte> bytes) {
  check(cudaHostRegister(bytes.data(), bytes.size(), cudaHostRegisterDefault),
        fmt::format("pin the {} bytes of a batch (staging=copied needs none)", bytes.size()));
  data_.reset(bytes.data());
}

void PinnedRange::Unregister::operator()(std::byte* data) const {
  cudaHostUnregister(data);
}

Event::Event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync), "make an event");
  handle_.reset(event);
}

void Event::record(StreamHandle stream) {
  check(cudaEventRecord(handle_.get(), stream), "record an event");
}

void Event::wait() const {
  check(cudaEventSynchronize(handle_.get()), "finish the step");
}

bool Event::reached() const {
  const cudaError_t status = cudaEventQuery(handle_.get());
  if (status == cudaErrorNotReady) {
    cudaGetLastError();  // not an error, but recorded as one
    return false;
  }
  check(status, "finish the copy");
  return true;
}

float Event::milliseconds_since(const Event& before) const {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, before.handle_.get(), handle_.get()), "tell the time between events");
  return milliseconds;
}

void Event::Destroy::operator()(CUevent_st* event) const {
  cudaEventDestroy(event);
}

void Graph::launch(StreamHandle stream) const {
  check(cudaGraphLaunch(handle_.get(), stream), "launch the step's graph");
}

void Graph::Destroy::operator()(CUgraphExec_st* graph) const {
  cudaGraphExecDestroy(graph);
}

Stream::Stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "make a stream");
  handle_.reset(stream);
}

void Stream::wait_for(const Event& event) {
  check(cudaStreamWaitEvent(handle_.get(), event.handle(), 0), "let the step wait for its copy");
}

void Stream::copy_to_device(void* to, const void* from, std::size_t size_bytes) {
  check(cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyHostToDevice, handle_.get()), "copy to the device");
}

void Stream::copy_to_host(void* to, const void* from, std::size_t size_bytes) {
  check(cudaMemcpyAsync(to, from, size_bytes, cudaMemcpyDeviceToHost, handle_.get()), "copy from the device");
}

void Stream::drain() const {
  check(cudaStreamSynchronize(handle_.get()), "finish what was launched");
}

void Stream::drain_quietly() const noexcept {
  cudaStreamSynchronize(handle_.get());
}

void Stream::begin_capture() {
  check(cudaStreamBeginCapture(handle_.get(), cudaStreamCaptureModeThreadLocal), "begin to capture the step");
}

void Stream::abandon_capture() noexcept {
  cudaGraph_t graph = nullptr;
  cudaStreamEndCapture(handle_.get(), &graph);
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaGetLastError();
}

Graph Stream::end_capture() {
  cudaGraph_t captured = nullptr;
  check(cudaStreamEndCapture(handle_.get(), &captured), "capture the step");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t status = cudaGraphInstantiate(&executable, captured, 0);
  cudaGraphDestroy(captured);
  check(status, "make a graph of the step");
  Graph graph;
  graph.handle_.reset(executable);
  return graph;
}

void Stream::Destroy::operator()(CUstream_st* stream) const {
  cudaStreamDestroy(stream);
}

ProfilerRange::ProfilerRange(const char* name) {
  nvtxRangePushA(name);
}

ProfilerRange::~ProfilerRange() {
  nvtxRangePop();
}

}  // namespace loadline::cuda
