#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "steptree/abi.hpp"
#include "steptree/redis.hpp"
#include "steptree/steps.hpp"
#include "steptree/unlimited.hpp"

namespace steptree {

namespace detail::redis {
class Caller;
}

/// `RedisService(shop, "books", {.maxQueue = 1000})`. Those who call and those who serve give the
/// same ones.
struct RedisServiceOptions {
    /// Within which time a process that was killed is noticed, 1 s to 1e10 ms: its calls are
    /// cancelled, and those that it has taken fail with CallLost.
    std::chrono::milliseconds lease{10'000};
    std::int64_t maxQueue = kUnlimited;  ///< calls that may wait until one takes them, at least 1
    std::int64_t maxBytes = 1'048'576;   ///< of arguments, and of a result, 1 to 512 MiB
    std::int64_t maxDepth = 64;          ///< of arrays and objects in each other, 0 to 10,000
    /// How long Redis may take to hear of a call, 1 ms to the lease; else RedisFailed. 0: a
    /// third of the lease.
    std::chrono::milliseconds patience{0};
};

/// `call(books, "quote", args, {.traceparent = trace})`.
struct CallOptions {
    /// Of a trace, for the handler, in the format of the W3C: `00-…-…-01`; '': none.
    std::string traceparent{};
};

/// A service that processes share over Redis: any number of them, in C++ and JavaScript, call its
/// methods, and any number serve them. It does nothing by itself. Any thread; has to outlive the
/// flows that use it. Guide: docs/calls.md
///
///     RedisService books(shop, "books");
///     const std::string price = run(tool, call(books, "quote", R"(["978", 2])")).get();
class STEPTREE_VISIBLE RedisService {
  public:
    /// A bad name or option: InternalError. `connection` has to outlive it.
    RedisService(RedisConnection& connection, std::string name, RedisServiceOptions options = {});
    RedisService(const RedisService&) = delete;
    RedisService& operator=(const RedisService&) = delete;
    /// Whoever still waits for an answer gets none.
    ~RedisService();

    /// As it was given.
    const std::string& name() const noexcept { return name_; }

    /// A step that says how many calls wait until a server takes them, those of all processes.
    /// No answer of Redis: RedisFailed. Guide: docs/calls.md#a-server
    ///
    ///     if (run(tool, books.waiting()).get() > 1000) log("more servers, please");
    Step<AnyValues, Values<std::int64_t>> waiting();

    /// For the runtime.
    struct Access;

  private:
    RedisConnection& connection_;
    const std::string name_;
    const RedisServiceOptions limits_;
    const std::string base_;
    const std::shared_ptr<detail::redis::Caller> caller_;
};

/// A step that calls a method of a service, each time that it runs, and leaves its result: JSON.
/// `args` is a JSON list. A server runs it once, or not at all, within the time that the limits of
/// this flow leave it. When the step is left before, the handler's flow is cancelled, also if this
/// process is killed.
///
/// The handler fails: its code and info, with the path that leads on into the other process, and
/// its causes. No such method: UnknownMethod; arguments that are none for it: InvalidCall. As many
/// wait as `maxQueue` allows: DefenseRejected. Its server was lost, or Redis: CallLost; whether it
/// was run isn't known then. Redis doesn't answer: RedisFailed. Arguments that are no JSON list or
/// too large, a bad option: InternalError at the call. Guide: docs/calls.md
///
///     asi.add(call(books, "quote", R"(["978", 2])").timeout(500));
STEPTREE_VISIBLE Step<AnyValues, Values<std::string>> call(RedisService& service,
                                                           std::string method, std::string args,
                                                           CallOptions options = {});

}  // namespace steptree
