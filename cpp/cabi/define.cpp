#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "boundvalues.hpp"
#include "channels.hpp"
#include "collections.hpp"
#include "given.hpp"
#include "guards.hpp"
#include "steptree/delay.hpp"
#include "steptree/hedge.hpp"
#include "steptree/loop.hpp"
#include "steptree/map.hpp"
#include "steptree/parallel.hpp"
#include "steptree/retry.hpp"
#include "steptree/shield.hpp"
#include "steptree/sync.hpp"
#include "tables.hpp"

/// Step values.
namespace steptree::cabi::definecalls {

namespace {

using Into = const steptree_definition**;
using Definitions = const steptree_definition* const*;

void keep(const steptree_definition* value) {
    detail::retain(from(value));
}
void drop(const steptree_definition* value) {
    if (value != nullptr) detail::release(from(value));
}

/// Data that a body and a handler of different values share.
struct SharedHandler {
    steptree_handler handler;
    std::shared_ptr<const Data> data;

    void operator()(IAsyncSteps& asi, const std::string& code) const {
        raise(handler(cHandle(asi), textOf(code), data->get()));
    }
};
struct SharedBody {
    steptree_body body;
    std::shared_ptr<const Data> data;

    void operator()(IAsyncSteps& asi, const Results& values) const {
        callWith(const_cast<Results&>(values), body, asi, data->get());
    }
};

template <class F>
AnyStep anyStep(F body) {
    if constexpr (std::is_same_v<F, AnyStep>) {
        return body;
    } else {
        return steptree::step<AnyValues, AnyValues>(std::move(body));
    }
}

const steptree_error* step(const steptree_closure* closure, Into into) {
    return attempt([&] {
        Data data(*closure);
        if (closure->onerror == nullptr) {
            return withBody<SharedStepBody>(*closure, std::move(data), [&](auto body) {
                give(anyStep(std::move(body)), into);
            });
        }
        const auto shared = std::make_shared<const Data>(std::move(data));
        const SharedHandler handler{closure->onerror, shared};
        if (hasValue(*closure)) return give(stepOf(closure->value).onError(handler), into);
        give(anyStep(SharedBody{closure->body, shared}).onError(handler), into);
    });
}

std::vector<AnyStep> listOf(Definitions parts, std::size_t count) {
    std::vector<AnyStep> list;
    list.reserve(count);
    for (std::size_t i = 0; i < count; ++i) list.push_back(stepOf(parts[i]));
    return list;
}

const steptree_error* steps(Definitions parts, std::size_t count, Into into) {
    return attempt([&] { give(steptree::steps(listOf(parts, count)), into); });
}
const steptree_error* parallel(Definitions branches, std::size_t count, Into into) {
    return attempt([&] { give(steptree::parallel(listOf(branches, count)), into); });
}
const steptree_error* all(Definitions branches, std::size_t count, Into into) {
    return attempt([&] { give(steptree::all(listOf(branches, count)), into); });
}
const steptree_error* race(Definitions branches, std::size_t count, Into into) {
    return attempt([&] { give(steptree::race(listOf(branches, count)), into); });
}
const steptree_error* any(Definitions branches, std::size_t count, Into into) {
    return attempt([&] { give(steptree::any(listOf(branches, count)), into); });
}

/// The body of a closure.
template <class Body, class Use>
const steptree_error* define(const steptree_closure* closure, Use use) {
    return attempt([&] { withBody<Body>(*closure, Data(*closure), std::move(use)); });
}

/// The same of a call that has data beside its closure's.
template <class Body, class Drop, class F, class Use>
const steptree_error* define(const steptree_closure* closure, void* given, Drop drop, F* function,
                             Use use) {
    return attempt([&] {
        Data data(given, drop, function);
        withBody<Body>(*closure, Data(*closure),
                       [&](auto body) { use(std::move(body), std::move(data)); });
    });
}

const steptree_error* loop(const steptree_closure* closure, steptree_text label, Into into) {
    return define<RoundBody>(
        closure, [&](auto body) { give(steptree::loop(std::move(body), view(label)), into); });
}

const steptree_error* repeat(std::int64_t count, const steptree_closure* closure,
                             steptree_text label, Into into) {
    return define<NumberedRoundBody>(closure, [&](auto body) {
        give(steptree::repeat(count, std::move(body), view(label)), into);
    });
}

const steptree_error* forEach(const steptree_value* collection, const steptree_closure* closure,
                              steptree_text label, Into into) {
    return attempt([&] {
        withCollection(collection, *closure, [&](auto all, auto body) {
            give(steptree::forEach(std::move(all), std::move(body), view(label)), into);
        });
    });
}

const steptree_error* forEachOf(steptree_channel* channel, const steptree_closure* closure,
                                steptree_text label, Into into) {
    return define<ElementBody>(closure, [&](auto body) {
        withChannel(channel, [&](auto& through) {
            give(steptree::forEach(through, std::move(body), view(label)), into);
        });
    });
}

const steptree_error* sync(steptree_guard* guard, const steptree_closure* closure, Into into) {
    return define<SharedStepBody>(closure, [&](auto body) {
        withGuard(*guard,
                  [&](auto& locked) { give(steptree::sync(locked, std::move(body)), into); });
    });
}

const steptree_error* syncKey(steptree_keyed* keyed, steptree_text key,
                              const steptree_closure* closure, Into into) {
    return define<SharedStepBody>(closure, [&](auto body) {
        give(steptree::sync(keyed->of(std::string(view(key))), std::move(body)), into);
    });
}

const steptree_error* delay(double ms, Into into) {
    return attempt([&] { give(steptree::delay(ms), into); });
}

const steptree_error* shield(double ms, const steptree_closure* closure, Into into) {
    return define<SharedStepBody>(
        closure, [&](auto body) { give(steptree::shield(ms, std::move(body)), into); });
}

/// What `on` of a retry or a hedge is.
template <class Given>
RetryOn retryOn(const Given& of, Data data) {
    if (of.decide != nullptr) {
        return [decide = of.decide, kept = std::move(data)](
                   const std::string& code, const StepError& error) -> RetryDecision {
            const OwnedError lent = makeError(error);
            double ms = 0;
            const std::int32_t answer = decide(textOf(code), lent.get(), &ms, kept.get());
            if (answer == 2) return std::chrono::duration<double, std::milli>(ms);
            return answer != 0;
        };
    }
    if ((of.given & STEPTREE_GIVEN_CODES) == 0) return {};
    std::vector<std::string> codes;
    for (std::size_t i = 0; i < of.count; ++i) codes.emplace_back(view(of.codes[i]));
    return codes;
}

RetryBudget* budgetOf(steptree_budget* budget) noexcept {
    return reinterpret_cast<RetryBudget*>(budget);
}

Backoff backoffOf(const steptree_retry_options& of) {
    Backoff backoff;
    if ((of.given & STEPTREE_GIVEN_BASE) != 0) backoff.base = of.base;
    if ((of.given & STEPTREE_GIVEN_FACTOR) != 0) backoff.factor = of.factor;
    if ((of.given & STEPTREE_GIVEN_CAP) != 0) backoff.cap = of.cap;
    if ((of.given & STEPTREE_GIVEN_JITTER) != 0) backoff.jitter = of.jitter;
    return backoff;
}

const steptree_error* retry(const steptree_retry_options* given, const steptree_closure* closure,
                            Into into) {
    const Given<steptree_retry_options> of(given);
    return define<SharedStepBody>(
        closure, of->data, of->drop, of->decide, [&](auto body, Data data) {
            of.check();
            const RetryOptions options{of->max, backoffOf(*of), retryOn(*of, std::move(data)),
                                       budgetOf(of->budget)};
            give(steptree::retry(options, std::move(body)), into);
        });
}

const steptree_error* hedge(const steptree_hedge_options* given, const steptree_closure* closure,
                            Into into) {
    const Given<steptree_hedge_options> of(given);
    return define<SharedStepBody>(closure, of->data, of->drop, of->decide,
                                  [&](auto body, Data data) {
                                      of.check();
                                      HedgeOptions options{.after = of->after,
                                                           .on = retryOn(*of, std::move(data)),
                                                           .budget = budgetOf(of->budget)};
                                      if ((of->given & STEPTREE_GIVEN_MAX) != 0)
                                          options.max = of->max;
                                      give(steptree::hedge(options, std::move(body)), into);
                                  });
}

/// Gets the results of a map.
struct MapSink {
    const steptree_error* (*sink)(const steptree_args*, std::uint64_t, void*);
    Data data;

