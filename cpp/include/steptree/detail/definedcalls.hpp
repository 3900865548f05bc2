#pragma once

#include <string>
#include <tuple>
#include <utility>

#include "steptree/detail/copyable.hpp"
#include "steptree/detail/definition.hpp"
#include "steptree/detail/parttypes.hpp"

namespace steptree::detail {

/// A description with a body.
template <class F>
struct BodyBlock : Definition {
    using Body = F;
    static_assert(std::is_nothrow_destructible_v<F>, "a body's destructor may not throw");

    template <class X>
    explicit BodyBlock(X&& given) : body(std::forward<X>(given)) {}

    const F body;
};

template <class F>
const F& bodyAt(void* closure) noexcept {
    return static_cast<const BodyBlock<F>&>(definitionAt(closure)).body;
}

/// What others see, too, is copied.
template <class T>
T takenValue(Results& values, std::size_t index) {
    T& value = values.at<T>(index);
    if (!values.seenByOthers()) return std::move(value);
    if constexpr (copyable<T>()) {
        return std::as_const(value);
    } else {
        throw StepError(errors::InternalError, "value " + std::to_string(index) +
                                                   ": others see it, too, and it can't be copied: "
                                                   "take it by const reference");
    }
}

/// The body of a step value, which all runs share; numbered: of an attempt, whose number may be any
/// integer to it.
template <class F, bool numbered = false>
struct SharedBody {
    using Body = const F;
    static constexpr bool takesAll = TakesAll<F>;

    static const F& get(void* closure) noexcept { return bodyAt<F>(closure); }
    static const Results& all(Results& values) noexcept {
        static_assert(!std::is_same_v<Parameters<F>, Types<Results&>>,
                      "the body of a step value takes const Results&");
        return values;
    }
    template <class P>
    static decltype(auto) value(Results& values, std::size_t index) {
        using T = std::decay_t<P>;
        static_assert(!std::is_lvalue_reference_v<P> || std::is_const_v<std::remove_reference_t<P>>,
                      "the body of a step value takes values as they are or by const reference");
        if constexpr (numbered && std::is_integral_v<T> && !std::is_same_v<T, bool>) {
            using Number = std::int64_t;
            const bool isNumber = !values.holds<T>(index) && values.holds<Number>(index);
            return isNumber ? static_cast<T>(values.at<Number>(index)) : T(values.at<T>(index));
        } else if constexpr (std::is_lvalue_reference_v<P>) {
            return std::as_const(values.at<T>(index));
        } else {
            return takenValue<T>(values, index);
        }
    }
};

/// Of closures that refer to a description.
template <class Call>
struct SharedCall {
    static constexpr ClosureOps ops =
        withSource<typename Call::Closure>(referring(Call::wantsValues, &Call::call));
    static constexpr ClosureOps counted =
        withSource<typename Call::Closure>(counting(Call::wantsValues, &Call::call));
};
template <class F, bool numbered = false>
using PartCall = SharedCall<BodyCall<F, SharedBody<F, numbered>>>;
template <class F>
using PartRoundCall = SharedCall<IterationCall<F, SharedBody<F>>>;

template <class Block>
void destroyBlock(const Definition& gone) noexcept {
    delete static_cast<const Block*>(&gone);
}

/// A new one that nobody refers to but who gets it.
template <class Block, class... A>
StepValue makeBlock(A&&... args) {
    auto* const block = new Block(std::forward<A>(args)...);
    block->destroy = &destroyBlock<Block>;
    return StepValue(block);
}

template <class Call>
void setBody(Definition& of) noexcept {
    of.spec.ops = &Call::ops;
    of.counted = &Call::counted;
}

}  // namespace steptree::detail
