#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client.hpp"
#include "connection.hpp"

namespace resp {

/// Accepts clients on the loopback interface and keeps their connections.
class Server final : public Shared {
  public:
    Server(asio::io_context& io, steptree::Tool& tool, const Limits& limits);

    /// Port 0: a free one. `ready` is told which. Throws what the system refuses.
    void listen(std::uint16_t port, const std::function<void(std::uint16_t port)>& ready);

    /// Accepts nobody any more; the commands that run are answered, within the limit, then what is
    /// left is cancelled. `stopped` is called when no flow is left.
    void stop(std::function<void()> stopped);

    steptree::Scope& scope() override { return scope_; }
    std::string statistics() const override;

  private:
    using Connections = std::map<std::uint64_t, std::unique_ptr<Connection>>;

    void acceptNext();
    void accept(RawSocket socket);
    Connection& keep(Connections& connections, RawSocket socket);
    Connection::Closed whenClosed(Connections& connections, std::uint64_t id);

    asio::ip::tcp::acceptor acceptor_;
    Connections served_;
    Connections refused_;
    std::uint64_t lastId_ = 0;
    steptree::Scope scope_;  // goes before the connections, which its flows use
};

}  // namespace resp
