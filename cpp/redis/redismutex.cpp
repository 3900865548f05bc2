#include "steptree/redismutex.hpp"

#include <utility>

#include "redisguard.hpp"

namespace steptree {

namespace {

using detail::redis::CommonOptions;
using detail::redis::Limits;
using detail::redis::Share;

std::shared_ptr<detail::RemoteSource> placesOfMutex(RedisConnection& connection,
                                                    const std::string& name,
                                                    const RedisMutexOptions& options) {
    using detail::redis::checkWhole;
    const auto max = checkWhole("RedisMutex: max", options.max, 1, detail::redis::kMostWhole);
    const Limits limits{max, {}, [](std::int64_t local) { return Share{local}; }};
    return detail::redis::placesOf("RedisMutex", connection, "mutex", name,
                                   CommonOptions::of(options), limits);
}

}  // namespace

RedisMutex::RedisMutex(RedisConnection& connection, const std::string& name,
                       const RedisMutexOptions& options)
    : RemoteGuard("mutex", name, options.abandoned, placesOfMutex(connection, name, options)) {}

RedisMutex::~RedisMutex() = default;

Step<AnyValues, Values<RedisGuardCounts>> RedisMutex::counts() {
    return detail::redis::countsOf(source());
}

std::string RedisMutex::token(IAsyncSteps& asi) const {
    return detail::redis::tokenOf(tokenOf(asi, "token"));
}

}  // namespace steptree
