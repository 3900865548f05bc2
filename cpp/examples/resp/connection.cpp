#include "connection.hpp"

#include <utility>

#include "commands.hpp"
#include "reply.hpp"
#include "steptree/codes.hpp"
#include "text.hpp"

namespace resp {

using steptree::IAsyncSteps;
using steptree::Outcome;

namespace {

steptree::Options flowOptions(const Limits& limits) {
    steptree::Options options;
    options.burst = static_cast<std::uint32_t>(limits.burst);
    return options;
}

}  // namespace

Connection::Connection(std::uint64_t id, Shared& shared, RawSocket socket)
    : Client(id, shared),
      socket_(std::move(socket)),
      peer_(socket_, shared, [this](std::string_view why) { flow_.cancel(why); }),
      flow_(shared.tool, flowOptions(shared.limits)) {
    socket_.open(peer_);
}

void Connection::serve(Closed closed) {
    flow_.add(
        [this](IAsyncSteps& asi) {
            asi.loop([this](IAsyncSteps& asi) { serveOne(asi); }, serving);
        },
        [this](IAsyncSteps& asi, const std::string& code) { excuse(asi, code); });
    execute(std::move(closed));
}

void Connection::refuse(const std::string& why, Closed closed) {
    flow_.add([this, why](IAsyncSteps& asi) { peer_.send(asi, errorReply(why)); });
    execute(std::move(closed));
}

void Connection::serveOne(IAsyncSteps& asi) {
    if (leaving) {
        asi.breakNoThrow();
        return;
    }
    asi.add([this](IAsyncSteps& asi) { peer_.receive(asi); });
    asi.add(
        [this](IAsyncSteps& asi, const Command& command) {
            shared.counters.requests += 1;
            runCommand(asi, *this, command);
        },
        [this](IAsyncSteps& asi, const std::string& code) {
            shared.counters.errors += 1;
            asi.success(errorReply(explain(code, asi.state().errorInfo())));
        });
    asi.add([this](IAsyncSteps& asi, const std::string& reply) {
        peer_.waiting = false;
        peer_.send(asi, reply);
    });
}

std::string Connection::explain(const std::string& code, const std::string& info) {
    if (code == steptree::errors::Timeout) return "ERR the command has taken too long";
    return concat(
        {code == steptree::errors::InternalError ? "ERR internal error:" : code, " ", info});
}

// A client who is too slow is left without a word, as he would not read it.
void Connection::excuse(IAsyncSteps& asi, const std::string& code) {
    if (code == steptree::errors::Timeout) {
        asi.success();
    } else if (code == "ProtocolError") {
        shared.counters.errors += 1;
        const std::string reply =
            errorReply(concat({"ERR Protocol error: ", asi.state().errorInfo()}));
        asi.add([this, reply](IAsyncSteps& asi) { peer_.send(asi, reply); });
    }
}

void Connection::execute(Closed closed) {
    flow_.add([this](IAsyncSteps& asi) { peer_.finish(asi); },
              [](IAsyncSteps& asi, const std::string& code) {
                  if (code == steptree::errors::Timeout) asi.success();
              });
    flow_.execute([this, closed = std::move(closed)](Outcome& outcome) {
        socket_.destroy();
        closed(outcome);
    });
}

}  // namespace resp
