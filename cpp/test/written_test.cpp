#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/channel.hpp"
#include "steptree/keyed.hpp"
#include "steptree/loop.hpp"
#include "steptree/mutex.hpp"
#include "steptree/snapshot.hpp"
#include "steptree/snapshottext.hpp"
#include "steptree/stallwatch.hpp"

using namespace rig;
using namespace steptree;

namespace {

using Sources = std::vector<std::string>;

void collect(const LineSnapshot& line, Sources& into) {
    for (const StepSnapshot& step : line.steps) into.push_back(step.source);
    for (const LineSnapshot& inside : line.lines) collect(inside, into);
}

/// Of all open steps of a flow, the outermost first.
Sources sourcesOf(IFlow& flow, bool locate = true) {
    Sources sources;
    collect(flow.snapshot({.locate = locate}).line.value(), sources);
    return sources;
}

/// clang knows the column, too.
bool isAt(const std::string& source, int line) {
    const std::string place = __FILE__ + (":" + std::to_string(line));
    return source == place || source.rfind(place + ":", 0) == 0;
}

/// Of a lambda that is one of several g++ knows the function.
bool isIn(const std::string& source, int line, const std::string& function) {
    return isAt(source, line) || source == "in " + function;
}

bool anyIsAt(const Sources& sources, int line) {
    for (const std::string& source : sources)
        if (isAt(source, line)) return true;
    return false;
}

Sources run(AsyncSteps& flow, VirtualTool& tool) {
    flow.execute();
    tool.advance(1);
    Sources sources = sourcesOf(flow);
    flow.cancel();
    tool.run();
    return sources;
}

void wait(IAsyncSteps& asi) {
    asi.waitExternal();
}

constexpr int kParts = __LINE__ + 2;
auto parts() {
    return steps([](IAsyncSteps&) {}, [](IAsyncSteps& asi) { asi.waitExternal(); });
}

void addBoth(IAsyncSteps& to) {
    to.add(&wait).add(detail::Function<void(IAsyncSteps&)>(&wait));
}

/// The same lambda at each call.
void addTo(IParallel& to) {
    to.add([](IAsyncSteps& asi) { asi.waitExternal(); });
}
constexpr int kAdded = __LINE__ - 2;

}  // namespace

TEST_CASE("a snapshot that is asked says where the bodies of steps were written", "[written]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    const int line = __LINE__ + 1;
    flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    flow.execute();
    tool.run();
    const Sources sources = sourcesOf(flow);
    REQUIRE(sources.size() == 1);
    CHECK(isAt(sources[0], line));
    CHECK(sourcesOf(flow, false) == Sources{""});
    const Snapshot all = tool.snapshot({.locate = true});
    CHECK(all.flows.at(0).line->steps.at(0).source == sources[0]);
    auto soon = tool.snapshotSoon({.locate = true});
    tool.run();
    CHECK(soon.get().flows.at(0).line->steps.at(0).source == sources[0]);
    CHECK(snapshotText(all).ends_with("step: waits for its completion (" + sources[0] + ")"));
    CHECK(snapshotText(all, {.color = true}).ends_with(" \x1b[2m(" + sources[0] + ")\x1b[22m"));
    flow.cancel();
}

#define WAITS [](IAsyncSteps& asi) { asi.waitExternal(); }
#define ROUND [](IAsyncSteps& asi, auto&&...) { asi.waitExternal(); }

