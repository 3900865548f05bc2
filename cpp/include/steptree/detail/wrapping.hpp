#pragma once

#include <string>
#include <tuple>
#include <utility>

#include "steptree/detail/definedcalls.hpp"
#include "steptree/detail/duration.hpp"

/// What calls of a step value give: descriptions around it.
namespace steptree::detail {

/// One that says the same as another one, but for what is added to it.
struct AliasBlock : Definition {
    explicit AliasBlock(const StepValue& value) : base(value) {
        const Definition& of = base.definition();
        spec = of.spec;
        counted = of.counted;
        countedHandler = of.countedHandler;
    }

    const StepValue base;
};

template <class H>
struct HandledBlock : AliasBlock {
    static_assert(std::is_nothrow_destructible_v<H>, "a handler's destructor may not throw");
    static_assert(std::is_invocable_v<const H&, IAsyncSteps&, const std::string&>,
                  "an error handler of a step value is called as const, with the accessor and the "
                  "code");

    template <class X>
    HandledBlock(const StepValue& value, X&& given)
        : AliasBlock(value), handler(std::forward<X>(given)) {
        spec.handler = &kHandler;
        spec.handlerSource = &self;
        countedHandler = &kCountedHandler;
    }

    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        const H& handler = static_cast<const HandledBlock&>(definitionAt(closure)).handler;
        static_assert(!IsCoroutine<std::decay_t<decltype(handler(asi, *args.code))>>,
                      "an error handler can't be a coroutine: let it add a step that is one");
        guarded(asi, [&] {
            callAndWatch<Returned::refused>(
                asi, [&]() -> decltype(auto) { return handler(asi, *args.code); });
        });
    }
    static constexpr ClosureOps kHandler = referring(false, &call);
    static constexpr ClosureOps kCountedHandler = counting(false, &call);

    const H handler;
};

struct NamedBlock : AliasBlock {
    NamedBlock(const StepValue& value, std::string_view given)
        : AliasBlock(value), kept(given), name(kept) {
        setName(spec, &name);
    }

    const std::string kept;
    const std::string_view name;
};

/// The only part of a sequence, whose elements in paths is that of the sequence.
struct WrappingBlock : SequenceDefinition {
    explicit WrappingBlock(const StepValue& value) : inner(value), part(&inner.definition()) {
        spec.kind = StepKind::steps;
        spec.ops = &kReferringWord;
        counted = &kCounting<true>;
        sequence = true;
        parts = &part;
        count = 1;
        hidden = true;
    }

    const StepValue inner;
    const Definition* const part;
};

template <class... T>
struct BoundBlock : WrappingBlock {
    static_assert((... && copyable<T>()), "bound values are copied for each run");

    template <class... X>
    explicit BoundBlock(const StepValue& value, X&&... given)
        : WrappingBlock(value), values(std::forward<X>(given)...) {
        bind = &copy;
    }

    static void copy(const SequenceDefinition& bound, Results& into) {
        std::apply(
            [&into](const T&... value) {
                if constexpr (sizeof...(T) > 0) {
                    into.set(value...);
                } else {
                    into.clear();
                }
            },
            static_cast<const BoundBlock&>(bound).values);
    }

    const std::tuple<T...> values;
};

/// The name of what it stands around is its own.
template <class Block, class... A>
StepValue around(const StepValue& value, A&&... args) {
    StepValue wrapped = makeBlock<Block>(value, std::forward<A>(args)...);
    const std::string_view* const name = nameOf(value.definition().spec);
    if (name == nullptr || name->empty()) return wrapped;
    return makeBlock<NamedBlock>(wrapped, *name);
}

template <class Name>
StepValue namedAs(const StepValue& value, const Name& name) {
    return makeBlock<NamedBlock>(value, std::string_view(name));
}

/// Errors of rounds, and those of a lock, are none of what stands in the step's own place.
inline bool hearsAll(const Definition& definition) noexcept {
    const StepKind kind = definition.spec.kind;
    return !isLoop(kind) && kind != StepKind::sync;
}

template <class H>
StepValue heardBy(const StepValue& value, H&& handler) {
    const Definition& definition = value.definition();
    const bool heard = hearsAll(definition) && definition.spec.handler == nullptr;
    return makeBlock<HandledBlock<std::decay_t<H>>>(heard ? value : around<WrappingBlock>(value),
                                                    std::forward<H>(handler));
}

template <class Time>
StepValue limitedTo(const StepValue& value, Time time, std::string_view code = {}) {
    struct LimitedBlock : WrappingBlock {
        LimitedBlock(const StepValue& of, std::int64_t ms, std::string_view raised)
            : WrappingBlock(of), kept(raised) {
            limited = true;
            limit = ms;
            code = kept;
        }

        const std::string kept;
    };
    return around<LimitedBlock>(value, checkedTime("timeout", time), code);
}

}  // namespace steptree::detail
