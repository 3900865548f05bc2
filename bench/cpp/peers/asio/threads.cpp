#include <atomic>
#include <thread>

#include "../../rounds.hpp"
#include "asio.hpp"

namespace bench {
namespace {

using Handlers = Rounds<Handler>;

/// The initiation runs when the coroutine is suspended already.
Awaitable waitInTurn(Handlers& rounds, std::size_t& iterations, const std::atomic<bool>& stopped) {
    constexpr Token token{};
    while (!stopped.load(std::memory_order_relaxed)) {
        ++iterations;
        co_await asio::async_initiate<const Token, void()>(
            [&rounds](Handler handler) { rounds.add(std::move(handler)); }, token);
    }
}

void completionThread(Run& run) {
    std::size_t iterations = 0;
    std::atomic<bool> stopped{false};
    Handlers waiting(kRound);
    asio::io_context io{1};
    for (std::size_t i = 0; i < kRound; ++i) {
        asio::co_spawn(io.get_executor(), waitInTurn(waiting, iterations, stopped), asio::detached);
    }
    std::thread thread([&io] { io.run(); });
    const auto complete = [](Handler& handler) { asio::post(std::move(handler)); };
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
