#pragma once

#include <vector>

#include "rig.hpp"

namespace rig {

/// Steps that wait until it opens.
struct Gate {
    std::vector<Completion> waiting;
    auto step() {
        return [this](IAsyncSteps& asi) { waiting.push_back(asi.waitExternal()); };
    }
    void open() {
        for (const Completion& one : waiting) one.success();
        waiting.clear();
    }
};

}  // namespace rig
