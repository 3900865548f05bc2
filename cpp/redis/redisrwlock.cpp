#include "steptree/redisrwlock.hpp"

#include "redisguard.hpp"

/// Who reads takes one place of very many, who writes takes all of them.
namespace steptree {

namespace {

constexpr std::int64_t kAllPlaces = std::int64_t{1} << 50;

}  // namespace

RedisRwLock::Side::Side(RedisRwLock& owner, bool writes, const std::string& name,
                        Abandoned abandoned, std::shared_ptr<detail::RemoteSource> source)
    : RemoteGuard(writes ? "rwlock.write" : "rwlock.read", name, abandoned, std::move(source)),
      owner_(owner),
      writes_(writes) {}

RedisRwLock::Side::~Side() = default;

/// It writes, so it may read.
bool RedisRwLock::Side::isInByOther(detail::Line& line) const noexcept {
    return !writes_ && owner_.write.has(line);
}

bool RedisRwLock::Side::admit(detail::Line& line) noexcept {
    if (RemoteGuard::admit(line, 1)) return true;
    if (!isInByOther(line)) return false;
    try {
        take(line);
        return true;
    } catch (...) {
        return false;
    }
}

void RedisRwLock::Side::wait(detail::Step& lock) {
    detail::Line& line = lineOf(lock);
    if (isInByOther(line) && !has(line)) return take(line);
    RemoteGuard::wait(lock, writes_ ? kAllPlaces : 1);
}

const char* RedisRwLock::Side::deadlock(detail::Line& line, std::int64_t) const noexcept {
    const Side& read = owner_.read;
    const bool reads = writes_ && (read.has(line) || read.hasAround(line));
    return reads || owner_.write.hasAround(line) ? "the line, or one around it, is in" : nullptr;
}

RedisRwLock::RedisRwLock(RedisConnection& connection, const std::string& name,
                         const RedisRwLockOptions& options)
    : source_(detail::redis::placesOf("RedisRwLock", connection, "rwlock", name,
                                      detail::redis::CommonOptions::of(options), {kAllPlaces})),
      read(*this, false, name, options.abandoned, source_),
      write(*this, true, name, options.abandoned, source_) {}

RedisRwLock::~RedisRwLock() = default;

Step<AnyValues, Values<RedisGuardCounts>> RedisRwLock::counts() {
    return detail::redis::countsOf(*source_, kAllPlaces);
}

std::string RedisRwLock::token(IAsyncSteps& asi) const {
    const std::string* token = write.tokenOf(asi, "token");
    if (token == nullptr) token = read.tokenOf(asi, "token");
    return detail::redis::tokenOf(token);
}

}  // namespace steptree
