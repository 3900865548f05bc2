#pragma once

#include <cstdint>
#include <string>

#include "limiters.hpp"
#include "limits.hpp"
#include "plugins.hpp"
#include "steptree/scope.hpp"
#include "steptree/tool.hpp"
#include "store.hpp"
#include "waiters.hpp"

namespace resp {

struct Counters {
    /// Commands, the wrong ones too.
    std::uint64_t requests = 0;
    /// Error replies.
    std::uint64_t errors = 0;
    /// Commands that a limiter has refused; they are errors too.
    std::uint64_t rejected = 0;
    /// Connections, the refused ones not.
    std::uint64_t accepted = 0;
    /// Connections beyond the limit.
    std::uint64_t refused = 0;
    /// Flows that were cancelled because their client had gone.
    std::uint64_t cancelled = 0;
    /// Flows that ended with an error that nobody had expected.
    std::uint64_t failed = 0;
};

/// What all clients share.
struct Shared {
    Shared(steptree::Tool& itsTool, const Limits& itsLimits)
        : tool(itsTool),
          limits(itsLimits),
          limiter(serverLimiter(limits)),
          store(tool),
          plugins(tool, store) {}
    Shared(const Shared&) = delete;
    Shared& operator=(const Shared&) = delete;

    /// Owns the flows of all connections.
    virtual steptree::Scope& scope() = 0;
    /// The server's counters as JSON.
    virtual std::string statistics() const = 0;

    steptree::Tool& tool;
    const Limits limits;
    /// Of the commands of all clients.
    MaybeLimiter limiter;
    Store store;
    Plugins plugins;
    Waiters waiters;
    Counters counters;

  protected:
    ~Shared() = default;
};

/// The client as his commands see him.
struct Client {
    Client(std::uint64_t number, Shared& server)
        : id(number), shared(server), limiter(clientLimiter(server.limits)) {}
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Says that the command now waits: then a client who goes away is not answered but cancelled.
    virtual void waits() = 0;

    const std::uint64_t id;
    Shared& shared;
    /// Of this client's commands.
    MaybeLimiter limiter;
    std::string name;
    /// Set by a command after whose reply the server closes.
    bool leaving = false;

  protected:
    ~Client() = default;
};

}  // namespace resp
