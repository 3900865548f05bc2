#include "steptree/recorder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "child.hpp"
#include "eachfails.hpp"
#include "schema.hpp"
#include "smallstack.hpp"
#include "steptree/channel.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/observe.hpp"
#include "steptree/run.hpp"
#include "told.hpp"

using namespace told;

namespace {

std::string wordsOf(const WaitSnapshot& wait) {
    std::string text = wait.what;
    if (!wait.kind.empty()) text += ' ' + wait.kind;
    if (!wait.name.empty()) text += " \"" + wait.name + '"';
    if (wait.what == "timer") text += wait.ms ? ' ' + std::to_string(*wait.ms) : " Infinity";
    if (wait.place) text += ' ' + std::to_string(*wait.place);
    return text;
}

/// As an observer is told.
RecordedEvent toldOf(const FlowEvent& event) {
    RecordedEvent told{.what = std::string(event.what()),
                       .time = event.time(),
                       .sequence = event.sequence(),
                       .flow = {event.flowId(), std::string(event.flowName())},
                       .path = event.path(),
                       .element = {},
                       .kind = std::string(event.kind()),
                       .outcome = std::string(event.outcome()),
                       .code = std::string(event.code()),
                       .waits = {}};
    if (told.what == "opened" || told.what == "closed") told.element = event.element();
    if (const auto wait = event.waits()) told.waits = wordsOf(*wait);
    return told;
}

std::string textOf(const RecordedEvent& event) {
    std::string text = std::to_string(event.time) + ' ' + std::to_string(event.sequence) + ' ' +
                       std::to_string(event.flow.id);
    for (const std::string* word : {&event.flow.name, &event.what, &event.path, &event.element,
                                    &event.kind, &event.outcome, &event.code, &event.waits})
        text += '|' + *word;
    return text;
}

Lines textsOf(const std::vector<RecordedEvent>& events) {
    Lines texts;
    for (const RecordedEvent& event : events) texts.push_back(textOf(event));
    return texts;
}

Lines lastOf(const Lines& all, std::size_t count) {
    return {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()};
}

/// The lines of what a recorder has, without time and flow.
Lines linesOf(const std::string& text) {
    Lines lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return lines;
}

bool endsWith(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

TEST_CASE("at each moment a recorder has the last of what observers are told", "[recorder]") {
    for (const std::size_t room : {1, 2, 7, 40, 1000}) {
        Mutex mutex({.name = "db"});
        Limiter limiter({.concurrent = 1, .name = "calls"});
        Channel<int> channel({.capacity = 0, .name = "values"});
        VirtualTool tool;
        AsyncSteps named(tool, Options{.name = "client"});
        AsyncSteps other(tool);
        fillWith(named, mutex);
        fillWithWaits(named, mutex, limiter, channel);
        fillWith(other, mutex);
        const FlightRecorder recorder(tool, {.events = room, .bodies = true});
        Lines told;
        std::size_t differing = 0;
        const auto compare = [&](const FlowEvent& event) {
            told.push_back(textOf(toldOf(event)));
            if (textsOf(recorder.events()) != lastOf(told, room)) ++differing;
        };
        const Observation watching = tool.observe(compare, {.bodies = true});
        named.execute();
        other.execute();
        tool.run();
        CAPTURE(room);
        CHECK(told.size() > 200);
        CHECK(differing == 0);
        CHECK(textsOf(recorder.events()) == lastOf(told, room));
    }
}

TEST_CASE("a recorder says each event on a line", "[recorder]") {
    VirtualTool tool;
    Mutex mutex({.name = "d\"b"});
    FlightRecorder recorder(tool);
    CHECK(recorder.text().empty());
    AsyncSteps flow(tool, Options{.name = "client"});
    flow.add([&](IAsyncSteps& asi) {
        IParallel& branches = asi.parallel();
        branches.sync(mutex, [](IAsyncSteps& inner) { inner.add(delay(4)); });
        branches.sync(mutex, [](IAsyncSteps& inner) { inner.error("E"); });
    });
    const std::string id = std::to_string(flow.snapshot().id);
    CHECK(run(tool, flow) == "error E");
    Lines expected;
    for (const char* line :
         {"0 begun", "0 turn", "0 0 opened step", "0 0/0 opened parallel", "0 0/0 turn",
          "0 0/0/|0 opened sync", "0 0/0/|0/0 opened delay", "0 0/0/|0/0 waits timer 4",
          "0 0/0 turn", "0 0/0/|1 opened sync", "0 0/0/|1 waits guard mutex \"d\\\"b\" 1",
          "4 0/0/|0/0 turn", "4 0/0/|0/0 closed ok", "4 0/0/|0 closed ok", "4 0/0/|1 turn",
          "4 0/0/|1 closed error E", "4 0/0 closed error E", "4 0 closed error E",
          "4 ended error E"}) {
        const std::string text(line);
        const std::size_t time = text.find(' ');
        expected.push_back(text.substr(0, time) + " flow " + id + " \"client\"" +
                           text.substr(time));
    }
    CHECK(linesOf(recorder.text()) == expected);
    for (const RecordedEvent& event : recorder.events()) CHECK_FALSE(event.clock);
}

namespace {

/// What is empty is left out.
schema::Json jsonOf(const RecordedEvent& event) {
    schema::Json json{{"what", event.what},
                      {"time", event.time},
                      {"sequence", event.sequence},
                      {"flow", {{"id", event.flow.id}, {"name", event.flow.name}}}};
    const bool isOfFlow = event.what == "begun" || event.what == "ended";
    if (!isOfFlow) json["path"] = event.path;
    const auto add = [&json](const char* key, const std::string& text) {
        if (!text.empty()) json[key] = text;
    };
    add("element", event.element);
    add("kind", event.kind);
    add("outcome", event.outcome);
    add("code", event.code);
    add("waits", event.waits);
    if (event.clock) json["clock"] = *event.clock;
    return json;
}

}  // namespace

TEST_CASE("what was recorded is what the schema describes", "[recorder]") {
    Mutex mutex({.name = "db"});
    Limiter limiter({.concurrent = 1});
    Channel<int> channel({.capacity = 0});
    VirtualTool tool;
    AsyncSteps flow(tool, Options{.name = "client"});
    fillWith(flow, mutex);
    fillWithWaits(flow, mutex, limiter, channel);
    flow.add([](IAsyncSteps& asi) { asi.error("E"); });
    const FlightRecorder recorder(tool, {.bodies = true});
    CHECK(run(tool, flow) == "error E");
    schema::Json events = schema::Json::array();
    for (const RecordedEvent& event : recorder.events()) events.push_back(jsonOf(event));
    const schema::Check check(schema::load("recording.schema.json"));
    CHECK(check(events).empty());
    CHECK(events.size() > 100);
    events[0]["kind"] = "step";
    events[1].erase("path");
    events[2]["kind"] = "strange";
    CHECK(check(events).size() == 3);
}

TEST_CASE("an unnamed flow keeps the number that it is asked for", "[recorder]") {
    VirtualTool tool;
    const FlightRecorder recorder(tool);
    const auto value = step([](IAsyncSteps& asi) { asi.add(delay(1)); });
    tool.start(value);
    tool.run();
    tool.start(value);
    const std::uint64_t first = recorder.events().front().flow.id;
    const std::uint64_t second = tool.snapshot().flows.front().id;
    tool.run();
    CHECK(first != second);
    for (const RecordedEvent& event : recorder.events())
        CHECK((event.flow.id == first || event.flow.id == second));
    CHECK(recorder.events().front().flow.id == first);
    CHECK(recorder.events().back().flow.id == second);
    CHECK(recorder.events().back().flow.name.empty());
}

TEST_CASE("with bodies a recorder has when they were called", "[recorder]") {
    VirtualTool tool;
    const FlightRecorder recorder(tool, {.bodies = true});
    tool.start(step([](IAsyncSteps&) {}));
    tool.run();
    const auto events = recorder.events();
    std::vector<double> clocks;
    for (const RecordedEvent& event : events) {
        CHECK(event.clock.has_value() == (event.what == "body" || event.what == "returned"));
        if (event.clock) clocks.push_back(*event.clock);
    }
    REQUIRE(clocks.size() == 2);
    CHECK(clocks[0] > 0);
    CHECK(clocks[0] <= clocks[1]);
}

TEST_CASE("no event takes memory of a recorder", "[recorder][memory]") {
    const auto costOf = [](bool records) {
        Mutex mutex({.name = "a name that is longer than what lies in a string"});
        VirtualTool tool;
        std::optional<FlightRecorder> recorder;
        if (records) recorder.emplace(tool, RecorderOptions{.events = 50, .bodies = true});
        std::size_t cost = 0;
        for (int flows = 0; flows < 2; ++flows) {  // of the second
            AsyncSteps flow(tool, Options{.name = "another one that is longer than that"});
            fillWith(flow, mutex);
            flow.add(step([](IAsyncSteps& asi) { asi.error("A code that is longer than that"); })
                         .named("and the name of a step that is longer")
                         .onError([](IAsyncSteps& asi, const std::string&) { asi.success(); }));
            const std::size_t before = allocations::count();
            flow.execute();
            tool.run();
            cost = allocations::count() - before;
        }
        if (records) CHECK(recorder->events().size() == 50);
        return cost;
    };
    CHECK(costOf(true) == costOf(false));
}

TEST_CASE("long names, and paths, are shortened, and none breaks a line", "[recorder]") {
    const auto lettersOf = [](std::size_t count) {
        std::string text;
        for (std::size_t i = 0; i < count; ++i) text += "ä";
        return text;
    };
    const std::string longest = lettersOf(64);
    VirtualTool tool;
    const FlightRecorder recorder(tool);
    AsyncSteps flow(tool, Options{.name = std::string(1'000'000, 'x')});
    flow.add(step([](IAsyncSteps& asi) { asi.error("E\n\x01"); }).named(lettersOf(65)));
    CHECK(run(tool, flow) == "error E\n\x01");
    const auto after = step([](IAsyncSteps&) {});
    tool.start(steps(after.named(longest), after.named(std::string(400, '\x80')),
                     after.named("a\tb"), after));
    tool.run();
    std::vector<RecordedEvent> opened;
    for (RecordedEvent& event : recorder.events())
        if (event.what == "opened") opened.push_back(std::move(event));
    REQUIRE(opened.size() == 6);
    CHECK(opened[0].flow.name == std::string(63, 'x') + "…");
    CHECK(opened[0].element == lettersOf(63) + "…");
    CHECK(opened[0].path == opened[0].element);
    CHECK(opened[2].element == longest);
    CHECK(opened[3].element.size() <= 256);
    CHECK(opened[4].element == "a\tb");
    const Lines lines = linesOf(recorder.text());
    CHECK(lines.size() == recorder.events().size());
    CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
        return endsWith(line, "closed error E\\n\\u0001");
    }));
    CHECK(std::any_of(lines.begin(), lines.end(),
                      [](const std::string& line) { return endsWith(line, "/a\\tb closed ok"); }));
}