/// Each on a line of its own, on which the lambda stands, too.
#define CHECK_ADDED(call)                   \
    do {                                    \
        VirtualTool tool;                   \
        AsyncSteps flow(tool);              \
        flow.call;                          \
        INFO(#call);                        \
        const Sources at = run(flow, tool); \
        CHECK(anyIsAt(at, __LINE__));       \
    } while (false)

TEST_CASE("steps of all kinds that have a body say where that was written", "[written]") {
    Mutex mutex;
    Keyed<int, Mutex> keyed([](int) { return Mutex(); });
    const std::vector<int> list{1};
    CHECK_ADDED(add(WAITS, nullptr, "named"));
    CHECK_ADDED(loop(WAITS));
    CHECK_ADDED(repeat(2, ROUND));
    CHECK_ADDED(forEach(list, ROUND));
    CHECK_ADDED(sync(mutex, WAITS));
    CHECK_ADDED(sync(keyed.of(1), WAITS));
    CHECK_ADDED(add(step(WAITS)));
    CHECK_ADDED(add(step<Values<>, Values<>>(WAITS).timeout(9).named("limited")));
    CHECK_ADDED(add(steptree::loop(WAITS)));
    CHECK_ADDED(add(repeat(2, WAITS)));
    CHECK_ADDED(add(steptree::forEach(list, ROUND)));
    CHECK_ADDED(add(sync(mutex, WAITS)));
    CHECK_ADDED(add(sync(keyed.of(1), WAITS)));
    CHECK_ADDED(add(sync(mutex, step(WAITS))));
    CHECK_ADDED(add(shield(5, WAITS)));
    CHECK_ADDED(add(retry({.max = 2}, WAITS)));
    CHECK_ADDED(add(hedge({.after = std::chrono::milliseconds(5)}, WAITS)));
    CHECK_ADDED(add(map<int>(list, {.limit = 1}, ROUND)));
    CHECK_ADDED(add([](IAsyncSteps& asi) { asi.add(delay(5)); }));
}

TEST_CASE("a lambda that is one of several parts says at least its function", "[written]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    flow.add(parts());
    const Sources at = run(flow, tool);
    REQUIRE(at.size() == 2);
    CHECK(at[0].empty());
    CHECK(isIn(at[1], kParts, "{anonymous}::parts()"));
}

TEST_CASE("a lambda that is added in several places has none of them as its source", "[written]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    const auto both = [](IAsyncSteps& asi) { asi.waitExternal(); };
    const int line = __LINE__ - 1;
    IParallel& branches = flow.parallel();
    branches.add(both);
    branches.add(both);
    addTo(branches);
    addTo(branches);
    const Sources at = run(flow, tool);
    REQUIRE(at.size() == 5);
    CHECK(at[1] == at[2]);
    CHECK((isAt(at[1], line) || at[1].rfind("in ", 0) == 0));
    CHECK(isAt(at[3], kAdded));
    CHECK(at[4] == at[3]);
}

TEST_CASE("a function that has no place says nothing, and its line that of the step around",
          "[written]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    const int line = __LINE__ + 1;
    flow.add([](IAsyncSteps& asi) { addBoth(asi); });
    flow.execute();
    tool.run();
    const Sources at = sourcesOf(flow);
    REQUIRE(at.size() == 2);
    CHECK(isAt(at[0], line));
    CHECK(at[1].empty());
    CHECK(snapshotText(tool.snapshot({.locate = true})).ends_with(" (" + at[0] + ")"));
    flow.cancel();
}

TEST_CASE("steps of the library say nothing of it", "[written]") {
    VirtualTool tool;
    Channel<int> jobs({.capacity = 0});
    AsyncSteps flow(tool);
    const int line = __LINE__ + 1;
    flow.add([&jobs](IAsyncSteps& asi) { jobs.receive(asi); });
    const Sources at = run(flow, tool);
    REQUIRE(at.size() == 2);
    CHECK(isAt(at[0], line));
    CHECK(at[1].empty());
}

TEST_CASE("a stall is told with where it was written", "[written]") {
    VirtualTool tool;
    std::string told;
    StallWatch stalls(tool, {.wait = std::chrono::milliseconds(5), .locate = true});
    Options options;
    options.report = [&told](const std::string&, const std::string& info, auto&&...) {
        told = info;
    };
    AsyncSteps flow(tool, std::move(options));
    const int line = __LINE__ + 1;
    flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    flow.execute();
    tool.advance(10);
    CHECK(told.find(__FILE__ + (":" + std::to_string(line))) != std::string::npos);
    flow.cancel();
    stalls.cancel();
}
