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
    // Of a step value in the place of the body, which gets these values of an item; null: there is
    // none.
    const Definition& (*part)(void* item, Results& into) = nullptr;
    const TakeOps* take = nullptr;  // of a map over a channel
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

template <class T, class Lock>
class MapSource<TakenFrom<T, Lock>> {
  public:
    using Element = T;

    static T& valueOf(T& element) noexcept { return element; }

    explicit MapSource(const TakenFrom<T, Lock>& from) noexcept : takes_(*from) {}

    void start() noexcept {}
    std::size_t size() const noexcept { return 0; }
    template <class Make>
    bool next(Make make) {
        if (!takes_.next()) return false;
        make([this]() -> T { return std::move(takes_.template use<T>()); });
        return true;
    }
    void close() { takes_.clear(); }

    Takes<Lock>& takes() noexcept { return takes_; }
    template <class Run>
    static constexpr const TakeOps* takeOps() noexcept {
        return &Takes<Lock>::template ops<Run>;
    }

  private:
    Takes<Lock> takes_;
};

/// In the place of a function that gets the results.
struct NoSink {};

template <class R>
R resultOf(Results& values) {
    if constexpr (std::is_same_v<R, Results>) {
        return std::move(values);
    } else {
        return std::move(values.at<R>(0));
    }
}

/// What becomes of the results: a list of them.
template <class R, class Sink>
class MapResults {
    /// A list in the order of the source has places for what is not known yet.
    static constexpr bool isPlace =
        std::is_default_constructible_v<R> && std::is_move_assignable_v<R>;
    using Place = std::conditional_t<isPlace, R, std::optional<R>>;

  public:
    MapResults(const MapOptions& options, const Sink&) noexcept : ordered_(options.ordered) {}

    void expect(std::size_t count) { all_.reserve(count); }
    void begin() {
        if (ordered_) all_.emplace_back();
    }
    void give(Results& values, std::size_t index) {
        if (!ordered_) {
            all_.emplace_back(resultOf<R>(values));
        } else if constexpr (isPlace) {
            all_[index] = resultOf<R>(values);
        } else {
            all_[index].emplace(resultOf<R>(values));
        }
    }
    void finish(Results& into) {
        if constexpr (isPlace) {
            into.set(std::move(all_));
        } else {
            std::vector<R> results;
            results.reserve(all_.size());
            for (Place& place : all_) results.push_back(std::move(*place));
            into.set(std::move(results));
        }
    }

  private:
    bool ordered_;
    std::vector<Place> all_;
};

template <class R, class Sink>
requires(!std::is_same_v<Sink, NoSink>) class MapResults<R, Sink> {
  public:
    MapResults(const MapOptions&, const Sink& sink) noexcept : sink_(sink) {}
    void expect(std::size_t) noexcept {}
    void begin() noexcept {}
    void give(Results& values, std::size_t index) { sink_(resultOf<R>(values), index); }
    void finish(Results&) noexcept {}

  private:
    const Sink& sink_;
};

/// Nobody is interested in them.
template <>
class MapResults<void, NoSink> {
  public:
    MapResults(const MapOptions&, const NoSink&) noexcept {}
    void expect(std::size_t) noexcept {}
    void begin() noexcept {}
    void give(Results&, std::size_t) noexcept {}
    void finish(Results&) noexcept {}
};

}  // namespace steptree::detail
