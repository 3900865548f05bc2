#include <cstdint>
#include <utility>

#include "channels.hpp"
#include "collections.hpp"
#include "guards.hpp"
#include "operations.hpp"
#include "sink.hpp"
#include "tables.hpp"

/// Calls that add steps.
namespace steptree::cabi::addcalls {

namespace {

/// A body with nothing to drop, kept as bytes: the row step_c.
struct BareBody {
    steptree_body body;
    void* data;

    static void call(IAsyncSteps& asi, void* closure, detail::CallArgs& args) noexcept {
        if (args.values != nullptr) [[unlikely]]
            return callGiven(asi, closure, args);
        const BareBody& bare = *static_cast<const BareBody*>(closure);
        const steptree_error* const error = bare.body(cHandle(asi), &kNoValues, bare.data);
        if (error != nullptr) [[unlikely]]
            fail(asi, *error);
    }

    [[gnu::noinline]] static void callGiven(IAsyncSteps& asi, void* closure,
                                            detail::CallArgs& args) noexcept {
        const BareBody& bare = *static_cast<const BareBody*>(closure);
        detail::guarded(asi, [&] {
            Results values = std::move(*args.values);
            callWith(values, bare.body, asi, bare.data);
        });
    }
    [[gnu::noinline]] static void fail(IAsyncSteps& asi, const steptree_error& error) noexcept {
        detail::guarded(asi, [&] { rethrow(error); });
    }

    static const void* thrown() noexcept { return failed(); }

    static constexpr detail::PairOps kOps{{16, 16, true, nullptr, nullptr, &call}, &thrown};
};

/// Inlined it would give step() a larger frame.
[[gnu::noinline]] const steptree_error* namedStep(steptree_adder* to,
                                                  const steptree_closure* closure,
                                                  steptree_text name) {
    return attempt([&] {
        withHandled(*closure, [&](auto body, auto handler) {
            Sink(to).add(std::move(body), std::move(handler), view(name));
        });
    });
}

/// A body alone, without a handler and without anything to drop.
bool isBare(const steptree_closure& closure) noexcept {
    const auto drop = reinterpret_cast<std::uintptr_t>(closure.drop);
    const auto onerror = reinterpret_cast<std::uintptr_t>(closure.onerror);
    return (drop | onerror) == 0 && closure.body != nullptr;
}

const steptree_error* step(steptree_adder* to, const steptree_closure* closure) {
    if (!isBare(*closure)) [[unlikely]]
        return namedStep(to, closure, {});
    return static_cast<const steptree_error*>(from(to).addPair(BareBody::kOps, closure));
}

const steptree_error* loop(steptree_adder* to, const steptree_closure* closure,
                           steptree_text label) {
    return attempt([&] {
        withBody<RoundBody>(*closure, Data(*closure),
                            [&](auto body) { Sink(to).loop(std::move(body), view(label)); });
    });
}

const steptree_error* repeat(steptree_adder* to, std::int64_t count,
                             const steptree_closure* closure, steptree_text label) {
    return attempt([&] {
        withBody<NumberedRoundBody>(*closure, Data(*closure), [&](auto body) {
            Sink(to).repeat(count, std::move(body), view(label));
        });
    });
}

const steptree_error* forEach(steptree_adder* to, const steptree_value* collection,
                              const steptree_closure* closure, steptree_text label) {
    return attempt([&] {
        withCollection(collection, *closure, [&](auto all, auto body) {
            Sink(to).forEach(std::move(all), std::move(body), view(label));
        });
    });
}

const steptree_error* forEachOf(steptree_adder* to, steptree_channel* channel,
                                const steptree_closure* closure, steptree_text label) {
    return attempt([&] {
        withBody<ElementBody>(*closure, Data(*closure), [&](auto body) {
            withChannel(channel, [&](auto& through) {
                Sink(to).forEach(through, std::move(body), view(label));
            });
        });
    });
}

const steptree_error* await(steptree_adder* to, const steptree_awaitable* awaitable,
                            const steptree_closure* closure) {
    return attempt([&] {
        withOperation(awaitable, [&](auto operation) {
            withHandler(closure, [&](auto handler) {
                Sink(to).await(std::move(operation), std::move(handler));
            });
        });
    });
}

const steptree_error* awaitFlow(steptree_adder* to, steptree_flow* flow,
                                const steptree_closure* closure) {
    return attempt([&] {
        withHandler(closure, [&](auto handler) { Sink(to).await(from(flow), std::move(handler)); });
    });
}

const steptree_error* sync(steptree_adder* to, steptree_guard* guard,
                           const steptree_closure* closure) {
    return attempt([&] {
        withHandled(*closure, [&](auto body, auto handler) {
            withGuard(*guard, [&](auto& locked) {
                Sink(to).sync(locked, std::move(body), std::move(handler));
            });
        });
    });
}

const steptree_error* syncKey(steptree_adder* to, steptree_keyed* keyed, steptree_text key,
                              const steptree_closure* closure) {
    return attempt([&] {
        withHandled(*closure, [&](auto body, auto handler) {
            const KeyedGuard guard = keyed->of(std::string(view(key)));
            Sink(to).sync(guard, std::move(body), std::move(handler));
        });
    });
}

const steptree_error* value(steptree_adder* to, const steptree_definition* value,
                            const steptree_closure* closure, steptree_text name) {
    return attempt([&] {
        withHandler(closure, [&](auto handler) {
            Sink(to).add(stepOf(value), std::move(handler), view(name));
        });
    });
}

const steptree_error* relinquish(steptree_adder* to) {
    return attempt([&] {
        from(to).addStep(detail::StepSpec{nullptr, nullptr, detail::StepKind::relinquish});
    });
}

const steptree_error* success(steptree_adder* to, const steptree_value* values, std::size_t count) {
    return attempt([&] {
        Results results;
        try {
            take(values, count, results);
        } catch (const StepError& error) {
            Sink(to).add(
                [error](IAsyncSteps& asi) { asi.errorNoThrow(error.code(), error.info()); });
            return;
        }
        Sink(to).add([kept = std::move(results)](IAsyncSteps& asi) mutable {
            asi.success(std::move(kept));
        });
    });
}

}  // namespace

const steptree_add_api kApi{sizeof(kApi), 0,           &step,    &namedStep,
                            &loop,        &repeat,     &forEach, &forEachOf,
                            &await,       &awaitFlow,  &sync,    &syncKey,
                            &value,       &relinquish, &success, &hostcalls::addService};

}  // namespace steptree::cabi::addcalls
