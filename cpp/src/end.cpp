#include "end.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "error.hpp"
#include "fixed.hpp"
#include "flow.hpp"
#include "flowextras.hpp"
#include "recordtext.hpp"
#include "report.hpp"
#include "runend.hpp"
#include "steptree/detail/coreref.hpp"

/// The end of a flow is told from an immediate of its own: `done`, the promise, or `unhandled`.
namespace steptree::detail {

/// One run's end. In its flow's list until it is told, so that a flow that goes takes it along.
struct End final : RunNode {
    union {
        End* next = nullptr;
        ErrorData* error;  // unhandled, and in no list: one reference
    };
    Flow* flow = nullptr;  // null: nobody's any more
    CoreRef core;
    IFlow::Done done;
    std::shared_ptr<const Options> options;  // of an unhandled error
    Outcome outcome;                         // of that the reason is what is printed with it
    bool isPromise = false;
    bool ofClosed = false;  // of whom closed() was called by
    bool told = false;      // its turn is to come, or has come; else linked if its tool knows it
    bool pooled = false;
    bool spare = false;      // that of the tool
    Fixed* fixed = nullptr;  // whose memory it is in
};

namespace {

static_assert(sizeof(End) <= BlockPool::kSizes[BlockPool::kEnd]);
static_assert(alignof(End) <= alignof(std::max_align_t));  // as pools promise
static_assert(sizeof(End) <= NitroSizes::end && alignof(End) <= kNitroAlign);

/// The flow runs. The tool's thread.
void know(End& end) noexcept {
    end.core->engine.ends.push(end);
}

void forget(End& end) noexcept {
    if (end.linked()) List<RunNode>::unlink(end);
}

void tell(ToolCore& core, End& end) noexcept {
    forget(end);
    end.told = true;
    core.enqueueNew(end);
}

End* newAt(void* memory) noexcept {
    return ::new (memory) End;
}

void free(End& end) noexcept {
    forget(end);
    const CoreRef core = end.core;
    const bool pooled = end.pooled;
    const bool spare = end.spare;
    Fixed* const fixed = end.fixed;
    end.~End();
    if (spare) {
        core->engine.spareEnd.reset(newAt(&end));
    } else if (fixed != nullptr) {
        fixed->giveEnd(&end);
    } else if (pooled) {
        core->blocks.give(&end, BlockPool::kEnd);
    } else {
        ::operator delete(&end);
    }
}

void unlink(End& end) noexcept {
    if (end.flow == nullptr) return;
    End* before = endsOf(*end.flow);
    if (before == &end) {
        setEnds(*end.flow, end.next);
    } else {
        while (before->next != &end) before = before->next;
        before->next = end.next;
    }
    end.flow = nullptr;
}

void tellUnhandled(RunNode* node) noexcept {
    End& end = *static_cast<End*>(node);
    const ErrorRef error(end.error);
    const std::shared_ptr<const Options> options = std::move(end.options);
    const std::string lastEvents = std::move(end.outcome.reason);
    free(end);
    if (options != nullptr && options->unhandled) return callHook(options->unhandled, *error.get());
    printReport("unhandled error", *error.get());
    if (!lastEvents.empty())
        std::fprintf(stderr, "the last events of its flow:\n%s", lastEvents.c_str());
    std::abort();
}

/// `done` may destroy the flow, and with that a fixed one's end.
void tellDone(RunNode* node) noexcept {
    End& end = *static_cast<End*>(node);
    unlink(end);
    const CoreRef core = end.core;
    IFlow::Done done = std::move(end.done);
    Outcome outcome = std::move(end.outcome);
    free(end);
    try {
        done(outcome);
    } catch (...) {
        core->failed(std::current_exception());
    }
}

/// One that is told after its flow has gone, if there was any, is the tool's.
End& newEnd(ToolCore& core, Flow* flow) {
    const bool pooled = core.onOwnThread();
    Fixed* fixed = pooled && flow != nullptr ? fixedOf(*flow) : nullptr;
    void* memory = fixed != nullptr ? fixed->takeEnd() : nullptr;
    if (memory == nullptr) {
        fixed = nullptr;
        memory = pooled ? core.blocks.take(BlockPool::kEnd) : ::operator new(sizeof(End));
    }
    End& end = *newAt(memory);
    end.core = CoreRef(core);
    end.pooled = pooled;
    end.fixed = fixed;
    return end;
}

/// One that finds no memory is the tool's; the next such while that is on its way ends the program.
End& newUnhandled(Flow& flow) {
    try {
        return newEnd(*flow.tool, nullptr);
    } catch (const std::bad_alloc&) {
        ToolCore& core = *flow.tool;
        End* const end = core.onOwnThread() ? core.engine.spareEnd.release() : nullptr;
        if (end == nullptr) throw;
        end->core = CoreRef(core);
        end->spare = true;
        return *end;
    }
}

void unhandled(Flow& flow, ErrorRef error) noexcept {
    try {
        End& end = newUnhandled(flow);
        end.run = &tellUnhandled;
        if (flow.flowExtras() != nullptr) end.options = flow.flowExtras()->options;
        if (flow.tool->alive()) {
            const bool isFatal = end.options == nullptr || !end.options->unhandled;
            if (isFatal) end.outcome.reason = lastEventsOf(flow);
            end.error = error.detach();
            return flow.tool->enqueue(end);
        }
        printReport("unhandled error, its tool is gone", *error.get());
        free(end);
    } catch (...) {
        printReport("unhandled error, told without memory", *error.get());
        std::abort();
    }
}

void fill(Outcome& outcome, Flow& flow, OutcomeKind kind, const ErrorRef& error, Results& values) {
    outcome.kind = kind;
    if (kind == OutcomeKind::ok) {
        outcome.values = std::move(values);
    } else if (kind == OutcomeKind::error) {
        outcome.code = error->code;
        outcome.error = exceptionOf(*error.get());
    } else {
        outcome.code = errors::Canceled;
        if (flow.flowExtras() != nullptr) outcome.reason = flow.flowExtras()->reason;
        outcome.error = std::make_exception_ptr(StepError(errors::Canceled, outcome.reason));
    }
}

}  // namespace

void fillOutcome(Outcome& outcome, Flow& flow, OutcomeKind kind, const ErrorRef& error,
                 Results& values) noexcept {
    try {
        fill(outcome, flow, kind, error, values);
    } catch (...) {
        outcome.kind = OutcomeKind::error;
        outcome.code = errors::InternalError;  // short enough for the string itself
        outcome.error = std::current_exception();
    }
}

SpareEnd newSpareEnd() {
    return SpareEnd(new End);
}

void DropEnd::operator()(End* end) const noexcept {
    delete end;
}

End& makeEnd(Flow& flow, IFlow::Done done, bool isPromise) {
    End& end = newEnd(*flow.tool, isPromise ? nullptr : &flow);
    end.run = &tellDone;
    end.done = std::move(done);
    end.isPromise = isPromise;
    end.flow = &flow;
    end.next = endsOf(flow);
    setEnds(flow, &end);
    flow.bits |= kTold;
    if (end.core->onOwnThread()) know(end);
    return end;
}

void tellEnd(Flow& flow, OutcomeKind kind, ErrorRef error, Results values) noexcept {
    if ((flow.bits & kTold) == 0) {
        if (kind == OutcomeKind::error) unhandled(flow, std::move(error));
        return;
    }
    flow.bits &= ~kTold;
    if ((flow.bits & kSettles) != 0) return tellRunEnd(flow, kind, error, values);
    End& end = *endsOf(flow);
    if (!flow.tool->alive()) {
        unlink(end);
        return free(end);  // nobody calls `done`; a promise that is dropped says so itself
    }
    fillOutcome(end.outcome, flow, kind, error, values);
    tell(*flow.tool, end);
}

void FreeEnd::operator()(End* end) const noexcept {
    free(*end);
}

MadeEnd makeTold(ToolCore& core, IFlow::Done told) {
    MadeEnd end(&newEnd(core, nullptr));
    end->run = &tellDone;
    end->done = std::move(told);
    end->isPromise = true;
    return end;
}

namespace {

/// Behind those that ask the same of it.
void linkTo(Flow& flow, End& end) noexcept {
    end.ofClosed = true;
    end.flow = &flow;
    const bool first = (flow.bits & kTold) == 0;
    End* before = first ? nullptr : endsOf(flow);
    End* behind = first ? endsOf(flow) : before->next;
    while (behind != nullptr && behind->ofClosed && !behind->told) {
        before = std::exchange(behind, behind->next);
    }
    end.next = behind;
    if (before == nullptr) {
        setEnds(flow, &end);
    } else {
        before->next = &end;
    }
}

}  // namespace

void tellWhenClosed(Flow& flow, IFlow::Done told) {
    MadeEnd end = makeTold(*flow.tool, std::move(told));
    if (flow.running) return tellWhenClosed(flow, std::move(end), flow.tool->engine.ends);
    linkTo(flow, *end);
    tell(*flow.tool, *end.release());
}

void tellWhenClosed(Flow& flow, MadeEnd told, List<RunNode>& among) noexcept {
    End& end = *told.release();
    linkTo(flow, end);
    flow.bits |= kAwaited;
    among.push(end);
}

Flow& flowOfEnd(RunNode& end) noexcept {
    return *static_cast<End&>(end).flow;
}

void tellSoon(MadeEnd told) noexcept {
    ToolCore& core = *told->core;
    tell(core, *told.release());
}

void tellClosed(Flow& flow) noexcept {
    flow.bits &= ~kAwaited;
    End* next = nullptr;
    for (End* end = endsOf(flow); end != nullptr; end = next) {
        next = end->next;
        if (!end->ofClosed || end->told) continue;
        if (flow.tool->alive()) {
            tell(*flow.tool, *end);
        } else {
            unlink(*end);
            free(*end);
        }
    }
}

void dropEnds(Flow& flow) noexcept {
    while (End* end = endsOf(flow)) {
        setEnds(flow, end->next);
        end->flow = nullptr;
        if (end->isPromise && end->told) continue;
        if (end->told) flow.tool->remove(*end);
        free(*end);
    }
}

void knowEnds(Flow& flow) noexcept {
    for (End* end = endsOf(flow); end != nullptr; end = end->next) {
        if (!end->linked()) know(*end);
    }
}

/// What goes with a `done` may be the flow.
void forgetEnds(Flow& flow) noexcept {
    for (End* end = endsOf(flow); end != nullptr; end = end->next) {
        if (!end->done) continue;
        const IFlow::Done dropped = std::move(end->done);
        return forgetEnds(flow);
    }
}

void EngineShare::dropEnds() noexcept {
    while (RunNode* const node = ends.pop()) {
        const IFlow::Done dropped = std::move(static_cast<End*>(node)->done);
    }
    Live marker;
    core.flowsLive.putFirst(marker);
    while (Live* const live = core.flowsLive.next(marker)) {
        LiveFlows::moveBehind(marker, *live);
        dropPromise(static_cast<Flow&>(*live));
    }
    LiveFlows::remove(marker);
}

bool EngineShare::isEnd(const RunNode& node) const noexcept {
    return node.run == &tellDone || node.run == &tellUnhandled || isRunEnd(node);
}

void EngineShare::dropped(RunNode& node) noexcept {
    if (!isEnd(node)) return;
    if (isRunEnd(node)) return dropRunEnd(static_cast<Flow&>(node));
    End& end = static_cast<End&>(node);
    if (end.run == &tellUnhandled) {
        const ErrorRef error(end.error);
        printReport("unhandled error, its tool is gone", *error.get());
    }
    unlink(end);
    free(end);
}

}  // namespace steptree::detail
