#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <memory>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "loaders/engines/engines.h"
#include "loaders/engines/worker_feed.h"

namespace loadline {
namespace {

namespace tbb = oneapi::tbb;
namespace flow = tbb::flow;

// The messages are the workers: each enters for one turn and comes out again for the next. This allocates nothing:
// the task of the new turn reuses the old one's place in the thread's own pool.
//
// If storage serves several samples concurrently, three nodes take turns: a worker goes to `read` for a sample that
// has arrived, takes it to `decode`, and continues to `deliver` if that completed a batch; then back to `read`. All
// workers that find samples decode; one of those that find none waits for storage on behalf of all. Reading continues
// meanwhile, across batches and epochs.
//
// Otherwise one node makes whole batches: a sample is read, transformed and stored in one pass while it is in the
// cache, and delivery is a single store. Neither is worth a task.
//
// A textbook graph would have input_node, limiter_node, function_node and sequencer_node, and oneTBB's own threads.
// Other means replace them because they measured better (two CPUs, CIFAR-10 as u8, against thread-pool):
//
// - The limiter: the slots are the limit, and a worker waits for one during its turn, since there are no more messages
//   than threads. The consumer would have to tell a limiter node of each returned slot, create a task and wake a thread
//   for it: 10 to 20 % fewer samples/s. Waiting for slots costs nothing measurable.
// - The sequencer: the ring orders without a lock. In a sequencer one thread forwards for all, and while it is not
//   running the others wait: 30 % fewer with two workers and batches of 64.
// - oneTBB's threads: our own stay in the arena, so oneTBB starts none. It would start no more than the process allows,
//   which is the lowest limit that anyone in the process has set (global_control) and beyond a loader's control. Its
//   threads run where the process might when it first used oneTBB, not where the caller may. If one cannot be started,
//   the process ends. And they outlive the feed, since finalize() does nothing while other threads use oneTBB.
class FlowGraphFeed final : public WorkerFeed {
 public:
  FlowGraphFeed(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                const LoaderOptions& options)
      : WorkerFeed(kind, assembler, sampler, options, Reading::kAhead),
        // All places are for threads that join by themselves.
        arena_(static_cast<int>(options.workers), static_cast<unsigned>(options.workers)),
        // A graph belongs to the arena in which it is made.
        graph_(arena_.execute([this] { return std::make_unique<Graph>(*this); })),
        threads_(start([this](Worker& worker) { work(worker); })) {}

  ~FlowGraphFeed() override { close(); }

 private:
  struct Message {
    Worker& worker;
    tbb::task_handle stay;  // never run: while it exists, its thread stays in the arena
  };
  using Node = flow::multifunction_node<Message*, std::tuple<Message*>>;
  using Decode = flow::multifunction_node<Message*, std::tuple<Message*, Message*>>;
  using Out = Node::output_ports_type;
  using DecodeOut = Decode::output_ports_type;

  struct Graph {
    explicit Graph(FlowGraphFeed& feed)
        : make(graph, flow::unlimited,
               [&feed](Message* message, Out& out) noexcept {
                 feed.turn(*message, out, [&] { return feed.make_batch(message->worker); });
               }),
          read(graph, flow::unlimited,
               [&feed](Message* message, Out& out) noexcept {
                 feed.turn(*message, out, [&] { return feed.read_sample(message->worker); });
               }),
          decode(graph, flow::unlimited,
                 [&feed](Message* message, DecodeOut& out) noexcept { feed.decode(*message, out); }),
          deliver(graph, flow::unlimited, [&feed](Message* message, Out& out) noexcept {
            feed.deliver_whole(message->worker);
            std::get<0>(out).try_put(message);
          }) {
      flow::make_edge(flow::output_port<0>(make), make);
      flow::make_edge(flow::output_port<0>(read), decode);
      flow::make_edge(flow::output_port<0>(decode), read);
      flow::make_edge(flow::output_port<1>(decode), deliver);
      flow::make_edge(flow::output_port<0>(deliver), read);
    }

    flow::graph graph;
    Node make;  // makes batches, if nothing is read ahead
    Node read;
    Decode decode;
    Node deliver;
  };

  // Every thread brings a message and so has one to work on until it leaves: no thread has to be woken, spins or
  // takes another's.
  void work(Worker& worker) {
    arena_.execute([&] {
      tbb::task_group stays;
      Message message{worker, stays.defer([] {})};
      (reads_ahead() ? graph_->read : graph_->make).try_put(&message);
      stays.wait();
    });
  }

  // Passes the message on if there was something to do; otherwise its thread leaves.
  template <typename Do>
  void turn(Message& message, Out& out, const Do& work_on) {
    // Isolated: while the filler waits for work that it gave to oneTBB, its thread must not take another worker's
    // turn. That turn may have to wait for a slot, and so for this very batch.
    if (tbb::this_task_arena::isolate(work_on)) {
      std::get<0>(out).try_put(&message);
    } else {
      // Moved first, because the message may be destroyed before the handle.
      const tbb::task_handle leaving = std::move(message.stay);
    }
  }

  void decode(Message& message, DecodeOut& out) {
    if (tbb::this_task_arena::isolate([&] { return decode_sample(message.worker); })) {
      std::get<1>(out).try_put(&message);
    } else {
      std::get<0>(out).try_put(&message);
    }
  }

  tbb::task_arena arena_;
  std::unique_ptr<Graph> graph_;
  std::vector<std::jthread> threads_;
};

}  // namespace

std::unique_ptr<Feed> make_flow_graph(const LoaderKind& kind, const Assembler& assembler, const Sampler& sampler,
                                      const LoaderOptions& options) {
  return std::make_unique<FlowGraphFeed>(kind, assembler, sampler, options);
}

}  // namespace loadline
