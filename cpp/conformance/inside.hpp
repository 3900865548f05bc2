#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "bodies.hpp"
#include "forms.hpp"

namespace conformance {

/// "step", "loop" and so on.
std::string kindOf(const Json& form);

/// The code of a form's body.
Code codeIn(World& world, const Json& form);

/// Of a body that does nothing but add steps that have been made, in a form of that kind.
std::optional<steptree::Step<>> sequenceOf(const Code& code, const std::string& kind);

/// A step with that body, or what stands in its place.
template <class B>
steptree::Step<> stepOf(B body) {
    if constexpr (std::is_same_v<B, steptree::Step<>>) {
        return body;
    } else {
        return steptree::step<steptree::AnyValues, steptree::AnyValues>(std::move(body));
    }
}

/// Gives `use` what stands in the place of a body, or a body with these parameters.
template <class... P, class Use>
void withInside(World& world, const Json& form, Use use) {
    if (form.contains("body")) return use(valueOf(world, form["body"]));
    const Code code = codeIn(world, form);
    if (const auto sequence = sequenceOf(code, kindOf(form))) return use(*sequence);
    withBody<P...>(code, use);
}

/// A body of `loop` gets no index.
template <class B>
struct WithoutIndex {
    B body;
    auto operator()(steptree::IAsyncSteps& asi) const {
        steptree::Results none;
        return body(asi, none);
    }
};

template <class Use>
void withRound(World& world, const Json& form, Use use) {
    withInside<const steptree::Results&>(world, form, [&]<class B>(B body) {
        if constexpr (std::is_same_v<B, steptree::Step<>>) {
            use(std::move(body));
        } else {
            use(WithoutIndex<B>{std::move(body)});
        }
    });
}

}  // namespace conformance
