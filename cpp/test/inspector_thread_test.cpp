#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "inspecting.hpp"
#include "onthreadof.hpp"
#include "rig.hpp"
#include "steptree/asiotool.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/inspector.hpp"
#include "steptree/mutex.hpp"
#include "steptree/run.hpp"
#include "steptree/snapshot.hpp"

using namespace rig;
using namespace steptree;
using namespace inspecting;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {

const auto hang = step([](IAsyncSteps& asi) { asi.waitExternal(); });

StartOptions named(const std::string& name) {
    return {.done = [](Outcome&) {},
            .options = std::make_shared<const Options>(Options{.name = name})};
}

/// A tool in virtual time that is inspected, and driven while its pages wait.
struct Shown {
    explicit Shown(InspectorOptions options = {}) : inspector(tool, std::move(options)) {}

    Stream look() {
        return Stream(inspector.url(), [this] { tool.advance(0); });
    }

    VirtualTool tool;
    Inspector inspector;
};

Names namesOf(const Json& frame) {
    Names names;
    for (const Json& row : frame["rows"]) names.push_back(row["name"]);
    return names;
}

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
        const Json frame = stream.seen(view);
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

TEST_CASE("a page is opened by its token only, and others are told nothing",
          "[inspector][thread]") {
    VirtualTool tool;
    const Inspector inspector(tool);
    const std::string& url = inspector.url();
    CHECK(url.rfind("http://127.0.0.1:", 0) == 0);
    const Url own(url);
    CHECK(own.path.size() == 34);
    CHECK(ask(url).status == 200);
    CHECK(ask(url, {.host = "localhost:1"}).status == 200);
    CHECK(ask(url, {.host = "[::1]:80"}).status == 200);
    CHECK(ask(url, {.headers = {"Origin: http://" + own.host}}).status == 200);
    const std::string token = own.path.substr(1, 32);
    std::string other = token;
    other.back() = other.back() == 'x' ? 'y' : 'x';
    const std::vector<Ask> refused{
        {.path = "/"},
        {.path = "/events"},
        {.path = "/" + other + "/"},
        {.path = "/" + token},
        {.path = "x/" + token + "/"},
        {.more = "other"},
        {.more = "events/"},
        {.more = "../"},
        {.more = "?x"},
        {.more = "view"},
        {.method = "POST"},
        {.method = "HEAD"},
        {.method = "OPTIONS"},
        {.method = "PUT", .more = "view"},
        {.host = "evil.example"},
        {.host = ""},
        {.headers = {"Host: 127.0.0.1"}},
        {.more = "events", .host = "localhost.evil.example"},
        {.method = "POST", .more = "view", .headers = {"Origin: http://evil.example"}},
        {.method = "POST", .more = "cancel", .headers = {"Origin: null"}},
        {.headers = {"no header"}},
        {.headers = {"x: " + std::string(20'000, 'x')}},
    };
    for (const Ask& each : refused) {
        const Answer answer = ask(url, each);
        INFO(each.method + ' ' + each.path.value_or(each.more) + ' ' + each.host.value_or(""));
        CHECK(answer.status == 404);
        CHECK(answer.text.empty());
        CHECK(answer.head.find("access-control") == std::string::npos);
        CHECK(answer.head.find("server:") == std::string::npos);
    }
}

TEST_CASE("a page loads nothing, and runs nothing but its own", "[inspector][thread]") {
    VirtualTool tool;
    const Inspector inspector(tool);
    const Answer answer = ask(inspector.url());
    for (const char* const header :
         {"cache-control: no-store", "referrer-policy: no-referrer",
          "x-content-type-options: nosniff", "x-frame-options: DENY",
          "cross-origin-resource-policy: same-origin", "content-type: text/html; charset=utf-8"}) {
        CHECK(answer.head.find(header) != std::string::npos);
    }
    const std::string begin =
        R"(<!doctype html><html lang="en"><head><meta charset="utf-8" />)"
        R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none';)";
    CHECK(answer.text.rfind(begin, 0) == 0);
    CHECK(answer.text.find("</html>") != std::string::npos);
    for (const char* const word : {"http://", "https://", "innerHTML", "document.write"})
        CHECK(answer.text.find(word) == std::string::npos);
}

TEST_CASE("what is no view, and what is too long, is refused", "[inspector][thread]") {
    Shown shown;
    const Stream stream = shown.look();
    const Json good{{"page", stream.hello()["page"]}, {"sort", "since"}, {"first", 0}, {"rows", 9}};
    const auto statusOf = [&shown](const std::string& body) {
        return post(shown.inspector.url(), "view", body).status;
    };
    const auto with = [&good](const char* key, const Json& value) {
        Json view = good;
        view[key] = value;
        return view.dump();
    };
    CHECK(statusOf(good.dump()) == 204);
    CHECK(statusOf(" {\"sort\" : \"id\", \"first\":1e1, "
                   "\"rows\":0,\n\"text\":\"\\u00e4\\ud83d\\ude00\", \"page\":" +
                   good["page"].dump() + "} ") == 204);
    CHECK(statusOf(with("page", "another")) == 410);
    CHECK(statusOf(with("text", std::string(200, 'x'))) == 204);
    const std::string page = R"({"page":)" + good["page"].dump();
    const std::vector<std::string> bad{"",
                                       "{",
                                       "null",
                                       "7",
                                       "[]",
                                       "{}",
                                       "{\"a\"}",
                                       "{,}",
                                       good.dump() + "x",
                                       page + R"(,"sort":"id","first":01,"rows":1})",
                                       page + R"(,"sort":"id","first":+1,"rows":1})",
                                       page + R"(,"sort":"id","first":1.,"rows":1})",
                                       page + R"(,"sort":"id","first":1e,"rows":1})",
                                       page + R"(,"sort":"id","first":1e999,"rows":1})",
                                       page + R"(,"sort":"id","first":inf,"rows":1})",
                                       page + R"(,"sort":"id","first":1,"rows":1,"text":"\x"})",
                                       page + R"(,"sort":"id","first":1,"rows":1,"text":"\u00"})",
                                       page + R"(,"sort":"id","first":1,"rows":1,"text":"x)",
                                       page + R"(,"sort":"id","first":1,"rows":1,})",
                                       page + R"(,"sort":"id","first":1})",
                                       with("page", 7),
                                       with("first", -1),
                                       with("first", 1e18),
                                       with("rows", 201),
                                       with("rows", "9"),
                                       with("rows", nullptr),
                                       with("sort", "x"),
                                       with("waits", "x"),
                                       with("waits", "guar"),
                                       with("state", "idle"),
                                       with("reverse", 1),
                                       with("other", 1),
                                       with("open", Json::object()),
                                       with("since", 0.5),
                                       with("text", std::string(201, 'x')),
                                       with("__proto__", Json::object())};
    for (const std::string& body : bad) {
        INFO(body);
        CHECK(statusOf(body) == 400);
    }
    const std::string blank(4096 - good.dump().size(), ' ');
    CHECK(statusOf(good.dump() + blank) == 204);
    CHECK(statusOf(good.dump() + blank + ' ') == 400);
    const int huge = statusOf(std::string(5'000'000, 'x'));
    CHECK((huge == 400 || huge == 0));
    CHECK(ask(shown.inspector.url(),
              {.method = "POST", .more = "view", .headers = {"Transfer-Encoding: chunked"}})
              .status == 400);
    CHECK(statusOf(good.dump()) == 204);
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
        shown.tool.start(job.named("job"), named("job " + std::to_string(i)));
    }
    shown.tool.run();
    Stream stream = shown.look();
    const Json all = stream.settled();
    CHECK(all["waits"] == Json{{"completion", 10'000}});
    const Json frame = stream.seen({{"first", 5000}, {"rows", 110}});
    CHECK(frame["rows"].size() == 110);
    CHECK(frame["rows"][0]["name"] == "job 5000");
    CHECK(frame.dump().size() < 40'000);
    CHECK(stream.seen({{"text", "w3 9999"}})["found"] == 1);
}

TEST_CASE("each page has its own view; a ninth one is refused", "[inspector][thread]") {
    Shown shown;
    for (const char* const name : {"a", "b"}) shown.tool.start(hang, named(name));
    shown.tool.advance(1);
    std::vector<std::unique_ptr<Stream>> pages;
    const auto open = [&] {
        pages.push_back(
            std::make_unique<Stream>(shown.inspector.url(), [&shown] { shown.tool.advance(0); }));
        return pages.back()->isOpen();
    };
    for (int i = 0; i < 8; ++i) CHECK(open());
    CHECK(namesOf(pages[0]->seen({{"text", "b"}})) == Names{"b"});
    CHECK(namesOf(pages[7]->seen({{"text", "a"}})) == Names{"a"});
    CHECK(namesOf(pages[0]->frame()) == Names{"b"});
    CHECK_FALSE(open());
    CHECK(pages[8]->head().find(" 503 ") != std::string::npos);
    pages.erase(pages.begin() + 3);
    while (!open()) pages.front()->frame();
}

TEST_CASE("a page that reads nothing is sent nothing more, and then the last of it",
          "[inspector][thread]") {
    Shown shown;
    const std::string name(190, 'x');
    for (int i = 0; i < 200; ++i) shown.tool.start(hang.named(name), named(name));
    shown.tool.advance(1);
    Stream silent = shown.look();
    silent.socket().set_option(asio::socket_base::receive_buffer_size(65'536));
    silent.look({{"rows", 200}});
    Stream other = shown.look();
    for (int i = 0; i < 12; ++i) other.seen({{"rows", 200}});  // enough for all buffers in between
    shown.tool.advance(500);
    for (int i = 0; i < 3; ++i) other.seen(Json::object());
    silent.frame([](const Json& frame) { return frame["time"] == 501; });
    CHECK(silent.frames() < other.frames());
}

TEST_CASE("an inspector that is closed tells its pages, and doesn't wait for who is silent",
          "[inspector][thread]") {
    Shown shown;
    const std::string url = shown.inspector.url();
    Stream stream = shown.look();
    stream.frame();
    Stream silent = shown.look();
    asio::io_context io;
    tcp::socket unasked = connected(io, Url(url).port());
    shown.inspector.close();
    shown.inspector.close();
    CHECK(shown.inspector.url() == url);
    stream.next("bye");
    CHECK(stream.ends());
    CHECK(silent.ends());
    CHECK(readAnswer(unasked).status == 0);
    CHECK_THROWS_AS(ask(url), std::system_error);
    shown.tool.start(hang, named("later"));
    shown.tool.advance(1);
}

TEST_CASE("a tool that goes before its inspector closes it", "[inspector][thread]") {
    std::optional<AsyncTool> tool(std::in_place);
    tool->start(hang, named("hangs"));
    const Inspector inspector(*tool, {.allowCancel = true});
    Stream stream(inspector.url());
    stream.settled();
    tool.reset();
    stream.next("bye");
    CHECK(stream.ends());
}

TEST_CASE("an inspector that is closed while its tool works leaves that as it was",
          "[inspector][thread]") {
    AsyncTool tool;
    std::atomic<bool> isOver{false};
    const auto busy = loop([&isOver](IAsyncSteps& asi) {
        if (isOver) asi.breakLoop();
        asi.add([](IAsyncSteps& inner) { inner.relinquish(); });
    });
    std::vector<Future<void>> ends;
    for (int i = 0; i < 4; ++i) ends.push_back(run(tool, busy));
    for (int i = 0; i < 20; ++i) {
        Inspector inspector(tool);
        std::optional<Stream> stream;
        if (i % 2 == 0) stream.emplace(inspector.url());
        if (i % 4 == 0) CHECK(stream->settled()["totals"]["running"] == 4);
        if (i % 3 == 0) inspector.close();
        const Inspector moved = std::move(inspector);
    }
    isOver = true;
    for (const Future<void>& end : ends) end.get();
}

TEST_CASE("an inspector may be closed in a body of its tool", "[inspector][thread]") {
    AsyncTool tool;
    std::optional<Inspector> inspector(std::in_place, tool);
    Stream stream(inspector->url());
    stream.frame();
    const auto closes = step([&inspector](IAsyncSteps&) { inspector.reset(); });
    run(tool, closes).get();
    stream.next("bye");
}

TEST_CASE("an inspector says so when it can't listen", "[inspector][thread]") {
    VirtualTool tool;
    const Inspector first(tool);
    const InspectorOptions taken{.port = Url(first.url()).port()};
    try {
        const Inspector second(tool, taken);
        FAIL("it listens");
    } catch (const std::system_error& error) {
        CHECK(error.code() == std::errc::address_in_use);
        CHECK(std::string(error.what()).find("127.0.0.1") != std::string::npos);
    }
    CHECK(codeOf([&] { const Inspector none(tool, {.host = ""}); }) == "InternalError");
    const std::string name(300, 'x');
    CHECK(codeOf([&] { const Inspector none(tool, {.host = name}); }) == "InternalError");
}

TEST_CASE("two inspectors of one tool are independent", "[inspector][thread]") {
    VirtualTool tool;
    std::optional<Inspector> first(std::in_place, tool);
    const Inspector second(tool);
    CHECK(first->url() != second.url());
    tool.start(hang, named("one"));
    tool.advance(1);
    first.reset();
    Stream stream(second.url(), [&tool] { tool.advance(0); });
    CHECK(stream.frame()["totals"]["running"] == 1);
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
