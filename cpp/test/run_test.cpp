#include "steptree/run.hpp"

#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "steptree/detail/toolcore.hpp"

using namespace rig;
using steptree::Awaiter;
using steptree::Future;
using steptree::step;
using steptree::steps;
using steptree::Values;

namespace {

using Log = std::vector<std::string>;

/// Runs as many as it likes, as long as it can: also as what is dropped with a tool.
class RunsAtItsEnd {
  public:
    RunsAtItsEnd(steptree::Tool& tool, std::vector<Future<int>>& runs) : tool_(tool), runs_(runs) {}
    RunsAtItsEnd(const RunsAtItsEnd&) = delete;
    RunsAtItsEnd& operator=(const RunsAtItsEnd&) = delete;
    ~RunsAtItsEnd() {
        runs_.push_back(steptree::run(tool_, steps([](IAsyncSteps&) { return 7; })));
        tool_.start(steps([](IAsyncSteps& asi) { asi.waitExternal(); }));
    }

  private:
    steptree::Tool& tool_;
    std::vector<Future<int>>& runs_;
};

/// Never stops, and uses what its step holds.
struct Stays {
    std::optional<steptree::Outlived>* kept;

    void subscribe(const Awaiter&) {}
    bool cancel() { return true; }
    void outlive(steptree::Outlived owner) { kept->emplace(std::move(owner)); }
};

}  // namespace

TEST_CASE("a run brings its future what its last step leaves, of any kind", "[values]") {
    VirtualTool tool;
    const auto text = [](IAsyncSteps&) { return std::string(100, 'x'); };
    const auto length = [](IAsyncSteps&, const std::string& found) { return found.size(); };
    for (int i = 0; i < 3; ++i) {  // the flow of one is that of the next
        const Future<std::string> body = steptree::run(tool, step(text));
        const auto sequence = steptree::run(tool, steps(text, steps(length)));
        const auto fails =
            steptree::run(tool, step([](IAsyncSteps& asi) { asi.error("E", "why"); }));
        const auto adds = steptree::run(tool, step<Values<>, Values<int>>([](IAsyncSteps& asi) {
                                            asi.add([](IAsyncSteps&) { return 7; });
                                        }));
        const auto waits = steptree::run(tool, steps([](IAsyncSteps& asi) {
                                             asi.setTimeout(5);
                                             asi.waitExternal();
                                         }));
        tool.run();
        CHECK(body.get() == std::string(100, 'x'));
        CHECK(sequence.get() == 100);
        CHECK(codeOf([&] { fails.get(); }) == "E");
        CHECK(adds.get() == 7);
        CHECK(codeOf([&] { waits.get(); }) == "Timeout");
    }
    CHECK(tool.core().flowsLive.first() == nullptr);
}

TEST_CASE("what the flow of a run has kept goes before its future hears of the end", "[values]") {
    VirtualTool tool;
    const auto held = std::make_shared<int>();
    long count = 0;
    const auto result = steptree::run(tool, step([held](IAsyncSteps& asi) {
                                          asi.state("kept", held);
                                          asi.add([](IAsyncSteps&) {});
                                      }));
    result.onSettled([&](const auto&) { count = held.use_count(); });
    CHECK(held.use_count() == 2);
    tool.run();
    CHECK(count == 1);
}

TEST_CASE("a tool that goes between the end of a run and its telling drops the promise",
          "[values]") {
    for (const bool keeps : {false, true}) {
        auto tool = std::make_unique<VirtualTool>();
        VirtualTool& runs = *tool;
        std::string code;
        const auto result = steptree::run(runs, step([&, keeps](IAsyncSteps& asi) {
                                              if (keeps) asi.state("kept", 1);
                                              runs.immediate([&] { tool.reset(); });
                                              return 7;
                                          }));
        result.onSettled([&](const auto& settled) { code = codeOf([&] { settled.get(); }); });
        runs.run();
        CHECK(tool == nullptr);
        CHECK(code == "Canceled");
    }
}

TEST_CASE("a tool may go in the body of a run", "[values]") {
    for (const bool adds : {false, true}) {
        Log log;
        auto tool = std::make_unique<VirtualTool>();
        VirtualTool& runs = *tool;
        const auto result =
            steptree::run(runs, step([&, adds](IAsyncSteps& asi) {
                              asi.setCancel([&](IAsyncSteps&) { log.push_back("own~"); });
                              if (adds) asi.add([](IAsyncSteps&) {});
                              tool.reset();
                              log.push_back("still");
                          }));
        result.onSettled([&](const auto&) { log.push_back("told"); });
        runs.run();
        CHECK(log == Log{"told", "still", "own~"});
        CHECK(codeOf([&] { result.get(); }) == "Canceled");
    }
}

TEST_CASE("what begins while its tool goes is cancelled with it", "[values]") {
    std::vector<Future<int>> runs;
    {
        VirtualTool tool;
        const auto make = [&] { return std::make_shared<RunsAtItsEnd>(tool, runs); };
        tool.start(steps([&, captured = make()](IAsyncSteps& asi) {
            asi.setCancel([&](IAsyncSteps&) { const RunsAtItsEnd last(tool, runs); });
            asi.waitExternal();
        }));
        tool.run();
        tool.immediate([dropped = make()] {});
        tool.deferred(5, [dropped = make()] {});
        CHECK(runs.empty());
    }
    CHECK(runs.size() == 4);
    for (const auto& run : runs) CHECK(codeOf([&] { run.get(); }) == "Canceled");
}

TEST_CASE("a run that ends is told of, while what it has abandoned goes on", "[values]") {
    for (const bool late : {false, true}) {
        VirtualTool tool;
        std::optional<steptree::Outlived> kept;
        const auto held = std::make_shared<int>();
        const auto result = steptree::run(
            tool, steps([&kept, held](IAsyncSteps& asi) { asi.await(Stays{&kept}); },
                        [](IAsyncSteps&) { return 7; })
                      .timeout(5)
                      .onError([](IAsyncSteps& asi, steptree::ErrorCode) { asi.success(8); }));
        if (!late) result.onSettled([&](const auto&) { kept.reset(); });
        tool.run();
        CHECK(result.get() == 8);
        CHECK(kept.has_value() == late);
        kept.reset();
        tool.run();
    }
}

TEST_CASE("a run that finds no memory says so, and leaves nothing", "[values]") {
    VirtualTool tool;
    const auto held = std::make_shared<int>();
    const auto value = step([held](IAsyncSteps&) { return 7; });
    std::optional<Future<int>> made;
    for (std::size_t after = 0; !made; ++after) {
        try {
            const allocations::Failing failing(after, 1);
            made = steptree::run(tool, value);
        } catch (const std::bad_alloc&) {
            CHECK(held.use_count() == 2);
            CHECK(tool.core().flowsLive.first() == nullptr);
        }
    }
    tool.run();
    CHECK(made->get() == 7);
}
