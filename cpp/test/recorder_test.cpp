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

using Texts = std::vector<std::string>;

Texts textsOf(const std::vector<RecordedEvent>& events) {
    Texts texts;
    for (const RecordedEvent& event : events) texts.push_back(textOf(event));
    return texts;
}

Texts lastOf(const Texts& all, std::size_t count) {
    return {all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end()};
}

/// The lines of what a recorder has, without time and flow.
Texts linesOf(const std::string& text) {
    Texts lines;
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

/// A flow in which everything waits that can be told apart.
void fillWithWaits(IFlow& flow, Mutex& mutex, Limiter& limiter, Channel<int>& channel) {
    flow.add([&](IAsyncSteps& asi) {
        IParallel& branches = asi.parallel();
        for (int i = 0; i < 3; ++i) {
            branches.sync(mutex, [](IAsyncSteps& inner) { inner.add(delay(2)); });
            branches.sync(limiter, [](IAsyncSteps& inner) { inner.add(delay(3)); });
        }
        branches.add([&](IAsyncSteps& inner) { channel.receive(inner); });
        branches.add([](IAsyncSteps& inner) { inner.waitExternal(), inner.setTimeout(7); },
                     [](IAsyncSteps& inner, const std::string&) { inner.success(); });
        branches.add([&](IAsyncSteps& inner) {
            inner.add(delay(5));
            inner.add([&](IAsyncSteps& in) { channel.send(in, 1); });
        });
    });
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
        Texts told;
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
    Texts expected;
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
        AsyncSteps flow(tool, Options{.name = "another one that is longer than that"});
        fillWith(flow, mutex);
        flow.add(step([](IAsyncSteps& asi) { asi.error("A code that is longer than that"); })
                     .named("and the name of a step that is longer")
                     .onError([](IAsyncSteps& asi, const std::string&) { asi.success(); }));
        const std::size_t before = allocations::count();
        flow.execute();
        tool.run();
        const std::size_t cost = allocations::count() - before;
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
    const Texts lines = linesOf(recorder.text());
    CHECK(lines.size() == recorder.events().size());
    CHECK(std::any_of(lines.begin(), lines.end(), [](const std::string& line) {
        return endsWith(line, "closed error E\\n\\u0001");
    }));
    CHECK(std::any_of(lines.begin(), lines.end(),
                      [](const std::string& line) { return endsWith(line, "/a\\tb closed ok"); }));
}

namespace {

struct Nested {
    std::int64_t left;
    Completion* done;

    void operator()(IAsyncSteps& asi) const {
        if (left == 0) {
            *done = asi.waitExternal();
        } else {
            asi.add(Nested{left - 1, done});
        }
    }
};

}  // namespace

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
    Texts told;
    const Observation watching =
        tool.observe([&](const FlowEvent& event) { told.push_back(textOf(toldOf(event))); });
    const auto value = step([](IAsyncSteps& asi) { asi.add(delay(1)); });
    for (int i = 0; i < 3000; ++i) {
        const std::string name = std::to_string(i) + std::string(50, 'n');
        tool.start(value.named(name + "of a step"));
        if (i % 10 == 0) tool.run();
        const Texts texts = i % 100 == 0 ? textsOf(recorder.events()) : Texts();
        if (i % 100 == 0) REQUIRE(texts == lastOf(told, texts.size()));
    }
    tool.run();
    const Texts texts = textsOf(recorder.events());
    CHECK(texts == lastOf(told, texts.size()));
    CHECK(texts.size() > 500);
    CHECK(texts.size() < 2000);
}

