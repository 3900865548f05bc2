#pragma once

#include <string>
#include <string_view>

#include "steptree/recorder.hpp"

namespace steptree::detail {

struct Flow;

/// What would break the line is said as in JSON.
void addPlain(std::string& to, std::string_view text);
/// When, which flow, where, what; and what the event says.
std::string eventText(const RecordedEvent& event);
/// The last events of a flow that has just ended, as the first recorder of its tool that has some
/// has them, a line each; '': there is none, or no memory.
std::string lastEventsOf(Flow& flow) noexcept;

}  // namespace steptree::detail
