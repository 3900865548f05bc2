#pragma once

#include <functional>
#include <string>

#include "steptree/detail/foreach.hpp"
#include "steptree/detail/parts.hpp"

/// Loops over a collection that is part of a description.
namespace steptree::detail {

/// How runs go through what a description holds.
template <class C>
struct Shared {
    static constexpr bool refers = requires(const C& all) { std::begin(all); };
    using Held = std::conditional_t<refers, std::reference_wrapper<const C>, C>;
};
template <class C>
struct Shared<std::reference_wrapper<C>> {
    using Held = std::reference_wrapper<C>;
};

/// What it gives to a step value.
template <class C>
struct ElementsOf {
    using Walk = Walked<typename Shared<C>::Held>;
    using type = Values<std::size_t, std::decay_t<typename Walk::Reference>>;
};
template <class C>
requires MapLike<std::remove_cv_t<std::unwrap_reference_t<C>>>
struct ElementsOf<C> {
    using Map = std::remove_cv_t<std::unwrap_reference_t<C>>;
    using type = Values<typename Map::key_type, typename Map::mapped_type>;
};

template <class T, class Lock>
struct ElementsOf<TakenFrom<T, Lock>> {
    using type = Values<std::size_t, T>;
};

template <class C, class F>
struct ForEachBlock : Definition {
    using Collection = C;
    using Body = F;
    static_assert(std::is_nothrow_destructible_v<F>, "a body's destructor may not throw");

    template <class X, class B>
    ForEachBlock(X&& all, B&& given, std::string_view label);

    const C collection;
    const F body;
    const std::string text;
};

/// One run of it.
template <class Block, class Keeper>
class ForEachRun
    : Keeper,
      public Elements<ForEachRun<Block, Keeper>, typename Shared<typename Block::Collection>::Held,
                      typename Block::Body> {
  public:
    explicit ForEachRun(const Definition& of)
        : Keeper(of),
          ForEachRun::Elements(static_cast<const Block&>(of).collection),
          block_(static_cast<const Block&>(of)) {}

    const typename Block::Body& body() const noexcept { return block_.body; }

  private:
    const Block& block_;
};
template <class Block, class Keeper>
inline constexpr ForEachOps kForEachRun =
    ForEachRun<Block, Keeper>::makeOps(&runOps<ForEachRun<Block, Keeper>>);

template <class C, class F>
template <class X, class B>
ForEachBlock<C, F>::ForEachBlock(X&& all, B&& given, std::string_view label)
    : collection(std::forward<X>(all)), body(std::forward<B>(given)), text(label) {
    checkValue(body);
    spec.kind = kLoopOver<C>;
    spec.text = text;
    nameBy(spec, body);
    spec.ops = &kForEachRun<ForEachBlock, Uncounted>;
    counted = &kForEachRun<ForEachBlock, Counted>;
}

}  // namespace steptree::detail
