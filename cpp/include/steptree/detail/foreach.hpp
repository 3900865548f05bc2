#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "steptree/detail/definition.hpp"

#ifndef __GLIBCXX__  // there <string> brings all of it but the streams
#include <iterator>
#endif

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

/// A std::reference_wrapper: whoever has one has included <functional>, which the contract doesn't.
template <class T>
inline constexpr bool kIsRef = false;
template <class T>
requires std::is_convertible_v<T, typename T::type&> && requires(const T& wrapper) {
    { wrapper.get() } -> std::same_as<typename T::type&>;
}
inline constexpr bool kIsRef<T> = true;

template <class Held>
struct CollectionOf {
    using type = Held;
};
template <class Held>
requires kIsRef<Held>
struct CollectionOf<Held> {
    using type = typename Held::type;
};

/// Channels are referred to, in the place of being moved or copied.
template <class C>
struct GoneThrough {
    using type = std::decay_t<C>;
};
template <class C>
requires requires {
    typename std::remove_reference_t<C>::Taken;
}
struct GoneThrough<C> {
    static_assert(std::is_lvalue_reference_v<C>,
                  "a channel is referred to, and has to outlive the run: give it a name");
    using type = typename std::remove_reference_t<C>::Taken;
};

template <class T, class Lock>
class TakenFrom;
template <class Lock>
class Takes;
template <class Held>
inline constexpr StepKind kLoopOver = StepKind::forEach;
template <class T, class Lock>
inline constexpr StepKind kLoopOver<TakenFrom<T, Lock>> = StepKind::channel;

/// An insertion may put all elements elsewhere, and there is no index.
template <class C>
concept Rehashes = requires {
    typename C::hasher;
};

/// How a collection, or a reference to one, is gone through.
template <class Held>
struct Walked {
    using Collection = typename CollectionOf<Held>::type;
    using Iterator = decltype(std::begin(std::declval<Collection&>()));
    using End = decltype(std::end(std::declval<Collection&>()));
    using Reference = decltype(*std::declval<Iterator&>());
    static constexpr bool byReference =
        std::is_lvalue_reference_v<Reference> &&
        (KeepsElements<Iterator> ||
         !std::is_constructible_v<std::remove_cvref_t<Reference>, Reference>);
    /// Its iterators don't have to stay good.
    static constexpr bool byIndex =
        std::random_access_iterator<Iterator> && std::sized_sentinel_for<End, Iterator>;

    static_assert(!kIsRef<Held> || std::is_const_v<Collection> || !Rehashes<Collection>,
                  "whoever adds to an unordered collection moves the elements that are gone "
                  "through: refer to it by std::cref, or give it away");
};

/// An element, as long as its iteration takes.
template <class Walk>
class Element {
    using Reference = typename Walk::Reference;
    using Kept = std::conditional_t<Walk::byReference, std::remove_reference_t<Reference>*,
                                    std::optional<std::remove_cvref_t<Reference>>>;

  public:
    template <class Iterator>
    void take(Iterator& at) {
        if constexpr (Walk::byReference) {
            kept_ = &*at;
        } else {
            kept_.emplace(*at);
        }
    }
    auto& operator*() noexcept { return *kept_; }

  private:
    Kept kept_{};
};

/// Goes from element to element. The iterator is advanced before the body runs, so that the body
/// may erase the element that it was called for. [loop-20]
template <class Walk>
class Walker {
  public:
    bool next(typename Walk::Collection& all) {
        if (ready_) return true;
        if (!at_) {
            at_.emplace(std::begin(all));
            end_.emplace(std::end(all));
        }
        if (*at_ == *end_) return false;
        element_.take(*at_);
        ++*at_;
        return ready_ = true;
    }
    auto& take(typename Walk::Collection&) {
        ready_ = false;
        return *element_;
    }

  private:
    std::optional<typename Walk::Iterator> at_;
    std::optional<typename Walk::End> end_;
    Element<Walk> element_;
    bool ready_ = false;  // at an element whose iteration has not begun
};

