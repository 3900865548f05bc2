#pragma once

#include <functional>
#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "steptree/detail/calls.hpp"

namespace steptree::detail {

template <class C>
concept MapLike = requires {
    typename C::key_type;
    typename C::mapped_type;
};

/// Whether a reference to an element outlives the step to the next one.
template <class I>
concept KeepsElements = std::forward_iterator<I> || requires {
    requires std::is_base_of_v<std::forward_iterator_tag,
                               typename std::iterator_traits<I>::iterator_category>;
};

/// How a collection, or a reference to one, is gone through.
template <class Held>
struct Walked {
    using Collection = std::remove_reference_t<std::unwrap_reference_t<Held>>;
    using Iterator = decltype(std::begin(std::declval<Collection&>()));
    using End = decltype(std::end(std::declval<Collection&>()));
    using Reference = decltype(*std::declval<Iterator&>());
    static constexpr bool byReference =
        std::is_lvalue_reference_v<Reference> &&
        (KeepsElements<Iterator> ||
         !std::is_constructible_v<std::remove_cvref_t<Reference>, Reference>);
};

/// A collection on its way through a loop. The iterator is advanced before the body runs, so that
/// the body may erase the element that it was called for.
template <class Held, class F>
class ForEach {
    using Walk = Walked<Held>;
    using Collection = typename Walk::Collection;
    using Iterator = typename Walk::Iterator;
    using End = typename Walk::End;
    using Reference = typename Walk::Reference;
    static constexpr bool byReference = Walk::byReference;
    using Element = std::conditional_t<byReference, std::remove_reference_t<Reference>*,
                                       std::optional<std::remove_cvref_t<Reference>>>;
    static constexpr bool kMoves =
        std::is_nothrow_constructible_v<Held, Held&&> && std::is_nothrow_constructible_v<F, F&&>;

  public:
    template <class H, class B>
    ForEach(H&& held, B&& body) : held_(std::forward<H>(held)), body_(std::forward<B>(body)) {}

    /// Only before the start, while the step is being added.
    ForEach(ForEach&& other) noexcept(kMoves)
        : held_(std::move(other.held_)), body_(std::move(other.body_)) {}
    ForEach(const ForEach& other) = delete;

    bool next() {
        if (!at_) {
            Collection& all = held_;
            at_.emplace(std::begin(all));
            end_.emplace(std::end(all));
        }
        if (*at_ == *end_) return false;
        if constexpr (byReference) {
            element_ = &**at_;
        } else {
            element_.emplace(**at_);
        }
        ++*at_;
        return true;
    }

    static bool nextOf(void* closure) { return Place<ForEach>::get(closure).next(); }

    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        ForEach& loop = Place<ForEach>::get(closure);
        auto& element = *loop.element_;
        guarded(asi, [&] {
            callAndWatch(asi, [&]() -> decltype(auto) {
                if constexpr (MapLike<std::remove_cv_t<Collection>>) {
                    return loop.body_(asi, element.first, element.second);
                } else {
                    return loop.body_(asi, static_cast<std::size_t>(args.index), element);
                }
            });
        });
    }

    static constexpr ForEachOps makeOps() {
        return {Place<ForEach>::template ops<ForEach>(false, &call), &nextOf};
    }

  private:
    Held held_;
    F body_;
    std::optional<Iterator> at_;
    std::optional<End> end_;
    Element element_{};
};

template <class L>
inline constexpr ForEachOps forEachOps = L::makeOps();

}  // namespace steptree::detail
