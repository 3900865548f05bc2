#include "steptree/nitrosteps.hpp"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "cancel.hpp"
#include "error.hpp"
#include "extras.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "latch.hpp"
#include "onstack.hpp"
#include "ontool.hpp"
#include "shelter.hpp"

namespace steptree::detail {

static_assert(sizeof(Flow) <= NitroSizes::flow);
static_assert(sizeof(Branch) + sizeof(Results) <= NitroSizes::branch);
static_assert(sizeof(Step) <= NitroSizes::step);
static_assert(rounded(sizeof(TimerExtra)) <= NitroSizes::timeout);
static_assert(rounded(sizeof(CancelExtra)) <= NitroSizes::cancel);
static_assert(rounded(sizeof(SignalExtra)) <= NitroSizes::signal);
static_assert(rounded(sizeof(AwaitExtra)) + rounded(sizeof(Shelter)) <= NitroSizes::await);
static_assert(rounded(sizeof(StackExtra)) <= NitroSizes::stack);
static_assert(rounded(sizeof(Shelter)) + sizeof(Step) <= NitroSizes::defer);
static_assert(sizeof(Fixed) <= NitroSizes::fixed && alignof(Fixed) <= kNitroAlign);

Fixed::Fixed(const NitroPlan& plan, char* regions) noexcept : plan_(&plan) {
    char* const ends = regions + std::size_t{plan.region} * plan.regions;
    for (std::uint32_t i = plan.regions; i-- > 0;)
        giveRegion(regions + i * std::size_t{plan.region});
    for (std::uint32_t i = plan.ends; i-- > 0;) giveEnd(ends + i * NitroSizes::end);
}

void Fixed::reserveRegions(Line& line, std::size_t count) {
    if (count > free_) {
        outOfSteps(line, std::to_string(count) + " branches: " + std::to_string(free_) + " of " +
                             std::to_string(plan_->regions) + " are left (MaxBranches)");
    }
    free_ -= count;
}

void Fixed::checkItem(Line& line, std::size_t size) const {
    const std::size_t most = plan_->region - NitroSizes::branch;
    if (size <= most) return;
    outOfSteps(line, "an item of " + std::to_string(size) + " bytes: a branch has " +
                         std::to_string(most) + " (MaxBranchSteps)");
}

char* Fixed::takeRegion() noexcept {
    return reinterpret_cast<char*>(std::exchange(regions_, regions_->next));
}

void Fixed::giveRegion(void* region) noexcept {
    ++free_;
    regions_ = ::new (region) Region{regions_};
}

void Fixed::embed(Branch& branch) noexcept {
    char* const region = reinterpret_cast<char*>(&branch);
    branch.arena.embed(region + NitroSizes::branch, region + plan_->region);
}

void* Fixed::takeEnd() noexcept {
    return ends_ != nullptr ? std::exchange(ends_, ends_->next) : nullptr;
}

void Fixed::giveEnd(void* end) noexcept {
    ends_ = ::new (end) Region{ends_};
}

void outOfSteps(Line& line, const std::string& info) {
    Step* const top = line.top;
    if (top == nullptr || !top->latches()) throw StepError(errors::OutOfSteps, info);
    ErrorRef error = raisedBy(*top, errors::OutOfSteps, info);
    latchFail(line, error);
    throw StepError(std::move(error));
}

namespace {

[[noreturn]] void fatal(const char* where) noexcept {
    std::fprintf(stderr, "steptree: a NitroSteps is destroyed %s\n", where);
    std::abort();
}

/// On the tool's thread.
void endHere(Flow& flow) noexcept {
    if (flow.onStack()) fatal("in its own body or handler");
    stopLaunch(*fixedOf(flow));
    if (flow.running) {
        const ImmediateCancelScope aside(flow.share());
        flow.tool->remove(flow);
        flow.bits |= kCancelLatch;
        cancelFlow(flow, true);
    }
    destroyFixed(flow);
}

}  // namespace

void NitroFlow::make(Tool& tool, void* memory, const NitroPlan& plan) {
    ToolCore& core = tool.core();
    const bool foreign = !core.onOwnThread();
    if (!foreign) {
        core.blocks.warm(BlockPool::kError);
        core.slots.reserve(plan.slots);
    }
    head_ = ::new (memory) Flow(core, foreign ? kForeign : FlowBit{}, plan.root);
    char* const regions = static_cast<char*>(memory) + plan.root;
    char* const behind =
        regions + std::size_t{plan.region} * plan.regions + NitroSizes::end * plan.ends;
    auto* fixed = ::new (behind) Fixed(plan, regions);
    asFlow(*head_).rare =
        reinterpret_cast<std::uintptr_t>(static_cast<FixedParts*>(fixed)) + Flow::kFixed;
    if (foreign) {
        core.retain();
    } else {
        core.flowBorn();
    }
}

void NitroFlow::make(Tool& tool, void* memory, const NitroPlan& plan, Options options) {
    checkFlowOptions(options);
    auto shared = std::make_shared<Options>(std::move(options));
    make(tool, memory, plan);
    try {
        flowExtrasOf(asFlow(*head_)).options = std::move(shared);
    } catch (...) {
        destroyFixed(asFlow(*head_));
        throw;
    }
}

void NitroFlow::end() noexcept {
    Flow& flow = asFlow(*head_);
    if (isUnknownToTool(flow)) return destroyFixed(flow);
    if (mustNotWait(*flow.tool)) fatal("in a callback of another tool");
    waitFor(*flow.tool, [&flow] { endHere(flow); });
}

}  // namespace steptree::detail
