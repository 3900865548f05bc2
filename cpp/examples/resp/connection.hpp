#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "client.hpp"
#include "parser.hpp"
#include "peer.hpp"
#include "socket.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// One client, one flow: it receives a command, runs it, sends the reply, until one of the two
/// sides leaves.
class Connection final : public Client {
  public:
    using Closed = std::function<void(const steptree::Outcome& outcome)>;

    Connection(std::uint64_t id, Shared& shared, RawSocket socket);

    /// Serves the client; `closed` is called once, when nothing of the flow is left.
    void serve(Closed closed);

    /// Tells the client why he isn't served.
    void refuse(const std::string& why, Closed closed);

    /// The command that runs is the last.
    void stop();

    void waits() override { peer_.waits(); }

  private:
    void serveOne(steptree::IAsyncSteps& asi);
    std::string explain(const std::string& code, const steptree::State& state);
    void excuse(steptree::IAsyncSteps& asi, const std::string& code);
    void execute(Closed closed, std::function<void(steptree::IAsyncSteps& asi)> body);
    void leave(steptree::IAsyncSteps& asi);

    ByteSocket socket_;
    Peer peer_;
    std::stop_source gone_;
};

}  // namespace resp
