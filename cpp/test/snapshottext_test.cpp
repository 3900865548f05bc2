#include "steptree/snapshottext.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/delay.hpp"
#include "steptree/mutex.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/steps.hpp"
#include "steptree/sync.hpp"
#include "steptree/virtualtool.hpp"

using namespace steptree;
using Json = nlohmann::json;

namespace {

template <class T>
std::optional<T> maybe(const Json& from, const char* name) {
    if (!from.contains(name)) return std::nullopt;
    return from.at(name).get<T>();
}

WaitSnapshot waitOf(const Json& from) {
    WaitSnapshot wait;
    wait.what = from.at("for");
    wait.ms = maybe<std::int64_t>(from, "ms");
    wait.guard = maybe<std::uint64_t>(from, "guard");
    wait.kind = from.value("kind", "");
    wait.name = from.value("name", "");
    wait.place = maybe<std::int64_t>(from, "place");
    wait.since = maybe<std::int64_t>(from, "since");
    return wait;
}

LineSnapshot lineOf(const Json& from) {
    LineSnapshot line;
    for (const auto& step : from.at("steps"))
        line.steps.push_back({step.at("element"), step.at("kind"),
                              maybe<std::int64_t>(step, "timeout"), step.value("source", "")});
    if (from.contains("waits")) line.waits = waitOf(from.at("waits"));
    for (const auto& inside : from.at("lines")) line.lines.push_back(lineOf(inside));
    return line;
}

FlowSnapshot flowOf(const Json& from) {
    FlowSnapshot flow;
    flow.id = from.at("id");
    flow.name = from.at("name");
    flow.state = from.at("state");
    flow.signal = from.at("signal");
    flow.deadline = maybe<std::int64_t>(from, "deadline");
    flow.age = maybe<std::int64_t>(from, "age");
    if (from.contains("line")) flow.line = lineOf(from.at("line"));
    return flow;
}

GuardSnapshot guardOf(const Json& from) {
    GuardSnapshot guard;
    guard.id = from.at("id");
    guard.kind = from.at("kind");
    guard.name = from.at("name");
    guard.waiting = from.at("waiting");
    guard.active = maybe<std::int64_t>(from, "active");
    guard.available = maybe<std::int64_t>(from, "available");
    for (const auto& holder : from.at("holders"))
        guard.holders.push_back({holder.at("flow"), holder.at("path")});
    return guard;
}

Snapshot snapshotOf(const Json& from) {
    Snapshot snapshot;
    snapshot.time = from.at("time");
    for (const auto& flow : from.at("flows")) snapshot.flows.push_back(flowOf(flow));
    for (const auto& guard : from.at("guards")) snapshot.guards.push_back(guardOf(guard));
    return snapshot;
}

std::string joined(const Json& lines) {
    std::string text;
    for (const auto& line : lines) text += (text.empty() ? "" : "\n") + line.get<std::string>();
    return text;
}

/// The same as in js/test.
Json examples() {
    std::ifstream file(STEPTREE_SPEC "/snapshottexts.json");
    return Json::parse(file);
}

}  // namespace

TEST_CASE("the text of a snapshot is the same in all languages") {
    for (const auto& example : examples())
        CHECK(snapshotText(snapshotOf(example.at("snapshot"))) == joined(example.at("text")));
}

TEST_CASE("the text of a snapshot leaves out what is too much of the flows, and counts it") {
    const Json all = examples();
    const Json& example = all.at(1);
    const Json& text = example.at("text");
    const Json& guard = text.at(text.size() - 2);
    const Json& gate = text.at(text.size() - 1);
    const auto textOf = [&](std::size_t max) {
        return snapshotText(snapshotOf(example.at("snapshot")), {.max = max});
    };
    const auto more = [&](std::size_t said) {
        return "… and " + std::to_string(text.size() - said) + " more";
    };
    CHECK(textOf(5) == joined({text.at(0), text.at(1), text.at(2), guard, gate, more(5)}));
    CHECK(textOf(2) == joined({text.at(0), guard, more(2)}));
    CHECK(textOf(1) == joined({text.at(0), more(1)}));
    const Json& circles = all.at(2).at("text");
    const auto circle = std::find_if(circles.begin(), circles.end(), [](const Json& line) {
        return line.get<std::string>().rfind("deadlock", 0) == 0;
    });
    REQUIRE(circle != circles.end());
    CHECK(
        snapshotText(snapshotOf(all.at(2).at("snapshot")), {.max = 2}) ==
        joined({circles.at(0), *circle, "… and " + std::to_string(circles.size() - 2) + " more"}));
}

TEST_CASE("the text of a snapshot names flows that wait for each other through sides of a lock") {
    using std::chrono_literals::operator""ms;
    VirtualTool tool;
    RwLock lock({.name = "data"});
    Mutex db({.name = "db"});
    AsyncSteps asks(tool, {.name = "asks"});
    AsyncSteps writes(tool, {.name = "writes"});
    AsyncSteps reads(tool, {.name = "reads"});
    asks.add(sync(lock.read, steps(delay(1ms), sync(db, delay(0ms)))));
    writes.add(sync(db, steps(delay(1ms), sync(lock.write, delay(0ms)))));
    reads.add(sync(lock.read, step([](IAsyncSteps& asi) { asi.waitExternal(); })));
    for (AsyncSteps* const flow : {&asks, &writes, &reads}) flow->execute();
    tool.advance(5);
    const std::string text =
        std::regex_replace(snapshotText(tool.snapshot()), std::regex("flow [0-9]+"), "flow");
    for (AsyncSteps* const flow : {&asks, &writes, &reads}) flow->cancel();
    CHECK(text ==
          joined(
              {"flow \"asks\"", "└─ 0/1 sync: waits for mutex \"db\", place 1, held by flow at 0/1",
               "flow \"writes\"",
               "└─ 0/1 sync: waits for rwlock.write \"data\", place 1, held by flow at 0/1, flow "
               "at 0",
               "flow \"reads\"", "└─ 0 sync: waits for its completion",
               "mutex \"db\": 1 in, 0 free, 1 waiting", "rwlock \"data\": 2 in, 1 waiting",
               "deadlock: flow at 0/1 waits for mutex \"db\", held by flow at 0/1, which waits for "
               "rwlock.write \"data\", held by flow at 0/1"}));
}

TEST_CASE("the text of a snapshot leaves out the middle of a long path") {
    FlowSnapshot flow;
    flow.id = 1;
    flow.state = "running";
    flow.line.emplace();
    for (int i = 0; i < 100; ++i) flow.line->steps.push_back({std::to_string(i), "step", {}});
    flow.line->waits = WaitSnapshot{.what = "turn"};
    CHECK(snapshotText(flow) ==
          "flow 1\n└─ 0/1/2/3/4/5/6/7/…/92/93/94/95/96/97/98/99 step: its turn is next");
}

TEST_CASE("the text of a snapshot may be coloured") {
    const Json all = examples();
    const auto text = snapshotText(snapshotOf(all.at(1).at("snapshot")), {.color = true});
    CHECK(text.find("\x1b[33mwaits for its completion, for 4 ms now\x1b[39m") != std::string::npos);
}
