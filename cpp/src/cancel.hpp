#pragma once

#include <string_view>

#include "tree.hpp"

/// Cancelling flows.
namespace steptree::detail {

void requestCancel(Flow& flow, std::string_view reason) noexcept;
void cancelNowOrLater(Flow& flow) noexcept;
/// `atOnce`: the flow goes, nothing of it can wait.
void cancelFlow(Flow& flow, bool atOnce = false) noexcept;
/// Those that waited for the end of a closing.
void performCancels(EngineShare& share) noexcept;

}  // namespace steptree::detail
