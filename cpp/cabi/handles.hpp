#pragma once

#include <string_view>

#include "steptree/chandles.hpp"
#include "steptree/steps.hpp"
#include "steptree/steptree.h"

/// Handles are the objects themselves, see also chandles.hpp. What steps are added to is a
/// StepSink, also where it is an accessor or a flow.
namespace steptree::cabi {

inline steptree_adder* handleOf(detail::StepSink& sink) noexcept {
    return reinterpret_cast<steptree_adder*>(&sink);
}
inline steptree_state* handleOf(State& state) noexcept {
    return reinterpret_cast<steptree_state*>(&state);
}
inline const steptree_definition* handleOf(const detail::Definition& definition) noexcept {
    return reinterpret_cast<const steptree_definition*>(&definition);
}

inline detail::StepSink& from(steptree_adder* adder) noexcept {
    return *reinterpret_cast<detail::StepSink*>(adder);
}
inline IAsyncSteps& from(steptree_step* asi) noexcept {
    return static_cast<IAsyncSteps&>(*reinterpret_cast<detail::StepSink*>(asi));
}
inline const IAsyncSteps& from(const steptree_step* asi) noexcept {
    return static_cast<const IAsyncSteps&>(*reinterpret_cast<const detail::StepSink*>(asi));
}
inline IFlow& from(steptree_flow* flow) noexcept {
    return static_cast<IFlow&>(*reinterpret_cast<detail::StepSink*>(flow));
}
inline const IFlow& from(const steptree_flow* flow) noexcept {
    return static_cast<const IFlow&>(*reinterpret_cast<const detail::StepSink*>(flow));
}
inline State& from(steptree_state* state) noexcept {
    return *reinterpret_cast<State*>(state);
}
inline const detail::Definition& from(const steptree_definition* value) noexcept {
    return *reinterpret_cast<const detail::Definition*>(value);
}

/// Any values in, any out.
using AnyStep = Step<AnyValues, AnyValues>;

inline AnyStep stepOf(const steptree_definition* value) noexcept {
    detail::retain(from(value));
    return AnyStep(detail::StepValue(&from(value)));
}
/// To a C program, which owns it.
template <class In, class Out>
void give(const Step<In, Out>& step, const steptree_definition** into) {
    const detail::Definition& definition = step.definition();
    detail::retain(definition);
    *into = handleOf(definition);
}

inline std::string_view view(steptree_text text) noexcept {
    return text.data == nullptr ? std::string_view() : std::string_view(text.data, text.size);
}
inline steptree_text textOf(std::string_view text) noexcept {
    return {text.data(), text.size()};
}

}  // namespace steptree::cabi
