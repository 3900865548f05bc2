#pragma once

#include "steptree/completion.hpp"

/// Completes it with what a flow on a tool of Boost's Asio has said. In a file of its own: not all
/// versions of the two Asios may be included in one.
void tellFromBoost(steptree::Completion done);
