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
        Lines faults;
        std::size_t most = 0;
        std::size_t moments = 0;
        const auto look = [&](const FlowEvent&) {
            if (++moments % (room / 50 + 1) != 0) return;
            const schema::Json trace = schema::Json::parse(recorder.trace());
            const Lines found = faultsOf(trace);
            faults.insert(faults.end(), found.begin(), found.end());
            CHECK(countOf(trace, "B") == countOf(trace, "E"));
            most = std::max(most, countOf(trace, "B"));
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
        said.push_back(event["ph"].get<std::string>() + ' ' + event["tid"].dump() + ' ' +
                       event["ts"].dump() + ' ' + event["name"].get<std::string>() + ' ' +
                       args.dump());
    }
    const Lines expected{"\"client\"",
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
