#include <cstdint>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "pluginhosts.hpp"
#include "rig.hpp"

using namespace rig;
using namespace pluginhosts;

namespace {

/// In C++ and in Rust, in which a test runs once each.
std::string inEachLanguage() {
    const auto files = filesOf(STEPTREE_TEST_RICH);
    return GENERATE_COPY(from_range(files.begin(), files.end()));
}

/// A host with a plug-in that uses all of steptree/plugin.hpp, or all of the crate.
struct Rich : Hosting {
    Rich() { host->load(file); }

    steptree::Step<> step(const char* handler) const { return host->step("rich", handler); }
    /// What it leaves.
    Results results(const steptree::Step<>& of) {
        auto future = run(tool, of);
        tool.run();
        return std::move(future).get();
    }

    std::string file = inEachLanguage();
};

}  // namespace

TEST_CASE("a plug-in in C++ or Rust begins with a function of its own, and offers what that says",
          "[plugin]") {
    Rich at;
    CHECK(at.results(at.step("calls").with(std::string("doubles"))).at<std::int64_t>(0) == 42);
    CHECK(at.call(at.step("calls").with(std::string("none"))) ==
          "NoService: no service 'none' is offered");
    CHECK(at.call(at.step("calls").with(std::string())) ==
          "InternalError: service: expected a name");
    CHECK(codeOf([&] { at.host->load(STEPTREE_TEST_RICH_REFUSED); }) == "PluginRefused");
    at.host->unload("rich");
    at.tool.run();
    CHECK(at.host->list().empty());
    CHECK(mapped(at.file) == 0);
}

TEST_CASE("steps of a plug-in in C++ or Rust have names", "[plugin]") {
    Rich at;
    std::string path;
    at.end(at.step("fails").onError([&](IAsyncSteps& asi, const std::string& code) {
        path = code + " in " + asi.state().lastError()->path();
    }));
    CHECK(path == "Own2 in rich.fails/outer/inner");
    at.end(at.step("fails").onError([&](IAsyncSteps& asi, const std::string&) {
        path = codeOf([&] { std::rethrow_exception(asi.state().lastError()->cause()); });
    }));
    CHECK(path == "Own");
    at.host->offer("slow", delay(20));
    at.end(at.step("calls")
               .with(std::string("slow"))
               .onError([&](IAsyncSteps& asi, const std::string& code) {
                   path = code + " in " + asi.state().lastError()->path();
               }));
    CHECK(path == "Timeout in rich.calls/called");
}

TEST_CASE("a plug-in in C++ or Rust knows how much time there is, and cleans up", "[plugin]") {
    Rich at;
    const Results time = at.results(at.step("remains"));
    CHECK(time.at<bool>(0));
    CHECK(time.at<std::int64_t>(1) == 30);
    const auto endOf = [&](const steptree::Step<>& step) {
        AsyncSteps flow(at.tool);
        flow.add(step, [](IAsyncSteps& asi, const std::string&) { asi.success(); });
        const auto begin = at.tool.now();
        CHECK(rig::run(at.tool, flow) == "ok");
        CHECK(at.tool.now() - begin == 5);
        return flow.state<std::string>("ended");
    };
    CHECK(endOf(at.step("defers")) == "well");
    CHECK(endOf(at.step("defers").with(std::string("Bad"))) == "Bad");
}

TEST_CASE("a cleanup of a plug-in in C++ or Rust is told of a cancel", "[plugin]") {
    Rich at;
    AsyncSteps flow(at.tool);
    flow.add(at.step("defers").with(std::string("forever")));
    flow.execute([](Outcome&) {});
    at.tool.advance(0);
    flow.cancel("enough");
    at.tool.run();
    CHECK(flow.state<std::string>("ended") == "Canceled");
    CHECK(flow.state<std::string>("why") == "enough");
}

TEST_CASE("a plug-in in C++ or Rust shares the state of its flow", "[plugin]") {
    Rich at;
    AsyncSteps flow(at.tool);
    std::vector<std::int64_t> counts;
    for (int i = 0; i < 4; ++i) {
        flow.add(at.step("counts"));
        flow.add([&](IAsyncSteps&, bool first, std::int64_t count) {
            counts.push_back(first ? -count : count);
        });
    }
    CHECK(rig::run(at.tool, flow) == "ok");
    CHECK(counts == std::vector<std::int64_t>{-1, 2, 3, -1});
}

TEST_CASE("a plug-in in C++ or Rust gives lists and maps, and looks into them", "[plugin]") {
    Rich at;
    CHECK(at.results(steps(at.step("gives"), at.step("looks"))).at<bool>(0));
}

TEST_CASE("a plug-in is held by each completion that it keeps, and by none of nothing",
          "[plugin]") {
    Hosting at;
    at.host->load(STEPTREE_TEST_WAITING);
    CHECK(at.end(at.host->step("waiting", "asks")) == "ok");
    CHECK(at.only().completions == 1);
    at.host->unload("waiting");
    at.tool.run();
    CHECK(at.host->list().empty());
}
