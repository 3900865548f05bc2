#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"

namespace rig {

inline constexpr int kThreads = 4;

/// How often each of them locks a guard, where a lock is free or soon will be.
inline constexpr std::int64_t kLockings = 100'000;

/// Runs a flow of `rounds` rounds on each of four threads' tools; `fill` adds a round's steps.
template <class Fill>
void compete(std::int64_t rounds, Fill fill) {
    using namespace steptree;
    std::vector<std::unique_ptr<AsyncTool>> tools;
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    std::vector<Future<>> ends;
    for (int thread = 0; thread < kThreads; ++thread) {
        tools.push_back(std::make_unique<AsyncTool>());
        flows.push_back(std::make_unique<AsyncSteps>(*tools.back()));
        flows.back()->repeat(rounds, [fill, thread](IAsyncSteps& asi, std::int64_t round) {
            fill(asi, round, thread);
        });
    }
    for (auto& flow : flows) ends.push_back(flow->promise());
    for (const Future<>& end : ends) end.get();
}

/// Adds a step that has `ms` in which to end.
template <class Body>
void hurry(steptree::IAsyncSteps& asi, std::int64_t ms, Body body) {
    asi.add(
        [ms, body](steptree::IAsyncSteps& limited) {
            limited.setTimeout(ms);
            body(limited);
        },
        [](steptree::IAsyncSteps& failed, const std::string& code) {
            if (code == steptree::errors::Timeout) failed.success();
        });
}

/// Adds a section of one turn more, in which `in` counts whoever is inside, also if it's cancelled.
/// True is put into `met` if they are more than one.
inline void alone(steptree::IAsyncSteps& section, std::atomic<int>& in, std::atomic<bool>& met) {
    if (++in != 1) met = true;
    section.relinquish();
    section.add([&in](steptree::IAsyncSteps&) { --in; });
    section.setCancel([&in](steptree::IAsyncSteps&) { --in; });
}

/// Whether a flow that comes after all others gets the guard.
inline bool isFree(steptree::Guard& guard) {
    steptree::AsyncTool tool;
    steptree::AsyncSteps last(tool);
    bool entered = false;
    last.sync(guard, [&entered](steptree::IAsyncSteps&) { entered = true; });
    last.promise().get();
    return entered;
}

}  // namespace rig