/// By index: the body may add elements, which are not gone through, or take some away. [loop-12]
template <class Walk>
requires(Walk::byIndex) class Walker<Walk> {
  public:
    bool next(typename Walk::Collection& all) {
        const std::ptrdiff_t size = std::end(all) - std::begin(all);
        if (count_ < 0) count_ = size;
        return index_ < (count_ < size ? count_ : size);
    }
    auto& take(typename Walk::Collection& all) {
        auto at = std::begin(all) + index_++;
        element_.take(at);
        return *element_;
    }

  private:
    std::ptrdiff_t count_ = -1;  // when the loop started
    std::ptrdiff_t index_ = 0;
    Element<Walk> element_;
};

/// A step value in the place of a loop's body gets copies.
template <class Collection, class Element>
void giveElement(std::int64_t index, const Element& element, Results& into) {
    if constexpr (MapLike<std::remove_cv_t<Collection>>) {
        into.set(std::as_const(element.first), std::as_const(element.second));
    } else {
        into.set(static_cast<std::size_t>(index), element);
    }
}

/// A collection on its way through a loop, which is a `Run` and has a body().
template <class Run, class Held, class F>
class Elements {
    using Walk = Walked<Held>;
    using Collection = typename Walk::Collection;

  public:
    template <class H>
    explicit Elements(H&& held) : held_(std::forward<H>(held)) {}
    /// Only before the start, while the step is being added.
    Elements(Elements&& other) noexcept(std::is_nothrow_constructible_v<Held, Held&&>)
        : held_(std::move(other.held_)) {}
    Elements(const Elements& other) = delete;

    static constexpr ForEachOps makeOps(ClosureOps (*opsOf)(bool, ClosureCall)) {
        if constexpr (IsStepValue<F>) {
            return {opsOf(false, nullptr), &nextOf, &part};
        } else {
            return {withSource<F>(opsOf(false, &call)), &nextOf};
        }
    }

  private:
    static bool nextOf(void* closure) {
        Elements& loop = Place<Run>::get(closure);
        return loop.walker_.next(loop.held_);
    }

    static void call(IAsyncSteps& asi, void* closure, CallArgs& args) noexcept {
        Run& run = Place<Run>::get(closure);
        Elements& loop = run;
        guarded(asi, [&] {
            auto& element = loop.walker_.take(loop.held_);
            callAndWatch<Returned::dropped>(asi, [&]() -> decltype(auto) {
                using Body = decltype(run.body());
                using Element = decltype(element);
                if constexpr (MapLike<std::remove_cv_t<Collection>>) {
                    static_assert(
                        std::is_invocable_v<Body, IAsyncSteps&, decltype((element.first)),
                                            decltype((element.second))>,
                        "forEach(): the body is called as const, with the accessor, a key "
                        "and its value");
                    return run.body()(asi, element.first, element.second);
                } else {
                    static_assert(std::is_invocable_v<Body, IAsyncSteps&, std::size_t, Element>,
                                  "forEach(): the body is called as const, with the accessor, an "
                                  "index and an element");
// A body may take an `int`, or what else it likes, for the index.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
                    return run.body()(asi, static_cast<std::size_t>(args.index), element);
#pragma GCC diagnostic pop
                }
            });
        });
    }

    static const Definition& part(void* closure, std::int64_t index, Results& into) {
        Run& run = Place<Run>::get(closure);
        Elements& loop = run;
        giveElement<Collection>(index, loop.walker_.take(loop.held_), into);
        return run.body().definition();
    }

    Held held_;
    Walker<Walk> walker_;
};

/// Of a loop that is added.
template <class Held, class F>
class ForEach : public Elements<ForEach<Held, F>, Held, F> {
    using Base = Elements<ForEach, Held, F>;
    static constexpr bool kMoves =
        std::is_nothrow_move_constructible_v<Base> && std::is_nothrow_constructible_v<F, F&&>;

  public:
    template <class H, class B>
    ForEach(H&& held, B&& body) : Base(std::forward<H>(held)), body_(std::forward<B>(body)) {}
    ForEach(ForEach&& other) noexcept(kMoves)
        : Base(static_cast<Base&&>(other)), body_(std::move(other.body_)) {}

    F& body() noexcept { return body_; }

  private:
    F body_;
};

template <class L>
inline constexpr ForEachOps forEachOps = L::makeOps(&Place<L>::template ops<L>);

}  // namespace steptree::detail