TEST_CASE("of a long path both ends are recorded", "[recorder][deep]") {
    const auto pathsOf = [](std::int64_t left) {
        std::string path;
        smallstack::run([&] {
            Rig rig;
            Completion done;
            const FlightRecorder recorder(rig.tool, {.events = 3});
            rig.flow.add(Nested{left, &done});
            rig.flow.execute();
            rig.tool.run();
            path = recorder.events().back().path;
            done.success();
            rig.tool.advance(0);
        });
        return path;
    };
    CHECK(pathsOf(15) == "0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0");
    CHECK(pathsOf(16) == "0/0/0/0/0/0/0/0/…/0/0/0/0/0/0/0/0");
    CHECK(pathsOf(10'000) == "0/0/0/0/0/0/0/0/…/0/0/0/0/0/0/0/0");
}

TEST_CASE("of many names the last events are recorded, and right", "[recorder]") {
    VirtualTool tool;
    const FlightRecorder recorder(tool, {.events = 2000});
    Lines told;
    const Observation watching =
        tool.observe([&](const FlowEvent& event) { told.push_back(textOf(toldOf(event))); });
    const auto value = step([](IAsyncSteps& asi) { asi.add(delay(1)); });
    for (int i = 0; i < 3000; ++i) {
        const std::string name = std::to_string(i) + std::string(50, 'n');
        tool.start(value.named(name + "of a step"));
        if (i % 10 == 0) tool.run();
        const Lines texts = i % 100 == 0 ? textsOf(recorder.events()) : Lines();
        if (i % 100 == 0) REQUIRE(texts == lastOf(told, texts.size()));
    }
    tool.run();
    const Lines texts = textsOf(recorder.events());
    CHECK(texts == lastOf(told, texts.size()));
    CHECK(texts.size() > 500);
    CHECK(texts.size() < 2000);
}

TEST_CASE("what was recorded stays when the recorder is cancelled, at each event", "[recorder]") {
    for (int at = 0;; ++at) {
        Mutex mutex;
        Rig rig;
        fillWith(rig.flow, mutex);
        FlightRecorder recorder(rig.tool);
        int left = at;
        Lines told;
        const auto cancels = [&](const FlowEvent& event) {
            if (left >= 0) told.push_back(textOf(toldOf(event)));
            if (left-- != 0) return;
            recorder.cancel();
            CHECK_FALSE(recorder.valid());
            CHECK(textsOf(recorder.events()) == told);
        };
        const Observation watching = rig.tool.observe(cancels);
        CHECK(recorder.valid());
        CHECK(rig.run() == "ok");
        CAPTURE(at);
        CHECK(textsOf(recorder.events()) == told);
        recorder.cancel();
        CHECK(textsOf(recorder.events()) == told);
        if (left >= 0) break;
    }
}

TEST_CASE("a recorder may be made, moved and destroyed at each event", "[recorder]") {
    for (int at = 0; at < 80; ++at) {
        Mutex mutex;
        Rig rig;
        fillWith(rig.flow, mutex);
        std::optional<FlightRecorder> first(std::in_place, rig.tool,
                                            RecorderOptions{.events = 9, .bodies = true});
        std::optional<FlightRecorder> second;
        int left = at;
        std::size_t wrong = 0;
        const auto changes = [&](const FlowEvent& event) {
            if (second && second->valid()) {
                const auto events = second->events();
                const bool isLast = !events.empty() && events.back().sequence == event.sequence();
                if (!isLast) ++wrong;
            }
            if (left == 5) {
                FlightRecorder moved = *std::move(first);
                CHECK(first->events().empty());
                CHECK_FALSE(first->valid());
                CHECK(moved.events().size() == std::min<std::size_t>(9, event.sequence()));
                first = std::move(moved);
                CHECK(first->valid());
            }
            if (left-- != 0) return;
            first.reset();
            second.emplace(rig.tool, RecorderOptions{.events = 2, .bodies = true});
            CHECK(second->events().empty());
        };
        const Observation watching = rig.tool.observe(changes, {.bodies = true});
        CHECK(rig.run() == "ok");
        CAPTURE(at);
        CHECK(wrong == 0);
    }
}

TEST_CASE("a recorder has what flows did whose tool has gone", "[recorder]") {
    std::optional<FlightRecorder> recorder;
    Observation watching;
    Lines told;
    {
        VirtualTool tool;
        recorder.emplace(tool);
        watching =
            tool.observe([&](const FlowEvent& event) { told.push_back(textOf(toldOf(event))); });
        tool.start(step([](IAsyncSteps& asi) {
                       asi.add(step([](IAsyncSteps& inner) { inner.waitExternal(); }).named("in"));
                   }).named("out"));
        tool.run();
        CHECK(recorder->valid());
    }
    CHECK_FALSE(recorder->valid());
    CHECK(textsOf(recorder->events()) == told);
    CHECK(endsWith(recorder->text(), "ended cancelled"));
    recorder->cancel();
    CHECK(textsOf(recorder->events()) == told);
}

TEST_CASE("what ends the process for want of a hook is printed with its last events",
          "[recorder]") {
    const auto fail = [](int rounds) {
        VirtualTool tool;
        const FlightRecorder first(tool);
        const FlightRecorder second(tool, {.events = 1});
        tool.start(step([](IAsyncSteps& asi) { asi.waitExternal(); }).named("other"));
        tool.start(steps(repeat(rounds, step([](IAsyncSteps&) {})),
                         step([](IAsyncSteps& asi) { asi.error("Lost"); }).named("failing")));
        tool.run();
    };
    const child::Ended few = child::inChild([&] { fail(2); });
    CHECK(few.aborted);
    CHECK(child::has(few, "the last events of its flow:\n  0 flow "));
    CHECK(child::has(few, " begun\n"));
    CHECK(child::has(few, "/failing closed error Lost\n"));
    CHECK(child::has(few, " ended error Lost\n"));
    CHECK_FALSE(child::has(few, "other"));
    const child::Ended many = child::inChild([&] { fail(100); });
    CHECK(child::has(many, " ended error Lost\n"));
    CHECK_FALSE(child::has(many, " begun\n"));
}

TEST_CASE("a recorder refuses what can't be", "[recorder]") {
    VirtualTool tool;
    CHECK(codeOf([&] { const FlightRecorder none(tool, {.events = 0}); }) == "InternalError");
    CHECK(codeOf([&] { const FlightRecorder huge(tool, {.events = 1'048'577}); }) ==
          "InternalError");
    const FlightRecorder most(tool, {.events = 1'048'576});
    CHECK(most.valid());
}

TEST_CASE("a recorder survives each allocation that fails", "[recorder][memory]") {
    eachfails::check("ok", [](VirtualTool& tool, IFlow& flow) {
        struct Held {
            Mutex mutex{{.name = eachfails::kLong}};
            std::optional<FlightRecorder> first;
            std::optional<FlightRecorder> second;
            Observation watching;
        };
        const auto held = std::make_shared<Held>();
        held->first.emplace(tool, RecorderOptions{.events = 20});
        held->second.emplace(tool, RecorderOptions{.events = 20});
        held->watching = tool.observe([left = 30, &held = *held](const FlowEvent&) mutable {
            if (--left == 15) held.first->cancel();
            if (left == 10) static_cast<void>(held.first->text());
            if (left == 5) static_cast<void>(held.second->text());
            if (left == 0) held.second.reset();
        });
        fillWith(flow, held->mutex);
        flow.add([held](IAsyncSteps&) {});
    });
}
