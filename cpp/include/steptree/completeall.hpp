#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "steptree/detail/derive.hpp"

namespace steptree {

namespace detail {
class CompleteAll;
}

/// A promise and its value, as `completeAll` takes them. It refers to both.
/// Guide: docs/waiting.md#promises-and-futures
///
///     const std::vector<Completes> all{{left, 1}, {right, 2}};
///     const bool done = completeAll(all);
class Completes {
  public:
    Completes() = default;

    template <class T, class E, class V>
    requires(!std::is_void_v<T> && std::is_constructible_v<T, V>)
        Completes(Promise<T, E>& promise, V&& value)
        : Completes(promise, kOps<T, E, V>,
                    const_cast<void*>(static_cast<const void*>(std::addressof(value)))) {}

    /// Of void, which has no value.
    template <class E>
    Completes(Promise<void, E>& promise) : Completes(promise, kOps<void, E, void>, nullptr) {}

    /// Whether there is a promise.
    bool valid() const noexcept { return static_cast<bool>(state_); }

  private:
    friend class detail::CompleteAll;

    struct Ops {
        void (*store)(detail::StateBase&, void* value);
        void (*discard)(detail::StateBase&) noexcept;
    };

    template <class T, class E, class V>
    static constexpr Ops kOps{
        [](detail::StateBase& state, void* value) {
            auto& future = static_cast<detail::FutureState<T, E>&>(state);
            if constexpr (std::is_void_v<T>) {
                future.store();
            } else {
                future.store(std::forward<V>(*static_cast<std::remove_reference_t<V>*>(value)));
            }
        },
        [](detail::StateBase& state) noexcept {
            static_cast<detail::FutureState<T, E>&>(state).discard();
        }};

    template <class T, class E>
    Completes(const Promise<T, E>& promise, const Ops& ops, void* value)
        : state_(detail::FutureAccess::state(promise).get()), ops_(&ops), value_(value) {}

    detail::StateRef<detail::StateBase> state_;
    const Ops* ops_ = nullptr;
    void* value_ = nullptr;
};

namespace detail {

/// Takes the locks in the order of their addresses, so that nobody waits for one in a ring.
class CompleteAll {
  public:
    explicit CompleteAll(std::vector<const Completes*> all) : all_(std::move(all)) {
        locks_.reserve(all_.size());
        afters_.reserve(all_.size());
    }

    bool run() {
        std::vector<const Completes*> byAddress = all_;
        std::sort(byAddress.begin(), byAddress.end(),
                  [](auto* a, auto* b) { return std::less<>()(a->state_.get(), b->state_.get()); });
        const StateBase* last = nullptr;
        for (const Completes* one : byAddress) {
            StateBase& state = *one->state_;
            if (std::exchange(last, &state) == &state) return false;  // can't be completed twice
            locks_.emplace_back(state.mutex());
            if (state.unsafeSettled()) return false;
        }
        store();
        for (const Completes* one : all_) {
            afters_.push_back(one->state_->publish(StateBase::Status::succeeded));
        }
        locks_.clear();
        for (std::size_t i = 0; i < all_.size(); ++i) {
            runReactions(*all_[i]->state_, std::move(afters_[i].reactions));
        }
        return true;
    }

  private:
    /// Nothing of it is seen before it's published; a value that can't be made undoes the others.
    void store() {
        std::size_t stored = 0;
        try {
            for (; stored < all_.size(); ++stored) {
                const Completes& one = *all_[stored];
                one.ops_->store(*one.state_, one.value_);
            }
        } catch (...) {
            do {
                all_[stored]->ops_->discard(*all_[stored]->state_);
            } while (stored-- > 0);
            throw;
        }
    }

    const std::vector<const Completes*> all_;
    std::vector<StateBase::Aftermath> afters_;
    std::vector<std::unique_lock<std::mutex>> locks_;
};

}  // namespace detail

/// Completes all of these promises, and returns true, if all of them are pending; else none, and
/// returns false; so also for a promise that is there twice. No callback runs before all are
/// completed, and who sees one of them completed sees all of them so. It takes their locks, one
/// after another, and never waits for anything else. An exception out of making a value leaves all
/// as they were. Guide: docs/waiting.md#promises-and-futures
///
///     completeAll({left, philosopher}, {right, philosopher})
inline bool completeAll(std::span<const Completes> all) {
    std::vector<const Completes*> pointers;
    for (const Completes& one : all) pointers.push_back(&one);
    return detail::CompleteAll(std::move(pointers)).run();
}
/// The same with a list.
inline bool completeAll(std::initializer_list<Completes> all) {
    return completeAll(std::span(all.begin(), all.size()));
}

/// The same with up to 8: braces tell a function template nothing about types. More: a list, or a
/// span, of them. Guide: docs/waiting.md#promises-and-futures
inline bool completeAll(const Completes& a, const Completes& b = {}, const Completes& c = {},
                        const Completes& d = {}, const Completes& e = {}, const Completes& f = {},
                        const Completes& g = {}, const Completes& h = {}) {
    std::vector<const Completes*> pointers;
    for (const Completes* one : {&a, &b, &c, &d, &e, &f, &g, &h}) {
        if (one->valid()) pointers.push_back(one);
    }
    return detail::CompleteAll(std::move(pointers)).run();
}

}  // namespace steptree
