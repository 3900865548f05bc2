#include <atomic>
#include <thread>

#include "../../rounds.hpp"
#include "fiber.hpp"

namespace bench {
namespace {

/// What another thread notifies.
class RemoteEvent {
  public:
    void wait() {
        std::unique_lock<fibers::mutex> lock(mutex_);
        happened_.wait(lock, [this] { return set_; });
        set_ = false;
    }
    void notify() {
        {
            const std::lock_guard<fibers::mutex> lock(mutex_);
            set_ = true;
        }
        happened_.notify_one();
    }

  private:
    fibers::mutex mutex_;
    fibers::condition_variable happened_;
    bool set_ = false;
};

using Remote = Rounds<RemoteEvent*>;

/// The events outlive the fibers: who notifies may still be at it when its fiber has gone on.
void waitInTurn(Remote& rounds, Batch<RemoteEvent>& events, std::size_t& iterations,
                const std::atomic<bool>& stopped) {
    Stack stack;
    std::vector<fiber> flows;
    for (std::size_t i = 0; i < kRound; ++i) {
        RemoteEvent& event = events.emplace();
        flows.push_back(start(stack, [&rounds, &event, &iterations, &stopped] {
            while (!stopped) {
                ++iterations;
                rounds.add(&event);
                event.wait();
            }
        }));
    }
    for (fiber& flow : flows) flow.join();
}

void completionThread(Run& run) {
    std::size_t iterations = 0;
    std::atomic<bool> stopped{false};
    Remote waiting(kRound);
    Batch<RemoteEvent> events(kRound);
    std::thread thread([&] { waitInTurn(waiting, events, iterations, stopped); });
    const auto complete = [](RemoteEvent* event) { event->notify(); };
    const std::size_t rounds = (run.size + kRound - 1) / kRound;
    waiting.await();
    run.start();
    for (std::size_t i = 0; i < rounds; ++i) waiting.complete(complete);
    waiting.await();
    run.stop();
    run.performed(rounds * kRound);
    stopped = true;
    waiting.complete(complete);
    thread.join();
    run.expect("iterations", iterations, (rounds + 1) * kRound);
}

const Scenario scenarios[] = {
    {"completion_thread", completionThread, {.small = 10'000}},
};

}  // namespace
}  // namespace bench
