// Asio has no lock for coroutines; a channel that holds one token is its way to be one.
#include <asio/experimental/channel.hpp>

#include "asio.hpp"

namespace bench {
namespace {

using Tokens = asio::experimental::channel<Executor, void(asio::error_code, char)>;
constexpr Token kToken{};

Awaitable take(Tokens& tokens, std::size_t rounds, std::size_t& sections) {
    for (std::size_t round = 0; round < rounds; ++round) {
        co_await tokens.async_receive(kToken);
        keep(++sections);
        tokens.try_send(asio::error_code(), char());
    }
}

void runLocks(Run& run, std::size_t count) {
    Loop loop;
    Tokens tokens(loop.io.get_executor(), 1);
    const std::size_t each = (run.size + count - 1) / count;
    std::size_t sections = 0;
    loop.inside([&] {
        for (std::size_t i = 0; i < count; ++i) loop.spawn(take(tokens, each, sections));
    });
    run.start();
    loop.inside([&] { tokens.try_send(asio::error_code(), char()); });
    run.stop();
    run.performed(each * count);
    run.expect("sections", sections, each * count);
}

void lock(Run& run) {
    runLocks(run, 1);
}
void lockContended(Run& run) {
    runLocks(run, kRivals);
}

const Scenario scenarios[] = {{"lock", lock}, {"lock_contended", lockContended}};

}  // namespace
}  // namespace bench
