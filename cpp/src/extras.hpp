#pragma once

#include <new>
#include <stop_token>

#include "extra.hpp"
#include "fast.hpp"
#include "outliving.hpp"

namespace steptree::detail {

struct TimerExtra : Extra, Deadline {
    Step* step;
};

/// What the step's timer raises in the place of Timeout, with the text behind it.
struct CodeExtra : Extra {
    std::uint32_t room;
    std::uint32_t size;

    char* text() noexcept { return reinterpret_cast<char*>(this + 1); }
};

/// Arms it for a frame that is the line's top.
void armDeadline(Line& line, Deadline& deadline, std::int64_t ms) noexcept;
inline void disarmDeadline(Line& line, Deadline& deadline) noexcept {
    line.core().disarm(deadline);
    dropDeadline(line, deadline);
}

struct CancelExtra : Extra {
    const ClosureOps* ops;
    std::uint32_t room;   // for closures
    bool vacant = false;  // replaced: the next one may move in

    void* closure() noexcept { return this + 1; }
};

struct SignalExtra : Extra {
    bool left = false;  // its step was left since it was made
    std::stop_source source;
};

struct StackExtra : Extra {
    void (*destroy)(void* object);
    void* object;
};

/// What the step has in a guard while it waits there. It is left with the frame, before the step's
/// cancel handler is called, but not after an ok.
struct WaitExtra : Extra {
    struct Ops {
        void (*leave)(WaitExtra& extra, Step& step) noexcept;
        void (*destroy)(WaitExtra& extra) noexcept;
        Waits (*waits)(WaitExtra& extra) noexcept;  // null: its section knows what for
    };

    const Ops* ops;

    void* object() noexcept { return this + 1; }
};

/// The values that a sync keeps for its body while its lock is taken.
struct ValuesExtra : Extra {
    Results values;
};

/// An awaitable that a step waits for. `ops` is null after it has been destroyed.
struct AwaitExtra : Extra, RunNode {
    Step* step;
    const AwaitOps* ops;
    void* closure;
    bool owned;            // the closure is this record's, not the step's
    bool subscribed;       // or that was tried
    bool settled;          // its outcome is known, the step is about to be claimed
    bool asked;            // to stop
    bool stops;            // which takes time
    Outliving* outliving;  // of an operation that may
    Slot* slot;
    ErrorData* error;    // that it was rejected with; one reference
    const void* source;  // of that
};

/// Something other than steps is put into the arena for the step.
inline void noteKept(const Step& step) noexcept {
    if ((step.flags & kResumes) != 0) [[unlikely]]
        step.line->marks |= kKeeps;
}

template <class T>
T& newExtra(Step& step, Extra::Type type, std::size_t behind = 0) {
    markArena(step);
    noteKept(step);
    void* memory = step.line->arena.allocate(*step.line, rounded(sizeof(T) + behind));
    T* extra = ::new (memory) T{};
    extra->type = type;
    return *extra;
}

/// Drops what a live one holds. What a destructor throws is reported at `told`, if that is there.
void destroyExtra(Extra& extra, Step* told) noexcept;

inline void link(Step& step, Extra& extra) noexcept {
    extra.next = step.extras;
    step.extras = &extra;
}

/// Of what a step has in a guard: a `T` with `void leave(Step&) noexcept`; with `Waits waits()` if
/// it's the step itself that waits.
template <class T>
constexpr WaitExtra::Ops waitOps() noexcept {
    WaitExtra::Ops ops{
        [](WaitExtra& left, Step& of) noexcept { static_cast<T*>(left.object())->leave(of); },
        [](WaitExtra& gone) noexcept { static_cast<T*>(gone.object())->~T(); }, nullptr};
    if constexpr (requires(T & waiter) { waiter.waits(); }) {
        ops.waits = [](WaitExtra& extra) noexcept {
            return static_cast<T*>(extra.object())->waits();
        };
    }
    return ops;
}

/// Makes that.
template <class T, class... Args>
T& newWait(Step& step, Args&&... args) {
    static_assert(alignof(T) <= alignof(void*));
    static constexpr WaitExtra::Ops ops = waitOps<T>();
    auto& extra = newExtra<WaitExtra>(step, Extra::wait, sizeof(T));
    T* const made = ::new (extra.object()) T(std::forward<Args>(args)...);
    extra.ops = &ops;
    link(step, extra);
    return *made;
}

/// Copies or moves a closure to where it will live.
inline void constructClosure(const ClosureOps& ops, void* to, void* from) {
    if (ops.construct != nullptr) {
        ops.construct(to, from);
    } else if (kWordClosure && ops.size == sizeof(void*)) {
        std::memcpy(to, from, sizeof(void*));
    } else if (ops.size != 0) {
        std::memcpy(to, from, ops.size);
    }
}

}  // namespace steptree::detail
