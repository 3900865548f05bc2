#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "steptree/detail/foreach.hpp"
#include "steptree/mapoptions.hpp"

namespace steptree::detail {

/// What the engine needs of a map. An item lives behind its step, as that step's closure.
struct MapOps : ClosureOps {
    ClosureOps item;
    void (*start)(void* map);                                     // looks at the source
    bool (*next)(void* map, void* item, std::size_t index);       // false: it is at its end
    void (*give)(void* map, Results& values, std::size_t index);  // what an item has ended with
    void (*finish)(void* map, Results& into);
    void (*close)(void* map);  // lets go of the source
};

template <class T>
inline constexpr bool isOptional = false;
template <class T>
inline constexpr bool isOptional<std::optional<T>> = true;

/// A function that gives items until it gives none.
template <class S>
concept Pulls = std::is_invocable_v < std::unwrap_reference_t<S>
& > &&isOptional<std::invoke_result_t<std::unwrap_reference_t<S>&>>;

/// Where the items of a map come from.
template <class Held>
class MapSource {
    using Walk = Walked<Held>;

  public:
    using Element =
        std::conditional_t<Walk::byReference, std::remove_reference_t<typename Walk::Reference>*,
                           std::remove_cvref_t<typename Walk::Reference>>;

    static auto& valueOf(Element& element) noexcept {
        if constexpr (Walk::byReference) {
            return *element;
        } else {
            return element;
        }
    }

    template <class H>
    explicit MapSource(H&& held) : held_(std::in_place, std::forward<H>(held)) {}

    void start() {
        typename Walk::Collection& all = *held_;
        at_.emplace(std::begin(all));
        end_.emplace(std::end(all));
    }
    std::size_t size() {
        typename Walk::Collection& all = *held_;
        if constexpr (requires { std::size(all); }) return std::size(all);
        return 0;
    }
    /// Calls `make` with a function that gives the next element; false at the end.
    template <class Make>
    bool next(Make make) {
        if (*at_ == *end_) return false;
        make([this]() -> Element {
            if constexpr (Walk::byReference) {
                return &**at_;
            } else {
                return Element(**at_);
            }
        });
        ++*at_;
        return true;
    }
    void close() {
        at_.reset();
        end_.reset();
        held_.reset();
    }

  private:
    std::optional<Held> held_;
    std::optional<typename Walk::Iterator> at_;
    std::optional<typename Walk::End> end_;
};

template <Pulls Held>
class MapSource<Held> {
  public:
    using Element = typename std::invoke_result_t<std::unwrap_reference_t<Held>&>::value_type;

    static Element& valueOf(Element& element) noexcept { return element; }

    template <class H>
    explicit MapSource(H&& held) : held_(std::in_place, std::forward<H>(held)) {}

    void start() {}
    std::size_t size() { return 0; }
    template <class Make>
    bool next(Make make) {
        std::unwrap_reference_t<Held>& pull = *held_;
        std::optional<Element> pulled = pull();
        if (!pulled) return false;
        make([&pulled]() -> Element { return std::move(*pulled); });
        return true;
    }
    void close() { held_.reset(); }

  private:
    std::optional<Held> held_;
};

/// What becomes of the results.
template <class R>
class MapResults {
    /// A list in the order of the source has places for what is not known yet.
    using Place = std::conditional_t<std::is_default_constructible_v<R>, R, std::optional<R>>;

  public:
    explicit MapResults(MapOptions<R>&& options) : options_(std::move(options)) {}

    void expect(std::size_t count) {
        if (!options_.sink) all_.reserve(count);
    }
    void begin() {
        if (options_.ordered && !options_.sink) all_.emplace_back();
    }
    void give(Results& values, std::size_t index) {
        R value = first(values);
        if (options_.sink) {
            options_.sink(std::move(value), index);
        } else if (options_.ordered) {
            all_[index] = std::move(value);
        } else {
            all_.push_back(std::move(value));
        }
    }
    void finish(Results& into) {
        if (options_.sink) return;
        if constexpr (std::is_same_v<Place, R>) {
            into.set(std::move(all_));
        } else {
            std::vector<R> results;
            results.reserve(all_.size());
            for (Place& place : all_) results.push_back(std::move(*place));
            into.set(std::move(results));
        }
    }

  private:
    static R first(Results& values) {
        if constexpr (std::is_same_v<R, Results>) {
            return std::move(values);
        } else {
            return std::move(values.at<R>(0));
        }
    }

    MapOptions<R> options_;
    std::vector<Place> all_;
};

template <>
class MapResults<void> {
  public:
    explicit MapResults(MapOptions<void>&&) noexcept {}
    void expect(std::size_t) noexcept {}
    void begin() noexcept {}
    void give(Results&, std::size_t) noexcept {}
    void finish(Results&) noexcept {}
};

/// The closure of a map's step.
template <class R, class Held, class F>
class Mapping {
    using Source = MapSource<Held>;
    using Element = typename Source::Element;
    static_assert(std::is_nothrow_destructible_v<Held>, "a source's destructor may not throw");

    struct Item {
        template <class Make>
        Item(Mapping& of, std::size_t number, Make& make)
            : map(&of), index(number), element(make()) {}

        Mapping* map;
        std::size_t index;
        Element element;
    };
    using ItemPlace = Place<Item>;

  public:
    template <class H, class B>
    Mapping(H&& held, MapOptions<R>&& options, B&& body)
        : source_(std::forward<H>(held)),
          results_(std::move(options)),
          body_(std::forward<B>(body)) {}

    static constexpr MapOps makeOps() {
        return {Place<Mapping>::template ops<Mapping>(false, nullptr),
                ItemPlace::template ops<const Item>(false, &call),
                &start,
                &next,
                &give,
                &finish,
                &close};
    }

  private:
    static Mapping& at(void* closure) noexcept { return Place<Mapping>::get(closure); }

    static void start(void* closure) {
        Mapping& map = at(closure);
        map.source_.start();
        map.results_.expect(map.source_.size());
    }

    static bool next(void* closure, void* item, std::size_t index) {
        Mapping& map = at(closure);
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
        F& body = item.map->body_;
        auto& value = Source::valueOf(item.element);
        guarded(asi, [&] {
            callAndWatch<Returned::kept>(asi, [&]() -> decltype(auto) {
                if constexpr (std::is_invocable_v<F&, IAsyncSteps&, decltype(value), std::size_t>) {
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

    Source source_;
    MapResults<R> results_;
    F body_;
};

template <class M>
inline constexpr MapOps mapOps = M::makeOps();

}  // namespace steptree::detail