namespace {

/// What the slices of a trace say is wrong.
Texts faultsOf(const schema::Json& trace) {
    Texts faults;
    std::map<int, std::vector<schema::Json>> open;
    std::int64_t time = -1;
    for (const schema::Json& event : trace["traceEvents"]) {
        const std::string phase = event["ph"];
        const int track = event["tid"];
        const auto say = [&](const char* what) { faults.push_back(what + event.dump()); };
        if (event["pid"] != 1) say("another process: ");
        if (phase == "M") {
            if (time >= 0) say("late: ");
            if (!open.try_emplace(track).second) say("twice: ");
            continue;
        }
        if (!open.contains(track)) say("no track: ");
        if (event["ts"] < time) say("back in time: ");
        time = event["ts"];
        if (!event["args"].is_object()) say("no args: ");
        if (phase == "i") {
            if (event["s"] != "t") say("no scope: ");
        } else if (phase == "B") {
            open[track].push_back(event);
        } else if (phase == "E") {
            if (open[track].empty() || open[track].back()["name"] != event["name"]) {
                say("isn't open: ");
            } else {
                open[track].pop_back();
            }
        } else {
            say("strange: ");
        }
    }
    for (const auto& [track, left] : open)
        for (const schema::Json& event : left) faults.push_back("left: " + event.dump());
    return faults;
}

std::size_t countOf(const schema::Json& trace, const char* phase) {
    const schema::Json& all = trace["traceEvents"];
    return static_cast<std::size_t>(std::count_if(
        all.begin(), all.end(), [phase](const auto& event) { return event["ph"] == phase; }));
}

}  // namespace

TEST_CASE("a trace has slices that are nested, at each moment", "[recorder]") {
    for (const std::size_t room : {1, 3, 20, 60, 1000}) {
        Mutex mutex({.name = "db"});
        Limiter limiter({.concurrent = 1, .name = "calls"});
        Channel<int> channel({.capacity = 0, .name = "values"});
        VirtualTool tool;
        AsyncSteps first(tool, Options{.name = "client"});
        AsyncSteps other(tool);
        fillWith(first, mutex);
        fillWithWaits(first, mutex, limiter, channel);
        fillWith(other, mutex);
        const FlightRecorder recorder(tool, {.events = room, .bodies = true});
        CHECK(recorder.trace() == R"({"displayTimeUnit":"ms","traceEvents":[]})");
        Texts faults;
        std::size_t most = 0;
        std::size_t moments = 0;
        const auto look = [&](const FlowEvent&) {
            if (++moments % (room / 50 + 1) != 0) return;
            const schema::Json trace = schema::Json::parse(recorder.trace());
            const Texts found = faultsOf(trace);
            faults.insert(faults.end(), found.begin(), found.end());
            CHECK(countOf(trace, "B") == countOf(trace, "E"));
            most = std::max(most, countOf(trace, "B"));
        };
        const Observation watching = tool.observe(look, {.bodies = true});
        first.execute();
        other.execute();
        tool.run();
        CAPTURE(room);
        CHECK(faults == Texts());
        CHECK(most >= std::min<std::size_t>(room / 2, 60));
    }
}

namespace {

/// Flows have other numbers in other processes.
schema::Json numbered(const std::string& trace) {
    static const std::regex ofFlow("(flow |\"flow\":)(\\d+)");
    std::map<std::string, std::size_t> numbers;
    std::string text;
    std::string rest = trace;
    for (std::smatch found; std::regex_search(rest, found, ofFlow); rest = found.suffix().str()) {
        const auto number = numbers.try_emplace(found[2], numbers.size() + 1).first->second;
        text += found.prefix().str() + found[1].str() + std::to_string(number);
    }
    return schema::Json::parse(text + rest);
}

}  // namespace

TEST_CASE("a trace is that of spec/trace.json", "[recorder]") {
    VirtualTool tool;
    const FlightRecorder whole(tool);
    const FlightRecorder last(tool, {.events = 9});
    Mutex db({.name = "db"});
    const auto load = step([](IAsyncSteps& asi) { asi.setTimeout(2); }).named("load");
    const auto cart = sync(db, [load](IAsyncSteps& asi) { asi.add(load); }).named("cart");
    const auto mails = sync(db, [](IAsyncSteps& asi) { asi.add(delay(3)); }).named("mails");
    const auto page = step([=](IAsyncSteps& asi) { asi.add(all(cart, mails)); }).named("page");
    const auto recover = [](IAsyncSteps& asi, const std::string&) { asi.success(); };
    Options options{.name = "order"};
    options.unhandled = [](const std::string&, const std::string&, const std::exception_ptr&,
                           const std::string&) {};
    const auto order = step([=](IAsyncSteps& asi) {
        asi.add(page.onError(recover));
        asi.add([](IAsyncSteps& next) { next.error("Broken"); });
    });
    tool.start(order, {.options = std::make_shared<const Options>(std::move(options))});
    AsyncSteps longer(tool);
    longer.add([](IAsyncSteps& asi) {
        asi.waitExternal();
        asi.setCancel([](IAsyncSteps&) {});
    });
    longer.execute();
    const Handle cancels = tool.deferred(5, [&longer] { longer.cancel(); });
    tool.advance(1);
    schema::Json seen;
    seen["early"] = numbered(last.trace());
    tool.run();
    seen["whole"] = numbered(whole.trace());
    seen["last"] = numbered(last.trace());
    const schema::Json expected = schema::load("trace.json");
    for (const char* which : {"whole", "early", "last"}) {
        const schema::Json& events = seen[which]["traceEvents"];
        const schema::Json& others = expected[which]["traceEvents"];
        for (std::size_t i = 0; i < std::max(events.size(), others.size()); ++i) {
            CAPTURE(which, i);
            CHECK(events.at(i).dump() == others.at(i).dump());
        }
    }
    CHECK(seen == expected);
}

