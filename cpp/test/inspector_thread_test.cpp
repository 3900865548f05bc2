#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "inspecting.hpp"
#include "onthreadof.hpp"
#include "rig.hpp"
#include "steptree/asiotool.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/inspector.hpp"
#include "steptree/mutex.hpp"
#include "steptree/observe.hpp"
#include "steptree/run.hpp"
#include "steptree/snapshot.hpp"

using namespace rig;
using namespace steptree;
using namespace inspecting;
using namespace std::chrono_literals;

namespace {

const Json& rowOf(const Json& frame, const std::string& name) {
    const Json& rows = frame["rows"];
    return *std::find_if(rows.begin(), rows.end(),
                         [&name](const Json& row) { return row["name"] == name; });
}

template <class T>
T sumOf(const Json& numbers) {
    T sum = 0;
    for (const Json& each : numbers) sum += each.get<T>();
    return sum;
}

}  // namespace

TEST_CASE("a page is told what runs, what that waits for and since when", "[inspector][thread]") {
    Mutex db({.name = "db"});
    Shown shown;
    shown.tool.start(sync(db, hang).named("charge").timeout(500), named("order"));
    shown.tool.start(sync(db, hang).named("mails"), named("mail"));
    shown.tool.advance(70);
    Stream stream = shown.look();
    CHECK(stream.hello()["cancel"] == false);
    CHECK(stream.hello()["virtual"] == true);
    CHECK(stream.hello()["version"] == "0.1.0");
    const Json frame = stream.settled();
    CHECK(frame["time"] == 70);
    CHECK(frame["totals"] ==
          Json{{"running", 2}, {"begun", 2}, {"ok", 0}, {"failed", 0}, {"cancelled", 0}});
    CHECK(frame["waits"] == Json{{"completion", 1}, {"guard", 1}});
    const Json& order = frame["rows"][0];
    const Json& mail = frame["rows"][1];
    CHECK(order["name"] == "order");
    CHECK(order["path"] == "charge");
    CHECK(order["age"] == 70);
    CHECK(order["deadline"] == 430);
    CHECK(order["lines"] == 1);
    CHECK(order["waits"] == Json{{"for", "completion"}, {"since", 70}});
    REQUIRE(frame["guards"].size() == 1);
    const Json& guard = frame["guards"][0];
    CHECK(guard["kind"] == "mutex");
    CHECK(guard["name"] == "db");
    CHECK(guard["waiting"] == 1);
    CHECK(guard["active"] == 1);
    CHECK(guard["available"] == 0);
    CHECK(
        guard["holders"] ==
        Json::array({Json{
            {"run", order["run"]}, {"flow", order["id"]}, {"name", "order"}, {"path", "charge"}}}));
    CHECK(mail["waits"] == Json{{"for", "guard"},
                                {"kind", "mutex"},
                                {"name", "db"},
                                {"place", 1},
                                {"since", 70},
                                {"guard", guard["id"]}});
    const Snapshot seen = shown.tool.snapshot();
    CHECK(seen.flows[0].id == order["id"]);
    CHECK(seen.flows[1].id == mail["id"]);
}

TEST_CASE("flows that ran before are there, older than the inspector knows",
          "[inspector][thread]") {
    VirtualTool tool;
    tool.start(hang, named("before"));
    tool.advance(10);
    const Inspector inspector(tool);
    tool.advance(5);
    Stream stream(inspector.url(), [&tool] { tool.advance(0); });
    const Json row = stream.settled()["rows"][0];
    CHECK(row["name"] == "before");
    CHECK(row["older"] == true);
    CHECK(row["age"] == 5);
    CHECK(row["waits"] == Json{{"for", "completion"}});
}

