#pragma once

#include <cstddef>
#include <limits>
#include <utility>

#include "steptree/detail/foreachvalue.hpp"
#include "steptree/detail/map.hpp"

/// Descriptions of maps, and their runs.
namespace steptree::detail {

/// A function that gives items is copied for each run, which so begins anew.
template <class C>
struct SourceOf : Shared<C> {};
template <Pulls C>
requires(!kIsRef<C>) struct SourceOf<C> {
    using Held = C;
};

/// What an item leaves, if its body says so.
template <class C, class F>
struct MappedBy {
    using Source = MapSource<typename SourceOf<C>::Held>;
    using Element = decltype(Source::valueOf(std::declval<typename Source::Element&>()));
    static constexpr bool numbered =
        std::is_invocable_v<const F&, IAsyncSteps&, Element, std::size_t>;
    static auto call() {
        if constexpr (numbered) {
            return std::invoke_result<const F&, IAsyncSteps&, Element, std::size_t>();
        } else {
            static_assert(std::is_invocable_v<const F&, IAsyncSteps&, Element>,
                          "map(): the body is called as const, with the accessor, an item and its "
                          "number");
            return std::invoke_result<const F&, IAsyncSteps&, Element>();
        }
    }
    using Out = typename LeftBy<std::decay_t<typename decltype(call())::type>>::type;
};
template <class C, class I, class O>
struct MappedBy<C, steptree::Step<I, O>> {
    using Source = MapSource<typename SourceOf<C>::Held>;
    using Element = decltype(Source::valueOf(std::declval<typename Source::Element&>()));
    static_assert(fits<Values<std::decay_t<Element>>, I>,
                  "map(): the step takes other values than an item of the source");
    using Out = O;
};

/// In the place of a type that the compiler finds.
struct Deduced {};

template <class R, class C, class F>
struct ResultIn {
    using type = R;
};
template <class C, class F>
struct ResultIn<Deduced, C, F> : OnlyIn<typename MappedBy<C, F>::Out> {};

/// What the step leaves.
template <class R, class Sink>
struct ListOf {
    using type = Values<>;
};
template <class R>
requires(!std::is_void_v<R>) struct ListOf<R, NoSink> {
    using type = Values<std::vector<R>>;
};

template <class R, class C, class F, class S>
struct MapBlock : Definition {
    using Value = R;
    using Source = C;
    using Body = F;
    using Sink = S;
    static_assert(std::is_nothrow_destructible_v<F>, "a body's destructor may not throw");
    static_assert(std::is_same_v<S, NoSink> || std::is_invocable_v<const S&, R, std::size_t>,
                  "map(): the sink is called as const, with a result and its number: a mutable "
                  "lambda is none");

    template <class X, class B, class T>
    MapBlock(X&& all, MapOptions given, B&& each, T&& gets);

    const C source;
    const MapOptions options;
    const F body;
    const S sink;
};

/// One run of it.
template <class Block, class Keeper>
class MapRun : Keeper {
    using Body = typename Block::Body;
    using Held = typename SourceOf<typename Block::Source>::Held;
    using Source = MapSource<Held>;
    using Element = typename Source::Element;
    static_assert(std::is_nothrow_destructible_v<Held>, "a source's destructor may not throw");
    static_assert(std::is_constructible_v<Held, const typename Block::Source&>,
                  "a source that is a function is copied for each run: share one by std::ref");

    struct Item {
        template <class Make>
        Item(MapRun& of, std::size_t number, Make& make)
            : map(&of), index(number), element(make()) {}

        MapRun* map;
        std::size_t index;
        Element element;
    };
    using ItemPlace = Place<Item>;

  public:
    explicit MapRun(const Definition& of) : MapRun(static_cast<const Block&>(of), 0) {}

    auto& takes() noexcept { return source_.takes(); }

    static constexpr MapOps makeOps() {
        if constexpr (IsStepValue<Body>) {
            return makeOps(nullptr, &part);
        } else {
            return makeOps(&call, nullptr);
        }
    }

