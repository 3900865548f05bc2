// The C++ examples of the article about AsyncSteps, as programs for this library.

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/asynctool.hpp"

using namespace rig;
using steptree::ErrorCode;

namespace {

using Log = std::vector<std::string>;

void someApi(IAsyncSteps& asi, Log& log) {
    asi.add(
        [&log](IAsyncSteps& asi) {
            log.emplace_back("Level 0 func 1");
            asi.add(
                [&log](IAsyncSteps& asi) {
                    log.emplace_back("Level 1 func 1");
                    asi.error("MyError");
                },
                [&log](IAsyncSteps& asi, ErrorCode code) {
                    log.push_back("Level 1 onerror 1: " + std::string(code));
                    asi.error("NewError", "Human-readable description");
                });
        },
        [&log](IAsyncSteps& asi, ErrorCode code) {
            log.push_back("Level 0 onerror 1: " + std::string(code));
            if (code == "NewError") {
                CHECK(asi.state().errorInfo() == "Human-readable description");
                const std::exception_ptr e = asi.state().lastException();
                CHECK(codeOf([&] { std::rethrow_exception(e); }) == "NewError");
                asi.success("Prm", 123, std::vector<int>({1, 2, 3}), true);
            }
        });
    asi.add([&log](IAsyncSteps&, const std::string& text, int number, std::vector<int>&& list) {
        log.push_back("Level 0 func 2: " + text);
        CHECK(number == 123);
        CHECK(list == std::vector<int>{1, 2, 3});
    });
}

/// Something that calls back later; answers in the order of asking.
struct Service {
    VirtualTool& tool;
    int withdrawn = 0;

    steptree::Handle schedule(std::function<void(bool)> callback, bool error) {
        return tool.deferred(5, [callback = std::move(callback), error] { callback(error); });
    }
};

}  // namespace

TEST_CASE("the article's step tree", "[article]") {
    Rig rig;
    Log log;
    rig.flow.add([&](IAsyncSteps& asi) { someApi(asi, log); });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"Level 0 func 1", "Level 1 func 1", "Level 1 onerror 1: MyError",
                     "Level 0 onerror 1: NewError", "Level 0 func 2: Prm"});
}

TEST_CASE("the article's loops", "[article]") {
    Rig rig;
    Log log;
    std::map<std::string, std::string> map{{"k", "v"}};
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.loop([&](IAsyncSteps& asi) {
            log.emplace_back("loop");
            asi.breakLoop();
        });
        asi.repeat(10, [&](IAsyncSteps& asi, std::size_t i) {
            log.push_back(std::to_string(i));
            asi.continueLoop();
        });
        asi.forEach(std::vector<int>{1, 2, 3}, [&](IAsyncSteps&, std::size_t i, int v) {
            log.push_back(std::to_string(i) + "=" + std::to_string(v));
        });
        asi.forEach(std::list<std::string>{"1", "2", "3"},
                    [&](IAsyncSteps&, std::size_t i, const std::string& v) {
                        log.push_back(std::to_string(i) + ":" + v);
                    });
        asi.forEach(std::map<std::string, std::string>{{"a", "b"}},
                    [&](IAsyncSteps&, const std::string& key, const std::string& v) {
                        log.push_back(key + v);
                    });
        asi.forEach(std::ref(map), [&](IAsyncSteps&, const std::string& key, std::string& v) {
            log.push_back(key + v);
            v += "!";
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(log == Log{"loop", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0=1", "1=2", "2=3",
                     "0:1", "1:2", "2:3", "ab", "kv"});
    CHECK(map["k"] == "v!");
}

TEST_CASE("the article's external events", "[article]") {
    Rig rig;
    Service service{rig.tool};
    const auto ask = [&](bool error) {
        rig.flow.add([&service, error](IAsyncSteps& asi) {
            auto done = asi.waitExternal();
            auto handle = std::make_shared<steptree::Handle>(service.schedule(
                [done](bool failed) mutable {
                    if (failed) {
                        done.error("ExternalError");
                    } else {
                        done.success();
                    }
                },
                error));
            asi.setCancel([&service, handle](IAsyncSteps&) {
                handle->cancel();
                ++service.withdrawn;
            });
        });
    };
    ask(false);
    CHECK(rig.run() == "ok");
    CHECK(service.withdrawn == 0);
    ask(true);
    CHECK(rig.run() == "error ExternalError");
    CHECK(service.withdrawn == 1);
}

TEST_CASE("the article's timeout", "[article]") {
    Rig rig;
    rig.flow.add(
        [](IAsyncSteps& asi) {
            asi.setTimeout(std::chrono::seconds{10});
            asi.loop([](IAsyncSteps&) {});
        },
        [](IAsyncSteps& asi, ErrorCode code) {
            if (code == steptree::errors::Timeout) asi.success();
        });
    CHECK(rig.run() == "ok");
    CHECK(rig.tool.now() == 10'000);
}

TEST_CASE("the article's promises", "[article]") {
    Rig rig;
    int ran = 0;
    rig.flow.add([&](IAsyncSteps& asi) {
        auto steps = newInstance(asi);
        steps->add([&](IAsyncSteps&) { ++ran; });
        asi.await(steps->promise());
        asi.state().set("some_obj", std::move(steps));
    });
    CHECK(rig.run() == "ok");
    CHECK(ran == 1);
}

TEST_CASE("the article's flow of an event loop with a thread of its own", "[article][thread]") {
    std::atomic<std::int64_t> iterations{0};
    {
        steptree::AsyncTool tool;
        AsyncSteps asi(tool);
        asi.loop([&](IAsyncSteps&) { iterations.fetch_add(1, std::memory_order_relaxed); });
        asi.execute();
        while (iterations.load(std::memory_order_relaxed) < 1000) std::this_thread::yield();
        asi.cancel();
        CHECK_FALSE(asi.running());
    }
    CHECK(iterations.load() >= 1000);
}

TEST_CASE("the article's parallel", "[article]") {
    Rig rig;
    using OrderVector = std::vector<int>;
    const auto push = [](IAsyncSteps& asi, int n) { asi.state<OrderVector>("order").push_back(n); };
    rig.flow.add([&](IAsyncSteps& asi) {
        asi.state("order", OrderVector{});
        auto& p = asi.parallel([](IAsyncSteps& asi, ErrorCode) { asi.success(); });
        p.add([&](IAsyncSteps& asi) {
            push(asi, 1);
            asi.add([&](IAsyncSteps& asi) { push(asi, 4); });
        });
        p.add([&](IAsyncSteps& asi) {
            push(asi, 2);
            asi.add([&](IAsyncSteps& asi) {
                push(asi, 5);
                asi.error("SomeError");
            });
        });
        p.add([&](IAsyncSteps& asi) {
            push(asi, 3);
            asi.add([&](IAsyncSteps& asi) { push(asi, 6); });
        });
        asi.add([](IAsyncSteps& asi) {
            CHECK(asi.state<OrderVector>("order") == OrderVector{1, 2, 3, 4, 5});
        });
    });
    CHECK(rig.run() == "ok");
}
