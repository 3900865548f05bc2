#pragma once

#include <string>
#include <utility>
#include <vector>

#include "codeof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/delay.hpp"
#include "steptree/hedge.hpp"
#include "steptree/loop.hpp"
#include "steptree/map.hpp"
#include "steptree/parallel.hpp"
#include "steptree/retry.hpp"
#include "steptree/shield.hpp"
#include "steptree/steps.hpp"
#include "steptree/sync.hpp"
#include "steptree/virtualtool.hpp"

namespace rig {

using steptree::AsyncSteps;
using steptree::Completion;
using steptree::IAsyncSteps;
using steptree::IFlow;
using steptree::IParallel;
using steptree::Outcome;
using steptree::OutcomeKind;
using steptree::Results;
using steptree::StepError;
using steptree::VirtualTool;

using steptree::all;
using steptree::any;
using steptree::delay;
using steptree::hedge;
using steptree::map;
using steptree::parallel;
using steptree::race;
using steptree::repeat;
using steptree::retry;
using steptree::shield;
using steptree::Step;
using steptree::step;
using steptree::steps;
using steptree::sync;

/// Runs the flow to its end, or until nothing is left to do: "ok", "error Code", "cancelled reason"
/// or "waiting".
inline std::string run(VirtualTool& tool, IFlow& flow) {
    std::string end = "waiting";
    flow.execute([&end](Outcome& outcome) {
        end = outcome.kind == OutcomeKind::ok      ? "ok"
              : outcome.kind == OutcomeKind::error ? "error " + outcome.code
                                                   : "cancelled " + outcome.reason;
    });
    tool.run();
    if (end != "waiting") return end;
    flow.cancel();
    tool.run();
    return "waiting";
}

/// A tool and a flow on it.
struct Rig {
    VirtualTool tool;
    AsyncSteps flow{tool};

    std::string run() { return rig::run(tool, flow); }
};

/// Cancels a flow when it is destroyed.
struct CancelsWhenGone {
    IFlow* flow;

    explicit CancelsWhenGone(IFlow* cancelled) : flow(cancelled) {}
    CancelsWhenGone(CancelsWhenGone&& other) noexcept : flow(std::exchange(other.flow, nullptr)) {}
    ~CancelsWhenGone() {
        if (flow != nullptr) flow->cancel("gone");
    }
};

}  // namespace rig
