// One timer a connection, set anew by hand before each read; it closes the socket.
#include "echo.hpp"

namespace bench {
namespace {

Awaitable echo(Connection& connection) {
    auto& [socket, data, idle, deadline, timer, served] = connection;
    while (true) {
        timer.expires_after(idle);
        timer.async_wait([&socket = connection.socket](const asio::error_code& error) {
            if (!error) socket.close();
        });
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
