#include <memory>
#include <string>

#include "eachfails.hpp"
#include "steptree/isync.hpp"
#include "steptree/local.hpp"

using namespace eachfails;
using steptree::ErrorCode;

TEST_CASE("a flow of steps survives each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        flow.add([large = Large{}](IAsyncSteps& asi) {
            for (int i = 0; i < 20; ++i)
                asi.add([large](IAsyncSteps&) { static_cast<void>(large); }, nullptr, "a name");
            asi.state<std::string>("key", kLong);
            asi.stack<std::string>(kLong);
            asi.add([](IAsyncSteps& inner) { inner.success(kLong, Large{}); });
        });
        flow.add([](IAsyncSteps& asi, std::string text, Large) { asi.success(text); });
        flow.repeat(3, [](IAsyncSteps& asi) {
            asi.add([large = Large{}](IAsyncSteps&) { static_cast<void>(large); });
        });
    });
}

TEST_CASE("flows made by flows survive each allocation that fails", "[memory]") {
    check("ok", [](VirtualTool&, IFlow& flow) {
        const auto other = flow.newInstance();
        other->add([large = Large{}](IAsyncSteps&) { static_cast<void>(large); }, nullptr, kLong);
        flow.add([](IAsyncSteps& asi) {
            const auto inner = newInstance(asi);
            inner->add([large = Large{}](IAsyncSteps&) { static_cast<void>(large); });
            for (int i = 0; i < 4; ++i)
                asi.add([large = Large{}](IAsyncSteps&) { static_cast<void>(large); });
        });
    });
}

TEST_CASE("timers and waits survive each allocation that fails", "[memory]") {
    check("error Timeout", [](VirtualTool& tool, IFlow& flow) {
        flow.add([&tool](IAsyncSteps& asi) {
            asi.setTimeout(10);
            asi.add([&tool](IAsyncSteps& inner) {
                inner.setTimeout(100'000);
                inner.setCancel([text = kLong](IAsyncSteps&) {});
                const Completion done = inner.waitExternal();
                tool.deferred(5, [done, text = kLong] { done.success(text); });
            });
            asi.add([](IAsyncSteps& inner, const std::string&) { inner.waitExternal(); });
        });
    });
}

TEST_CASE("locals, codes of timers and outcomes survive each allocation that fails", "[memory]") {
    struct Guard final : steptree::ISync {
        void lock(IAsyncSteps&) override {}
        void unlock(IAsyncSteps& asi, const Outcome& outcome) override {
            CHECK(outcome.kind != OutcomeKind::ok);
            asi.state<std::string>("told", outcome.reason + kLong);
        }
    };
    static Guard guard;
    static const auto text = steptree::local<std::string>("text");
    static const auto large = steptree::local<Large>("large");
    check("error " + kLong, [](VirtualTool&, IFlow& flow) {
        flow.add([](IAsyncSteps& asi) {
            text.set(asi, kLong);
            asi.setTimeout(5, kLong);
            asi.sync(guard, [](IAsyncSteps& section) {
                for (int i = 0; i < 4; ++i) large.set(section, Large{});
                section.defer([](IAsyncSteps& own, const Outcome& outcome) {
                    CHECK(outcome.kind != OutcomeKind::ok);
                    own.add([](IAsyncSteps& inner) { CHECK(*text.get(inner) == kLong); });
                });
                section.waitExternal();
            });
        });
    });
}

TEST_CASE("a parallel survives each allocation that fails", "[memory]") {
    check("error Refused", [](VirtualTool&, IFlow& flow) {
        auto& branches = flow.parallel([](IAsyncSteps& asi, ErrorCode) {
            asi.add([text = kLong](IAsyncSteps&) {});
            asi.add([](IAsyncSteps& inner) { inner.error("Refused", kLong); });
        });
        for (int i = 0; i < 100; ++i) {
            branches.add([i](IAsyncSteps& asi) {
                asi.setCancel([](IAsyncSteps&) {});
                asi.add([i, text = kLong](IAsyncSteps& inner) {
                    if (i == 50) inner.error("Failed", kLong);
                });
                asi.add([](IAsyncSteps& inner) { inner.waitExternal(); });
            });
        }
    });
}

TEST_CASE("errors survive each allocation that fails", "[memory]") {
    check("error A code that is too long for a string's own buffer", [](VirtualTool&, IFlow& flow) {
        flow.add(
            [](IAsyncSteps& asi) {
                asi.add([](IAsyncSteps& inner) { inner.errorNoThrow("First", kLong); },
                        [](IAsyncSteps& inner, ErrorCode) {
                            if (inner.state().lastError() != nullptr)
                                throw std::runtime_error(kLong);
                        },
                        kLong);
            },
            [](IAsyncSteps& asi, ErrorCode) {
                static_cast<void>(asi.state().lastException());
                asi.error("A code that is too long for a string's own buffer", kLong);
            });
    });
}

TEST_CASE("awaitables and promises survive each allocation that fails", "[memory]") {
    check("error Refused", [](VirtualTool& tool, IFlow& flow) {
        flow.add([&tool](IAsyncSteps&) {
            auto promise = std::make_shared<steptree::Promise<std::string>>();
            tool.immediate([promise] { promise->success(kLong); });
            return promise->future();
        });
        flow.add([&tool](IAsyncSteps& asi, const std::string&) {
            auto promise = std::make_shared<steptree::Promise<>>();
            tool.deferred(1, [promise] { promise->error("Refused", kLong); });
            asi.await(promise->future(), [](IAsyncSteps&, ErrorCode) {});
        });
    });
}

TEST_CASE("cleanups and shields survive each allocation that fails", "[memory]") {
    check("error Late", [](VirtualTool&, IFlow& flow) {
        flow.add([](IAsyncSteps& asi) {
            for (int i = 0; i < 3; ++i) {
                asi.defer([large = Large{}](IAsyncSteps& own) {
                    static_cast<void>(large);
                    own.add([](IAsyncSteps& inner) { inner.error("Late", kLong); });
                });
            }
            asi.add(shield(100, [large = Large{}](IAsyncSteps& inner) {
                static_cast<void>(large);
                inner.defer([](IAsyncSteps& own) { own.waitExternal(); });
                inner.success(kLong, Large{});
            }));
        });
    });
}

TEST_CASE("a parallel that has no memory for a branch waits for the cleanup of the others",
          "[parallel][memory]") {
    for (int used = 0; used < 40; ++used) {
        check("ok", [used](VirtualTool&, IFlow& flow) {
            const auto begun = std::make_shared<bool>(false);
            const auto cleaned = std::make_shared<bool>(false);
            const auto pause = delay(1);
            flow.add(
                [=](IAsyncSteps& asi) {
                    for (int i = 0; i < used; ++i) asi.stack<int>(i);
                    IParallel& branches = asi.parallel();
                    branches.add([=](IAsyncSteps& branch) {
                        branch.defer([=](IAsyncSteps& own) {
                            own.add(pause).add([=](IAsyncSteps&) { *cleaned = true; });
                        });
                        branch.add(pause);
                        *begun = true;
                    });
                    branches.add([](IAsyncSteps&) {});
                },
                [=](IAsyncSteps& asi, ErrorCode) {
                    CHECK(*cleaned == *begun);
                    asi.success();
                });
        });
    }
}
