#include "redisguard.hpp"

#include "misuse.hpp"

namespace steptree::detail::redis {

namespace {

std::optional<Share> shareOf(const std::string& call, const WhenDown& given, const Limits& limits) {
    if (given.kind != WhenDown::alone) return {};
    if (!limits.share) misuse(call + ": whenDown: expected fail or wait");
    return limits.share(checkWhole(call + ": whenDown: local", given.share, 1, kMostWhole));
}

}  // namespace

std::shared_ptr<RemoteSource> placesOf(const std::string& call, RedisConnection& connection,
                                       const char* kind, const std::string& name,
                                       const CommonOptions& options, const Limits& limits) {
    if (options.maxQueue != kUnlimited)
        checkWhole(call + ": maxQueue", options.maxQueue, 0, kMostWhole);
    checkWhole(call + ": lease", options.lease.count(), 1000, kDay);
    std::chrono::nanoseconds patience = options.lease / 3;
    if (options.patience) {
        checkWhole(call + ": patience", options.patience->count(), 1, kDay);
        patience = *options.patience;
    }
    checkWhole(call + ": replicas", options.replicas, 0, 1000);
    auto share = shareOf(call, options.whenDown, limits);
    return std::make_shared<RedisPlaces>(
        connection, RedisConnection::Access::key(connection, kind, name, call),
        PlacesOptions{limits.max, options.maxQueue, limits.rate, options.lease, patience,
                      options.replicas, options.whenDown.kind, std::move(share)});
}

steptree::Step<AnyValues, Values<RedisGuardCounts>> countsOf(RemoteSource& source,
                                                             std::int64_t all) {
    const auto& places = static_cast<RedisPlaces&>(source);
    return step([&places, all](IAsyncSteps& asi) -> Values<RedisGuardCounts> {
        places.counts(asi);
        asi.add([all](IAsyncSteps&, const Reply& found) {
            const auto number = [&](std::size_t at) { return found.list.at(at).number; };
            return RedisGuardCounts{number(0) >= all ? 1 : number(0), number(1),
                                    number(2) < 0 ? kUnlimited : number(2)};
        });
        return {};
    });
}

std::string tokenOf(const std::string* token) {
    if (token != nullptr && !token->empty()) return *token;
    misuse("token: the line has no place that Redis knows");
}

}  // namespace steptree::detail::redis
