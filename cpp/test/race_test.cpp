#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;

namespace {

/// Counts those that are alive.
using Token = std::shared_ptr<int>;

}  // namespace

TEST_CASE("what the branch that wins gives is moved out of the race", "[flow]") {
    Rig rig;
    int got = 0;
    rig.flow.add(race(
        [](IAsyncSteps& asi) { asi.waitExternal(); },
        [](IAsyncSteps& asi) { asi.success(std::make_unique<int>(5), std::string(100, 'x')); }));
    rig.flow.add([&](IAsyncSteps&, std::unique_ptr<int> five, const std::string& text) {
        got = *five + static_cast<int>(text.size());
    });
    CHECK(rig.run() == "ok");
    CHECK(got == 105);
}

TEST_CASE("values of branches that lose are destroyed", "[flow]") {
    const Token token = std::make_shared<int>(0);
    Rig rig;
    rig.flow.add(race(
        [token](IAsyncSteps& asi) {
            asi.add([token](IAsyncSteps& inner) { inner.success(token); });
            asi.relinquish();
            asi.add([](IAsyncSteps& inner, const Token&) { inner.waitExternal(); });
        },
        [](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); },
        repeat(3, [token](IAsyncSteps&) {})));
    CHECK(rig.run() == "ok");
    CHECK(token.use_count() == 1);
}

TEST_CASE("errors of an any are in also of AllFailed as they were thrown", "[flow]") {
    Rig rig;
    std::vector<std::string> seen;
    rig.flow.add(
        any([](IAsyncSteps& asi) { asi.add([](IAsyncSteps& inner) { inner.error("Late", "1"); }); },
            [](IAsyncSteps&) { throw std::runtime_error("boom"); }),
        [&](IAsyncSteps& asi, const std::string& code) {
            seen.push_back(code);
            for (const StepError& error : asi.state().lastError()->also()) {
                seen.push_back(error.code() + " " + error.info() + " " + error.path());
            }
            asi.success();
        });
    CHECK(rig.run() == "ok");
    CHECK(seen ==
          std::vector<std::string>{"AllFailed", "Late 1 0/|0/0", "InternalError boom 0/|1"});
}

TEST_CASE("an any lets go of errors that nobody asks for", "[flow]") {
    const Token token = std::make_shared<int>(0);
    struct Held : std::runtime_error {
        explicit Held(Token held) : std::runtime_error("held"), token(std::move(held)) {}
        Token token;
    };
    const auto fill = [&](IFlow& flow, int branches) {
        const Step<> fails = step([&token](IAsyncSteps&) { throw Held(token); });
        std::vector<Step<>> all(static_cast<std::size_t>(branches), fails);
        all.push_back(step(
            [](IAsyncSteps& asi) { asi.add([](IAsyncSteps& inner) { inner.waitExternal(); }); }));
        all.push_back(step([](IAsyncSteps& asi) {
                          asi.setTimeout(5);
                          asi.setCancel([](IAsyncSteps&) {});
                      }).onError([](IAsyncSteps& asi, const std::string&) { asi.success(); }));
        flow.add(any(all));
    };
    Rig rig;
    fill(rig.flow, 3);
    CHECK(rig.run() == "ok");
    CHECK(token.use_count() == 1);
    {
        steptree::NitroSteps<steptree::MaxBranches<8>> nitro(rig.tool);
        fill(nitro, 3);
        nitro.execute();
        rig.tool.advance(1);
        CHECK(nitro.running());
        CHECK(token.use_count() == 4);
    }
    CHECK(token.use_count() == 1);
}

TEST_CASE("a hundred thousand branches of an any fail", "[flow]") {
    Rig rig;
    std::size_t count = 0;
    const Step<> fails = step([](IAsyncSteps& asi) { asi.errorNoThrow("X"); });
    rig.flow.add(any(std::vector<Step<>>(100'000, fails)),
                 [&](IAsyncSteps& asi, const std::string&) {
                     count = asi.state().lastError()->also().size();
                     asi.success();
                 });
    CHECK(rig.run() == "ok");
    CHECK(count == 100'000);
}
