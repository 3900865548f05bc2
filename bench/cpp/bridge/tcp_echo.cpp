// A TCP echo server whose connections have an idle timeout: sockets of Asio's, awaited by flows.
#include <memory>
#include <utility>

#include "echo.hpp"
#include "steptree/asioawait.hpp"
#include "steptree/asiotool.hpp"
#include "steptree/asyncsteps.hpp"

namespace bench {
namespace {

using steptree::asioAwaited;
using steptree::AsyncSteps;
using steptree::IAsyncSteps;

class Server {
  public:
    /// Of any executor, as the handlers of an AsioTool's operations: others take them through it.
    using Socket = tcp::socket;

    Server(asio::io_context& io, Milliseconds idle, Served& served)
        : loop_(io), idle_(idle), served_(served) {}

    void serve(Socket socket) {
        Connection& made =
            *connections_.emplace_back(std::make_unique<Connection>(*this, std::move(socket)));
        made.flow.loop([&made](IAsyncSteps& turn) { made.echo(turn); });
        made.flow.execute([&made](steptree::Outcome&) {
            made.socket.close();
            ++made.server.served_.closed;
        });
    }

  private:
    struct Connection {
        Connection(Server& s, Socket accepted)
            : server(s), socket(std::move(accepted)), flow(s.loop_.tool()) {}

        /// The turn before has ended well.
        void echo(IAsyncSteps& turn) {
            if (std::exchange(answers, false)) ++server.served_.echoes;
            turn.setTimeout(server.idle_);
            turn.await(socket.async_read_some(asio::buffer(data), asioAwaited));
            turn.add([this](IAsyncSteps& asi, std::size_t size) {
                answers = true;
                asi.await(asio::async_write(socket, asio::buffer(data, size), asioAwaited));
            });
        }

        Server& server;
        Socket socket;
        char data[kMessage];
        bool answers = false;
        AsyncSteps flow;
    };

    steptree::AsioTool loop_;
    const Milliseconds idle_;
    Served& served_;
    std::vector<std::unique_ptr<Connection>> connections_;
};

const Scenario scenario{"tcp_echo", runEcho<Server>, {.small = 200}};

}  // namespace
}  // namespace bench
