#include "steptree/pluginhost.hpp"

#include <stdlib.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>
#include <vector>

#include "catch.hpp"
#include "pluginhosts.hpp"
#include "rig.hpp"
#include "steptree/cvalue.hpp"
#include "steptree/snapshottext.hpp"

using namespace rig;
using namespace pluginhosts;
using steptree::PluginHost;
using steptree::PluginInfo;
using steptree::PluginPhase;

namespace {

std::string refusalOf(PluginHost& host, const std::string& path) {
    try {
        host.load(path);
    } catch (const StepError& error) {
        CHECK(error.code() == PluginHost::kRefused);
        return error.info();
    }
    return "loaded";
}

}  // namespace

TEST_CASE("a handler does the same in all languages and by all compilers", "[plugin]") {
    Hosting at;
    for (const std::string& file : filesOf(STEPTREE_TEST_GREETERS)) {
        INFO(file);
        const PluginInfo info = at.host->load(file);
        CHECK(info.name == "greeter");
        CHECK(info.version.rfind("1.0.0 in ", 0) == 0);
        CHECK(info.path == file);
        REQUIRE(info.handlers.size() == 2);
        CHECK(info.handlers[0].name == "greet");
        CHECK(info.handlers[0].description == "says hello to a name, after so many milliseconds");
        CHECK(info.handlers[0].least == 1);
        CHECK(info.handlers[0].most == 2);
        const auto greet = at.host->step("greeter", "greet");
        CHECK(at.call(greet.with(std::string("Ada"))) == "Hello, Ada!!!");
        CHECK(at.call(greet.with(std::string())) == "Hello, whoever you are!!!");
        const auto before = at.tool.now();
        CHECK(at.call(greet.with(std::string("Ada"), std::int64_t{50})) == "Hello, Ada!!!");
        CHECK(at.tool.now() - before == 50);
        CHECK(at.call(greet.with(std::string("Ada"), std::int64_t{50}).timeout(10)) == "Timeout: ");
        const auto welcome = at.host->step("greeter", "welcome");
        const auto german = welcome.with(std::string("Ada"), std::string("de"));
        CHECK(at.call(german) == "NoService: no service 'greeting.for' is offered");
        at.host->offer("greeting.for", step([](IAsyncSteps&, const std::string& language) {
                           return std::string(language == "de" ? "Hallo" : "Hello");
                       }));
        CHECK(at.call(german) == "Hallo, Ada!!!");
        at.host->withdraw("greeting.for");
        CHECK(mapped(file) == 1);
        at.host->unload("greeter");
        at.tool.run();
        CHECK(at.host->list().empty());
        CHECK(mapped(file) == 0);
    }
}

TEST_CASE("what is no plug-in of this interface is refused with path and reason", "[plugin]") {
    Hosting at;
    const auto reasonOf = [&](const std::string& path) {
        const std::string why = refusalOf(*at.host, path);
        REQUIRE(why.rfind(path + ": ", 0) == 0);
        return why.substr(path.size() + 2);
    };
    std::vector<std::string> reasons;
    for (const std::string& file : filesOf(STEPTREE_TEST_REFUSED)) {
        reasons.push_back(reasonOf(file));
        at.tool.run();  // one that doesn't start may have left something
        CHECK(mapped(file) == 0);
    }
    CHECK(reasons == std::vector<std::string>{
                         "built for the C interface 2.0 of steptree, this is 1.0",
                         "steptree_plugin() gives nothing",
                         "what it says of itself is shorter than this interface has it",
                         "it has no name",
                         "its handler 'fails' is there twice",
                         "its handler 'takes' takes 3 to 5 values, and 0 to 4 can be given",
                         "its handler 'lacks' has no body",
                         "it doesn't start: ENOENT no licence",
                     });
    CHECK(reasonOf(STEPTREE_TEST_PLUGIN) == "it is no plug-in, it has no steptree_plugin()");
    CHECK(reasonOf(STEPTREE_SPEC "/errors.json").find("invalid ELF header") != std::string::npos);
    CHECK(reasonOf("/nowhere/greeter.so") == "No such file or directory");
    at.tool.run();
    CHECK(at.host->list().empty());
}

