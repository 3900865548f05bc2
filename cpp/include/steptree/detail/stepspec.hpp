#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "steptree/detail/calls.hpp"

namespace steptree {

class Guard;
class ISync;
struct HedgeOptions;
struct RetryOptions;

namespace detail {

class ToolCore;
struct Kind;

enum class StepKind : std::uint8_t {
    plain,
    loop,
    repeat,
    forEach,
    channel,  // a forEach over one; the last of the loops
    take,     // waits for a value of one, inside of such a loop or map
    iteration,
    await,
    relinquish,
    sync,
    shield,
    deferred,  // what defer() was given
    delay,
    retry,
    lock,  // of a sync: the inner step that its guard's lock() gets
    map,
    parallel,
    race,
    any,
    all,
    branches,  // a parallel of a step value
    steps,
    item,  // of a map: its step, if a step value stands in the place of the body
    hedge,
    other  // of code next to the engine; see StepSpec::Of
};

/// A step to be added: the engine moves or copies the closures into it during the call. It is nine
/// words, since compilers clear much more by a loop: the row lock.
struct StepSpec {
    const ClosureOps* ops = nullptr;
    void* source = nullptr;
    StepKind kind = StepKind::plain;
    bool keepsOrder = false;  // of a map: a result waits for those before it
    bool runs = false;        // of an await: the flow
    bool ownGuard = false;    // of a sync
    const ClosureOps* handler = nullptr;
    void* handlerSource = nullptr;
    std::string_view text{};  // name, or label of a loop
    std::int64_t count = 0;   // of a repeat; of a delay or shield: ms
    union Of {
        Guard* guard = nullptr;        // of a sync
        ISync* own;                    // of a sync that locks the program's own; see ownGuard
        const ToolCore* core;          // of an await: that of a flow, or null
        const Kind* kind;              // of another kind
        const std::string_view* name;  // of a loop; null: none
    } of{};
};

constexpr bool isLoop(StepKind kind) noexcept {
    return kind >= StepKind::loop && kind <= StepKind::channel;
}

/// What paths show of its step, if it isn't empty. Null: nothing.
inline const std::string_view* nameOf(const StepSpec& spec) noexcept {
    return isLoop(spec.kind) ? spec.of.name : &spec.text;
}
/// A loop refers to the name.
inline void setName(StepSpec& spec, const std::string_view* name) noexcept {
    if (isLoop(spec.kind)) {
        spec.of.name = name;
    } else if (name != nullptr) {
        spec.text = *name;
    }
}

class StepSink {
  public:
    virtual void addStep(const StepSpec& spec) = 0;

    /// A step with nothing but a body, whose closure may be copied as bytes: into what it returns.
    virtual void* addBare(const ClosureOps& ops) = 0;

    /// The same of a closure of two words, in one call: the row step_c. Null, or what its `thrown`
    /// returns. Inlined it would give others a frame.
    [[gnu::noinline]] virtual const void* addPair(const PairOps& ops, const void* pair) noexcept {
        try {
            std::memcpy(addBare(ops), pair, kPair);
            return nullptr;
        } catch (...) {
            return ops.thrown();
        }
    }

    /// The step of a description, which it counts.
    virtual void addDefined(const Definition& definition) = 0;

  protected:
    static constexpr std::size_t kPair = 2 * sizeof(void*);

    ~StepSink() = default;
};

template <class F>
void* sourceOf(F&& f) noexcept {
    return const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(f)));
}

template <class F>
concept NoHandler = std::is_null_pointer_v<std::decay_t<F>>;

/// `handler` is what came as an H&&: an rvalue is moved.
template <class H>
void setHandler(StepSpec& spec, std::remove_reference_t<H>& handler) noexcept {
    if constexpr (!NoHandler<H>) {
        spec.handler = &HandlerCall<std::decay_t<H>>::template ops<Source<H>>;
        spec.handlerSource = sourceOf(handler);
    }
}

}  // namespace detail
}  // namespace steptree
