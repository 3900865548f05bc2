#include <climits>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "catch.hpp"
#include "pluginhosts.hpp"
#include "rig.hpp"
#include "steptree/delay.hpp"
#include "steptree/snapshottext.hpp"

using namespace rig;
using namespace pluginhosts;

using steptree::AnyValues;

namespace {

/// A host with a plug-in that calls services.
struct Calling : Hosting {
    Calling() { host->load(STEPTREE_TEST_CALLER); }

    /// What a service leaves that the plug-in calls.
    std::string service(const std::string& name) {
        return call(host->step("caller", "calls").with(name));
    }
    std::string withdrawn(const std::string& name) const {
        return "NoService: no service '" + name + "' is offered";
    }
};

Step<AnyValues, AnyValues> saying(const std::string& text) {
    return step([text](IAsyncSteps&) { return text; });
}

}  // namespace

TEST_CASE("a plug-in calls a service of its host with values, and gets some", "[plugin]") {
    Calling at;
    at.host->offer("find", step([](IAsyncSteps&, const std::string& id, std::int64_t most) {
                       return id + " of " + std::to_string(most);
                   }));
    const auto found = [&](const char* handler) { return at.host->step("caller", handler); };
    CHECK(at.call(found("calls").with(std::string("find"), std::string("Ada"), std::int64_t{7})) ==
          "Ada of 7");
    CHECK(at.call(found("finds").with(std::string("Bob"), std::int64_t{8})) == "Bob of 8");
    CHECK(at.call(found("finds").with(std::string("Bob"))).rfind("InternalError: ", 0) == 0);
    CHECK(at.call(found("findsLate")).rfind("InternalError: ", 0) == 0);
}

TEST_CASE("a service is looked up when it is called, and runs to its end", "[plugin]") {
    Calling at;
    CHECK(at.service("greet") == at.withdrawn("greet"));
    at.host->offer("greet", steps(delay(10), saying("old")));
    const auto calls = at.host->step<std::string>("caller", "calls");
    const auto old = run(at.tool, calls.with(std::string("greet")));
    at.tool.advance(5);
    at.host->offer("greet", saying("new"));
    CHECK(at.service("greet") == "new");
    CHECK(old.get() == "old");
    at.host->withdraw("greet");
    at.host->withdraw("greet");
    CHECK(at.service("greet") == at.withdrawn("greet"));
    CHECK(codeOf([&] { at.host->offer("", saying("nothing")); }) == "InternalError");
    CHECK(at.service("").rfind("InternalError: ", 0) == 0);
}

TEST_CASE("services that call each other in a ring fail", "[plugin]") {
    Calling at;
    int calls = 0;
    int last = INT_MAX;
    const Step<> more = at.host->step("caller", "calls").with(std::string("ring"));
    at.host->offer("ring", step([&](IAsyncSteps& asi) {
                       if (++calls == last) return asi.success(std::string("the end"));
                       asi.add(more);
                   }));
    CHECK(at.service("ring") ==
          "InternalError: service 'ring': it is called inside of 256 calls of services");
    CHECK(calls == 256);
    calls = 0;
    last = 256;
    CHECK(at.service("ring") == "the end");
    CHECK(at.service("ring") ==
          "InternalError: service 'ring': it is called inside of 256 calls "
          "of services");  // 257 to 512
    CHECK(calls == 512);
}

TEST_CASE("a service is a step of the flow that calls it", "[plugin]") {
    Calling at;
    std::string told;
    at.host->offer("find", step([&told](IAsyncSteps& asi) {
                       asi.defer([&told](IAsyncSteps& cleanup, const Outcome& outcome) {
                           told += outcome.code + " ";
                           cleanup.add(delay(5));
                           cleanup.add([&told](IAsyncSteps&) { told += "cleaned "; });
                       });
                       told += std::to_string(asi.remaining()) + " ";
                       asi.add([](IAsyncSteps& inner) { inner.waitExternal(); }, nullptr, "asks");
                   }));
    const auto finds = at.host->step("caller", "finds");

    SECTION("its deadline") {
        std::string path;
        const auto limited = finds.timeout(20).onError(
            [&](IAsyncSteps& asi, const std::string&) { path = asi.state().lastError()->path(); });
        CHECK(at.end(limited) == "error Timeout");
        CHECK(told == "20 Canceled cleaned ");
    }
    SECTION("its cancel and its path") {
        const auto flow = at.begin(finds);
        const std::string text = snapshotText(flow->snapshot());
        CHECK(text.find("caller.finds") < text.find("find\n"));
        CHECK(text.find("asks") != std::string::npos);
        flow->cancel();
        at.tool.run();
        CHECK(told.find("cleaned") != std::string::npos);
    }
}

