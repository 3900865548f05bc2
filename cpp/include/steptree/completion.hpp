#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>

#include "steptree/detail/tupledesc.hpp"
#include "steptree/results.hpp"

namespace steptree {

namespace detail {

struct EngineShare;
struct Slot;

/// What ends a wait from outside. Lives on the caller's stack during the call.
struct Settlement {
    enum Kind : unsigned char { ok, error, exception } kind = ok;
    Results* values = nullptr;
    std::string_view code{};
    std::string_view info{};
    std::exception_ptr cause{};
    const void* source = nullptr;  // what has failed, if several steps may await it; an address
};

/// How code that was built apart from the engine reaches it without linking to it.
struct CompletionOps {
    void (*retain)(EngineShare&) noexcept;
    void (*release)(EngineShare&) noexcept;
    bool (*valid)(EngineShare&, Slot&, std::uint64_t generation) noexcept;
    bool (*succeed)(EngineShare&, Slot&, std::uint64_t generation) noexcept;
    bool (*settle)(EngineShare&, Slot&, std::uint64_t generation, Settlement&) noexcept;
    void (*settleAwaited)(EngineShare&, Slot&, std::uint64_t generation, Settlement&) noexcept;
    void (*cancelFlow)(EngineShare&, Slot&, std::uint64_t generation, std::string_view) noexcept;
};

/// Slots lie in pages, each at a multiple of its size, behind this: so a slot's address alone leads
/// to its tool.
struct SlotPage {
    static constexpr std::size_t kSize = 4096;

    EngineShare* share;
    const CompletionOps* ops;

    static const SlotPage& of(const Slot* slot) noexcept {
        const std::size_t inside = reinterpret_cast<std::uintptr_t>(slot) % kSize;
        return *reinterpret_cast<const SlotPage*>(reinterpret_cast<const char*>(slot) - inside);
    }
};

/// (slot, generation): never dangles. Pages live as long as their tool's core, and each of these
/// counts one reference to that: as long as it exists, whatever has become of the step, the flow
/// and the tool, the slot and its page may be read.
class SlotRef {
  public:
    struct Counted {};

    SlotRef() noexcept = default;
    /// Takes over a reference to the core.
    SlotRef(Counted, Slot& slot, std::uint64_t generation) noexcept
        : slot_(&slot), generation_(generation) {}
    SlotRef(Slot& slot, std::uint64_t generation) noexcept : slot_(&slot), generation_(generation) {
        retain();
    }
    SlotRef(const SlotRef& other) noexcept : slot_(other.slot_), generation_(other.generation_) {
        if (slot_ != nullptr) retain();
    }
    SlotRef(SlotRef&& other) noexcept
        : slot_(std::exchange(other.slot_, nullptr)), generation_(other.generation_) {}
    SlotRef& operator=(SlotRef other) noexcept {
        std::swap(slot_, other.slot_);
        std::swap(generation_, other.generation_);
        return *this;
    }
    ~SlotRef() {
        if (slot_ != nullptr) page().ops->release(*page().share);
    }

  protected:
    const SlotPage& page() const noexcept { return SlotPage::of(slot_); }

    Slot* slot_ = nullptr;  // null: refers to nothing
    std::uint64_t generation_ = 0;

  private:
    void retain() const noexcept { page().ops->retain(*page().share); }
};

/// Builds the values inside a noexcept function: an exception on the way becomes the settlement.
template <class... T>
Settlement okSettlement(Results& values, T&&... given) noexcept {
    static_assert(checkNoViews<T...>());
    Settlement settlement;
    if constexpr (sizeof...(T) > kMaxValues) {
        settlement.kind = Settlement::error;
        settlement.code = errors::InternalError;
        settlement.info = kTooManyValues;
    } else if constexpr (sizeof...(T) > 0) {
        try {
            if constexpr (sizeof...(T) == 1 && (... && std::is_same_v<T, Results>)) {
                values = (std::move(given), ...);
            } else {
                values.set(std::forward<T>(given)...);
            }
            settlement.values = &values;
        } catch (...) {
            settlement.kind = Settlement::exception;
            settlement.cause = std::current_exception();
        }
    }
    return settlement;
}

}  // namespace detail

/// Ends the wait of one step from outside; what `IAsyncSteps::waitExternal` returns. May be kept
/// anywhere, copied, and called at any time from any thread: the first call wins and returns true;
/// later ones, and ones after the step has ended or its tool is gone, return false and do nothing.
/// Never blocks, never throws at its caller, never dangles. The step goes on in its line's turn.
/// Guide: docs/waiting.md#callbacks
///
///     onAnswer([done = asi.waitExternal()](const std::string& text) { done.success(text); });
class Completion : public detail::SlotRef {
  public:
    using SlotRef::SlotRef;

    /// Completes the step with at most 4 values; more fail it with InternalError, and the compiler
    /// warns of it.
    template <class... T>
    requires(sizeof...(T) <= detail::kMaxValues) bool success(T&&... values) const noexcept {
        if (slot_ == nullptr) return false;
        if constexpr (sizeof...(T) == 0) {
            return page().ops->succeed(*page().share, *slot_, generation_);
        }
        Results kept;
        detail::Settlement settlement = detail::okSettlement(kept, std::forward<T>(values)...);
        return page().ops->settle(*page().share, *slot_, generation_, settlement);
    }