TEST_CASE("a view chooses by text, wait, guard, code, age and state, in an order, from a row on",
          "[inspector][thread]") {
    Mutex db({.name = "db"});
    Shown shown;
    VirtualTool& tool = shown.tool;
    for (int i = 0; i < 30; ++i)
        tool.start(steps(delay(i), hang).named("job"), named("job-" + std::to_string(i)));
    tool.start(sync(db, hang).named("first"), named("holder"));
    tool.start(sync(db, hang).named("second"), named("waiter"));
    tool.advance(100);
    const auto late = step([](IAsyncSteps& asi) {
        asi.add([](IAsyncSteps& inner) { inner.error("Early"); },
                [](IAsyncSteps& inner, const std::string&) { inner.add(hang); });
    });
    tool.start(late, named("late"));
    tool.advance(0);
    Stream stream = shown.look();
    const Json all = stream.settled();
    const auto names = [&stream](const Json& view) {
        const Json frame =
            stream.seen(view, [](const Json& shown) { return !shown["waits"].contains("unseen"); });
        Names found{frame["found"].dump(), frame["first"].dump()};
        for (const std::string& name : namesOf(frame)) found.push_back(name);
        return found;
    };
    CHECK(names({{"text", "JOB-2"}, {"rows", 3}}) == Names{"11", "0", "job-2", "job-20", "job-21"});
    CHECK(names({{"text", "second db"}}) == Names{"1", "0", "waiter"});
    CHECK(names({{"waits", "guard"}}) == Names{"1", "0", "waiter"});
    CHECK(names({{"guard", all["guards"][0]["id"]}}) == Names{"2", "0", "holder", "waiter"});
    CHECK(names({{"code", "Early"}}) == Names{"1", "0", "late"});
    CHECK(names({{"since", 100}}) == Names{"3", "0", "job-0", "holder", "waiter"});
    CHECK(names({{"age", 101}}) == Names{"0", "0"});
    CHECK(names({{"state", "cancelling"}}) == Names{"0", "0"});
    CHECK(names({{"state", "running"}, {"rows", 0}}) == Names{"33", "0"});
    CHECK(names({{"sort", "age"}, {"reverse", true}, {"rows", 1}}) == Names{"33", "0", "late"});
    CHECK(names({{"sort", "name"}, {"rows", 2}, {"first", 31}}) ==
          Names{"33", "31", "late", "waiter"});
    CHECK(names({{"first", 999}, {"rows", 1}}) == Names{"33", "32", "late"});
}

TEST_CASE("an expanded flow shows its lines; when it has ended, how", "[inspector][thread]") {
    Shown shown;
    const auto page = all(hang.named("user"), delay(80).named("cart"));
    shown.tool.start(page.timeout(100, "Slow").named("page"), named("page"));
    shown.tool.advance(30);
    Stream stream = shown.look();
    const Json run = stream.settled()["rows"][0]["run"];
    const Json opened = stream.seen({{"open", run}})["open"];
    CHECK(opened["index"] == 0);
    CHECK(opened["more"] == 0);
    REQUIRE(opened["lines"].size() == 3);
    CHECK(opened["lines"][0] ==
          Json{{"depth", 0}, {"steps", {{{"element", "page"}, {"kind", "all"}, {"timeout", 70}}}}});
    CHECK(opened["lines"][1]["steps"][0]["element"] == "|user");
    CHECK(opened["lines"][1]["waits"] == Json{{"for", "completion"}, {"since", 30}});
    CHECK(opened["lines"][2]["waits"] == Json{{"for", "timer"}, {"ms", 50}, {"since", 30}});
    shown.tool.advance(90);
    const Json frame = stream.frame([](const Json& each) { return each["rows"].empty(); });
    CHECK(frame["open"] ==
          Json{{"run", run}, {"ended", {{"outcome", "error"}, {"code", "Slow"}, {"ago", 20}}}});
    REQUIRE(frame["codes"].size() == 1);
    CHECK(frame["codes"][0]["code"] == "Slow");
    CHECK(frame["codes"][0]["ended"] == 1);
    CHECK(frame["codes"][0]["handled"] == 0);
    CHECK(stream.seen({{"open", 12345}})["open"] == Json{{"run", 12345}, {"gone", true}});
}

TEST_CASE("a flow that is executed again has the same id, but is another run",
          "[inspector][thread]") {
    Shown shown({.allowCancel = true});
    AsyncSteps flow(shown.tool);
    const auto execute = [&] {
        flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
        flow.execute();
        shown.tool.advance(1);
    };
    execute();
    Stream stream = shown.look();
    CHECK(stream.hello()["cancel"] == true);
    const Json first = stream.frame()["rows"][0];
    flow.cancel();
    shown.tool.advance(1);
    execute();
    const Json second = stream.seen(Json::object())["rows"][0];
    CHECK(second["id"] == first["id"]);
    CHECK(second["run"] > first["run"]);
    const auto cancel = [&shown](const Json& run) {
        return post(shown.inspector.url(), "cancel", Json{{"run", run}}.dump()).status;
    };
    CHECK(cancel(first["run"]) == 202);
    stream.seen(Json::object());
    CHECK(flow.running());
    CHECK(cancel("x") == 400);
    CHECK(cancel(second["run"]) == 202);
    const Json last = stream.frame([](const Json& each) { return each["rows"].empty(); });
    CHECK_FALSE(flow.running());
    CHECK(last["totals"]["cancelled"] == 2);
}

