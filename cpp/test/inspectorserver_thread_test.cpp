#include <atomic>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "inspecting.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/inspector.hpp"
#include "steptree/run.hpp"

using namespace rig;
using namespace steptree;
using namespace inspecting;

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
