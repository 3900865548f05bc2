#include "steptree/server.hpp"

#include <string>
#include <utility>

#include "callsource.hpp"
#include "misuse.hpp"
#include "redisoptions.hpp"
#include "taker.hpp"

namespace steptree {

namespace {

std::shared_ptr<detail::redis::Taker> takerOf(Tool& tool, RedisService& service,
                                              Server::Handlers handlers, ServerOptions options) {
    using namespace detail::redis;
    if (handlers.empty()) detail::misuse("Server: expected handlers");
    if (handlers.contains("")) detail::misuse("Server: expected a method");
    checkWhole("Server: concurrency", options.concurrency, 1, 10'000);
    const auto waker = std::make_shared<Waker>();
    const auto lease = RedisService::Access::limits(service).lease;
    const auto made = std::make_shared<Taker>(
        tool, TakerLimits{options.concurrency, lease, std::move(options.report)}, waker);
    made->add(std::make_unique<CallSource>(service, waker, std::move(handlers),
                                           std::move(options.accepts)));
    return made;
}

}  // namespace

Server::Server(Tool& tool, RedisService& service, Handlers handlers, ServerOptions options)
    : taker_(takerOf(tool, service, std::move(handlers), std::move(options))) {
    taker_->start();
}

Server::~Server() {
    taker_->end();
}

std::size_t Server::size() const noexcept {
    return taker_->size();
}

Future<std::size_t> Server::drainFor(std::int64_t ms) {
    return taker_->drain(ms);
}

}  // namespace steptree