TEST_CASE("a page cancels nothing if that was not allowed", "[inspector][thread]") {
    Shown shown;
    CHECK(post(shown.inspector.url(), "cancel", R"({"run":1})").status == 403);
}

TEST_CASE("flows that begin and end within an update are counted", "[inspector][thread]") {
    Shown shown;
    Stream stream = shown.look();
    stream.frame();
    for (int i = 0; i < 100; ++i) shown.tool.start(step([](IAsyncSteps&) {}), named("short"));
    shown.tool.start(step([](IAsyncSteps& asi) { asi.error("E"); }), named("fails"));
    shown.tool.run();
    const Json frame = stream.seen(Json::object());
    CHECK(frame["totals"] ==
          Json{{"running", 0}, {"begun", 101}, {"ok", 100}, {"failed", 1}, {"cancelled", 0}});
    CHECK(frame["rows"].empty());
    const Json& line = frame["timeline"];
    CHECK(sumOf<int>(line["begun"]) == 101);
    CHECK(sumOf<int>(line["ended"]) == 101);
    CHECK(sumOf<int>(line["failed"]) == 1);
}

TEST_CASE("steps are counted by where they stand, and turns that hold the loop",
          "[inspector][thread]") {
    AsyncTool tool;
    const Inspector inspector(tool);
    onThreadOf(tool, [] { return 0; });  // now it observes
    const auto holds = step([](IAsyncSteps&) {
        const auto end = std::chrono::steady_clock::now() + 60ms;
        while (std::chrono::steady_clock::now() < end) {
        }
    });
    std::promise<void> ended;
    StartOptions options = named("login 17");
    options.done = [&ended](Outcome&) { ended.set_value(); };
    tool.start(steps(holds.named("hash"), delay(3).named("rest")), std::move(options));
    ended.get_future().get();
    Stream stream(inspector.url());
    CHECK(stream.hello()["virtual"] == false);
    const Json frame = stream.frame();
    Names places;
    for (const Json& slow : frame["slow"]) {
        places.push_back(slow["flow"].get<std::string>() + ": " + slow["path"].get<std::string>());
        CHECK(slow["count"] == 1);
        if (slow["path"] == "0/hash") CHECK(slow["max"] >= 59);
    }
    std::sort(places.begin(), places.end());
    CHECK(places == Names{"login *: 0", "login *: 0/hash", "login *: 0/rest"});
    REQUIRE(frame["stalls"].size() == 1);
    CHECK(frame["stalls"][0]["name"] == "login 17");
    CHECK(frame["stalls"][0]["path"] == "0/hash");
    CHECK(frame["stalls"][0]["ms"] >= 60);
    const Json& line = frame["timeline"];
    CHECK(*std::max_element(line["longest"].begin(), line["longest"].end()) >= 60);
    CHECK(sumOf<double>(line["busy"]) >= 59);
    CHECK(*std::max_element(line["busy"].begin(), line["busy"].end()) <= line["ms"]);
}

