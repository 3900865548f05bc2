#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "client.hpp"
#include "parser.hpp"
#include "socket.hpp"
#include "steptree/iasyncsteps.hpp"

namespace resp {

/// Label of the loop that serves a client; breaking it ends the connection in good order.
inline constexpr std::string_view serving = "serving";

/// The client's end of the line: commands are received from it and replies sent to it, each by
/// steps. At most one step waits for input (`more_`) and at most one for output (`room_`).
class Peer final : public SocketEvents {
  public:
    using Gone = std::function<void(std::string_view why)>;

    /// `gone` is told when the client can't be served any further.
    Peer(ByteSocket& socket, Shared& shared, Gone gone);
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer();

    /// The command that the client waits in ends with him: set while it waits.
    bool waiting = false;

    /// The result is the next command; leaves the loop `serving` when none will come. Code:
    /// `ProtocolError`.
    void receive(steptree::IAsyncSteps& asi);

    /// Completes when the client has taken so much that what is left is within the limit.
    void send(steptree::IAsyncSteps& asi, const std::string& reply);

    /// Says goodbye: what is written goes out, then both sides close, within the limit; `Timeout`
    /// after it.
    void finish(steptree::IAsyncSteps& asi);

    /// From here the running command waits.
    void waits();

    /// No further command is received, and the goodbye doesn't wait for the client to close.
    void hurry();

    void received(std::string_view bytes) override;
    void taken() override;
    void left() override;
    void broken() override;

  private:
    bool look(steptree::IAsyncSteps& asi);
    void wait(steptree::IAsyncSteps& asi, std::int64_t ms);
    void wake();
    void overfed();
    void flushLater();
    void flush();

    ByteSocket& socket_;
    Shared& shared_;
    const Gone gone_;
    Parser parser_;
    std::optional<Command> command_;
    std::optional<steptree::Completion> more_;
    std::optional<steptree::Completion> room_;
    std::string output_;
    steptree::Handle flushing_;
    bool ended_ = false;
    bool lost_ = false;
    bool finishing_ = false;
    bool hurried_ = false;
};

}  // namespace resp
