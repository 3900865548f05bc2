#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/detail/definition.hpp"
#include "steptree/detail/duration.hpp"
#include "steptree/future.hpp"
#include "steptree/run.hpp"
#include "steptree/startoptions.hpp"
#include "steptree/steps.hpp"
#include "steptree/tool.hpp"

namespace steptree {

namespace detail {
struct ScopeState;
}

/// Owns the flows that it starts, and ends them together: those of a listener, a client, a test.
/// All calls may come on any thread; on another than the tool's they wait for that, as cancel() of
/// a flow does, and throw InternalError where that could have no end.
///
/// A server gives it an `unhandled`: a client that hangs up is an error of its flow, and what
/// nobody hears of aborts the process. Guide: docs/server.md#a-server-in-c-with-asio
///
///     const auto policy = std::make_shared<const Options>(Options{.unhandled = &report});
///     Scope clients(tool, policy);
///     clients.start(serve.with(std::make_shared<tcp::socket>(std::move(socket))));
///     signals.async_wait([&](auto...) { clients.drain(5s).onSettled([&](auto&) { quit(); }); });
class STEPTREE_VISIBLE Scope {
  public:
    /// Its flows run on that tool, which may go first, with these options, but for those that a
    /// start has itself: all of them then. InternalError for bad ones.
    explicit Scope(Tool& tool, std::shared_ptr<const Options> options = {});
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

    /// Destroys the flows of the scope, as the owner of a flow does: cancel handlers and cleanups
    /// are called, nothing is waited for. To wait: close() before.
    ~Scope();

    /// Runs a step value in a flow of its own, as `start` of the tool does; the flow ends with the
    /// scope at the latest. An error of it goes to `done` of the options; without that to
    /// `unhandled` of the flow's options, else of the scope's; without that the process aborts.
    /// Once the scope drains or is closed it isn't run, and the error is Closed: who still gets
    /// requests then answers them in `done`, or uses run(). Once its tool has gone: InternalError.
    /// Guide: docs/server.md
    ///
    ///     clients.start(serve.with(client), {.done = &tellEnd});
    template <class In, class Out>
    void start(const Step<In, Out>& value, StartOptions options = {}) {
        static_assert(detail::fits<Values<>, In>,
                      "start(): the step takes values: give them by with()");
        startIn(value.definition(), std::move(options), "start");
    }

    /// Runs a step value in a flow of its own, one of the scope, and gives a future of its first
    /// value, as `run` on the tool does; it fails with Canceled when the scope is closed. Once the
    /// scope drains or is closed it isn't run, and fails with Closed. InternalError when the tool
    /// has gone. Guide: docs/server.md
    ///
    ///     Future<Page> page = clients.run(profile.with(42));
    template <class In, class Out>
    [[nodiscard("an error is lost with the future: scope.start(step) has none")]] auto run(
        const Step<In, Out>& value, RunOptions options = {}) {
        static_assert(detail::fits<Values<>, In>,
                      "run(): the step takes values: give them by with()");
        using T = typename detail::OnlyIn<Out>::type;
        Promise<T> promise;
        promise.settledBy(detail::settlerOf(core()));
        Future<T> future = promise.future();
        startIn(value.definition(),
                {IFlow::settling(std::move(promise)), std::move(options.signal),
                 std::move(options.options)},
                "run");
        return future;
    }

    /// Cancels all flows of the scope that run, in the order in which they were started; none is
    /// started any more. Settles from the tool, after every `done`, when nothing of them is open,
    /// with the size() when it was closed; with Canceled if the tool goes before. Closing twice is
    /// allowed, and settles with the same number. Guide: docs/production.md#shutdown
    ///
    ///     std::size_t cancelled = clients.close("shutdown").get();
    Future<std::size_t> close(std::string_view reason = {});

    /// Lets what runs end by itself for so long, milliseconds or any chrono duration, rounded up;
    /// then closes the scope. None is started any more. Infinity: as long as it takes. Settles as
    /// close() does, which hurries it; with 0 if the time was enough. A further drain() sets the
    /// time anew. Cleanups of what is closed come on top, at most `grace` of each flow. A flow of
    /// the scope that awaits it waits for itself. Negative or NaN: InternalError.
    /// Guide: docs/production.md#shutdown
    ///
    ///     std::size_t cancelled = clients.drain(5s).get();
    template <class Time>
    Future<std::size_t> drain(Time limit, std::string_view reason = {}) {
        return drainFor(detail::wholeMilliseconds(limit), reason);
    }

    /// Whether drain() or close() was called, so that no flow is started any more: what serves a
    /// client that stays may end after this answer. Never waits.
    bool draining() const noexcept;

    /// How many flows of the scope have not ended yet, so what a drain would wait for. Never waits.
    std::size_t size() const noexcept;

  private:
    detail::ToolCore& core() const noexcept;
    void startIn(const detail::Definition& step, StartOptions options, const char* call);
    Future<std::size_t> drainFor(std::int64_t ms, std::string_view reason);

    std::shared_ptr<detail::ScopeState> state_;
};

}  // namespace steptree
