#pragma once

#include "options.hpp"
#include "outcomes.hpp"

namespace steptree::cabi {

/// How a flow that is its owner's is started.
inline StartOptions startOptionsOf(const steptree_start_options* from) {
    const Given<steptree_start_options> given(from);
    StartOptions options;
    if (given->done != nullptr) options.done = Done(*given->done);
    options.signal = tokenOf(given->signal);
    options.options = sharedOptions(given->options);
    given.check();
    return options;
}

}  // namespace steptree::cabi
