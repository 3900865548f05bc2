#include "connection.hpp"

#include <utility>

#include "commands.hpp"
#include "reply.hpp"
#include "steptree/codes.hpp"
#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;
using steptree::Outcome;
namespace errors = steptree::errors;

Connection::Connection(std::uint64_t number, Shared& server, RawSocket socket)
    : Client(number, server),
      socket_(std::move(socket)),
      peer_(socket_, shared, [this](std::string_view) { gone_.request_stop(); }) {
    socket_.open(peer_);
}

void Connection::serve(Closed closed) {
    execute(std::move(closed), [this](IAsyncSteps& asi) {
        asi.add(
            [this](IAsyncSteps& step) {
                const std::int64_t connectionMs = shared.limits.connectionMs;
                if (connectionMs > 0) step.setTimeout(connectionMs);
                step.loop([this](IAsyncSteps& round) { serveOne(round); }, serving);
            },
            [this](IAsyncSteps& step, const std::string& code) { excuse(step, code); }, "serve");
    });
}

void Connection::refuse(const std::string& why, Closed closed) {
    execute(std::move(closed), [this, why](IAsyncSteps& asi) { peer_.send(asi, errorReply(why)); });
}

void Connection::stop() {
    leaving = true;
    peer_.hurry();
}

void Connection::serveOne(IAsyncSteps& asi) {
    if (leaving) {
        asi.breakNoThrow();
        return;
    }
    asi.add([this](IAsyncSteps& step) { peer_.receive(step); }, nullptr, "receive");
    asi.add(
        [this](IAsyncSteps& step, Command command) {
            shared.counters.requests += 1;
            runCommand(step, *this, step.stack<Command>(std::move(command)));
        },
        [this](IAsyncSteps& step, const std::string& code) {
            shared.counters.errors += 1;
            step.success(errorReply(explain(code, step.state())));
        },
        "command");
    asi.add(
        [this](IAsyncSteps& step, const std::string& reply) {
            peer_.waiting = false;
            peer_.send(step, reply);
        },
        nullptr, "reply");
}

std::string Connection::explain(const std::string& code, const steptree::State& state) {
    const std::string& info = state.errorInfo();
    if (code == errors::Timeout) return "ERR the command has taken too long";
    if (code == errors::InternalError) return concat({"ERR internal error: ", info});
    if (code != errors::DefenseRejected) return concat({code, " ", info});
    shared.counters.rejected += 1;
    const std::int64_t retryAfter = state.lastError()->retryAfter();
    const std::string ms = concat({", retry_after ", std::to_string(retryAfter), " ms"});
    return concat({"DEFENSEREJECTED ", info, retryAfter < 0 ? "" : ms});
}

// Whose time is over is left without a word: a client who is slow would not read it.
void Connection::excuse(IAsyncSteps& asi, const std::string& code) {
    if (code == errors::Timeout) {
        asi.success();
    } else if (code == "ProtocolError") {
        shared.counters.errors += 1;
        const std::string reply =
            errorReply(concat({"ERR Protocol error: ", asi.state().errorInfo()}));
        asi.add([this, reply](IAsyncSteps& step) { peer_.send(step, reply); });
    }
}

void Connection::execute(Closed closed, std::function<void(IAsyncSteps& asi)> body) {
    const auto run = steptree::step([this, body = std::move(body)](IAsyncSteps& asi) {
        asi.defer([this](IAsyncSteps& step) { leave(step); });
        body(asi);
    });
    // A flow that is cancelled before it has begun has nothing deferred.
    const auto done = [this, closed = std::move(closed)](Outcome& outcome) {
        socket_.destroy();
        closed(outcome);
    };
    shared.scope().start(run, {.done = done, .signal = gone_.get_token()});
}

// However it has come to its end, also when it was cancelled: what was answered goes out.
void Connection::leave(IAsyncSteps& asi) {
    asi.add([this](IAsyncSteps& step) { peer_.finish(step); },
            [](IAsyncSteps& step, const std::string& code) {
                if (code == errors::Timeout) step.success();
            });
}

}  // namespace resp
