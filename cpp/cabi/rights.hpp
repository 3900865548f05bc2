#pragma once

#include <exception>
#include <utility>

#include "plugincompletions.hpp"
#include "steptree/completion.hpp"
#include "steptree/steptree.h"
#include "values.hpp"

/// Completions, awaiters and cancellers of C are those of C++: two words.
namespace steptree::cabi {

namespace rights {
template <class Ref>
struct InC;
template <>
struct InC<Completion> {
    using Type = steptree_completion;
};
template <>
struct InC<Awaiter> {
    using Type = steptree_awaiter;
};
template <>
struct InC<Canceller> {
    using Type = steptree_canceller;
};
}  // namespace rights

/// What C has of it.
template <class Ref>
using Right = typename rights::InC<Ref>::Type;

template <class Ref>
class Open : public Ref {
  public:
    explicit Open(Ref&& ref) noexcept : Ref(std::move(ref)) {}
    /// Takes over what C owns.
    explicit Open(Right<Ref> owned) noexcept {
        this->slot_ = static_cast<detail::Slot*>(owned.slot);
        this->generation_ = owned.generation;
    }
    Right<Ref> detach() noexcept {
        return {std::exchange(this->slot_, nullptr), this->generation_};
    }
};

template <class Ref>
Right<Ref> detached(Ref ref) noexcept {
    return Open<Ref>(std::move(ref)).detach();
}

/// To a plug-in; null: to any other program. What is of nothing, a handler's, needs no drop.
template <class Ref>
Right<Ref> detachedTo(Code* code, Ref ref) {
    const Right<Ref> given = detached(std::move(ref));
    if (code == nullptr || given.slot == nullptr) return given;
    try {
        keepRight(*code, given.slot, given.generation);
    } catch (...) {
        const Open<Ref> dropped(given);
        throw;
    }
    return given;
}

/// What C goes on owning.
template <class Ref>
class Borrowed {
  public:
    explicit Borrowed(Right<Ref> owned) noexcept : open_(owned) {}
    Borrowed(const Borrowed&) = delete;
    Borrowed& operator=(const Borrowed&) = delete;
    ~Borrowed() { open_.detach(); }

    const Ref& operator*() const noexcept { return open_; }
    const Ref* operator->() const noexcept { return &open_; }

  private:
    Open<Ref> open_;
};

template <class Ref>
Right<Ref> keepRef(Right<Ref> of) noexcept {
    if (of.slot == nullptr) return of;
    const Borrowed<Ref> borrowed(of);
    return detached(Ref(*borrowed));
}

template <class Ref>
void dropRef(Right<Ref> of) noexcept {
    const Open<Ref> owned(of);
}

/// Calls `good` with the values, `bad` with what has been thrown instead.
template <class Good, class Bad>
auto withValues(const steptree_value* values, std::size_t count, Good good, Bad bad) noexcept {
    Results results;
    try {
        take(values, count, results);
    } catch (...) {
        return bad(std::current_exception());
    }
    return good(std::move(results));
}

}  // namespace steptree::cabi
