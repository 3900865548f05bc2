#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/detail/function.hpp"
#include "steptree/error.hpp"
#include "steptree/future.hpp"
#include "steptree/redisservice.hpp"
#include "steptree/steps.hpp"
#include "steptree/tool.hpp"

namespace steptree {

namespace detail::redis {
class Taker;
}

/// What the handler of a call gets as its second value. Copies are the same; it may outlive the
/// call. How much time is left says `asi.remaining()`. Guide: docs/calls.md#a-server
///
///     const auto quotes = step([](IAsyncSteps& asi, const std::string& args,
///                                 const ServedCall& served) {
///         log(served.id() + args);
///         return std::string("14");
///     });
class STEPTREE_VISIBLE ServedCall {
  public:
    /// For the runtime.
    struct Data {
        std::string id{};
        std::string service{};
        std::string method{};
        std::string traceparent{};
    };
    explicit ServedCall(std::shared_ptr<const Data> data) noexcept : data_(std::move(data)) {}

    /// Of this call: no other one ever has it.
    const std::string& id() const noexcept { return data_->id; }
    /// The name of the service.
    const std::string& service() const noexcept { return data_->service; }
    /// That was called.
    const std::string& method() const noexcept { return data_->method; }
    /// Of the caller's trace, in the format of the W3C; '': there is none.
    const std::string& traceparent() const noexcept { return data_->traceparent; }

  private:
    std::shared_ptr<const Data> data_;
};

/// `Server(tool, books, {{"quote", quotes}}, {.concurrency = 50})`.
struct ServerOptions {
    /// How many calls run at a time, 1 to 10,000. The others wait in Redis, for whichever server
    /// has room.
    std::int64_t concurrency = 100;
    /// Whether these are arguments for that method. If not, or if it throws, the call fails with
    /// InvalidCall. On the tool's thread.
    detail::Function<bool(const std::string& args, const std::string& method)> accepts{};
    /// Gets what goes wrong beside the calls: what Redis says, RedisFailed, which is tried again
    /// anyway; and mistakes of handlers, which fail with InternalError: exceptions that are no
    /// StepError, as its cause, replies that are no JSON. Its path begins with the method. On the
    /// tool's thread; what it throws is ignored. Without: a mistake is printed, of the rest nobody
    /// hears.
    detail::Function<void(const StepError&)> report{};
};

/// Answers calls of a service. Each is a flow of its own, within the time that the caller has left,
/// in which the method's handler, a step value, finds the arguments, a JSON list, and the
/// ServedCall. It leaves the result, a text of JSON, or nothing, which is null. It fails: so does
/// the call. The caller is cancelled or dies: the flow is cancelled. A guard for all calls is the
/// handlers' matter: `sync(guard, quotes)`.
///
/// Made on any thread, works on the tool's. The tool may be used by others, too; it has to run, and
/// to outlive the server, as has the service. Guide: docs/calls.md#a-server
///
///     Server bookServer(tool, books, {{"quote", sync(connections, quotes)}});
class STEPTREE_VISIBLE Server {
  public:
    using Handler = Step<Values<std::string, ServedCall>, AnyValues>;
    using Handlers = std::map<std::string, Handler>;

    /// No handler, one of a method without a name, bad options: InternalError.
    Server(Tool& tool, RedisService& service, Handlers handlers, ServerOptions options = {});
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    /// Cancels what runs, as the destructor of a Scope does, and tells nobody: its callers hear
    /// when the lease has ended. Any thread. On one that drives the tool, but outside of its
    /// executor, and in what a flow of another tool runs, it can't wait for that: the service, and
    /// what handlers refer to, have to live a moment longer. Who can wait drains before: then
    /// nothing is left.
    ~Server();

    /// How many calls it runs. Never waits.
    std::size_t size() const noexcept;

    /// Takes no more calls, lets those that run end by themselves for so long, milliseconds or any
    /// chrono duration, then cancels them: their callers get CallLost. Settles with how many
    /// these were, once nothing of the server is left; while Redis doesn't answer, within a lease
    /// more. A second call gives the same. Any thread from which a Scope may be closed; on another
    /// one, and for a negative time or NaN: InternalError.
    /// Guide: docs/calls.md#shutdown
    ///
    ///     bookServer.drain(5s).get();
    template <class Time>
    Future<std::size_t> drain(Time limit) {
        return drainFor(detail::wholeMilliseconds(limit));
    }

  private:
    Future<std::size_t> drainFor(std::int64_t ms);

    const std::shared_ptr<detail::redis::Taker> taker_;
};

}  // namespace steptree