TEST_CASE(
    "waits of 10 s or more are summed up by the kind of flow, where, and for what; not those for "
    "timers",
    "[inspector][thread]") {
    Mutex db({.name = "db"});
    Shown shown;
    VirtualTool& tool = shown.tool;
    const auto order = sync(db, hang).named("charge");
    for (const char* const name : {"order 1", "order 2"}) tool.start(order, named(name));
    tool.start(delay(60'000), named("nap"));
    const auto client = [&tool](std::vector<int> requests) {
        const std::string name = "client " + std::to_string(requests.size());
        const auto answers = step([requests = std::move(requests)](IAsyncSteps& asi) {
            asi.forEach(requests, [](IAsyncSteps& each, std::size_t, int it) {
                if (it != 0) each.add(hang.named("answer"));
            });
        });
        tool.start(answers.named("all"), named(name));
    };
    client({1});
    client({0, 0, 1});
    tool.advance(500);
    tool.start(order, named("order 3"));
    tool.advance(9499);
    Stream stream = shown.look();
    CHECK(stream.settled()["lasting"] == Json::array());
    tool.advance(1);
    const Json first = stream.seen(Json::object());
    const Json mutex{{"for", "guard"}, {"kind", "mutex"}, {"name", "db"}};
    const Json completion{{"for", "completion"}};
    const auto lasts = [&first](const std::string& path, const Json& waits, int count, int ms,
                                const std::string& longest) {
        const std::string kind = longest.substr(0, longest.find(' '));
        return Json{{"flow", kind + " *"}, {"path", path}, {"waits", waits},
                    {"count", count},      {"ms", ms},     {"run", rowOf(first, longest)["run"]}};
    };
    CHECK(first["lasting"] == Json{lasts("charge", completion, 1, 10'000, "order 1"),
                                   lasts("charge", mutex, 1, 10'000, "order 2"),
                                   lasts("all/0/#*/answer", completion, 2, 10'000, "client 1")});
    tool.advance(500);
    const Json second = stream.seen(Json::object());
    CHECK(second["lasting"][1] == lasts("charge", mutex, 2, 10'500, "order 2"));
}

TEST_CASE("pages are told that the loop is held while it is, and in whose turn",
          "[inspector][thread]") {
    AsyncTool tool;
    const Inspector inspector(tool);
    Stream stream(inspector.url());
    stream.frame();
    std::promise<void> heard;
    const auto waits = step([&heard](IAsyncSteps&) { heard.get_future().get(); });
    tool.start(waits.named("hash"), named("login"));
    const Json held =
        stream.next("held", [](const Json& message) { return message.contains("path"); });
    heard.set_value();
    CHECK(held["name"] == "login");
    CHECK(held["path"] == "hash");
    CHECK(held["ms"] >= 300);
    stream.frame();
}

TEST_CASE("names are sent as they are, cut, on one line each", "[inspector][thread]") {
    const std::string hostile = "<img src=x onerror=\"alert(1)\">\n\ndata: {}\n\n";
    std::string smiles;
    for (int i = 0; i < 150; ++i) smiles += "😀";
    const Names names{hostile,
                      std::string(1'000'000, 'x'),
                      smiles,
                      "half \xf0\x9f\x98",
                      "\xff\xc0\xaf\xed\xa0\x80",
                      std::string("nul\0nul", 7)};
    std::vector<std::unique_ptr<Mutex>> mutexes;
    Shown shown;
    for (const std::string& name : names) {
        mutexes.push_back(std::make_unique<Mutex>(MutexOptions{.name = name}));
        shown.tool.start(sync(*mutexes.back(), hang).named(name), named(name));
    }
    shown.tool.advance(1);
    Stream stream = shown.look();
    const Json run = stream.settled()["rows"][1]["run"];
    const Json frame = stream.seen({{"sort", "id"}, {"open", run}});
    Names cut{hostile,
              std::string(199, 'x') + "…",
              "",
              "half \uFFFD\uFFFD\uFFFD",
              "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD",
              std::string("nul\0nul", 7)};
    for (int i = 0; i < 99; ++i) cut[2] += "😀";
    cut[2] += "…";
    CHECK(namesOf(frame) == cut);
    CHECK(frame.dump().size() < 20'000);
}

TEST_CASE("a flow with a thousand lines and one a thousand levels deep take a bounded message",
          "[inspector][thread]") {
    struct Level {
        int left;
        void operator()(IAsyncSteps& asi) const {
            if (left == 0) return static_cast<void>(asi.waitExternal());
            asi.add(step(Level{left - 1}).named("level " + std::to_string(left - 1)));
        }
    };
    Shown shown;
    shown.tool.start(step(Level{1000}), named("deep"));
    shown.tool.start(step([](IAsyncSteps& asi) {
                         IParallel& branches = asi.parallel();
                         for (int i = 0; i < 1000; ++i)
                             branches.add([](IAsyncSteps& inner) { inner.waitExternal(); });
                     }),
                     named("wide"));
    shown.tool.run();
    Stream stream = shown.look();
    const Json all = stream.settled();
    const Json wide = stream.seen({{"open", rowOf(all, "wide")["run"]}})["open"];
    CHECK(wide["lines"].size() == 400);
    CHECK(wide["more"] == 601);
    const Json deep = stream.seen({{"open", rowOf(all, "deep")["run"]}})["open"];
    REQUIRE(deep["lines"][0]["steps"].size() == 25);
    CHECK(deep["lines"][0]["steps"][12]["element"] == "… 977 more …");
    CHECK(deep["lines"][0]["steps"][24]["element"] == "level 0");
    CHECK(rowOf(all, "deep")["path"] ==
          "0/level 999/level 998/level 997/level 996/level 995/level 994/level 993/…/level 7/"
          "level 6/level 5/level 4/level 3/level 2/level 1/level 0");
}

TEST_CASE("of 10,000 flows an update has the rows in view", "[inspector][thread]") {
    Shown shown;
    for (int i = 0; i < 10'000; ++i) {
        const auto job = steps(delay(1).named("a"), hang.named("w" + std::to_string(i % 7)));
        shown.tool.start(job.named("job"), named("job #" + std::to_string(i)));
    }
    shown.tool.run();
    Stream stream = shown.look();
    const Json all = stream.settled();
    CHECK(all["waits"] == Json{{"completion", 10'000}});
    const Json frame = stream.seen({{"first", 5000}, {"rows", 110}});
    CHECK(frame["rows"].size() == 110);
    CHECK(frame["rows"][0]["name"] == "job #5000");
    CHECK(frame.dump().size() < 40'000);
    CHECK(stream.seen({{"text", "w3 #9999"}})["found"] == 1);
}

TEST_CASE("a tool on Asio is inspected as others are", "[inspector][thread]") {
    asio::io_context io;
    AsioTool loop(io);
    const Inspector inspector(loop.tool());
    auto working = asio::make_work_guard(io);
    loop.tool().start(delay(60'000).named("waits"), named("timer"));
    std::thread runs([&io] { io.run(); });
    Stream stream(inspector.url());
    const Json frame =
        stream.frame([](const Json& each) { return each["waits"].contains("timer"); });
    CHECK(namesOf(frame) == Names{"timer"});
    CHECK(frame["rows"][0]["path"] == "waits");
    working.reset();
    io.stop();
    runs.join();
}

TEST_CASE("a flow whose end is being told is none of those that ran before",
          "[inspector][thread]") {
    VirtualTool tool;
    std::optional<Inspector> inspector;
    const Observation observed = tool.observe([&](const FlowEvent& event) {
        if (event.what() == "ended" && !inspector) inspector.emplace(tool);
    });
    tool.start(step([](IAsyncSteps&) {}), named("over"));
    tool.start(hang, named("hangs"));
    tool.advance(1);
    Stream stream(inspector->url(), [&tool] { tool.advance(0); });
    CHECK(namesOf(stream.settled()) == Names{"hangs"});
}

TEST_CASE("short of memory an inspector shows less, and goes on", "[inspector][thread]") {
    Shown shown;
    Stream stream = shown.look();
    stream.frame();
    bool hasFailed = true;
    for (std::size_t after = 0; hasFailed; ++after) {
        const std::string name = "flow " + std::to_string(after);
        StartOptions options = named(name);
        const auto fails = step([&name](IAsyncSteps& asi) { asi.error(name); }).named(name);
        const allocations::Failing failing(after, 1);
        try {
            shown.tool.start(fails, std::move(options));
            shown.tool.advance(60);
        } catch (const std::bad_alloc&) {
            REQUIRE(failing.failed() == 1);
        }
        hasFailed = failing.failed() != 0;
    }
    shown.tool.start(hang, named("last"));
    const Json frame = stream.settled();
    CHECK(namesOf(frame) == Names{"last"});
    CHECK(frame["totals"]["running"] == 1);
}

TEST_CASE("a tool whose inspector can't be made goes on without", "[inspector][thread]") {
    VirtualTool tool;
    tool.start(hang, named("hangs"));
    tool.advance(0);
    std::optional<Inspector> inspector;
    for (std::size_t after = 0; !inspector; ++after) {
        const allocations::Failing failing(after, 1);
        try {
            inspector.emplace(tool);
        } catch (const std::bad_alloc&) {
            tool.advance(1);
        }
    }
    Stream stream(inspector->url(), [&tool] { tool.advance(0); });
    CHECK(namesOf(stream.settled()) == Names{"hangs"});
}

TEST_CASE("a program on a tool that is inspected does what it did", "[inspector][thread]") {
    const auto ends = [](bool isInspected) {
        VirtualTool tool({.seed = 7, .order = 7});
        std::optional<Inspector> inspector;
        if (isInspected) inspector.emplace(tool);
        Mutex mutex;
        Names said;
        for (int i = 0; i < 20; ++i) {
            const auto says = step([&said, i](IAsyncSteps&) { said.push_back(std::to_string(i)); });
            tool.start(sync(mutex, steps(delay(i % 3), says)).timeout(40), named("flow"));
        }
        tool.run();
        said.push_back(std::to_string(tool.now()));
        return said;
    };
    CHECK(ends(true) == ends(false));
}