TEST_CASE("a file that was cut is refused wherever that was", "[plugin]") {
    Hosting at;
    const auto place = std::filesystem::temp_directory_path() / "steptree-cut.so";
    const std::string file = filesOf(STEPTREE_TEST_GREETERS)[0];
    for (const std::uintmax_t left : {100, 1000, 5000, 9000}) {
        std::filesystem::copy_file(file, place, std::filesystem::copy_options::overwrite_existing);
        REQUIRE(left < std::filesystem::file_size(place));
        std::filesystem::resize_file(place, left);
        CHECK(refusalOf(*at.host, place).find(": the file is cut") != std::string::npos);
    }
    std::filesystem::remove(place);
}

TEST_CASE("copies are gone once they are loaded, but for those in a directory that is given",
          "[plugin]") {
    Hosting at;
    const auto place = std::filesystem::temp_directory_path() / "steptree-copies";
    std::filesystem::create_directory(place);
    const auto copies = [&] {
        std::size_t files = 0;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
            files += entry.is_regular_file() ? 1 : 0;
        }
        return files;
    };
    const std::string file = filesOf(STEPTREE_TEST_GREETERS)[0];
    {
        steptree::PluginHost kept(at.tool, {place.string()});
        kept.load(file);
        CHECK(copies() == 1);
        kept.unload("greeter");
        at.tool.run();
        CHECK(copies() == 0);
    }
    CHECK(std::filesystem::is_empty(place));
    setenv("TMPDIR", place.c_str(), 1);
    at.host->load(file);
    unsetenv("TMPDIR");
    CHECK(std::filesystem::is_empty(place));
    std::filesystem::remove(place);
}

TEST_CASE("a call of what isn't there, or of other values, fails", "[plugin]") {
    Hosting at;
    const auto greet = at.host->step("greeter", "greet");
    CHECK(at.call(greet) == "NoPlugin: no plug-in 'greeter' is loaded");
    at.host->load(filesOf(STEPTREE_TEST_GREETERS)[0]);
    CHECK(at.call(greet) == "InternalError: greeter.greet: expected 1 to 2 values, got 0");
    CHECK(at.call(greet.with(1, 2, 3)) ==
          "InternalError: greeter.greet: expected 1 to 2 values, got 3");
    CHECK(at.call("greeter", "part") == "NoHandler: the plug-in 'greeter' has no handler 'part'");
    at.host.reset();
    CHECK(at.call(greet) == "NoPlugin: no plug-in 'greeter' is loaded");
}

TEST_CASE("a host says what a handler leaves, and who takes it finds what it has left",
          "[plugin]") {
    Hosting at;
    at.host->load(filesOf(STEPTREE_TEST_GREETERS)[0]);
    const auto greet = at.host->step<std::string>("greeter", "greet").with(std::string("Ada"));
    static_assert(std::is_same_v<decltype(greet),
                                 const Step<steptree::Values<>, steptree::Values<std::string>>>);
    const auto size =
        steps(greet, [](IAsyncSteps&, const std::string& text) { return text.size(); });
    auto found = run(at.tool, size);
    const auto number = at.host->step<std::int64_t>("greeter", "greet").with(std::string("Ada"));
    auto wrong = run(at.tool, number);
    const auto two = at.host->step<std::string, bool>("greeter", "greet").with(std::string("Ada"));
    auto less = run(at.tool, steps(two, [](IAsyncSteps&, const std::string&, bool) {}));
    at.tool.run();
    CHECK(found.get() == 13);
    const auto whyOf = [](auto& future) -> std::string {
        try {
            static_cast<void>(future.get());
        } catch (const StepError& error) {
            return error.code() + ": " + error.info();
        }
        return "nothing";
    };
    CHECK(whyOf(wrong) == "InternalError: value 0: expected a long, got a std::string");
    CHECK(whyOf(less) == "InternalError: value 1: expected a bool, got nothing");
}

