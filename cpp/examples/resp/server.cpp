#include "server.hpp"

#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "text.hpp"

namespace resp {

using asio::ip::tcp;
using steptree::Outcome;
using steptree::OutcomeKind;

namespace {

/// Until a system that has no file descriptor left is asked again.
constexpr std::int64_t retryMs = 100;

std::shared_ptr<const steptree::Options> flowOptions(const Limits& limits) {
    steptree::Options options;
    options.name = "client";
    options.burst = static_cast<std::uint32_t>(limits.burst);
    // The goodbye has its own limit.
    options.grace = limits.lingerMs > 0 ? std::chrono::milliseconds(limits.lingerMs + 1000)
                                        : std::chrono::milliseconds::max();
    return std::make_shared<const steptree::Options>(std::move(options));
}

}  // namespace

Server::Server(asio::io_context& io, steptree::Tool& itsTool, const Limits& itsLimits)
    : Shared(itsTool, itsLimits), acceptor_(io), scope_(tool, flowOptions(itsLimits)) {}

void Server::listen(std::uint16_t port, const std::function<void(std::uint16_t port)>& ready) {
    const tcp::endpoint endpoint(asio::ip::address_v4::loopback(), port);
    acceptor_.open(endpoint.protocol());
    acceptor_.set_option(tcp::acceptor::reuse_address(true));
    acceptor_.bind(endpoint);
    acceptor_.listen(511);
    ready(acceptor_.local_endpoint().port());
    acceptNext();
}

void Server::stop(std::function<void()> stopped) {
    acceptor_.close();
    for (auto* connections : {&served_, &refused_}) {
        for (auto& [id, connection] : *connections) connection->stop();
    }
    const double drainMs = limits.drainMs > 0 ? static_cast<double>(limits.drainMs)
                                              : std::numeric_limits<double>::infinity();
    scope_.drain(drainMs, "the server stops")
        .onSettled([this, stopped = std::move(stopped)](auto&) {
            store.clear();
            stopped();
        });
}

std::string Server::statistics() const {
    const std::vector<std::pair<const char*, std::uint64_t>> fields = {
        {"requests", counters.requests},
        {"errors", counters.errors},
        {"rejected", counters.rejected},
        {"accepted", counters.accepted},
        {"refused", counters.refused},
        {"cancelled", counters.cancelled},
        {"failed", counters.failed},
        {"connections", served_.size()},
        {"flowsAlive", served_.size() + refused_.size()},
        {"waiters", waiters.size()},
        {"timers", tool.armedTimers()},
    };
    std::string json;
    for (const auto& [name, value] : fields) {
        json += concat({json.empty() ? "{\"" : ",\"", name, "\":", std::to_string(value)});
    }
    return json + "}";
}

void Server::acceptNext() {
    acceptor_.async_accept([this](asio::error_code error, RawSocket socket) {
        if (!acceptor_.is_open()) return;
        if (error) {
            tool.deferred(retryMs, [this] { acceptNext(); });
            return;
        }
        accept(std::move(socket));
        acceptNext();
    });
}

// Who is refused gets a farewell too, but not more of them at a time than there are clients.
void Server::accept(RawSocket socket) {
    if (served_.size() < limits.connections) {
        counters.accepted += 1;
        Connection& connection = keep(served_, std::move(socket));
        connection.serve(whenClosed(served_, connection.id));
    } else if (refused_.size() < limits.connections) {
        counters.refused += 1;
        Connection& connection = keep(refused_, std::move(socket));
        connection.refuse("ERR max number of clients reached", whenClosed(refused_, connection.id));
    }
}

Connection& Server::keep(Connections& connections, RawSocket socket) {
    const std::uint64_t id = ++lastId_;
    auto connection = std::make_unique<Connection>(id, *this, std::move(socket));
    return *connections.emplace(id, std::move(connection)).first->second;
}

Connection::Closed Server::whenClosed(Connections& connections, std::uint64_t id) {
    return [this, &connections, id](const Outcome& outcome) {
        if (outcome.kind == OutcomeKind::cancelled) counters.cancelled += 1;
        if (outcome.kind == OutcomeKind::error) {
            counters.failed += 1;
            std::fprintf(stderr, "client %llu: %s\n", static_cast<unsigned long long>(id),
                         outcome.code.c_str());
        }
        connections.erase(id);
    };
}

}  // namespace resp
