#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "steptree/abi.hpp"
#include "steptree/detail/function.hpp"

struct redisAsyncContext;

namespace steptree {

namespace detail::redis {
class Wire;
}

/// `RedisConnection({.prefix = "shop"})`.
struct RedisOptions {
    /// What all keys of this application begin with: letters, digits, `_`, `.` and `-`. Two
    /// applications on one Redis have two.
    std::string prefix;
    std::string host = "127.0.0.1";  ///< where the server is; not heeded with `socket`
    std::uint16_t port = 6379;       ///< its port
    std::string socket{};            ///< the path of its socket, instead of an address
    std::string user{};              ///< of its access lists; without: the one that has no name
    std::string password{};          ///< without: it wants none
    std::uint16_t database = 0;      ///< which of its databases
    /// How long a connection may take until it's made.
    std::chrono::milliseconds connectTimeout{5000};
    /// Makes each connection, instead of an address: for TLS, by the hiredis_ssl of hiredis 1.0 or
    /// newer. Called on the connection's thread; null: this time there is none.
    detail::Function<redisAsyncContext*()> connect{};
};

/// An application's use of Redis: a thread of its own, with a connection that asks, one that hears,
/// and one for guards with `replicas`, each made by hiredis and made anew whenever it's lost, after
/// 50 ms to 2 s. Commands that were on their way then have failed, whether or not the server has
/// carried them out. For flows of any threads and tools. Has to outlive what uses it.
///
/// Link steptree::redis. Guide: docs/jobs.md#a-connection
///
///     RedisConnection shop({.prefix = "shop", .host = "redis.internal"});
class STEPTREE_VISIBLE RedisConnection {
  public:
    /// Doesn't wait for the server. InternalError for a bad prefix; std::system_error if there's no
    /// thread.
    explicit RedisConnection(RedisOptions options);
    RedisConnection(const RedisConnection&) = delete;
    RedisConnection& operator=(const RedisConnection&) = delete;
    /// Closes its connections; what hasn't been answered has failed. Not on its own thread.
    ~RedisConnection();

    /// For the runtime.
    struct Access;

  private:
    const std::unique_ptr<detail::redis::Wire> wire_;
};

}  // namespace steptree