TEST_CASE("a trace shows a flow as its tracks", "[recorder]") {
    VirtualTool tool;
    Mutex mutex({.name = "db"});
    const FlightRecorder recorder(tool);
    AsyncSteps flow(tool, Options{.name = "client"});
    const auto held = [](IAsyncSteps& inner) { inner.add(delay(4)); };
    flow.add(
        [&](IAsyncSteps& asi) {
            IParallel& branches = asi.parallel();
            branches.sync(mutex, held);
            branches.sync(mutex, [](IAsyncSteps& inner) { inner.error("E"); });
        },
        [](IAsyncSteps& asi, const std::string&) {
            asi.add([](IAsyncSteps& inner) { inner.waitExternal(); });
        });
    flow.execute();
    tool.run();
    const schema::Json trace = schema::Json::parse(recorder.trace());
    Texts said;
    for (const schema::Json& event : trace["traceEvents"]) {
        if (event["ph"] == "M") {
            const std::string name = event["args"]["name"];
            said.push_back(name.substr(name.find('"')));
            continue;
        }
        schema::Json args = event["args"];
        args.erase("flow");
        said.push_back(event["ph"].get<std::string>() + ' ' + event["tid"].dump() + ' ' +
                       event["ts"].dump() + ' ' + event["name"].get<std::string>() + ' ' +
                       args.dump());
    }
    const Texts expected{"\"client\"",
                         "\"client\" +1",
                         "B 1 0 client {}",
                         "B 1 2 0 step {\"path\":\"0\"}",
                         "B 1 3 0 parallel {\"path\":\"0/0\"}",
                         "B 1 5 |0 sync {\"path\":\"0/0/|0\"}",
                         "B 1 6 0 delay {\"path\":\"0/0/|0/0\"}",
                         "B 1 7 waits timer 4 {}",
                         "B 2 9 |1 sync {\"path\":\"0/0/|1\"}",
                         "B 2 10 waits guard mutex \"db\" 1 {}",
                         "E 1 4000 waits timer 4 {}",
                         "E 1 4001 0 delay {\"outcome\":\"ok\"}",
                         "E 1 4002 |0 sync {\"outcome\":\"ok\"}",
                         "E 2 4003 waits guard mutex \"db\" 1 {}",
                         "E 2 4004 |1 sync {\"code\":\"E\",\"outcome\":\"error\"}",
                         "E 1 4005 0 parallel {\"code\":\"E\",\"outcome\":\"error\"}",
                         "i 1 4006 handler E {\"path\":\"0\"}",
                         "B 1 4008 1 step {\"path\":\"0/1\"}",
                         "B 1 4009 waits completion {}",
                         "E 1 4009 waits completion {\"open\":true}",
                         "E 1 4009 1 step {\"open\":true}",
                         "E 1 4009 0 step {\"open\":true}",
                         "E 1 4009 client {\"open\":true}"};
    CHECK(said == expected);
    flow.cancel();
}

TEST_CASE("what was recorded stays when the recorder is cancelled, at each event", "[recorder]") {
    for (int at = 0;; ++at) {
        Mutex mutex;
        Rig rig;
        fillWith(rig.flow, mutex);
        FlightRecorder recorder(rig.tool);
        int left = at;
        Texts told;
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
    Texts told;
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
