#pragma once

#include <string>
#include <string_view>

#include "steptree/redis.hpp"
#include "wire.hpp"

namespace steptree {

/// What guards and jobs ask of a connection. Any thread.
struct RedisConnection::Access {
    static detail::redis::Wire& wire(RedisConnection& of) noexcept { return *of.wire_; }

    /// The base of the keys of one thing: `{prefix:kind:name}`. A bad name is a mistake of `what`.
    static std::string key(RedisConnection& of, std::string_view kind, std::string_view name,
                           std::string_view what);

    /// Runs a script of spec/redis by its name; before its own arguments it gets the time, which is
    /// empty but in tests. Throws std::bad_alloc only.
    static void script(RedisConnection& of, std::string_view name, std::string key,
                       detail::redis::Words args, detail::redis::Answer answer);
    /// The same, but it counts only if so many replicas have what it did, which it has if its
    /// answer begins with 1. On the connection's thread.
    static void replicated(RedisConnection& of, std::string_view name, std::string key,
                           detail::redis::Words args, const detail::redis::ReplicasNeeded& needed,
                           detail::redis::Answer answer);
};

}  // namespace steptree
