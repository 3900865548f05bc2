#pragma once

#include <asio.hpp>
#include <optional>
#include <utility>

#include "../../batch.hpp"
#include "../../harness.hpp"

/// Standalone Asio: awaitables of the io_context's own executor, without type erasure, and without
/// locks where there is one thread. Coroutines are started inside of the io_context, where Asio
/// recycles their memory; what completes them runs there too. Those that wait go on in a turn of
/// their own, as flows do, or, with ASIO_INLINE, inside of the call that completes them.
namespace bench {

using Executor = asio::io_context::executor_type;
using Awaitable = asio::awaitable<void, Executor>;
using Token = asio::use_awaitable_t<Executor>;
using Handler = asio::async_result<Token, void()>::handler_type;

/// The io_context of one thread.
struct Loop {
    asio::io_context io{ASIO_CONCURRENCY_HINT_UNSAFE};

    template <class Done = asio::detached_t>
    void spawn(Awaitable flow, Done done = {}) {
        asio::co_spawn(io.get_executor(), std::move(flow), done);
    }
    /// Calls it inside of the io_context, and runs what comes of it.
    template <class F>
    void inside(F&& call) {
        asio::post(io, std::forward<F>(call));
        io.restart();
        io.poll();
    }
};

/// What a coroutine waits for. Posting lets it go on in its turn, dispatching inside of the call,
/// which is quicker, but for coroutines that end there.
class Event {
  public:
    auto wait() {
        return asio::async_initiate<const Token, void()>(
            [this](Handler handler) { handler_.emplace(std::move(handler)); }, kToken);
    }
    void post() { asio::post(take()); }
    void dispatch() { asio::dispatch(take()); }

  private:
    static constexpr Token kToken{};

    Handler take() {
        Handler handler = std::move(*handler_);
        handler_.reset();
        return handler;
    }

    std::optional<Handler> handler_;
};
using Events = Batch<Event>;

/// Starts one flow after another, each from the end of the one before.
template <class Make>
struct Chain {
    Loop& loop;
    std::size_t& left;
    Make make;

    void operator()(std::exception_ptr = {}) const {
        if (left-- > 0) loop.spawn(make(), *this);
    }
};

template <class Make>
void runFlows(Run& run, Loop& loop, std::size_t flows, Make make) {
    std::size_t left = flows;
    run.start();
    loop.inside(Chain<Make>{loop, left, make});
    run.stop();
}

}  // namespace bench