TEST_CASE("a call ends on the plug-in that it has begun on", "[plugin]") {
    Hosting at;
    const auto files = filesOf(STEPTREE_TEST_GREETERS);
    const auto greet = at.host->step<std::string>("greeter", "greet");
    at.host->load(files[0]);
    const auto old = run(at.tool, greet.with(std::string("Ada"), std::int64_t{50}));
    at.tool.advance(10);
    CHECK(at.host->load(files[1]).generation == 2);
    const auto both = at.host->list();
    REQUIRE(both.size() == 2);
    CHECK(both[0].phase == PluginPhase::leaves);
    CHECK(both[0].steps == 1);
    CHECK(both[1].phase == PluginPhase::serves);
    CHECK(both[1].steps == 0);
    CHECK(at.call(greet.with(std::string("Grace"))) == "Hello, Grace!!!");
    CHECK(old.get() == "Hello, Ada!!!");
    at.tool.run();
    CHECK(at.only().generation == 2);
    CHECK(mapped(files[0]) == 0);
    CHECK(mapped(files[1]) == 1);
}

TEST_CASE("a file that is written over is another plug-in", "[plugin]") {
    Hosting at;
    const auto files = filesOf(STEPTREE_TEST_GREETERS);
    const auto place = std::filesystem::temp_directory_path() / "steptree-written-over.so";
    const auto write = [&](const std::string& file) {
        std::filesystem::copy_file(file, place, std::filesystem::copy_options::overwrite_existing);
        return at.host->load(place.string()).version;
    };
    const auto greet = at.host->step<std::string>("greeter", "greet");
    CHECK(write(files[0]) == "1.0.0 in C");
    const auto old = run(at.tool, greet.with(std::string("Ada"), std::int64_t{50}));
    at.tool.advance(10);
    CHECK(write(files[1]) == "1.0.0 in C++");
    CHECK(at.call(greet.with(std::string("Grace"))) == "Hello, Grace!!!");
    CHECK(old.get() == "Hello, Ada!!!");
    std::filesystem::remove(place);
}

TEST_CASE("what a plug-in throws is an error of its step", "[plugin]") {
    Hosting at;
    at.host->load(STEPTREE_TEST_THROWING);
    const auto thrown = [&](const std::string& handler) {
        std::string error;
        const auto told = [&](IAsyncSteps& asi, const std::string& code) {
            error = code + ": " + asi.state().errorInfo();
        };
        const std::string end = at.end(at.host->step("throwing", handler).onError(told));
        CHECK(end == "error " + error.substr(0, error.find(':')));
        return error;
    };
    CHECK(thrown("fromHandler") == "InternalError: thrown by a handler");
    const std::string refused = std::generic_category().message(ECONNREFUSED);
    CHECK(thrown("fromBody") == "ECONNREFUSED: backend: " + refused);
    CHECK(thrown("whatIsNone") == "InternalError: no std::exception");
    CHECK(thrown("fromRound") == "InternalError: thrown by a round");
    at.host->unload("throwing");
    at.tool.run();
    CHECK(mapped(STEPTREE_TEST_THROWING) == 0);
}

TEST_CASE("a plug-in may have a runtime of its own in it", "[plugin]") {
    Hosting at;
    at.host->load(STEPTREE_TEST_OWNCOPY);
    CHECK(at.call("owncopy", "both") == "Timeout");
    at.host->unload("owncopy");
    at.tool.run();
    CHECK(at.host->list().empty());
}

TEST_CASE("a plug-in is stopped when no step of it is open, and unloaded from the tool",
          "[plugin]") {
    Hosting at;
    const std::size_t before = mapped(STEPTREE_TEST_ODD);
    at.host->load(STEPTREE_TEST_ODD);
    const auto waits = at.begin(at.host->step("odd", "cleansUp"));
    const auto gone = at.host->unload("odd");
    at.tool.run();
    CHECK(at.only().phase == PluginPhase::leaves);
    CHECK(at.only().steps == 1);
    CHECK(at.call("odd", "fails") == "NoPlugin: no plug-in 'odd' is loaded");
    waits->cancel();
    at.tool.advance(5);
    CHECK(at.only().steps == 1);  // its cleanup goes on
    CHECK_FALSE(gone.settled());
    at.tool.run();
    CHECK(gone.isSucceeded());
    CHECK(at.host->list().empty());
    CHECK(mapped(STEPTREE_TEST_ODD) == before);
}

