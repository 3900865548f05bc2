#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "steptree/abi.hpp"
#include "steptree/detail/takenfrom.hpp"
#include "steptree/iasyncsteps.hpp"
#include "steptree/required.hpp"
#include "steptree/run.hpp"

namespace steptree {

/// `Channel<Job>({.capacity = 16})`.
struct ChannelOptions {
    /// Values that it holds and nobody has received, at least 0; kUnlimited: nobody waits to send.
    Required<std::int64_t> capacity;
    std::string name{};  ///< what its errors call it; without: nothing
};

namespace detail {

/// Takes values from lines and gives each to one other line, in the order of sending. Holds up to
/// `capacity` that nobody has received yet; 0: who sends waits for who receives; kUnlimited: nobody
/// waits to send. T has to be movable. Has to outlive the runs of the flows that use it, and owns
/// what is in its buffer.
///
/// forEach() and map() go through it: they receive value by value, and end when it is closed and
/// empty. What they leave before an iteration or item has begun goes back.
/// Guide: docs/limits.md#channels
///
///     asi.forEach(jobs, [](IAsyncSteps& asi, std::size_t, const Job& job) { work(asi, job); });
///
/// Channel is for flows of one thread: calls from another one throw InternalError while a tool that
/// used it lives. ThreadChannel for flows of any threads, and for threads without: its trySend,
/// tryReceive, close and closed may be called anywhere.
template <class T, class Lock>
class STEPTREE_VISIBLE BasicChannel {
    static_assert(std::is_same_v<T, Kept<T>>,
                  "a type that is kept as it is: no reference, no char*");

  public:
    /// For the runtime: as what forEach() and map() go through.
    using Taken = TakenFrom<T, Lock>;
    operator Taken() noexcept { return Taken(pipe_); }

    /// InternalError for a bad option.
    explicit BasicChannel(const ChannelOptions& options) : pipe_(options.capacity, options.name) {}
    BasicChannel(const BasicChannel&) = delete;
    BasicChannel& operator=(const BasicChannel&) = delete;

    /// Adds a step that sends the value: it ends at once if there is room or a receiver waits, else
    /// when the value is taken. Closed before, it takes the value along. Closed if the channel is
    /// closed, before or while it waits. InternalError to the caller where no step can be added.
    /// Guide: docs/limits.md#channels
    void send(IAsyncSteps& asi, T value) {
        asi.add([&pipe = pipe_, value = std::move(value)](IAsyncSteps& step) mutable {
            Results kept;
            kept.set(std::move(value));
            pipe.send(step, kept);
        });
    }

    /// Adds a step whose result is the next value: at once if there is one, else when one is sent.
    /// Closed if the channel is closed and empty. A value that has come to a step that is closed
    /// before its line moves goes on to the next. InternalError to the caller where no step can be
    /// added. Guide: docs/limits.md#channels
    void receive(IAsyncSteps& asi) {
        asi.add([&pipe = pipe_](IAsyncSteps& step) { pipe.receive(step); });
    }

    /// Outside of steps: a run of a step that sends, or receives. The future is settled when that
    /// has ended; it fails with Canceled after `signal` was stopped: then nothing has been sent, or
    /// received; a value that was taken before is sent. Channel: on the tool's thread.
    /// ThreadChannel: anywhere. Has to outlive these runs. Guide: docs/limits.md#channels
    ///
    ///     Future<> sent = jobs.send(tool, std::move(job), {.signal = stop.get_token()});
    Future<> send(Tool& tool, T value, RunOptions options = {}) {
        struct Held {
            T value;
            bool sent = false;
        };
        const auto held = std::make_shared<Held>(Held{std::move(value)});
        const auto sends = step([&pipe = pipe_, held](IAsyncSteps& asi) {
            Results kept;
            kept.set(std::move(held->value));
            pipe.send(asi, kept, &held->sent);
        });
        Promise<void> promise;
        promise.settledBy(detail::settlerOf(tool.core()));
        Future<> future = promise.future();
        auto done = [held, promise = std::move(promise)](Outcome& outcome) mutable {
            if (held->sent) outcome.kind = OutcomeKind::ok;  // whatever has come after that
            IFlow::settle(promise, outcome);
        };
        detail::startOwned(
            tool.core(), sends.definition(),
            {std::move(done), std::move(options.signal), std::move(options.options)});
        return future;
    }
    /// The same: receives outside of steps. Guide: docs/limits.md#channels
    ///
    ///     Future<Job> job = jobs.receive(tool);
    Future<T> receive(Tool& tool, RunOptions options = {}) {
        return run(tool, step<Values<>, Values<T>>([&pipe = pipe_](IAsyncSteps& asi) {
                       pipe.receive(asi);
                   }),
                   std::move(options));
    }

    /// Sends if nobody has to wait for that; whether it did. What is not sent is left as it was.
    /// Guide: docs/limits.md#channels
    ///
    ///     if (!jobs.trySend(std::move(job))) log("full");
    bool trySend(T&& value) {
        pipe_.checkHere("trySend");
        Results kept;
        kept.set(std::move(value));
        if (pipe_.trySend(kept)) return true;
        if constexpr (std::is_move_assignable_v<T>) {
            value = std::move(kept.at<T>(0));
        } else {
            std::destroy_at(&value);
            std::construct_at(&value, std::move(kept.at<T>(0)));
        }
        return false;
    }
    /// The same with a copy.
    bool trySend(const T& value) {
        Results kept;
        kept.set(value);
        return pipe_.trySend(kept);
    }

    /// Receives if nobody has to wait for that. Guide: docs/limits.md#channels
    ///
    ///     std::optional<Job> next = jobs.tryReceive();
    std::optional<T> tryReceive() {
        Results kept;
        if (!pipe_.tryReceive(kept)) return std::nullopt;
        return std::optional<T>(std::move(kept.at<T>(0)));
    }

    /// From now on nothing is sent: who waits fails with Closed. What is in the buffer can be
    /// received. Guide: docs/limits.md#channels
    void close() { pipe_.close(); }

    /// How many values it holds that nobody has received.
    std::int64_t size() const { return pipe_.count("size").size; }
    /// For how many more there is room.
    std::int64_t available() const { return pipe_.count("available").available; }
    /// How many steps wait to send.
    std::int64_t senders() const { return pipe_.count("senders").senders; }
    /// How many steps wait to receive.
    std::int64_t receivers() const { return pipe_.count("receivers").receivers; }
    /// As it was given.
    const std::string& name() const noexcept { return pipe_.name(); }

    /// Whether it is closed. There may be values left.
    bool closed() const { return pipe_.closed(); }

  private:
    BasicPipe<Lock> pipe_;
};

}  // namespace detail

/// Hands values from lines to lines: `Channel<Job> jobs({.capacity = 16});`. For flows of one
/// thread, whichever tools they are of; see detail::BasicChannel. Guide: docs/limits.md#channels
template <class T>
using Channel = detail::BasicChannel<T, detail::NoMutex>;
/// The same for flows of any threads; see detail::BasicChannel. Guide: docs/limits.md#channels
template <class T>
using ThreadChannel = detail::BasicChannel<T, std::mutex>;

}  // namespace steptree
