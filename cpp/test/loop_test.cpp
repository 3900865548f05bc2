#include <cstdint>
#include <deque>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "step.hpp"

using namespace rig;

namespace {

/// Counts how often it is copied.
struct Copied {
    int* copies;
    std::vector<int> values{1, 2, 3};

    explicit Copied(int* c) : copies(c) {}
    Copied(const Copied& other) : copies(other.copies), values(other.values) { ++*copies; }
    Copied(Copied&&) = default;
    auto begin() { return values.begin(); }
    auto end() { return values.end(); }
};

enum class Throws { increment, dereference };

/// An endless range whose iterator throws at its second element.
struct Throwing {
    Throws when;

    struct Iterator {
        Throws when;
        int at = 0;
        int operator*() const {
            if (when == Throws::dereference && at == 1) throw std::runtime_error("operator*");
            return at;
        }
        Iterator& operator++() {
            if (when == Throws::increment && at == 1) throw std::runtime_error("operator++");
            ++at;
            return *this;
        }
        bool operator==(const Iterator&) const { return false; }
    };
    Iterator begin() const { return {when}; }
    Iterator end() const { return {when}; }
};

}  // namespace

TEST_CASE("a signal of a loop that has ended doesn't reach another one in its place", "[loop]") {
    Rig rig;
    std::exception_ptr kept;
    std::vector<const void*> places;
    const auto leave = [&](IAsyncSteps& asi) {
        places.push_back(&asi);
        try {
            asi.breakLoop();
        } catch (const steptree::LoopControl&) {
            if (kept == nullptr) kept = std::current_exception();
        }
        std::rethrow_exception(kept);
    };
    for (const bool isAlone : {true, false}) {
        rig.flow.add([&](IAsyncSteps& asi) { asi.loop(leave); });
        CHECK(rig.run() == (isAlone ? "ok" : "error InternalError"));
    }
    CHECK(places == std::vector<const void*>(2, places.front()));
}

TEST_CASE("a late completion of one iteration does not hit the next", "[loop]") {
    Rig rig;
    std::vector<Completion> kept;
    std::vector<bool> late;
    rig.flow.repeat(2, [&](IAsyncSteps& asi) {
        kept.push_back(asi.waitExternal());
        if (kept.size() == 2) late.push_back(kept[0].success());
    });
    rig.flow.execute();
    rig.tool.run();
    CHECK(kept.at(0).success());
    rig.tool.run();
    late.push_back(kept[0].error("X"));
    CHECK(rig.flow.running());
    CHECK(late == std::vector<bool>{false, false});
    CHECK(kept.at(1).success());
    rig.tool.run();
    CHECK_FALSE(rig.flow.running());
}

TEST_CASE("an iterator that throws fails the loop step", "[loop]") {
    for (const Throws when : {Throws::increment, Throws::dereference}) {
        Rig rig;
        int bodies = 0;
        std::string path;
        rig.flow.add(
            [&](IAsyncSteps& asi) {
                asi.forEach(Throwing{when}, [&](IAsyncSteps&, std::size_t, int) { ++bodies; });
            },
            [&](IAsyncSteps& asi, steptree::ErrorCode) { path = asi.state().asyncStack(); });
        CHECK(rig.run() == "error InternalError");
        CHECK(bodies == 1);
        CHECK(path == "0/0");
    }
}

TEST_CASE("forEach owns a collection by value and refers to one by std::ref", "[loop]") {
    Rig rig;
    int copies = 0;
    Copied outside(&copies);
    int sum = 0;
    const auto add = [&](IAsyncSteps&, std::size_t, int& value) {
        sum += value;
        value = 0;
    };
    rig.flow.forEach(outside, add);
    CHECK(copies == 1);
    rig.flow.forEach(Copied(&copies), add);
    CHECK(copies == 1);
    rig.flow.add([&](IAsyncSteps&) { CHECK(outside.values == std::vector<int>{1, 2, 3}); });
    rig.flow.forEach(std::ref(outside), add);
    CHECK(rig.run() == "ok");
    CHECK(copies == 1);
    CHECK(sum == 18);
    CHECK(outside.values == std::vector<int>{0, 0, 0});
}

TEST_CASE("a body may erase the element that it was called for", "[loop]") {
    Rig rig;
    std::map<std::string, int> map{{"a", 1}, {"b", 2}, {"c", 3}};
    std::vector<std::string> keys;
    rig.flow.forEach(std::ref(map), [&](IAsyncSteps& asi, const std::string& key, int& value) {
        keys.push_back(key);
        value += 10;
        if (key != "b") map.erase(std::string(key));
        asi.add([](IAsyncSteps&) {});
    });
    CHECK(rig.run() == "ok");
    CHECK(keys == std::vector<std::string>{"a", "b", "c"});
    CHECK(map == std::map<std::string, int>{{"b", 12}});
}

TEST_CASE("forEach takes the length of what has an index at the start", "[loop]") {
    Rig rig;
    std::vector<int> seen;
    std::vector<int> jobs{1, 2, 3};
    rig.flow.forEach(std::ref(jobs), [&](IAsyncSteps& asi, std::size_t i, int& job) {
        seen.push_back(job);
        jobs.resize(jobs.size() + 1000, 4);
        asi.add([&, i](IAsyncSteps&) { jobs.at(i) = -1; });
    });
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<int>{1, 2, 3});
    CHECK(jobs.size() == 3003);
    CHECK(jobs.at(2) == -1);

    std::deque<std::string> texts{"a", "b", "c", "d", "e"};
    std::string read;
    rig.flow.forEach(std::ref(texts), [&](IAsyncSteps&, std::size_t, std::string& text) {
        read += text;
        texts.erase(texts.begin());
        for (std::string& rest : texts) rest += "!";
    });
    CHECK(rig.run() == "ok");
    CHECK(read == "ac!e!!");

    std::vector<bool> flags{true, true};
    int on = 0;
    rig.flow.forEach(std::ref(flags), [&](IAsyncSteps&, std::size_t, bool flag) {
        on += flag ? 1 : 0;
        for (int i = 0; i < 1000; ++i) flags.push_back(true);
    });
    CHECK(rig.run() == "ok");
    CHECK(on == 2);
}

