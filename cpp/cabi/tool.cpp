#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "ends.hpp"
#include "ontool.hpp"
#include "runs.hpp"
#include "snapshots.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/detail/home.hpp"
#include "steptree/run.hpp"
#include "steptree/snapshot.hpp"
#include "steptree/snapshottext.hpp"
#include "steptree/virtualtool.hpp"
#include "tables.hpp"
#include "tools.hpp"

/// Tools.
namespace steptree::cabi::toolcalls {

namespace {

class OfVirtual final : public steptree_tool {
  public:
    explicit OfVirtual(const VirtualTool::Options& options) : made_(options) {}
    Tool& tool() noexcept override { return made_; }
    VirtualTool* virtualTool() noexcept override { return &made_; }

  private:
    VirtualTool made_;
};

class OfAsync final : public steptree_tool {
  public:
    template <class... A>
    explicit OfAsync(A&&... args) : made_(std::forward<A>(args)...) {}
    Tool& tool() noexcept override { return made_; }
    AsyncTool* asyncTool() noexcept override { return &made_; }

  private:
    AsyncTool made_;
};

Tool::Callback callbackOf(const steptree_callback& of) {
    return [call = of.call, data = Data(of.data, of.drop, of.call)] {
        if (call != nullptr) call(data.get());
    };
}

const steptree_error* makeVirtual(const steptree_virtual_options* options, steptree_tool** into) {
    return attempt([&] {
        const Given<steptree_virtual_options> of(options);
        of.check();
        VirtualTool::Options given;
        given.seed = of->seed;
        given.order = of->order;
        if ((of->given & STEPTREE_GIVEN_CHOICES) != 0) {
            given.order = std::vector<std::uint32_t>(of->choices, of->choices + of->count);
        }
        *into = new OfVirtual(given);
    });
}

const steptree_error* makeDriven(const steptree_callback* wake, steptree_tool** into) {
    return attempt([&] {
        AsyncTool::Driven options;
        if (wake != nullptr) options.wake = callbackOf(*wake);
        *into = new OfAsync(std::move(options));
    });
}

const steptree_error* makeThreaded(steptree_tool** into) {
    return attempt([&] { *into = new OfAsync(); });
}

void drop(steptree_tool* tool) {
    const Sheltered sheltered;
    delete tool;
}

const steptree_error* iterate(steptree_tool* tool, std::int64_t* ms) {
    return attempt([&] {
        AsyncTool* const of = tool->asyncTool();
        if (of == nullptr) misuse("iterate: expected a driven tool");
        const Sheltered sheltered;
        const AsyncTool::Left left = of->iterate();
        *ms = left.work ? left.delay : -1;
    });
}

VirtualTool& virtualOf(steptree_tool* tool) {
    VirtualTool* const of = tool->virtualTool();
    if (of == nullptr) misuse("expected a virtual tool");
    return *of;
}

const steptree_error* run(steptree_tool* tool) {
    return attempt([&] { virtualOf(tool).run(); });
}
const steptree_error* advance(steptree_tool* tool, double ms) {
    return attempt([&] { virtualOf(tool).advance(detail::wholeMilliseconds(ms)); });
}
const steptree_error* elapse(steptree_tool* tool, double ms) {
    return attempt([&] { virtualOf(tool).elapse(ms); });
}

const std::uint32_t* alternatives(steptree_tool* tool, std::size_t* count) {
    VirtualTool* const of = tool->virtualTool();
    *count = of == nullptr ? 0 : of->alternatives().size();
    return of == nullptr ? nullptr : of->alternatives().data();
}

class Pending final : public steptree_handle {
  public:
    explicit Pending(Handle handle) noexcept : handle_(std::move(handle)) {}
    void cancel() noexcept override { handle_.cancel(); }
    bool valid() const noexcept override { return handle_.valid(); }

  private:
    Handle handle_;
};

void keepHandle(Handle handle, steptree_handle** into) {
    if (into != nullptr) *into = new Pending(std::move(handle));
}

const steptree_error* immediate(steptree_tool* tool, const steptree_callback* callback,
                                steptree_handle** into) {
    return attempt([&] { keepHandle(tool->tool().immediate(callbackOf(*callback)), into); });
}

const steptree_error* deferred(steptree_tool* tool, double ms, const steptree_callback* callback,
                               steptree_handle** into) {
    return attempt([&] { keepHandle(tool->tool().deferred(ms, callbackOf(*callback)), into); });
}

std::int64_t now(const steptree_tool* tool) {
    return const_cast<steptree_tool*>(tool)->tool().now();
}

const steptree_error* randomOf(steptree_tool* tool, double* into) {
    return attempt([&] { *into = tool->tool().random(); });
}

const steptree_error* armedTimers(steptree_tool* tool, std::size_t* into) {
    return attempt([&] { *into = tool->tool().armedTimers(); });
}

const steptree_error* start(steptree_tool* tool, const steptree_definition* value,
                            const steptree_start_options* options) {
    return attempt([&] {
        StartOptions given = startOptionsOf(options);
        tool->tool().start(stepOf(value), std::move(given));
    });
}

const steptree_error* snapshot(steptree_tool* tool, steptree_value* into) {
    return attempt([&] { giveTo(into, valueOf(tool->tool().snapshot())); });
}

const steptree_error* textOfSnapshot(steptree_tool* tool, std::size_t max, steptree_value* into) {
    return attempt([&] {
        giveTo(into, Value(std::string_view(snapshotText(tool->tool().snapshot(), {.max = max}))));
    });
}

const steptree_error* onError(steptree_tool* tool, steptree_hook hook, void* data,
                              void (*drop)(void*)) {
    return attempt([&] {
        Data kept(data, drop, hook);
        if (hook == nullptr) return tool->tool().onError({});
        tool->tool().onError([hook, kept = std::move(kept)](std::exception_ptr thrown) {
            const OwnedError error = makeError(std::move(thrown));
            hook(error.get(), kept.get());
        });
    });
}

std::int32_t here(const steptree_tool* tool) {
    const detail::ToolCore& core = const_cast<steptree_tool*>(tool)->tool().core();
    if (core.onOwnThread()) return 1;
    try {
        detail::Home home("tool");  // all that a shared library shows of threads
        home.takes(core);
        home.checkHere("here");
        return 1;
    } catch (const StepError&) {
        return 0;
    }
}

}  // namespace

const steptree_tool_api kApi{
    sizeof(kApi),    0,        &makeVirtual, &makeDriven,  &makeThreaded, &drop,
    &iterate,        &run,     &advance,     &elapse,      &alternatives, &immediate,
    &deferred,       &now,     &randomOf,    &armedTimers, &start,        &snapshot,
    &textOfSnapshot, &onError, &here};

}  // namespace steptree::cabi::toolcalls
