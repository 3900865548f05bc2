#pragma once

#include <string>
#include <type_traits>

#include "steptree/completion.hpp"
#include "steptree/detail/tupledesc.hpp"

namespace steptree {
class Handle;
class IFlow;
}  // namespace steptree

/// What a body returns is its value, but for what says nothing, as a call that chains does, and for
/// what doesn't compile: nobody would run it or hear of it, or it can't be kept. [model-138]
/// [model-139] [model-140]
namespace steptree::detail {

class StepSink;

/// What becomes of the value. [model-76] [model-137]
enum class Returned : unsigned char { dropped, kept, refused };

/// A Task, see steptree/task.hpp.
template <class R>
concept IsCoroutine = requires {
    typename R::Root;
};

/// A smart pointer to a flow.
template <class R>
inline constexpr bool ownsFlow = false;
template <class R>
requires requires(R& owner) {
    typename R::element_type;
    owner.get();
}
inline constexpr bool ownsFlow<R> = std::is_base_of_v<IFlow, typename R::element_type>;

template <class R>
inline constexpr bool isFlow = std::is_base_of_v<IFlow, R> || ownsFlow<R>;

/// The accessor, or what an adder returns.
template <class R>
inline constexpr bool isAccessor = std::is_base_of_v<StepSink, R> && !isFlow<R>;

template <class R>
inline constexpr bool isHandle = std::is_same_v<R, Completion> || std::is_same_v<R, Handle>;

/// A std::future and its like: whoever wants its value has to block.
template <class R>
concept Blocks = !Awaitable<R> && requires(R & future) {
    future.valid();
    future.wait();
    future.get();
};

/// What `co_await` takes elsewhere.
template <class R>
concept Foreign =
    !Awaitable<R> && (
                         requires(R & x) { x.await_ready(); } ||
                         requires(R && x) { static_cast<R&&>(x).operator co_await(); } ||
                         requires(R && x) { operator co_await(static_cast<R&&>(x)); });

/// But for one of characters: see Kept.
template <class R>
inline constexpr bool isArray =
    std::is_array_v<std::remove_reference_t<R>> && !std::is_same_v<Kept<R>, std::string>;

/// Whether a body may return an R that it doesn't wait for.
template <class R>
concept Returnable = !isFlow<std::decay_t<R>> && !isHandle<std::decay_t<R>> &&
                     !Blocks<std::decay_t<R>> && !Foreign<std::decay_t<R>>;

/// Whether that can be kept for the next one.
template <class R>
concept Keepable = Returnable<R> && !isView<std::decay_t<R>> && !isArray<R> &&
                   std::is_constructible_v<Kept<R>, R> && std::is_move_constructible_v<Kept<R>>;

/// The same; refuses to compile, and says why.
template <class R>
constexpr bool checkReturnable() noexcept {
    using Value = std::decay_t<R>;
    static_assert(!isFlow<Value>,
                  "a body returns a flow, which nobody would run: give it to asi.await()");
    static_assert(!isHandle<Value>,
                  "a body returns a completion or handle, which nobody would use: keep it, and "
                  "return nothing");
    static_assert(!Blocks<Value>,
                  "a body returns a future that blocks: return a Future, as Future::fromStd() "
                  "makes one");
    static_assert(!Foreign<Value>,
                  "a body returns what only others can await: return a Future or a Task");
    return Returnable<R>;
}
template <class R>
constexpr bool checkKeepable() noexcept {
    constexpr bool view = isView<std::decay_t<R>>;
    static_assert(!view,
                  "a body returns a view of what may be gone: return a std::string or a "
                  "std::vector");
    static_assert(!isArray<R>, "a body returns an array: return a std::array or a std::vector");
    static_assert(view || isArray<R> || Keepable<R>,
                  "a body returns what can't be moved, or a reference to what can't be copied: "
                  "return a std::unique_ptr or a pointer to it");
    return Keepable<R>;
}

template <Returned returned, class R>
constexpr bool checkReturned() noexcept {
    if constexpr (!checkReturnable<R>()) {
        return false;
    } else if constexpr (returned == Returned::refused) {
        static_assert(returned != Returned::refused,
                      "an error handler's value is dropped: call asi.success(value)");
        return false;
    } else if constexpr (returned == Returned::kept) {
        return checkKeepable<R>();
    }
    return true;
}

/// The same of what the body waits for.
template <Returned returned, class R>
constexpr bool checkAwaited() noexcept {
    if constexpr (IsCoroutine<R>) {
        using Value = typename R::Root::Value;
        if constexpr (!std::is_void_v<Value>) {
            constexpr bool nested = Awaitable<Value> || IsCoroutine<Value>;
            static_assert(!nested,
                          "a coroutine returns what is to be awaited: `co_return co_await` it");
            return !nested && checkReturned<returned, Value>();
        }
    } else if constexpr (requires { typename R::Value; }) {
        if constexpr (!std::is_void_v<typename R::Value>) {
            return checkReturnable<typename R::Value>();
        }
    }
    return true;
}

}  // namespace steptree::detail