    /// The same with too many: fails the step with InternalError.
    template <class... T>
    requires(sizeof...(T) > detail::kMaxValues) STEPTREE_TOO_MANY_VALUES
        bool success(T&&...) const noexcept {
        return error(errors::InternalError, detail::kTooManyValues);
    }

    /// Fails the step. An empty code fails it with InternalError.
    bool error(std::string_view code, std::string_view info = {},
               std::exception_ptr cause = {}) const noexcept {
        if (slot_ == nullptr) return false;
        detail::Settlement settlement{detail::Settlement::error, nullptr, code, info,
                                      std::move(cause)};
        return page().ops->settle(*page().share, *slot_, generation_, settlement);
    }

    /// For the runtime: as if that had been thrown in the step.
    bool fail(std::exception_ptr thrown) const noexcept {
        if (slot_ == nullptr) return false;
        detail::Settlement settlement;
        settlement.kind = detail::Settlement::exception;
        settlement.cause = std::move(thrown);
        return page().ops->settle(*page().share, *slot_, generation_, settlement);
    }

    /// Whether a call on it would be taken now.
    bool valid() const noexcept {
        return slot_ != nullptr && page().ops->valid(*page().share, *slot_, generation_);
    }
};

/// What an awaitable is given to tell how it ended. Copyable, any thread, harmless when called
/// twice or late.
///
/// A type is awaitable if `x.subscribe(Awaiter)` and `x.cancel()` compile: `subscribe` keeps the
/// awaiter and calls it once (at once if `x` has settled already); `cancel` is called when nobody
/// waits any more, and what it throws goes to the flow's `report`. Guide: docs/waiting.md#callbacks
///
///     struct Answer {
///         void subscribe(Awaiter awaiter) { awaiter.success(42); }
///         void cancel() {}
///     };
class Awaiter : public detail::SlotRef {
  public:
    using SlotRef::SlotRef;

    /// It ended well, with at most 4 values.
    template <class... T>
    void success(T&&... values) const noexcept {
        if (slot_ == nullptr) return;
        Results kept;
        detail::Settlement settlement = detail::okSettlement(kept, std::forward<T>(values)...);
        page().ops->settleAwaited(*page().share, *slot_, generation_, settlement);
    }

    /// As if the exception had been thrown in the step. `source`: the address of what has failed,
    /// if several steps may await that.
    void fail(std::exception_ptr reason, const void* source = nullptr) const noexcept {
        if (slot_ == nullptr) return;
        detail::Settlement settlement;
        settlement.kind = detail::Settlement::exception;
        settlement.cause = std::move(reason);
        settlement.source = source;
        page().ops->settleAwaited(*page().share, *slot_, generation_, settlement);
    }
};

/// What `await` and bodies take, see Awaiter.
template <class T>
concept Awaitable = requires(T& x, Awaiter awaiter) {
    x.subscribe(awaiter);
    x.cancel();
};

/// An awaitable that several steps may await: `leave()` is called in the place of `cancel()` when
/// one of them awaits it no more, and answers as that; it's for the awaitable to know whether that
/// was the last.
template <class T>
concept Shared = Awaitable<T> && requires(T& x) {
    x.leave();
};

/// An awaitable that may take time to stop: its `cancel()` returns true if it goes on, until it
/// calls its awaiter. The step isn't left before that, within the flow's `grace`.
template <class T>
concept TakesTime = Awaitable<T> && requires(T& x) {
    { x.cancel() } -> std::same_as<bool>;
};

/// Owns what an operation may still use that was abandoned; any thread may let go of it. It can be
/// moved. Guide: docs/waiting.md#callbacks
///
///     struct Read {
///         void outlive(Outlived given) { kept = std::move(given); }
///         Outlived kept;  // let go of when the read has ended
///     };
class Outlived {
  public:
    Outlived() noexcept = default;
    /// For the runtime.
    Outlived(void* owned, void (*release)(void*) noexcept) noexcept
        : owned_(owned), release_(release) {}
    Outlived(Outlived&& other) noexcept
        : owned_(std::exchange(other.owned_, nullptr)), release_(other.release_) {}
    Outlived& operator=(Outlived other) noexcept {
        std::swap(owned_, other.owned_);
        std::swap(release_, other.release_);
        return *this;
    }
    ~Outlived() {
        if (owned_ != nullptr) release_(owned_);
    }

    explicit operator bool() const noexcept { return owned_ != nullptr; }

  private:
    void* owned_ = nullptr;
    void (*release_)(void*) noexcept = nullptr;
};

/// One that uses, as long as it goes on, what its step and those around it hold. When it's
/// abandoned, `x.outlive(kept)` is given the owner of that, which it has to let go of when it has
/// ended, on any thread.
template <class T>
concept Outlives = TakesTime<T> && requires(T& x, Outlived kept) {
    x.outlive(std::move(kept));
};

/// Cancels one run of a flow from any thread: `IFlow::canceller`. Copyable; returns at once;
/// harmless when that run, the flow or its tool is gone. Guide: docs/waiting.md#callbacks
///
///     const Canceller stop = flow.canceller();
///     stop.cancel("late");
class Canceller : public detail::SlotRef {
  public:
    using SlotRef::SlotRef;

    /// Cancels the run, if it still goes on. Any thread; returns at once.
    void cancel(std::string_view reason = {}) const noexcept {
        if (slot_ != nullptr) page().ops->cancelFlow(*page().share, *slot_, generation_, reason);
    }
    void operator()(std::string_view reason = {}) const noexcept { cancel(reason); }
};

}  // namespace steptree
