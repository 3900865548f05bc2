#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "schema.hpp"
#include "steptree/recorder.hpp"
#include "steptree/run.hpp"
#include "told.hpp"

using namespace told;

namespace {

/// What the slices of a trace say is wrong.
Lines faultsOf(const schema::Json& trace) {
    Lines faults;
    std::map<int, std::vector<std::int64_t>> open;  // when those that are open end
    std::int64_t time = -1;
    std::int64_t last = 0;
    for (const schema::Json& event : trace["traceEvents"])
        last = std::max(last,
                        event.value("ts", std::int64_t{0}) + event.value("dur", std::int64_t{0}));
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
        std::vector<std::int64_t>& around = open[track];
        while (!around.empty() && around.back() < time) around.pop_back();
        const schema::Json& args = event["args"];
        if (!args.is_object()) say("no args: ");
        if (phase == "i") {
            if (event["s"] != "t" || event.contains("dur")) say("no instant: ");
            if (around.empty()) say("in no slice: ");
        } else if (phase == "X") {
            const std::int64_t end = time + event["dur"].get<std::int64_t>();
            if (end < time || (!around.empty() && end > around.back())) say("isn't inside: ");
            around.push_back(end);
            const std::string category = event["cat"];
            const bool isWait = category.starts_with("wait");
            const char* const says = category == "body" ? "us" : "outcome";
            if (args.contains("open") ? end != last : !isWait && !args.contains(says))
                say("no end: ");
        } else {
            say("strange: ");
        }
    }
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
        Lines faults;
        std::size_t most = 0;
        std::size_t moments = 0;
        const auto look = [&](const FlowEvent&) {
            if (++moments % (room / 50 + 1) != 0) return;
            const schema::Json trace = schema::Json::parse(recorder.trace());
            const Lines found = faultsOf(trace);
            faults.insert(faults.end(), found.begin(), found.end());
            most = std::max(most, countOf(trace, "X"));
        };
        const Observation watching = tool.observe(look, {.bodies = true});
        first.execute();
        other.execute();
        tool.run();
        CAPTURE(room);
        CHECK(faults == Lines());
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
    Lines said;
    for (const schema::Json& event : trace["traceEvents"]) {
        if (event["ph"] == "M") {
            const std::string name = event["args"]["name"];
            said.push_back(name.substr(name.find('"')));
            continue;
        }
        schema::Json args = event["args"];
        args.erase("flow");
        const std::int64_t begin = event["ts"];
        const std::int64_t end = begin + event.value("dur", std::int64_t{0});
        said.push_back(event["ph"].get<std::string>() + ' ' + event["tid"].dump() + ' ' +
                       std::to_string(begin) + '-' + std::to_string(end) + ' ' +
                       event["name"].get<std::string>() + ' ' + args.dump());
    }
    const Lines expected{
        "\"client\"",
        "\"client\" +1",
        "X 1 0-4009 client {\"open\":true}",
        "X 1 2-4009 0 step {\"open\":true,\"path\":\"0\"}",
        "X 1 3-4005 0 parallel {\"code\":\"E\",\"outcome\":\"error\",\"path\":\"0/0\"}",
        "X 1 5-4002 |0 sync {\"outcome\":\"ok\",\"path\":\"0/0/|0\"}",
        "X 1 6-4001 0 delay {\"outcome\":\"ok\",\"path\":\"0/0/|0/0\"}",
        "X 1 7-4000 waits timer {\"ms\":4}",
        "X 2 9-4004 |1 sync {\"code\":\"E\",\"outcome\":\"error\",\"path\":\"0/0/|1\"}",
        "X 2 10-4003 waits guard mutex \"db\" {\"place\":1}",
        "i 1 4006-4006 handler E {\"path\":\"0\"}",
        "X 1 4008-4009 1 step {\"open\":true,\"path\":\"0/1\"}",
        "X 1 4009-4009 waits completion {\"open\":true}"};
    CHECK(said == expected);
    flow.cancel();
}
