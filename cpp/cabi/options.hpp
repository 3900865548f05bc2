#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "functions.hpp"
#include "given.hpp"
#include "signals.hpp"
#include "steptree/options.hpp"
#include "steptree/startoptions.hpp"

namespace steptree::cabi {

/// A hook of C; both hooks of the options share the data.
inline Options::Hook hookOf(steptree_hook hook, const std::shared_ptr<const Data>& data) {
    if (hook == nullptr) return {};
    return [hook, data](const std::string& code, const std::string& info, std::exception_ptr thrown,
                        const std::string& path) {
        const OwnedError error = makeError(std::move(thrown), code, info, path);
        hook(error.get(), data->get());
    };
}

/// Null: the usual ones.
inline Options optionsOf(const steptree_options* from) {
    if (from == nullptr) return {};
    const Given<steptree_options> given(from);
    Data own(given->data, given->drop, given->unhandled, given->report);
    const auto data = std::make_shared<const Data>(std::move(own));
    given.check();
    Options options;
    options.name = view(given->name);
    if ((given->given & STEPTREE_GIVEN_BURST) != 0) options.burst = given->burst;
    if ((given->given & STEPTREE_GIVEN_GRACE) != 0) {
        options.grace = std::chrono::milliseconds(detail::wholeMilliseconds(given->grace));
    }
    options.unhandled = hookOf(given->unhandled, data);
    options.report = hookOf(given->report, data);
    return options;
}

/// Deletes options that are shared, and knows the data of their hooks.
struct OptionsOwner {
    steptree_hook report;
    void* data;

    void operator()(const Options* options) const noexcept { delete options; }
};

inline std::shared_ptr<const Options> sharedOptions(const steptree_options* given) {
    if (given == nullptr) return nullptr;
    const Given<steptree_options> of(given);
    return {new Options(optionsOf(given)), OptionsOwner{of->report, of->data}};
}

}  // namespace steptree::cabi
