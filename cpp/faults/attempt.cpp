#include "attempt.hpp"

#include <array>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "allocations.hpp"
#include "runcase.hpp"
#include "steptree/asyncsteps.hpp"

namespace faults {

using conformance::Memory;
using conformance::Quiet;
using conformance::Then;
using conformance::World;
using steptree::IAsyncSteps;

namespace {

char now[100] = "";

/// The case has come to its end, if need be by a cancel of all its flows.
void checkNothingIsLeft(World& world) {
    for (const std::string& name : world.names) {
        if (world.flow(name).running()) throw conformance::Fault(name + " still runs");
    }
    const std::size_t armed = world.tool.armedTimers();
    if (armed != 0) throw conformance::Fault(std::to_string(armed) + " timers are left");
}

/// Whatever has failed, the tool serves the next flow as ever.
void runPlainFlow(World& world) {
    if (endsWhenCancelled) checkNothingIsLeft(world);
    steptree::AsyncSteps flow(world.tool);
    int steps = 0;
    flow.add([&](IAsyncSteps& asi) {
        asi.setTimeout(100);
        steptree::Completion done = asi.waitExternal();
        world.tool.deferred(1, [done] { done.success(1); });
    });
    flow.repeat(3, [&](IAsyncSteps& asi) { asi.add([&](IAsyncSteps&) { ++steps; }); });
    int ends = 0;
    flow.execute([&](steptree::Outcome& outcome) {
        ends += outcome.kind == steptree::OutcomeKind::ok ? 1 : 10;
    });
    world.tool.run();
    if (steps != 3 || ends != 1) throw conformance::Fault("a further flow on the tool fails");
}

struct Ended {
    Trace trace{};
    std::string fault{};
    std::size_t failed = 0;
    bool thrown = false;  // at who made the tool or the flows
};

Ended runOnce(const Attempt& attempt) {
    Ended ended;
    const allocations::Failing failing(attempt.k, attempt.times);
    Memory::mayFail = true;
    Memory::then = attempt.then;
    Memory::starving = attempt.times > 1;
    Memory::calls = 0;
    Memory::found = Memory::kNone;
    allocations::spared = []() noexcept { return Memory::quiet != 0; };
    try {
        conformance::Json answer =
            conformance::runCase(attempt.makeFlow, attempt.program, &runPlainFlow);
        const Quiet quiet;
        ended.trace = answer["trace"].get<Trace>();
        answer = nullptr;
    } catch (const std::bad_alloc&) {
        ended.thrown = true;
    } catch (const conformance::Fault& fault) {
        const Quiet quiet;
        ended.fault = fault.what();
    }
    Memory::mayFail = Memory::starving = false;
    ended.failed = failing.failed();
    return ended;
}

/// Of a run in which that call isn't made.
Ended runWithout(Attempt attempt, std::size_t call) {
    attempt.times = 0;
    Memory::left = call;
    Ended ended = runOnce(attempt);
    Memory::left = Memory::kNone;
    return ended;
}

std::string difference(const Trace& normal, const Trace& trace) {
    for (std::size_t i = 0; i <= normal.size(); ++i) {
        const std::string expected = i < normal.size() ? normal[i] : "its end";
        const std::string got = i < trace.size() ? trace[i] : "its end";
        if (expected != got)
            return "the trace has '" + got + "' in the place of '" + expected + "'";
    }
    return "the trace is longer";
}

[[noreturn]] void fail(const std::string& what) {
    throw std::runtime_error(std::string(now) + ": " + what);
}

/// What misses because its making has failed, and nobody made it again.
bool follows(const std::string& fault) {
    return fault.starts_with("nothing is called");
}

}  // namespace

Trace Attempt::undisturbed(conformance::MakeFlow makeFlow, const conformance::Json& program) {
    Ended ended = runOnce({makeFlow, program, 0, 0, Then::thrown});
    if (!ended.fault.empty()) fail(ended.fault);
    return std::move(ended.trace);
}

std::size_t Attempt::runAndCompare(const Trace& normal) const {
    const Ended ended = runOnce(*this);
    const std::size_t call = Memory::found;
    if (times > 1) {
        if (!ended.fault.empty() && !follows(ended.fault)) fail(ended.fault);
        return ended.failed;
    }
    const bool known = ended.failed == 0 || (call != Memory::kNone && !ended.thrown);
    if (known && then == Then::leftOut && call != Memory::kNone) {
        const Ended without = runWithout(*this, call);
        if (ended.fault != without.fault) fail(ended.fault);
        if (ended.trace != without.trace) fail(difference(without.trace, ended.trace));
    } else {
        if (!ended.fault.empty() && (known || !follows(ended.fault))) fail(ended.fault);
        if (known && ended.trace != normal) fail(difference(normal, ended.trace));
    }
    return ended.failed;
}

bool Attempt::run(const Trace& normal) const {
    constexpr std::array kThen{"", ", the call is made again", ", the call is left out"};
    std::snprintf(now, sizeof now, "allocation %zu fails%s%s", k,
                  times > 1 ? " and all after it" : "", kThen[static_cast<std::size_t>(then)]);
    const std::size_t before = allocations::live();
    const std::size_t failed = runAndCompare(normal);
    if (allocations::live() != before)
        fail("blocks leaked: " + std::to_string(allocations::live() - before));
    return failed > 0;
}

const char* running() noexcept {
    return now;
}

}  // namespace faults
