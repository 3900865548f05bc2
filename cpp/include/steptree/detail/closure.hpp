#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/completion.hpp"
#include "steptree/detail/signature.hpp"
#include "steptree/detail/written.hpp"
#include "steptree/results.hpp"

namespace steptree {
class IAsyncSteps;
}

namespace steptree::detail {

struct Definition;

/// What a call of a closure is given besides the accessor.
struct CallArgs {
    Results* values = nullptr;          // of the step before, to be moved out; null: none
    std::int64_t index = 0;             // of an iteration
    const std::string* code = nullptr;  // for an error handler
};

/// Runs a closure for a step, whose it is what the closure throws: see guarded().
using ClosureCall = void (*)(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept;

/// What the engine needs to keep and run a closure that it can't see. One static object a closure
/// type and module.
struct ClosureOps {
    std::uint16_t size;
    std::uint16_t room;  // the size, rounded up to 8
    bool wantsValues;
    void (*construct)(void* to, void* from);  // null: copy the bytes
    void (*destroy)(void* closure);           // null: nothing to do
    ClosureCall call;                         // null: a step value stands in the place of a body
    std::size_t boxed = 0;                    // its size, if it lives on the heap
    const Written* written = nullptr;         // null: it isn't known where
};

/// Of a closure of two words. What `thrown` returns says what is thrown when it's added: it's
/// called where an exception is handled.
struct PairOps : ClosureOps {
    const void* (*thrown)() noexcept;
};

/// Of what comes from a channel, whose next value may have to be waited for.
struct TakeOps {
    bool (*waits)(void* closure);                   // next() has found none: there may be one later
    void (*wait)(void* closure, IAsyncSteps& asi);  // body of a step that waits for it
    void (*keep)(void* closure, Results& value);    // next() finds that
};

struct ForEachOps : ClosureOps {
    bool (*next)(void* closure);  // moves to the next element; false at the end
    // Of a step value in the place of the body, which gets these values; null: there is none.
    const Definition& (*part)(void* closure, std::int64_t index, Results& into) = nullptr;
    const TakeOps* take = nullptr;  // of a loop over a channel
};

struct AwaitOps : ClosureOps {
    void (*subscribe)(void* closure, Awaiter awaiter);
    bool (*cancel)(void* closure);                  // true: it takes time to stop
    void (*outlive)(void* closure, Outlived kept);  // null: uses nothing of the step's
    bool lasts;                                     // it may take time to stop
};

/// A closure lives inside its step, at 8-byte alignment; one that is larger than this or aligned
/// more strictly lives on the heap and the step holds a pointer.
inline constexpr std::size_t kLargestInline = 512;

template <class F>
struct Place {
    static constexpr bool boxed = sizeof(F) > kLargestInline || alignof(F) > alignof(void*);
    static constexpr bool plain = !boxed && std::is_trivially_copyable_v<F>;
    static constexpr std::uint16_t size = boxed                         ? sizeof(void*)
                                          : std::is_empty_v<F> && plain ? 0
                                                                        : sizeof(F);

    static constexpr std::uint16_t room = (size + 7) / 8 * 8;

    static F& get(void* closure) noexcept {
        if constexpr (boxed) return **static_cast<F**>(closure);
        return *static_cast<F*>(closure);
    }
    template <class From>  // F, or const F to copy
    static void construct(void* to, void* from) {
        auto&& source = static_cast<From&&>(*static_cast<From*>(from));
        if constexpr (boxed) {
            ::new (to) F*(new F(std::forward<From>(source)));
        } else {
            ::new (to) F(std::forward<From>(source));
        }
    }
    static void destroy(void* closure) {
        if constexpr (boxed) {
            delete &get(closure);
        } else {
            get(closure).~F();
        }
    }
    template <class From>
    static constexpr ClosureOps ops(bool wantsValues, ClosureCall call) noexcept {
        return {size,
                room,
                wantsValues,
                plain ? nullptr : &construct<From>,
                !boxed && std::is_trivially_destructible_v<F> ? nullptr : &destroy,
                call,
                boxed ? sizeof(F) : 0};
    }
};

/// F for an rvalue, const F for what has to be copied.
template <class F>
using Source =
    std::conditional_t<std::is_lvalue_reference_v<F>, const std::decay_t<F>, std::decay_t<F>>;

template <class T>
struct AwaitCall {
    static void subscribe(void* closure, Awaiter awaiter) {
        Place<T>::get(closure).subscribe(std::move(awaiter));
    }
    static bool cancel(void* closure) {
        T& awaited = Place<T>::get(closure);
        if constexpr (Shared<T> && TakesTime<T>) {
            return awaited.leave();
        } else if constexpr (Shared<T>) {
            awaited.leave();
        } else if constexpr (TakesTime<T>) {
            return awaited.cancel();
        } else {
            awaited.cancel();
        }
        return false;
    }
    static void outlive(void* closure, Outlived kept) {
        if constexpr (Outlives<T>) Place<T>::get(closure).outlive(std::move(kept));
    }

    template <class From>
    static constexpr AwaitOps ops{Place<T>::template ops<From>(false, nullptr), &subscribe, &cancel,
                                  Outlives<T> ? &outlive : nullptr, TakesTime<T>};
};

}  // namespace steptree::detail
