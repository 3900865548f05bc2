#pragma once

#include <cstddef>
#include <utility>

#include "steptree/detail/calls.hpp"
#include "steptree/detail/definition.hpp"
#include "steptree/guard.hpp"

namespace steptree {

namespace detail {

/// Lives as long as somebody refers to it.
class SharedGuard : public Guard {
  public:
    virtual void retain() noexcept = 0;
    virtual void release() noexcept = 0;

  protected:
    SharedGuard() = default;
    ~SharedGuard() = default;
};

}  // namespace detail

/// What sections of a key lock, see Keyed. Copies are the same. It may be kept for as long as one
/// likes, also longer than its Keyed lives; sections of it are that one's.
/// Guide: docs/limits.md#one-for-each-user
///
///     const KeyedGuard guard = perUser.of("ann");
///     asi.sync(guard, ask);
class KeyedGuard {
  public:
    KeyedGuard(const KeyedGuard& other) noexcept : guard_(other.guard_) { guard_->retain(); }
    KeyedGuard& operator=(const KeyedGuard& other) noexcept {
        other.guard_->retain();
        std::exchange(guard_, other.guard_)->release();
        return *this;
    }
    ~KeyedGuard() { guard_->release(); }

    /// For the runtime: one that has been retained.
    explicit KeyedGuard(detail::SharedGuard& retained) noexcept : guard_(&retained) {}
    Guard& guard() const noexcept { return *guard_; }

  private:
    detail::SharedGuard* guard_;
};

namespace detail {

/// The closure of a section: what its guard is goes with it.
template <class F>
struct KeyedBody {
    F body;
    KeyedGuard guard;
};

template <class F>
struct KeyedCall {
    using Held = KeyedBody<F>;
    struct At : OwnBody<F> {
        static F& get(void* closure) noexcept { return Place<Held>::get(closure).body; }
    };
    using Call = BodyCall<F, At>;
    static constexpr ClosureOps ops =
        withSource<F>(Place<Held>::template ops<Held>(Call::wantsValues, &Call::call));
};

/// The same with a step value in the place of a body: the engine looks at the first word.
class KeyedInside {
  public:
    KeyedInside(const Definition& of, const KeyedGuard& guard) noexcept
        : definition_(&of), guard_(guard) {
        retain(of);
    }
    KeyedInside(const KeyedInside& other) noexcept
        : KeyedInside(*other.definition_, other.guard_) {}
    KeyedInside& operator=(const KeyedInside&) = delete;
    ~KeyedInside() { detail::release(*definition_); }

  private:
    const Definition* definition_;
    KeyedGuard guard_;
};
inline constexpr ClosureOps kKeyedInside =
    Place<KeyedInside>::ops<const KeyedInside>(true, nullptr);

}  // namespace detail
}  // namespace steptree
