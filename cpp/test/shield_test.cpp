#include "steptree/shield.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "cleanup.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;
using namespace std::chrono_literals;
using steptree::ErrorCode;

namespace {

/// Counts those that are alive.
using Token = std::shared_ptr<int>;

}  // namespace

TEST_CASE("captures of deferred functions are destroyed once, called or not", "[shield]") {
    const Token token = std::make_shared<int>(0);
    const auto defers = [&token](IAsyncSteps& asi) {
        for (int i = 0; i < 3; ++i) {
            asi.defer([token, large = std::array<char, 600>{}](IAsyncSteps& own) {
                static_cast<void>(large);
                own.add([token](IAsyncSteps&) {});
            });
        }
    };
    Rig rig;
    rig.flow.add(defers).add([&](IAsyncSteps& asi) {
        defers(asi);
        asi.waitExternal();
    });
    CHECK(rig.run() == "waiting");
    CHECK(token.use_count() == 1);
    Log log;
    {
        AsyncSteps flow(rig.tool, [&] {
            steptree::Options options = reporting(log);
            options.grace = 5ms;
            return options;
        }());
        flow.add([&](IAsyncSteps& asi) {
            asi.defer([&](IAsyncSteps& own) {
                own.add([&](IAsyncSteps& inner) {
                    defers(inner);
                    inner.add(steptree::shield(1000, [&](IAsyncSteps& shielded) {
                        defers(shielded);
                        shielded.waitExternal();
                    }));
                });
            });
        });
        flow.execute();
        rig.tool.run();
        CHECK_FALSE(flow.running());
    }
    CHECK(log == Log{"Timeout 0/~0"});
    CHECK(token.use_count() == 1);
}

TEST_CASE("a function that can't be kept leaves the step as it was", "[shield]") {
    struct Refuses {
        Refuses() = default;
        Refuses(const Refuses&) { throw std::runtime_error("refused"); }
        void operator()(IAsyncSteps&) const {}
    };
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) {
        const Refuses refuses;
        try {
            asi.defer(refuses);
        } catch (const std::runtime_error& e) {
            log.emplace_back(e.what());
        }
        asi.defer([&](IAsyncSteps& own) { own.errorNoThrow("Late"); });
    });
    rig.flow.add([](IAsyncSteps&) {}, nullptr);
    CHECK(rig.run() == "error Late");
    CHECK(log == Log{"refused"});
}

TEST_CASE("a NitroSteps without room for it raises OutOfSteps where defer is called",
          "[shield][nitro]") {
    VirtualTool tool;
    Log log;
    steptree::NitroSteps<steptree::MaxSteps<1>, steptree::MaxLoops<0>, steptree::MaxParallels<0>,
                         steptree::MaxTimeouts<0>, steptree::MaxCancels<0>, steptree::MaxAwaits<0>,
                         steptree::MaxBranches<0>, steptree::MaxDefers<2>>
        flow(tool);
    flow.add([&log](IAsyncSteps& asi) {
        for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
            asi.defer([&log, name](IAsyncSteps&) { log.emplace_back(name); });
        }
    });
    CHECK(run(tool, flow) == "error OutOfSteps");
    REQUIRE(log.size() >= 2);
    CHECK(log.back() == "a");
    CHECK(log.size() < 6);
    std::string got;
    flow.add([&](IAsyncSteps& asi) {
        asi.defer([](IAsyncSteps& own) { own.success(7); });
        asi.success(std::string("kept"));
    });
    CHECK(run(tool, flow) == "ok");
}

TEST_CASE("a deferred function that captures more than a NitroSteps has room for is refused",
          "[shield][nitro]") {
    VirtualTool tool;
    steptree::NitroSteps<> flow(tool);
    std::string code;
    flow.add([&code](IAsyncSteps& asi) {
        code = codeOf([&asi] {
            asi.defer(
                [large = std::array<char, 4000>{}](IAsyncSteps&) { static_cast<void>(large); });
        });
    });
    CHECK(run(tool, flow) == "error OutOfSteps");
    CHECK(code == "OutOfSteps");
}

TEST_CASE("a wrong grace or limit is refused", "[shield]") {
    Rig rig;
    steptree::Options options;
    options.grace = -1ms;
    CHECK(codeOf([&] { AsyncSteps(rig.tool, std::move(options)); }) ==
          steptree::errors::InternalError);
    const auto body = [](IAsyncSteps&) {};
    CHECK(codeOf([&] { rig.flow.add(steptree::shield(-1ms, body)); }) ==
          steptree::errors::InternalError);
    CHECK(codeOf([&] { rig.flow.add(steptree::shield(std::chrono::milliseconds::max(), body)); }) ==
          steptree::errors::InternalError);
    CHECK(rig.run() == "ok");
}
