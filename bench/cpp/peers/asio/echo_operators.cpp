// A read or a timer, whichever ends first, by the operators for awaitables.
#include <asio/experimental/awaitable_operators.hpp>

#include "echo.hpp"

namespace bench {
namespace {

Awaitable echo(Connection& connection) {
    using namespace asio::experimental::awaitable_operators;
    auto& [socket, data, idle, deadline, timer, served] = connection;
    while (true) {
        timer.expires_after(idle);
        const auto first = co_await (socket.async_read_some(asio::buffer(data), kTuple) ||
                                     timer.async_wait(kTuple));
        if (first.index() == 1) co_return;
        const auto& [error, size] = std::get<0>(first);
        if (error) co_return;
        const auto [failure, written] =
            co_await asio::async_write(socket, asio::buffer(data, size), kTuple);
        if (failure) co_return;
        ++served.echoes;
    }
}

const Scenario scenario{"tcp_echo", runEcho<EchoServer<echo>>, {.small = 200}};

}  // namespace
}  // namespace bench
