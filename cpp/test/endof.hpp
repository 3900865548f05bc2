#pragma once

#include <string>

#include "rig.hpp"

namespace rig {

inline constexpr auto plain = [](IAsyncSteps&) {};

/// "2 values", or what the flow has ended with otherwise, when its only body is this.
template <class Body>
std::string endOf(Body body) {
    Rig rig;
    std::string end;
    rig.flow
        .add(body,
             [&end](IAsyncSteps& asi, steptree::ErrorCode code) {
                 end = std::string(code) + ": " + asi.state().errorInfo();
             })
        .add([&end](IAsyncSteps&, Results& values) {
            end = std::to_string(values.size()) + " values";
        });
    const std::string outcome = rig.run();
    return end.empty() ? outcome : end;
}

}  // namespace rig