    void operator()(Results values, std::size_t number) const {
        const Lent lent(values, true);
        raise(sink(&lent, number, data.get()));
    }
};

/// Gives `use` what a map goes through.
template <class Use>
void withItems(const Given<steptree_map_options>& of, Use use) {
    const Value collection = of->collection == nullptr ? Value() : Value(*of->collection);
    std::optional<Source> source;
    if (of->source != nullptr) {
        const Given<steptree_source> given(of->source);
        source.emplace(*given);
        given.check();
    }
    of.check();
    if ((of->collection != nullptr) + source.has_value() + (of->channel != nullptr) != 1) {
        misuse("map: one of collection, source and channel is expected");
    }
    if (source) return use(std::move(*source));
    if (of->channel != nullptr) {
        return withChannel(of->channel, [&](auto& channel) { use(channel); });
    }
    use(Items(collection));
}

const steptree_error* map(const steptree_map_options* given, const steptree_closure* closure,
                          Into into) {
    const Given<steptree_map_options> of(given);
    return define<ItemBody>(closure, of->data, of->drop, of->sink, [&](auto body, Data data) {
        const MapOptions options{of->limit, (of->flags & STEPTREE_UNORDERED) == 0};
        withItems(of, [&](auto&& items) {
            using Items = decltype(items);
            if (of->sink == nullptr) {
                return give(
                    steptree::map<Results>(std::forward<Items>(items), options, std::move(body)),
                    into);
            }
            give(steptree::map<Results>(std::forward<Items>(items), options, std::move(body),
                                        MapSink{of->sink, std::move(data)}),
                 into);
        });
    });
}

const steptree_error* timeout(const steptree_definition* value, double ms, steptree_text code,
                              Into into) {
    return attempt([&] {
        const AnyStep of = stepOf(value);
        give(code.data == nullptr ? of.timeout(ms) : of.timeout(ms, view(code)), into);
    });
}

const steptree_error* onError(const steptree_definition* value, const steptree_closure* closure,
                              Into into) {
    return attempt([&] {
        withHandler(closure, [&]<class H>(H handler) {
            if constexpr (std::is_null_pointer_v<H>) {
                give(stepOf(value), into);
            } else {
                give(stepOf(value).onError(std::move(handler)), into);
            }
        });
    });
}

const steptree_error* named(const steptree_definition* value, steptree_text name, Into into) {
    return attempt([&] { give(stepOf(value).named(view(name)), into); });
}

const steptree_error* with(const steptree_definition* value, const steptree_value* values,
                           std::size_t count, Into into) {
    return attempt([&] { give(BoundValues::of(stepOf(value), values, count), into); });
}

const steptree_error* makeBudget(std::int64_t capacity, double ratio, steptree_budget** into) {
    return attempt([&] {
        *into = reinterpret_cast<steptree_budget*>(
            new RetryBudget(RetryBudget::Options{capacity, ratio}));
    });
}
void dropBudget(steptree_budget* budget) {
    delete budgetOf(budget);
}

}  // namespace

const steptree_define_api kApi{sizeof(kApi), 0,           &keep,      &drop,    &step,    &steps,
                               &parallel,    &all,        &race,      &any,     &loop,    &repeat,
                               &forEach,     &forEachOf,  &sync,      &syncKey, &delay,   &shield,
                               &retry,       &hedge,      &map,       &timeout, &onError, &named,
                               &with,        &makeBudget, &dropBudget};

}  // namespace steptree::cabi::definecalls
