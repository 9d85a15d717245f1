#include "harness/ranks/mpi_module.h"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iterator>
#include <limits>
#include <list>
#include <string>
#include <utility>
#include <vector>

namespace loadline {
namespace {

constexpr int kTag = 17;

// Messages in transit are in lists, because MPI uses their memory until they have arrived. Sums are in memory of the
// caller.
struct Sending {
  std::vector<char> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
};
struct Receiving {
  std::vector<char> bytes;
  MPI_Request request = MPI_REQUEST_NULL;
  int from = 0;
};
struct State {
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm sums = MPI_COMM_NULL;
  std::vector<MPI_Request> summing;
  std::list<Sending> sending;
  std::list<Receiving> receiving;
  std::vector<char> received;
  std::string why;
};

State& state() {
  static State the_state;
  return the_state;
}

const char* fails(const std::string& why) {
  state().why = why;
  return state().why.c_str();
}

const char* fails(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fails(std::string(what) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

// Null, or why the call failed: no exception leaves the module.
template <typename Call>
const char* guarded(Call call) {
  try {
    return call();
  } catch (const std::exception& error) {
    return fails(error.what());
  } catch (...) {
    return fails("MPI failed without a message");
  }
}

const char* start(std::size_t* rank, std::size_t* size) {
  return guarded([&]() -> const char* {
    int provided = MPI_THREAD_SINGLE;
    if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided); code != MPI_SUCCESS) {
      return fails("MPI_Init_thread", code);
    }
    if (provided < MPI_THREAD_SERIALIZED) return fails("this MPI does not support calls from more than one thread");
    // Failures are returned, and end the run like any other.
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (MPI_Comm* one : {&state().messages, &state().sums}) {
      if (const int code = MPI_Comm_dup(MPI_COMM_WORLD, one); code != MPI_SUCCESS) return fails("MPI_Comm_dup", code);
    }
    int own = 0;
    int all = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &own);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    *rank = static_cast<std::size_t>(own);
    *size = static_cast<std::size_t>(all);
    return nullptr;
  });
}

// Its first line, up to the description of the package.
const char* library() {
  static std::string text;
  return guarded([]() -> const char* {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(version, &length);
    text.assign(version, static_cast<std::size_t>(length));
    text = text.substr(0, text.find_first_of(",\n"));
    return text.c_str();
  });
}

const char* forget_sent() {
  for (auto one = state().sending.begin(); one != state().sending.end();) {
    int done = 0;
    if (const int code = MPI_Test(&one->request, &done, MPI_STATUS_IGNORE); code != MPI_SUCCESS) {
      return fails("MPI_Test", code);
    }
    one = done != 0 ? state().sending.erase(one) : std::next(one);
  }
  return nullptr;
}

const char* send(std::size_t to, const char* bytes, std::size_t count) {
  return guarded([&]() -> const char* {
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) return fails("a message is too long");
    Sending& one = state().sending.emplace_back();
    one.bytes.assign(bytes, bytes + count);
    const int code = MPI_Isend(one.bytes.data(), static_cast<int>(count), MPI_BYTE, static_cast<int>(to), kTag,
                               state().messages, &one.request);
    return code == MPI_SUCCESS ? nullptr : fails("MPI_Isend", code);
  });
}

// Starts receiving everything that has begun to arrive: long messages arrive while others are checked in turn.
const char* take_up() {
  for (;;) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int code = MPI_Improbe(MPI_ANY_SOURCE, kTag, state().messages, &there, &message, &status);
    if (code != MPI_SUCCESS) return fails("MPI_Improbe", code);
    if (there == 0) return nullptr;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Receiving& one = state().receiving.emplace_back();
    one.bytes.resize(static_cast<std::size_t>(count));
    one.from = status.MPI_SOURCE;
    code = MPI_Imrecv(one.bytes.data(), count, MPI_BYTE, &message, &one.request);
    if (code != MPI_SUCCESS) return fails("MPI_Imrecv", code);
  }
}

const char* receive(std::size_t* from, const char** bytes, std::size_t* count) {
  return guarded([&]() -> const char* {
    *bytes = nullptr;
    if (const char* why = forget_sent()) return why;
    if (const char* why = take_up()) return why;
    // In the order in which each rank sent them. A message that a dead rank never finishes does not hold up those of
    // other ranks.
    std::vector<int> pending;
    for (auto one = state().receiving.begin(); one != state().receiving.end(); ++one) {
      if (std::ranges::find(pending, one->from) != pending.end()) continue;
      int done = 0;
      if (const int code = MPI_Test(&one->request, &done, MPI_STATUS_IGNORE); code != MPI_SUCCESS) {
        return fails("MPI_Test", code);
      }
      if (done == 0) {
        pending.push_back(one->from);
        continue;
      }
      *from = static_cast<std::size_t>(one->from);
      state().received = std::move(one->bytes);
      state().receiving.erase(one);
      *bytes = state().received.data();
      *count = state().received.size();
      return nullptr;
    }
    return nullptr;
  });
}

const char* start_sum(float* numbers, std::size_t count) {
  return guarded([&]() -> const char* {
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) return fails("a bucket is too large");
    MPI_Request& request = state().summing.emplace_back(MPI_REQUEST_NULL);
    const int code =
        MPI_Iallreduce(MPI_IN_PLACE, numbers, static_cast<int>(count), MPI_FLOAT, MPI_SUM, state().sums, &request);
    return code == MPI_SUCCESS ? nullptr : fails("MPI_Iallreduce", code);
  });
}

const char* sums_done(bool* done) {
  return guarded([&]() -> const char* {
    int all = 1;
    const int code =
        MPI_Testall(static_cast<int>(state().summing.size()), state().summing.data(), &all, MPI_STATUSES_IGNORE);
    if (code != MPI_SUCCESS) return fails("MPI_Testall", code);
    *done = all != 0;
    if (*done) state().summing.clear();
    return nullptr;
  });
}

void finish() {
  if (!state().summing.empty()) MPI_Abort(MPI_COMM_WORLD, 1);
  for (Sending& one : state().sending) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  MPI_Finalize();
}

void abort_all(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
}

}  // namespace

extern "C" const MpiFunctions* loadline_mpi_functions() {
  static const MpiFunctions kFunctions{.version = MpiFunctions::kVersion,
                                       .start = start,
                                       .library = library,
                                       .send = send,
                                       .receive = receive,
                                       .start_sum = start_sum,
                                       .sums_done = sums_done,
                                       .finish = finish,
                                       .abort = abort_all};
  return &kFunctions;
}

}  // namespace loadline
