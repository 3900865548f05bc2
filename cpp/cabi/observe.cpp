#include "steptree/observe.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ends.hpp"
#include "functions.hpp"
#include "given.hpp"
#include "snapshots.hpp"
#include "steptree/recorder.hpp"
#include "steptree/stallwatch.hpp"
#include "tables.hpp"
#include "tools.hpp"

struct steptree_recorder {
    steptree::FlightRecorder recorder;
};

/// Events and recordings.
namespace steptree::cabi::observecalls {

namespace {

void tell(const FlowEvent& of, steptree_observer observer, void* data) {
    const std::string path = of.path();
    const std::string element = of.element();
    const auto wait = of.waits();
    const Value waits = wait ? valueOf(*wait) : Value();
    steptree_event event{};
    event.size = sizeof(event);
    event.what = textOf(of.what());
    event.time = of.time();
    event.sequence = of.sequence();
    event.flow = of.flowId();
    event.flow_name = textOf(of.flowName());
    event.step = of.step();
    event.parent = of.parent();
    event.path = textOf(path);
    event.element = textOf(element);
    event.kind = textOf(of.kind());
    event.outcome = textOf(of.outcome());
    event.code = textOf(of.code());
    event.waits = wait ? &waits.raw() : nullptr;
    observer(&event, data);
}

class Observing final : public steptree_handle {
  public:
    explicit Observing(Observation observation) noexcept : observation_(std::move(observation)) {}
    void cancel() noexcept override { observation_.cancel(); }
    bool valid() const noexcept override { return observation_.valid(); }

  private:
    Observation observation_;
};

const steptree_error* observe(steptree_tool* tool, steptree_observer observer, void* data,
                              void (*drop)(void*), std::int32_t bodies, steptree_handle** into) {
    return attempt([&] {
        Data kept(data, drop, observer);
        if (observer == nullptr) misuse("observe: an observer is expected");
        *into = new Observing(tool->tool().observe(
            [observer, kept = std::move(kept)](const FlowEvent& event) {
                tell(event, observer, kept.get());
            },
            ObserveOptions{bodies != 0}));
    });
}

const steptree_error* makeRecorder(steptree_tool* tool, std::uint64_t events, std::int32_t bodies,
                                   steptree_recorder** into) {
    return attempt([&] {
        *into = new steptree_recorder{
            FlightRecorder(tool->tool(), RecorderOptions{events, bodies != 0})};
    });
}

void dropRecorder(steptree_recorder* recorder) {
    delete recorder;
}

const steptree_error* text(const steptree_recorder* recorder, steptree_value* into) {
    return attempt([&] { giveTo(into, Value(std::string_view(recorder->recorder.text()))); });
}

const steptree_error* trace(const steptree_recorder* recorder, steptree_value* into) {
    return attempt([&] { giveTo(into, Value(std::string_view(recorder->recorder.trace()))); });
}

const steptree_error* events(const steptree_recorder* recorder, steptree_value* into) {
    return attempt([&] {
        std::vector<Value> all;
        for (const RecordedEvent& event : recorder->recorder.events())
            all.push_back(valueOf(event));
        giveTo(into, Value::listOf(all));
    });
}

void cancelRecorder(steptree_recorder* recorder) {
    recorder->recorder.cancel();
}

class Watching final : public steptree_handle {
  public:
    Watching(Tool& tool, StallOptions options) : watch_(tool, std::move(options)) {}
    void cancel() noexcept override { watch_.cancel(); }
    bool valid() const noexcept override { return watch_.valid(); }

  private:
    StallWatch watch_;
};

std::optional<Period> periodOf(bool isGiven, double ms) {
    if (!isGiven) return std::nullopt;
    return std::chrono::duration<double, std::milli>(ms);
}

const steptree_error* watchStalls(steptree_tool* tool, const steptree_stall_options* of,
                                  steptree_handle** into) {
    return attempt([&] {
        const Given<steptree_stall_options> options(of);
        Data kept(options->data, options->drop, options->stuck);
        options.check();
        StallOptions given;
        given.body = periodOf((options->given & STEPTREE_GIVEN_BODY) != 0, options->body);
        given.wait = periodOf((options->given & STEPTREE_GIVEN_WAIT) != 0, options->wait);
        if (options->stuck != nullptr) {
            given.onStuck = [stuck = options->stuck, kept = std::move(kept)](const StuckBody& of) {
                stuck(of.flow, textOf(of.name), textOf(of.path), of.ms, kept.get());
            };
        }
        *into = new Watching(tool->tool(), std::move(given));
    });
}

}  // namespace

const steptree_observe_api kApi{sizeof(kApi),  0,           &observe,        &makeRecorder,
                                &dropRecorder, &text,       &cancelRecorder, &trace,
                                &events,       &watchStalls};

}  // namespace steptree::cabi::observecalls
