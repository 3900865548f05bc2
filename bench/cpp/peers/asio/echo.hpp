#pragma once

#include <asio/experimental/as_tuple.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "../../echo.hpp"
#include "asio.hpp"

namespace bench {

/// Of the io_context's own executor, as the coroutines.
using TcpSocket = asio::basic_stream_socket<tcp, Executor>;
using Timer = asio::basic_waitable_timer<std::chrono::steady_clock,
                                         asio::wait_traits<std::chrono::steady_clock>, Executor>;

/// Errors are values: an exception would cost the coroutine more than its echo.
inline constexpr asio::experimental::as_tuple_t<Token> kTuple{Token{}};

struct Connection {
    Connection(TcpSocket accepted, Milliseconds longest, Served& of)
        : socket(std::move(accepted)), idle(longest), timer(socket.get_executor()), served(of) {}

    TcpSocket socket;
    char data[kMessage];
    Milliseconds idle;
    std::chrono::steady_clock::time_point deadline{};
    Timer timer;
    Served& served;
};

/// Serves each by the coroutine `echo(Connection&)`.
template <Awaitable (*echo)(Connection&)>
class EchoServer {
  public:
    using Socket = TcpSocket;

    EchoServer(asio::io_context& io, Milliseconds idle, Served& served)
        : io_(io), idle_(idle), served_(served) {}

    /// Begins inside of the io_context, where Asio recycles the memory of coroutines.
    void serve(Socket socket) {
        Connection& made = *connections_.emplace_back(
            std::make_unique<Connection>(std::move(socket), idle_, served_));
        asio::post(io_, [this, &made] {
            asio::co_spawn(io_.get_executor(), echo(made), [&made](std::exception_ptr) {
                made.timer.cancel();
                made.socket.close();
                ++made.served.closed;
            });
        });
    }

  private:
    asio::io_context& io_;
    const Milliseconds idle_;
    Served& served_;
    std::vector<std::unique_ptr<Connection>> connections_;
};

}  // namespace bench
