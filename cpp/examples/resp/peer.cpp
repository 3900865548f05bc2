#include "peer.hpp"

#include <utility>

namespace resp {

using steptree::IAsyncSteps;

Peer::Peer(ByteSocket& socket, Shared& shared, Gone gone)
    : socket_(socket), shared_(shared), gone_(std::move(gone)), parser_(shared.limits) {}

Peer::~Peer() {
    flushing_.cancel();
}

void Peer::receive(IAsyncSteps& asi) {
    if (look(asi)) {
        asi.success(std::move(*command_));
        return;
    }
    const auto [idleMs, requestMs] = std::pair(shared_.limits.idleMs, shared_.limits.requestMs);
    // A client may rest between two commands; one that he has begun must come to its end. Bytes may
    // come between any two steps, so a step looks before it waits.
    asi.add([this, idleMs = idleMs](IAsyncSteps& step) {
        if (!parser_.partial()) wait(step, idleMs);
    });
    asi.add([this, requestMs = requestMs](IAsyncSteps& step) {
        if (requestMs > 0) step.setTimeout(requestMs);
        step.loop([this](IAsyncSteps& round) {
            if (look(round)) {
                round.breakNoThrow();
            } else {
                wait(round, 0);
            }
        });
    });
    asi.add([this](IAsyncSteps& step) { step.success(std::move(*command_)); });
}

void Peer::send(IAsyncSteps& asi, const std::string& reply) {
    const Limits& limits = shared_.limits;
    output_ += reply;
    if (output_.size() + socket_.pending() <= limits.output) {
        flushLater();
        return;
    }
    flush();
    if (socket_.pending() <= limits.output) return;
    if (limits.outputMs > 0) asi.setTimeout(limits.outputMs);
    room_ = asi.waitExternal();
}

void Peer::finish(IAsyncSteps& asi) {
    finishing_ = true;
    if (lost_) return;
    flush();
    socket_.shutdown();
    socket_.resume();
    const std::int64_t lingerMs = shared_.limits.lingerMs;
    if (lingerMs > 0) asi.setTimeout(lingerMs);
    asi.add([this](IAsyncSteps& step) {
        if (socket_.pending() > 0) room_ = step.waitExternal();
    });
    asi.add([this](IAsyncSteps& step) {
        if (!ended_ && !hurried_) more_ = step.waitExternal();
    });
}

void Peer::waits() {
    waiting = true;
    if (ended_) gone_("the client has left");
}

void Peer::hurry() {
    hurried_ = true;
    wake();
}

void Peer::received(std::string_view bytes) {
    if (finishing_) return;
    parser_.feed(bytes);
    if (more_) {
        wake();
    } else if (parser_.pending() > shared_.limits.input) {
        overfed();
    }
}

void Peer::taken() {
    const std::size_t rest = finishing_ ? 0 : shared_.limits.output;
    if (room_ && socket_.pending() <= rest) room_->success();
}

// What the client had sent before he closed is still answered, but nothing waits for his sake.
void Peer::left() {
    ended_ = true;
    if (more_) {
        wake();
    } else if (waiting) {
        gone_("the client has left");
    }
}

void Peer::broken() {
    if (!finishing_) gone_("the connection is broken");
    ended_ = lost_ = true;
    if (room_) room_->success();
    wake();
}

bool Peer::look(IAsyncSteps& asi) {
    command_ = parser_.next();
    if (!parser_.error.empty()) asi.error("ProtocolError", parser_.error);
    return command_.has_value();
}

void Peer::wait(IAsyncSteps& asi, std::int64_t ms) {
    if (ended_ || hurried_) asi.breakLoop(serving);
    if (ms > 0) asi.setTimeout(ms);
    more_ = asi.waitExternal();
    socket_.resume();
}

void Peer::wake() {
    if (more_) more_->success();
    more_.reset();
}

// While a command runs, its client is only made to wait; a command that waits has to see him go, so
// it goes on reading, and he who sends too much meanwhile is dropped.
void Peer::overfed() {
    if (waiting) {
        gone_("too much input while a command waits");
    } else {
        socket_.pause();
    }
}

// Replies to commands that came together leave together.
void Peer::flushLater() {
    if (flushing_.valid()) return;
    flushing_ = shared_.tool.immediate([this] { flush(); });
}

void Peer::flush() {
    if (!output_.empty()) socket_.write(std::exchange(output_, {}));
}

}  // namespace resp