TEST_CASE("the path of an error in a service begins with the handler that calls it", "[plugin]") {
    Calling at;
    const auto pathOf = [&](const std::string& name) {
        std::string path;
        const auto told = [&](IAsyncSteps& asi, const std::string&) {
            path = asi.state().lastError()->path();
        };
        at.end(at.host->step("caller", "calls").with(name).onError(told));
        return path;
    };
    at.host->load(STEPTREE_TEST_ODD);
    at.host->offer("users.find", step([](IAsyncSteps& asi) {
                                     asi.add([](IAsyncSteps& inner) { inner.error("NotFound"); },
                                             nullptr, "ask");
                                 }).named("db"));
    at.host->offer("odd", at.host->step("odd", "fails"));
    CHECK(pathOf("users.find") == "caller.calls/users.find/db/ask");
    CHECK(pathOf("odd") == "caller.calls/odd/odd.fails");
    CHECK(pathOf("nothing") == "caller.calls/nothing");
}

TEST_CASE("a plug-in that stands behind a service stays until its calls have ended", "[plugin]") {
    Calling at;
    const std::string greeter = filesOf(STEPTREE_TEST_GREETERS)[0];
    const std::size_t before = mapped(greeter);
    at.host->load(greeter);
    at.host->offer("greet", at.host->step("greeter", "greet"));
    const auto greet = at.host->step<std::string>("caller", "calls");
    const auto call =
        run(at.tool, greet.with(std::string("greet"), std::string("Ada"), std::int64_t{50}));
    at.tool.advance(10);
    const auto gone = at.host->unload("greeter");
    at.tool.advance(10);
    CHECK_FALSE(gone.settled());
    CHECK(mapped(greeter) == before + 1);
    CHECK(at.call(greet.with(std::string("greet"), std::string("Bob"))) ==
          "NoPlugin: no plug-in 'greeter' is loaded");
    CHECK(call.get() == "Hello, Ada!!!");
    at.tool.run();
    CHECK(gone.isSucceeded());
    CHECK(mapped(greeter) == before);
}

TEST_CASE("a plug-in's services neither keep their host nor need it", "[plugin]") {
    Calling at;
    const auto alive = std::make_shared<int>();
    at.host->offer("find", step([alive](IAsyncSteps&) {}));
    at.host->offer("itself", at.host->step("caller", "counts"));
    std::string error;
    const auto late = at.begin(at.host->step("caller", "findsLate")
                                   .onError([&](IAsyncSteps& asi, const std::string& code) {
                                       error = code;
                                       asi.success();
                                   }));
    at.host.reset();
    CHECK(alive.use_count() == 1);
    at.tool.run();
    CHECK(error == "NoService");
}

TEST_CASE("what a plug-in offers is offered as long as it takes calls", "[plugin]") {
    Calling at;
    const auto& said = "said by the caller";
    CHECK(at.service("said") == said);
    CHECK(at.end(at.host->step("caller", "offers").with(std::string("more"))) == "ok");
    CHECK(at.service("more") == said);

    SECTION("one that doesn't start changes nothing") {
        at.host->offer("said", saying("by the host"));
        CHECK(codeOf([&] { at.host->load(STEPTREE_TEST_CALLER_REFUSED); }) == "PluginRefused");
        at.tool.run();
        CHECK(at.service("said") == "by the host");
    }
    SECTION("it withdraws what is its own, and the host all") {
        at.host->offer("host's", saying("by the host"));
        const auto withdraws = at.host->step("caller", "withdraws");
        CHECK(at.end(withdraws.with(std::string("host's"))) == "ok");
        CHECK(at.end(withdraws.with(std::string("said"))) == "ok");
        CHECK(at.service("host's") == "by the host");
        CHECK(at.service("said") == at.withdrawn("said"));
        at.host->withdraw("more");
        CHECK(at.service("more") == at.withdrawn("more"));
    }
    SECTION("its next generation offers anew, and calls of the old one end") {
        const auto calls = at.host->step<std::string>("caller", "calls");
        const auto old = run(at.tool, calls.with(std::string("said")));
        at.tool.advance(5);
        at.host->load(STEPTREE_TEST_CALLER);
        CHECK(at.host->list()[0].steps == 2);
        CHECK(at.service("more") == at.withdrawn("more"));
        CHECK(at.service("said") == said);
        CHECK(old.get() == said);
        at.tool.run();
        CHECK(at.only().generation == 2);
    }
    SECTION("it doesn't keep it loaded") {
        const std::size_t before = mapped(STEPTREE_TEST_CALLER);
        const auto gone = at.host->unload("caller");
        at.tool.run();
        CHECK(gone.isSucceeded());
        CHECK(mapped(STEPTREE_TEST_CALLER) == before - 1);
    }
}

TEST_CASE("a plug-in sees what its host has loaded", "[plugin]") {
    Calling at;
    at.host->load(filesOf(STEPTREE_TEST_GREETERS)[0]);
    AsyncSteps flow(at.tool);
    std::int64_t count = 0;
    flow.add(at.host->step("caller", "counts"));
    flow.add([&](IAsyncSteps&, std::int64_t all) { count = all; });
    CHECK(rig::run(at.tool, flow) == "ok");
    CHECK(count == 2);
}
