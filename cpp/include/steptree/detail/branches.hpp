#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "steptree/detail/parts.hpp"

/// Descriptions of steps with branches, and what becomes of the values of these.
namespace steptree::detail {

/// Of parallel, race and any. `gives`: each branch gets what the step finds.
template <class Parts, StepKind kind, bool gives = true>
struct BranchesBlock : BranchesDefinition {
    template <class... X>
    explicit BranchesBlock(X&&... given) : list(std::forward<X>(given)...) {
        spec.kind = kind;
        spec.ops = &kReferring<gives>;
        counted = &kCounting<gives>;
        parts = list.all.data();
        count = static_cast<std::uint32_t>(list.all.size());
    }

    Parts list;
};

template <class T>
T firstValue(Results& values) {
    if constexpr (std::is_same_v<T, Results>) {
        return std::move(values);
    } else {
        return takenValue<T>(values, 0);
    }
}

template <class T>
T known(std::optional<T>& first, std::size_t branch) {
    if (first) return std::move(*first);
    if constexpr (std::is_same_v<T, Results> || std::is_same_v<T, std::monostate>) {
        return {};
    } else {
        throw StepError(errors::InternalError,
                        "all: branch " + std::to_string(branch) + " has no value");
    }
}

/// The first values of branches, as far as they are known.
template <class... T>
class Firsts {
  public:
    using Value = std::tuple<T...>;

    explicit Firsts(const BranchesDefinition&) noexcept {}

    void give(std::size_t branch, Results& values) { giveOne<0>(branch, values); }
    Value take() { return takeAll(std::index_sequence_for<T...>()); }

  private:
    template <std::size_t at>
    void giveOne(std::size_t branch, Results& values) {
        if constexpr (at < sizeof...(T)) {
            using X = std::tuple_element_t<at, Value>;
            if (branch != at) return giveOne<at + 1>(branch, values);
            if constexpr (!std::is_same_v<X, std::monostate>) {
                std::get<at>(all_).emplace(firstValue<X>(values));
            }
        }
    }
    template <std::size_t... I>
    Value takeAll(std::index_sequence<I...>) {
        return Value(known(std::get<I>(all_), I)...);
    }

    std::tuple<std::optional<T>...> all_;
};

/// Of a list of branches.
template <class T>
class FirstList {
  public:
    using Value = std::vector<T>;

    explicit FirstList(const BranchesDefinition& of) : all_(of.count) {}

    void give(std::size_t branch, Results& values) {
        if constexpr (!std::is_same_v<T, std::monostate>)
            all_[branch].emplace(firstValue<T>(values));
    }
    Value take() {
        Value value;
        value.reserve(all_.size());
        for (std::size_t i = 0; i < all_.size(); ++i) value.push_back(known(all_[i], i));
        return value;
    }

  private:
    std::vector<std::optional<T>> all_;
};

template <class All, class Keeper>
struct AllRun : Keeper {
    explicit AllRun(const Definition& of)
        : Keeper(of), all(static_cast<const BranchesDefinition&>(of)) {}

    static void give(void* closure, std::size_t branch, Results& values) {
        Place<AllRun>::get(closure).all.give(branch, values);
    }
    static void finish(void* closure, Results& into) {
        into.set(Place<AllRun>::get(closure).all.take());
    }
    static constexpr AllOps makeOps() noexcept {
        return {runOps<AllRun>(true, nullptr), &give, &finish};
    }

    All all;
};
template <class All, class Keeper>
inline constexpr AllOps kAllRun = AllRun<All, Keeper>::makeOps();

template <class Parts, class All>
struct AllBlock : BranchesBlock<Parts, StepKind::all> {
    template <class... X>
    explicit AllBlock(X&&... given)
        : BranchesBlock<Parts, StepKind::all>(std::forward<X>(given)...) {
        this->spec.ops = &kAllRun<All, Uncounted>;
        this->counted = &kAllRun<All, Counted>;
    }
};

}  // namespace steptree::detail
