#pragma once

#include <optional>
#include <utility>

#include "steptree/guard.hpp"
#include "steptree/isync.hpp"
#include "steptree/steps.hpp"

namespace steptree {

namespace detail {

/// A section of a key's guard.
template <class F>
struct KeyedBlock : SoleBlock<F> {
    template <class X>
    KeyedBlock(X&& given, const KeyedGuard& of)
        : SoleBlock<F>(std::forward<X>(given), specOf(of)), guard(of) {
        if constexpr (IsStepValue<F>) {
            inside.emplace(this->inner.definition(), of);
            this->spec.ops = this->counted = &kKeyedInside;
            this->spec.source = &*inside;
        }
    }

    static StepSpec specOf(const KeyedGuard& of) noexcept {
        StepSpec spec{nullptr, nullptr, StepKind::sync};
        spec.of.guard = &of.guard();
        return spec;
    }

    const KeyedGuard guard;
    /// Around a step value: a run keeps that and the guard, not the block.
    std::optional<KeyedInside> inside;
};

}  // namespace detail

/// A guarded section: its body runs once the guard is locked, with the values that the step finds;
/// its result is the step's. The guard is unlocked when the step closes, in whatever way, before
/// anything outside hears of it. A timeout, a cancel or a failed sibling outside takes a line that
/// waits out of the guard's queue, or cancels the body. A guard of the runtime may fail the step
/// with Deadlock or DefenseRejected; `.onError` stands around the section, and hears of these, too.
/// The guard has to outlive the runs. Guide: docs/limits.md
///
///     static ThreadMutex mutex;
///     const auto query = sync(mutex, [](IAsyncSteps&, std::string sql) { return rows(sql); });
template <class F>
auto sync(Guard& guard, F&& body, detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    detail::StepSpec spec{nullptr, nullptr, detail::StepKind::sync};
    spec.of.guard = &guard;
    return Step<detail::InOf<Body>, detail::OutOf<Body>>(
        detail::makeBlock<detail::SoleBlock<Body>>(std::forward<F>(body), spec));
}
/// The same with a guard of the program's own: `guard.lock(asi)`, `guard.unlock(asi, outcome)`.
template <class F>
auto sync(ISync& guard, F&& body, detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    detail::StepSpec spec{nullptr, nullptr, detail::StepKind::sync};
    spec.of.own = &guard;
    spec.ownGuard = true;
    return Step<detail::InOf<Body>, detail::OutOf<Body>>(
        detail::makeBlock<detail::SoleBlock<Body>>(std::forward<F>(body), spec));
}
/// The same with the guard of a key, see Keyed, which the section makes if there is none. The step
/// value keeps what `of()` gave.
template <class F>
auto sync(const KeyedGuard& guard, F&& body, detail::Here here = detail::Here::current()) {
    detail::noteSource<std::decay_t<F>>(here);
    using Body = std::decay_t<F>;
    return Step<detail::InOf<Body>, detail::OutOf<Body>>(
        detail::makeBlock<detail::KeyedBlock<Body>>(std::forward<F>(body), guard));
}

}  // namespace steptree