  private:
    MapRun(const Block& block, int)
        : Keeper(block),
          block_(block),
          source_(block.source),
          results_(block.options, block.sink) {}

    static constexpr MapOps makeOps(ClosureCall call, decltype(MapOps::part) part) {
        return {runOps<MapRun>(false, nullptr),
                withSource<Body>(ItemPlace::template ops<Item>(false, call)),
                &start,
                &next,
                &give,
                &finish,
                &close,
                part,
                takeOps()};
    }
    static constexpr const TakeOps* takeOps() {
        if constexpr (kLoopOver<Held> == StepKind::channel) {
            return Source::template takeOps<MapRun>();
        } else {
            return nullptr;
        }
    }

    static MapRun& at(void* closure) noexcept { return Place<MapRun>::get(closure); }

    static void start(void* closure) {
        MapRun& map = at(closure);
        map.source_.start();
        map.results_.expect(map.source_.size());
    }

    static bool next(void* closure, void* item, std::size_t index) {
        MapRun& map = at(closure);
        bool made = false;
        try {
            return map.source_.next([&](auto make) {
                map.results_.begin();
                if constexpr (ItemPlace::boxed) {
                    ::new (item) Item*(new Item(map, index, make));
                } else {
                    ::new (item) Item(map, index, make);
                }
                made = true;
            });
        } catch (...) {
            if (made) ItemPlace::destroy(item);
            throw;
        }
    }

    static void give(void* closure, Results& values, std::size_t index) {
        at(closure).results_.give(values, index);
    }
    static void finish(void* closure, Results& into) { at(closure).results_.finish(into); }
    static void close(void* closure) { at(closure).source_.close(); }

    static void call(IAsyncSteps& asi, void* closure, CallArgs&) noexcept {
        Item& item = ItemPlace::get(closure);
        const Body& body = item.map->block_.body;
        auto& value = Source::valueOf(item.element);
        guarded(asi, [&] {
            callAndWatch<Returned::kept>(asi, [&]() -> decltype(auto) {
                using F = const Body&;
                if constexpr (std::is_invocable_v<F, IAsyncSteps&, decltype(value), std::size_t>) {
// A body may take an `int`, or what else it likes, for the index.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
                    return body(asi, value, item.index);
#pragma GCC diagnostic pop
                } else {
                    return body(asi, value);
                }
            });
        });
    }
    static const Definition& part(void* closure, Results& into) {
        Item& item = ItemPlace::get(closure);
        if constexpr (kLoopOver<Held> == StepKind::channel) {
            into.set(std::move(item.element));
        } else {
            into.set(std::as_const(Source::valueOf(item.element)));
        }
        return item.map->block_.body.definition();
    }

    const Block& block_;
    Source source_;
    MapResults<typename Block::Value, typename Block::Sink> results_;
};

template <class Block, class Keeper>
inline constexpr MapOps kMapRun = MapRun<Block, Keeper>::makeOps();

template <class R, class C, class F, class S>
template <class X, class B, class T>
MapBlock<R, C, F, S>::MapBlock(X&& all, MapOptions given, B&& each, T&& gets)
    : source(std::forward<X>(all)),
      options(given),
      body(std::forward<B>(each)),
      sink(std::forward<T>(gets)) {
    constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max();
    if (options.limit < 1) {
        throw StepError(errors::InternalError, "map: expected a limit of at least 1, got 0");
    }
    checkValue(body);
    spec.kind = StepKind::map;
    nameBy(spec, body);
    spec.count = static_cast<std::int64_t>(options.limit < kMost ? options.limit : kMost);
    spec.keepsOrder = options.ordered && !std::is_same_v<S, NoSink>;
    spec.ops = &kMapRun<MapBlock, Uncounted>;
    counted = &kMapRun<MapBlock, Counted>;
}

}  // namespace steptree::detail
