#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/isync.hpp"

using namespace rig;

namespace {

/// A flow whose reports are counted.
struct Told {
    VirtualTool tool;
    std::vector<std::string> reports;
    AsyncSteps flow{tool, options()};

    steptree::Options options() {
        steptree::Options made;
        made.report = [this](const std::string& code, const std::string& info, std::exception_ptr,
                             const std::string&) { reports.push_back(code + ' ' + info); };
        return made;
    }
    std::string run() { return rig::run(tool, flow); }
};

struct Guard final : steptree::ISync {
    bool locks;
    int locked = 0;
    explicit Guard(bool throwsInLock) : locks(throwsInLock) {}
    void lock(IAsyncSteps&) override {
        if (locks) throw std::runtime_error("lock");
        ++locked;
    }
    void unlock(IAsyncSteps&, const steptree::Outcome&) override {
        --locked;
        throw std::runtime_error("unlock");
    }
};

/// An input range whose n-th call throws.
struct Range {
    struct Iterator {
        std::shared_ptr<int> left;
        int at;
        void burn() const {
            if ((*left)-- == 0) throw std::runtime_error("range");
        }
        int operator*() const { return burn(), at; }
        Iterator& operator++() {
            burn();
            ++at;
            return *this;
        }
        bool operator==(const Iterator& other) const { return burn(), at == other.at; }
    };
    std::shared_ptr<int> left;
    Iterator begin() { return {left, 0}; }
    Iterator end() { return {left, 3}; }
};

}  // namespace

TEST_CASE("what cancel handlers throw is reported, and those around them run", "[cancel]") {
    Told told;
    int ran = 0;
    told.flow.add([&](IAsyncSteps& asi) {
        asi.setCancel([&](IAsyncSteps&) { ++ran; });
        asi.add([&](IAsyncSteps& inner) {
            inner.setCancel([&](IAsyncSteps&) {
                ++ran;
                throw std::runtime_error("cancel");
            });
            inner.add([](IAsyncSteps& last) {
                last.setCancel([](IAsyncSteps&) { throw 5; });
                last.waitExternal();
            });
        });
    });
    CHECK(told.run() == "waiting");
    CHECK(ran == 2);
    REQUIRE(told.reports.size() == 2);
    CHECK(told.reports[1] == "InternalError cancel");
}

TEST_CASE("deferred functions that throw all run; the first error is the step's", "[cleanup]") {
    Told told;
    int ran = 0;
    told.flow.add([&](IAsyncSteps& asi) {
        for (int i = 0; i < 3; ++i) {
            asi.defer([&ran](IAsyncSteps&) {
                ++ran;
                throw std::runtime_error("deferred");
            });
        }
    });
    CHECK(told.run() == "error InternalError");
    CHECK(ran == 3);
}

TEST_CASE("what `done` throws goes to the tool, and its flow may run again", "[model]") {
    VirtualTool tool;
    int errors = 0;
    tool.onError([&](const std::exception_ptr&) { ++errors; });
    AsyncSteps flow(tool);
    for (int round = 1; round < 3; ++round) {
        flow.add([](IAsyncSteps& asi) { asi.success(1); });
        flow.execute([t = std::make_shared<int>()](Outcome&) { throw std::runtime_error("done"); });
        tool.run();
        CHECK(errors == round);
        CHECK_FALSE(flow.running());
    }
}

TEST_CASE("a guard of a user's own may throw in lock and in unlock", "[sync]") {
    for (const bool inLock : {true, false}) {
        Told told;
        Guard guard(inLock);
        told.flow.sync(guard, [](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); });
        const std::string end = told.run();
        CHECK(guard.locked == 0);
        if (inLock) {
            CHECK(end == "error InternalError");
        } else {
            CHECK((end == "error InternalError" || told.reports.size() == 1));
        }
    }
}

TEST_CASE("every call of an iterator may throw", "[loop]") {
    for (const bool isMap : {false, true}) {
        bool thrown = true;
        for (int n = 0; thrown; ++n) {
            Told told;
            const Range range{std::make_shared<int>(n)};
            int after = 0;
            if (isMap) {
                told.flow.add(map(range, {.limit = 2}, [](IAsyncSteps&, int, std::size_t) {}),
                              [&](IAsyncSteps&, const std::string&) { ++after; });
            } else {
                told.flow.forEach(range, [](IAsyncSteps&, std::size_t, int) {});
            }
            const std::string end = told.run();
            thrown = *range.left < 0;
            CAPTURE(isMap, n, end);
            CHECK(end == (thrown ? "error InternalError" : "ok"));
            CHECK(after == (isMap && thrown ? 1 : 0));
            CHECK(range.left.use_count() == 1);
            REQUIRE(n < 50);
        }
    }
}

TEST_CASE("a sink that throws fails its map, whose other items are closed", "[map]") {
    Told told;
    int closed = 0;
    const auto sink = [](int, std::size_t i) {
        if (i == 1) throw std::runtime_error("sink");
    };
    const auto body = [&](IAsyncSteps& asi, int item, std::size_t) {
        asi.setCancel([&](IAsyncSteps&) { ++closed; });
        if (item == 1) return asi.success(item);
        const steptree::Completion done = asi.waitExternal();
        if (item == 2) told.tool.immediate([done, item] { done.success(item); });
    };
    told.flow.add(map<int>(std::vector<int>{1, 2, 3}, {.limit = 3}, body, sink));
    CHECK(told.run() == "error InternalError");
    CHECK(closed == 1);
}