TEST_CASE("what is kept of a plug-in keeps it loaded, and is told", "[plugin]") {
    Hosting at;
    const std::size_t before = mapped(STEPTREE_TEST_ODD);
    at.host->load(STEPTREE_TEST_ODD);
    const auto unloaded = [&] {
        const auto gone = at.host->unload("odd");
        at.tool.run();
        return gone.settled();
    };

    SECTION("an opaque value") {
        AsyncSteps flow(at.tool);
        flow.add(at.host->step("odd", "givesOwn"));
        flow.add([](IAsyncSteps& asi, const steptree::Value& own) {
            asi.state<steptree::Value>("own") = own;
        });
        CHECK(rig::run(at.tool, flow) == "ok");
        CHECK_FALSE(unloaded());
        CHECK(at.only().phase == PluginPhase::stopped);
        CHECK(at.only().values == 1);
        flow.state().clear();
    }
    SECTION("a step value, until it stops") {
        CHECK(at.end(at.host->step("odd", "defines")) == "ok");
        CHECK(at.only().functions == 1);
        CHECK(unloaded());
    }
    SECTION("a completion, for ever") {
        CHECK(at.end(at.host->step("odd", "keeps").timeout(5)) == "error Timeout");
        CHECK(at.only().completions == 1);
        CHECK_FALSE(unloaded());
        CHECK(at.only().phase == PluginPhase::stopped);
        CHECK(at.only().completions == 1);
        CHECK(at.only().steps == 0);
        CHECK(at.only().functions == 0);
        at.host.reset();
        CHECK(mapped(STEPTREE_TEST_ODD) == before + 1);
        return;
    }
    SECTION("a completion, until it is dropped") {
        CHECK(at.end(at.host->step("odd", "keeps").timeout(5)) == "error Timeout");
        CHECK(at.end(at.host->step("odd", "letsGo")) == "ok");
        CHECK(at.only().completions == 0);
        CHECK(unloaded());
    }
    SECTION("an awaiter, until it stops") {
        CHECK(at.end(at.host->step("odd", "awaits").timeout(5)) == "error Timeout");
        CHECK(at.only().completions == 1);
        CHECK(unloaded());
    }
    at.tool.run();
    CHECK(at.host->list().empty());
    CHECK(mapped(STEPTREE_TEST_ODD) == before);
}

TEST_CASE("a plug-in that fails, is late or keeps what it got harms no other", "[plugin]") {
    Hosting at;
    const std::string good = filesOf(STEPTREE_TEST_GREETERS)[0];
    at.host->load(good);
    at.host->load(STEPTREE_TEST_ODD);
    at.host->load(STEPTREE_TEST_THROWING);
    const auto greet =
        at.host->step<std::string>("greeter", "greet").with(std::string("Ada"), std::int64_t{50});
    const auto greeting = run(at.tool, greet);
    CHECK(at.end(at.host->step("odd", "waits").timeout(10)) == "error Timeout");
    CHECK(at.end(at.host->step("odd", "keeps").timeout(10)) == "error Timeout");
    CHECK(at.end(at.host->step("odd", "fails")) == "error Odd");
    CHECK(at.end(at.host->step("throwing", "fromBody")) == "error ECONNREFUSED");
    CHECK(greeting.get() == "Hello, Ada!!!");
    at.host->unload("odd");
    at.host->unload("throwing");
    at.host->unload("greeter");
    at.tool.run();
    CHECK(at.only().name == "odd");
    at.host->load(STEPTREE_TEST_ODD);
    CHECK(at.end(at.host->step("odd", "fails")) == "error Odd");
}

TEST_CASE("the path of an open step says which handler it is", "[plugin]") {
    Hosting at;
    at.host->load(STEPTREE_TEST_ODD);
    const auto flow = at.begin(at.host->step("odd", "waits"));
    CHECK(snapshotText(flow->snapshot()).find("odd.waits") != std::string::npos);
    flow->cancel();
}
