#include <memory>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;
using steptree::Future;
using steptree::Promise;

TEST_CASE("a promise rejects with the native exception itself", "[promise]") {
    struct Mine : std::system_error {
        Mine() : std::system_error(ECONNREFUSED, std::generic_category()) {}
    };
    Rig rig;
    std::string code;
    rig.flow.add([](IAsyncSteps&) { throw Mine(); },
                 [&](IAsyncSteps&, const std::string& mapped) { code = mapped; });
    const Future<> future = rig.flow.promise();
    rig.tool.run();
    CHECK(code == "ECONNREFUSED");
    CHECK_THROWS_AS(future.get(), Mine);
}

TEST_CASE("a promise rejects with the whole step error", "[promise]") {
    Rig rig;
    const auto cause = std::make_exception_ptr(std::runtime_error("cause"));
    Completion other;
    rig.flow.parallel()
        .add([&](IAsyncSteps& asi) { other = asi.waitExternal(); })
        .add([&](IAsyncSteps& asi) {
            other.error("Second");
            asi.error("First", "why", cause);
        });
    const Future<> future = rig.flow.promise();
    rig.tool.run();
    try {
        future.get();
        FAIL("it did not reject");
    } catch (const StepError& error) {
        CHECK(error.code() == "First");
        CHECK(error.info() == "why");
        CHECK(error.path() == "0/|1");
        CHECK(error.cause() == cause);
        REQUIRE(error.also().size() == 1);
        CHECK(error.also()[0].code() == "Second");
    }
}

TEST_CASE("a cancelled flow's promise tells the reason", "[promise]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
    const Future<> future = rig.flow.promise();
    rig.tool.run();
    rig.flow.cancel("enough");
    rig.tool.run();
    try {
        future.get();
        FAIL("it did not reject");
    } catch (const StepError& error) {
        CHECK(error.code() == "Canceled");
        CHECK(error.info() == "enough");
    }
}

TEST_CASE("a flow that goes settles its promise and drops its done", "[promise]") {
    VirtualTool tool;
    Future<> running;
    Future<int> ended;
    auto token = std::make_shared<int>(0);
    {
        AsyncSteps flow(tool);
        AsyncSteps done(tool);
        AsyncSteps quick(tool);
        flow.add([](IAsyncSteps& asi) { asi.waitExternal(); });
        running = flow.promise();
        done.execute([token](Outcome&) { ++*token; });
        quick.successStep(5);
        ended = quick.promise<int>();
        tool.run();
        CHECK(*token == 1);
        done.add([](IAsyncSteps& asi) { asi.waitExternal(); });
        done.execute([token](Outcome&) { ++*token; });
        tool.run();
    }
    CHECK(token.use_count() == 1);
    tool.run();
    CHECK(*token == 1);
    CHECK(codeOf([&] { running.get(); }) == "Canceled");
    CHECK(ended.get() == 5);
}

TEST_CASE("values of any type go through promise and await", "[promise]") {
    Rig rig;
    Promise<std::unique_ptr<int>> promise;
    int got = 0;
    rig.flow.await(promise.future()).add([&](IAsyncSteps& asi, std::unique_ptr<int> value) {
        got = *value;
        asi.success(std::string(64, 's'), 2);
    });
    const auto all = rig.flow.promise<Results>();
    promise.success(std::make_unique<int>(7));
    rig.tool.run();
    CHECK(got == 7);
    all.onSettled([&](auto& settled) {
        const Results values = std::move(settled).get();
        CHECK(values.size() == 2);
        CHECK(values.template at<std::string>(0).size() == 64);
    });
    rig.flow.successStep(std::string("text"));
    const Future<int> wrong = rig.flow.promise<int>();
    rig.tool.run();
    CHECK(codeOf([&] { wrong.get(); }) == "InternalError");
}

TEST_CASE("awaiting all values of a flow gives all of them", "[promise]") {
    Rig rig;
    AsyncSteps other(rig.tool);
    int sum = 0;
    other.successStep(1, 2);
    rig.flow.await(other.promise<Results>()).add([&](IAsyncSteps&, int a, int b) { sum = a + b; });
    CHECK(rig.run() == "ok");
    CHECK(sum == 3);
}

TEST_CASE("a body waits for the flow that it returns the promise of", "[promise]") {
    Rig rig;
    int got = 0;
    rig.flow
        .add([](IAsyncSteps& asi) {
            auto inner = newInstance(asi);
            inner->add([](IAsyncSteps& step) { step.setTimeout(5); },
                       [](IAsyncSteps& step, steptree::ErrorCode) { step.success(3); });
            Future<int> future = inner->promise<int>();
            asi.state().set("inner", std::move(inner));
            return future;
        })
        .add([&](IAsyncSteps&, int value) { got = value; });
    CHECK(rig.run() == "ok");
    CHECK(got == 3);
    CHECK(rig.tool.now() == 5);
}

TEST_CASE("a flow that is none is refused", "[promise]") {
    Rig rig;
    rig.flow.add([](IAsyncSteps& asi) { asi.await(std::unique_ptr<IFlow>()); });
    CHECK(rig.run() == "error InternalError");
}

TEST_CASE("an awaitable that throws when it is subscribed to fails its step", "[promise]") {
    struct Refusing {
        std::shared_ptr<int> token;
        void subscribe(steptree::Awaiter) { throw std::runtime_error("no"); }
        void cancel() {}
    };
    auto token = std::make_shared<int>(0);
    Rig rig;
    rig.flow.await(Refusing{token});
    CHECK(rig.run() == "error InternalError");
    rig.flow.add([&](IAsyncSteps&) { return Refusing{token}; });
    CHECK(rig.run() == "error InternalError");
    CHECK(token.use_count() == 1);
}

TEST_CASE("what is cancelled with a body's step can't end that any more", "[promise]") {
    Rig rig;
    Promise<> promise;
    IAsyncSteps* step = nullptr;
    std::string code;
    promise.onCancel([&] { code = codeOf([&] { step->success(); }); });
    rig.flow.add([&](IAsyncSteps& asi) {
        step = &asi;
        asi.setTimeout(5);
        return promise.future();
    });
    CHECK(rig.run() == "error Timeout");
    CHECK(code == "InternalError");
}

TEST_CASE("an awaitable that cancels its flow when it is subscribed to fails nothing",
          "[promise]") {
    struct Cancelling {
        IFlow* flow;
        void subscribe(const steptree::Awaiter&) {
            flow->cancel("enough");
            throw std::runtime_error("no");
        }
        void cancel() {}
    };
    Rig rig;
    bool handled = false;
    rig.flow.add([&rig](IAsyncSteps& asi) { asi.await(Cancelling{&rig.flow}); },
                 [&handled](IAsyncSteps&, const std::string&) { handled = true; });
    CHECK(rig.run() == "cancelled enough");
    CHECK_FALSE(handled);
}
