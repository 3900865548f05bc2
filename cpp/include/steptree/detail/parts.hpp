#pragma once

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "steptree/detail/wrapping.hpp"

/// Descriptions that are made of parts: bodies, which they hold, and step values, which they refer
/// to.
namespace steptree::detail {

/// A body or a step value, in a description.
template <class F, class Call = PartCall<F>>
struct PartOf : BodyBlock<F> {
    template <class X>
    explicit PartOf(X&& given) : BodyBlock<F>(std::forward<X>(given)) {
        this->spec.ops = &Call::ops;
        this->bare = true;
    }
    const Definition* get() const noexcept { return this; }
};
template <IsStepValue F, class Call>
struct PartOf<F, Call> {
    explicit PartOf(const StepValue& given) : value(given), definition(&value.definition()) {}
    const Definition* get() const noexcept { return definition; }

    const StepValue value;
    const Definition* const definition;
};

/// Any number of them, whose types are known.
template <class... F>
struct PartList {
    template <class... X>
    explicit PartList(X&&... given) : parts(std::forward<X>(given)...) {
        std::apply([this](const auto&... part) { all = {part.get()...}; }, parts);
    }

    const std::tuple<PartOf<F>...> parts;
    std::array<const Definition*, sizeof...(F)> all;
};
template <>
struct PartList<> {
    std::array<const Definition*, 0> all;
};

/// A list that a program has made.
struct ValueList {
    template <class Values>
    explicit ValueList(const Values& given) : parts(given.begin(), given.end()) {
        for (const StepValue& part : parts) all.push_back(&part.definition());
    }

    const std::vector<StepValue> parts;
    std::vector<const Definition*> all;
};

template <class Parts>
struct SequenceBlock : SequenceDefinition {
    template <class... X>
    explicit SequenceBlock(X&&... given) : list(std::forward<X>(given)...) {
        spec.kind = StepKind::steps;
        spec.ops = &kReferringWord;
        counted = &kCounting<true>;
        sequence = true;
        parts = list.all.data();
        count = static_cast<std::uint32_t>(list.all.size());
    }

    Parts list;
};

/// Nothing but what its kind has in its spec is said of it.
template <class F, class Call = PartCall<F>>
struct SoleBlock : BodyBlock<F> {
    template <class X>
    SoleBlock(X&& given, const StepSpec& kind, std::string_view label = {})
        : BodyBlock<F>(std::forward<X>(given)), text(label) {
        this->spec.kind = kind.kind;
        this->spec.count = kind.count;
        this->spec.of = kind.of;
        this->spec.ownGuard = kind.ownGuard;
        this->spec.text = text;
        this->bare = kind.kind == StepKind::plain && label.empty();
        setBody<Call>(*this);
    }

    const std::string text;
};
template <IsStepValue F, class Call>
struct SoleBlock<F, Call> : Definition {
    SoleBlock(const StepValue& given, const StepSpec& kind, std::string_view label = {})
        : inner(given), word(&inner.definition()), text(label) {
        spec = kind;
        spec.ops = &kInside;
        spec.source = &word;
        spec.text = text;
        nameBy(spec, inner);
        counted = &kInsideCounted;
    }

    const StepValue inner;
    const Definition* word;
    const std::string text;
};

/// What keeps the description that a run refers to.
struct Counted {
    explicit Counted(const Definition& of) noexcept : value((retain(of), &of)) {}
    const StepValue value;
};
struct Uncounted {
    explicit Uncounted(const Definition&) noexcept {}
};

/// Of a closure that has more than the word: it is made of the word.
template <class Run>
void constructRun(void* to, void* from) {
    if constexpr (Place<Run>::boxed) {
        ::new (to) Run*(new Run(definitionAt(from)));
    } else {
        ::new (to) Run(definitionAt(from));
    }
}
template <class Run>
constexpr ClosureOps runOps(bool wantsValues, ClosureCall call) noexcept {
    return {Place<Run>::size,
            Place<Run>::room,
            wantsValues,
            &constructRun<Run>,
            &Place<Run>::destroy,
            call,
            Place<Run>::boxed ? sizeof(Run) : 0};
}

}  // namespace steptree::detail
