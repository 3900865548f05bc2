#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "steptree/completion.hpp"
#include "timers.hpp"
#include "wire.hpp"

namespace steptree::detail::redis {

class Caller;

/// What is asked for.
struct Request {
    std::string method;
    std::string args;
    std::string traceparent;
    std::int64_t left = -1;  // milliseconds that it has; -1: any time
};

/// A call that somebody waits for. It's asked, then sent, when Redis has said that it has it, then
/// over: answered, refused, lost, or left. But for its tasks all of it is of the connection's
/// thread.
struct Asked final : std::enable_shared_from_this<Asked> {
    struct Post : Task {
        std::shared_ptr<Asked> asked;  // while it's on its way
    };

    Asked(std::shared_ptr<Caller> by, Request what, Completion told);
    /// Once each; any thread.
    void ask() noexcept;
    /// Nobody waits for it any more.
    void leave() noexcept;

    const std::shared_ptr<Caller> caller;
    const Completion done;
    Request request;  // until it's sent
    std::string id;
    bool isSent = false;    // Redis has it
    bool isFlying = false;  // the answer to that isn't here yet
    Timer patience;
    Post asking;
    Post leaving;
};

}  // namespace steptree::detail::redis
