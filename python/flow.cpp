#include <cstdint>
#include <memory>

#include "../cpp/cabi/handles.hpp"
#include "../cpp/cabi/options.hpp"
#include "flowextras.hpp"
#include "step.hpp"

/// What the flow of a step is known by, which the C interface doesn't tell: the data of the options
/// that it was started with, if they have this hook; else the inverse of where its state is.
extern "C" std::uintptr_t steptreePythonFlow(steptree_step* asi, steptree_hook report) noexcept {
    auto& step = static_cast<steptree::detail::Step&>(steptree::cabi::from(asi));
    steptree::detail::FlowExtras* const extras = step.line->flow->flowExtras();
    if (extras == nullptr) return 0;
    const auto* const owner = std::get_deleter<steptree::cabi::OptionsOwner>(extras->options);
    if (owner != nullptr && owner->report == report) {
        return reinterpret_cast<std::uintptr_t>(owner->data);
    }
    return ~reinterpret_cast<std::uintptr_t>(steptree::cabi::handleOf(extras->state));
}
