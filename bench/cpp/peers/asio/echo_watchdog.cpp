// A read only writes down when it has to have ended: the timer of the connection looks at that when
// it fires, and is set again.
#include "echo.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

void watch(Connection& connection) {
    connection.timer.expires_at(connection.deadline);
    connection.timer.async_wait([&connection](const asio::error_code& error) {
        if (error) return;
        if (connection.deadline > Clock::now()) return watch(connection);
        connection.socket.close();
    });
}

Awaitable echo(Connection& connection) {
    auto& [socket, data, idle, deadline, timer, served] = connection;
    deadline = Clock::now() + idle;
    watch(connection);
    while (true) {
        deadline = Clock::now() + idle;
        const auto [error, size] = co_await socket.async_read_some(asio::buffer(data), kTuple);
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