TEST_CASE("what has an index may change while its loop waits for its turn", "[loop]") {
    VirtualTool tool;
    AsyncSteps loop(tool);
    AsyncSteps other(tool);
    std::vector<int> numbers(1000, 1);
    int sum = 0;
    loop.forEach(std::ref(numbers),
                 [&](IAsyncSteps&, std::size_t, const int& number) { sum += number; });
    other.add([&](IAsyncSteps&) { std::vector<int>(150, 2).swap(numbers); });
    loop.execute([](Outcome&) {});
    other.execute([](Outcome&) {});
    tool.run();
    CHECK(sum == 100 + 2 * 50);
}

TEST_CASE("an element that an iteration waits for its turn with is not passed over", "[loop]") {
    Rig rig;
    std::list<int> numbers;
    std::int64_t expected = 0;
    for (int i = 0; i < 1000; ++i) expected += numbers.emplace_back(i);
    std::int64_t sum = 0;
    rig.flow.forEach(std::cref(numbers),
                     [&](IAsyncSteps&, std::size_t, const int& number) { sum += number; });
    CHECK(rig.run() == "ok");
    CHECK(sum == expected);
}

TEST_CASE("forEach takes what it can't copy and ranges of values", "[loop]") {
    Rig rig;
    std::vector<std::unique_ptr<int>> owners;
    owners.push_back(std::make_unique<int>(4));
    int sum = 0;
    rig.flow.forEach(std::move(owners),
                     [&](IAsyncSteps&, std::size_t, std::unique_ptr<int>& p) { sum += *p; });
    rig.flow.forEach(std::vector<bool>{true, false, true},
                     [&](IAsyncSteps&, std::size_t i, bool on) { sum += on ? int(i) : 0; });
    rig.flow.forEach(
        std::list<std::string>{"ab"},
        [&](IAsyncSteps&, std::size_t, const std::string& s) { sum += int(s.size()); });
    CHECK(rig.run() == "ok");
    CHECK(sum == 4 + 2 + 2);
}

TEST_CASE("a collection is destroyed with its loop however that ends", "[loop]") {
    auto token = std::make_shared<int>(0);
    Rig rig;
    const auto collection = [&] { return std::vector<std::shared_ptr<int>>{token, token}; };
    rig.flow.forEach(collection(), [](IAsyncSteps& asi, std::size_t, auto&) { asi.breakLoop(); });
    rig.flow.add([&](IAsyncSteps&) { CHECK(token.use_count() == 1); });
    CHECK(rig.run() == "ok");
    rig.flow.forEach(collection(), [](IAsyncSteps& asi, std::size_t, auto&) { asi.error("X"); });
    CHECK(rig.run() == "error X");
    rig.flow.forEach(collection(),
                     [](IAsyncSteps& asi, std::size_t, auto&) { asi.waitExternal(); });
    CHECK(rig.run() == "waiting");
    CHECK(token.use_count() == 1);
}

TEST_CASE("no iteration begins after a value of the one before has cancelled the flow", "[loop]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    int bodies = 0;
    flow.repeat(5, [&](IAsyncSteps& asi) {
        ++bodies;
        asi.success(CancelsWhenGone(&flow));
    });
    flow.execute();
    tool.run();
    CHECK(bodies == 1);
    CHECK_FALSE(flow.running());
}

TEST_CASE("a collection is not looked at after its loop was cancelled", "[loop]") {
    VirtualTool tool;
    AsyncSteps flow(tool);
    auto list = std::make_unique<std::list<int>>(std::list<int>{1, 2, 3});
    struct Owner {
        IFlow& flow;
        std::unique_ptr<std::list<int>>& list;
        Owner(IFlow& cancelled, std::unique_ptr<std::list<int>>& owned)
            : flow(cancelled), list(owned) {}
        ~Owner() {
            flow.cancel();
            list.reset();
        }
    };
    int bodies = 0;
    flow.forEach(std::ref(*list), [&](IAsyncSteps& asi, std::size_t, int&) {
        ++bodies;
        asi.stack<Owner>(flow, list);
    });
    flow.execute();
    tool.run();
    CHECK(bodies == 1);
    CHECK(list == nullptr);
}

TEST_CASE("an iteration whose end cancels the flow is the last one", "[loop]") {
    Rig rig;
    int bodies = 0;
    rig.flow.repeat(3, [&](IAsyncSteps& asi, std::int64_t) {
        ++bodies;
        asi.stack<CancelsWhenGone>(&rig.flow);
    });
    CHECK(rig.run() == "cancelled gone");
    CHECK(bodies == 1);
}

TEST_CASE("the number of an iteration is in its path, however large", "[loop]") {
    Rig rig;
    std::string path;
    rig.flow.loop([](IAsyncSteps& asi) {
        static_cast<steptree::detail::Step&>(asi).turn = std::int64_t{1} << 30;
        asi.error("E");
    });
    rig.flow.execute([&](Outcome& outcome) {
        try {
            std::rethrow_exception(outcome.error);
        } catch (const StepError& error) {
            path = error.path();
        }
    });
    rig.tool.run();
    CHECK(path == "0/#1073741824");
}
