#include "steptree/redisservice.hpp"

#include <limits>
#include <utility>

#include "caller.hpp"
#include "calls.hpp"
#include "jobtext.hpp"
#include "misuse.hpp"
#include "redisoptions.hpp"
#include "traceparent.hpp"

namespace steptree {

namespace {

RedisServiceOptions checked(RedisServiceOptions options) {
    using namespace detail::redis;
    const auto lease = options.lease.count();
    checkWhole("RedisService: lease", lease, 1000, kDay);
    if (options.patience.count() == 0) options.patience = options.lease / 3;
    checkWhole("RedisService: patience", options.patience.count(), 1, kDay);
    if (options.patience > options.lease) {
        detail::misuse("RedisService: patience: expected the lease, " + std::to_string(lease) +
                       ", at most, got " + std::to_string(options.patience.count()));
    }
    if (options.maxQueue != kUnlimited) {
        checkWhole("RedisService: maxQueue", options.maxQueue, 1, kMostWhole);
    }
    checkWhole("RedisService: maxBytes", options.maxBytes, 1, kMostBytes);
    checkWhole("RedisService: maxDepth", options.maxDepth, 0, 10'000);
    return options;
}

}  // namespace

RedisService::RedisService(RedisConnection& connection, std::string name,
                           RedisServiceOptions options)
    : connection_(connection),
      name_(std::move(name)),
      limits_(checked(options)),
      base_(RedisConnection::Access::key(connection, "call", name_, "RedisService")),
      caller_(std::make_shared<detail::redis::Caller>(connection, name_, base_, limits_)) {}

RedisService::~RedisService() {
    caller_->end();
}

Step<AnyValues, Values<std::int64_t>> RedisService::waiting() {
    return step([this](IAsyncSteps& asi) -> Values<std::int64_t> {
        detail::redis::ask(asi, connection_, {"ZCARD", base_ + ":queue"});
        asi.add([](IAsyncSteps&, const detail::redis::Reply& found) { return found.number; });
        return {};
    });
}

Step<AnyValues, Values<std::string>> call(RedisService& service, std::string method,
                                          std::string args, CallOptions options) {
    const RedisServiceOptions& limits = RedisService::Access::limits(service);
    if (method.empty()) detail::misuse("call: expected a method");
    detail::redis::checkPayload("call", args, limits.maxBytes, limits.maxDepth);
    if (!detail::redis::isList(args)) detail::misuse("call: expected a list of arguments");
    if (!options.traceparent.empty() && !detail::redis::isTrace(options.traceparent)) {
        detail::misuse("call: traceparent: expected one of W3C, got " + options.traceparent);
    }
    const std::string name = service.name() + "." + method;
    detail::redis::Request request{std::move(method), std::move(args),
                                   std::move(options.traceparent)};
    const auto asks = [&service,
                       request = std::move(request)](IAsyncSteps& asi) -> Values<std::string> {
        const std::int64_t left = asi.remaining();
        detail::redis::Request made = request;
        if (left != std::numeric_limits<std::int64_t>::max()) made.left = left;
        const auto asked =
            RedisService::Access::caller(service).ask(std::move(made), asi.waitExternal());
        asi.setCancel([asked](IAsyncSteps&) { asked->leave(); });
        return {};
    };
    return step(asks).named(name);
}

}  // namespace steptree
