#pragma once

#include <algorithm>
#include <asio.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "clients.hpp"
#include "harness.hpp"

/// A TCP server on one io_context that echoes what comes, and gives up on connections that are idle
/// for too long. The clients are the same for all servers, and stand still while a server is timed.
namespace bench {

using Milliseconds = std::chrono::milliseconds;
using asio::ip::tcp;

/// What the program wants to know of a server.
struct Served {
    std::size_t echoes = 0;
    std::size_t closed = 0;
};

/// Accepts so many clients for the server: `Server(asio::io_context&, Milliseconds idle, Served&)`
/// with `serve(Socket)`, which serves one from now on, a socket of the kind that suits it best.
template <class Server>
class Echo {
  public:
    Echo(std::size_t count, Milliseconds idle)
        : clients(count),
          acceptor_(io_, {asio::ip::address_v4::loopback(), 0}),
          server_(io_, idle, served_) {
        for (Client& client : clients) {
            client.connect(acceptor_.local_endpoint().port());
            typename Server::Socket socket(io_);
            acceptor_.accept(socket);
            socket.set_option(tcp::no_delay(true));
            server_.serve(std::move(socket));
        }
        io_.poll();
    }

    void untilEchoed(std::size_t count) {
        while (served_.echoes < count) io_.poll();
    }
    void untilClosed() {
        while (served_.closed < clients.size()) io_.run_one();
    }

    std::vector<Client> clients;

  private:
    asio::io_context io_{ASIO_CONCURRENCY_HINT_UNSAFE};
    tcp::acceptor acceptor_;
    Served served_;
    Server server_;
};

/// A client that says nothing is left by the server, not earlier than it may, and one that goes is
/// noticed at once.
template <class Server>
void expectIdleTimeout(const Run& run) {
    constexpr Milliseconds idle(20);
    const auto begin = std::chrono::steady_clock::now();
    Echo<Server> silent(3, idle);
    silent.untilClosed();
    run.expect("idle connections that were kept open long enough",
               std::chrono::steady_clock::now() - begin >= idle, true);
    for (Client& client : silent.clients) run.expect("closed", client.isClosed(), true);
}

template <class Server>
void runEcho(Run& run) {
    const std::size_t count = std::min(run.size, kClients);
    const std::size_t rounds = (run.size + count - 1) / count;
    Echo<Server> echo(count, std::chrono::seconds(10));
    for (std::size_t round = 0; round < rounds; ++round) {
        for (Client& client : echo.clients) client.send(round);
        run.start();
        echo.untilEchoed((round + 1) * count);
        run.stop();
        std::size_t right = 0;
        for (Client& client : echo.clients) right += client.receives(round) ? 1 : 0;
        run.expect("messages that came back as they were", right, count);
    }
    run.performed(rounds * count);
    for (Client& client : echo.clients) client.close();
    echo.untilClosed();
    expectIdleTimeout<Server>(run);
}

}  // namespace bench
