#pragma once

#include <future>

#include "steptree/tool.hpp"

namespace rig {

/// What `act` gives on the tool's thread, which has to be another one.
template <class Act>
auto onThreadOf(steptree::Tool& tool, Act act) {
    std::promise<decltype(act())> made;
    tool.immediate([&] { made.set_value(act()); });
    return made.get_future().get();
}

}  // namespace rig
