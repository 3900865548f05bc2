#pragma once

#include <type_traits>
#include <utility>

#include "steptree/detail/typedesc.hpp"
#include "steptree/iasyncsteps.hpp"

namespace steptree {

/// A value that a step sets for itself and everything below it: its steps, branches, items,
/// handlers and cleanups. `static const auto user = local<User>("user");`. Each Local is one of its
/// own, whatever its name, and outlives all that is set of it. Tool's thread only.
/// Guide: docs/values.md#for-all-that-is-inside
///
///     static const Local<User> user("user");
///     user.set(asi, ann);  // and further in: user.get(asi)
template <class T>
class Local {
    static_assert(std::is_same_v<T, std::decay_t<T>>, "a local has a value, not a reference");
    static_assert(std::is_nothrow_move_constructible_v<T>,
                  "a local's value moves without throwing: let it have it on the heap");

  public:
    constexpr explicit Local(const char* name) noexcept : name_(name) {}
    Local(const Local&) = delete;
    Local& operator=(const Local&) = delete;
    ~Local() = default;

    /// Until the step closes; what is set further in hides it there. Moves the value in; again:
    /// replaces it where it is. InternalError if the accessor is not valid.
    template <class Value = T>
    requires std::is_constructible_v<T, Value>
    void set(IAsyncSteps& asi, Value&& value) const {
        T made(std::forward<Value>(value));
        void* const kept = asi.keepLocal(this, detail::TypeDescOf<T>::desc, &made);
        if (kept == nullptr) return;
        T* const place = static_cast<T*>(kept);
        [[maybe_unused]] const T old(std::move(*place));  // its destructor may call anything
        std::destroy_at(place);
        std::construct_at(place, std::move(made));
    }

    /// What the innermost step around has set; null if none has. Good until that step closes. As
    /// long as the accessor's step is open, also in cancel handlers and in `unlock()`.
    const T* get(const IAsyncSteps& asi) const {
        return static_cast<const T*>(asi.findLocal(this));
    }

    /// For whoever looks at it in a debugger.
    const char* name() const noexcept { return name_; }

  private:
    const char* name_;
};

/// Where it stands: values are for the next step, state() is the whole flow's, this is a subtree's.
/// A step sets it for itself and everything below, until it closes; whoever asks where nobody has
/// set it gets nullptr. Make it once, outside of any body; the name is for debuggers.
/// Guide: docs/values.md#for-all-that-is-inside
///
///     static const auto user = local<User>("user");
///     user.set(asi, ann);  // and further in: user.get(asi)
template <class T>
constexpr Local<T> local(const char* name) noexcept {
    return Local<T>(name);
}

}  // namespace steptree
