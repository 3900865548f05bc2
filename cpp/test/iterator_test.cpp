#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

/// Its iterator holds the value.
struct Counts {
    struct Iterator {
        int value;
        const int& operator*() const { return value; }
        Iterator& operator++() {
            ++value;
            return *this;
        }
        bool operator==(int end) const { return value == end; }
    };
    Iterator begin() { return {1}; }
    int end() { return 4; }
};

/// Calls something whenever it moves on.
template <class F>
struct Calls {
    struct Iterator {
        F* act;
        int at;
        int operator*() const { return at; }
        Iterator& operator++() {
            (*act)(++at);
            return *this;
        }
        bool operator==(const Iterator& other) const { return at == other.at; }
    };
    F act;
    Iterator begin() { return {&act, 0}; }
    Iterator end() { return {&act, 3}; }
};
template <class F>
Calls(F) -> Calls<F>;

}  // namespace

TEST_CASE("forEach keeps a copy of what an iterator holds itself", "[loop]") {
    Rig rig;
    std::vector<int> seen;
    rig.flow.forEach(Counts{}, [&](IAsyncSteps&, std::size_t, const int& v) { seen.push_back(v); });
    CHECK(rig.run() == "ok");
    CHECK(seen == std::vector<int>{1, 2, 3});
}

TEST_CASE("an iterator that cancels its flow ends it before the next body", "[loop]") {
    Rig rig;
    int bodies = 0;
    rig.flow.forEach(Calls{[&](int at) {
                         if (at == 2) rig.flow.cancel("enough");
                     }},
                     [&](IAsyncSteps&, std::size_t, int) { ++bodies; });
    CHECK(rig.run() == "cancelled enough");
    CHECK(bodies == 1);
}

TEST_CASE("an iterator that cancels its flow and throws ends it as cancelled", "[loop]") {
    Rig rig;
    bool handled = false;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            asi.forEach(Calls{[&](int) {
                            rig.flow.cancel("enough");
                            throw std::runtime_error("late");
                        }},
                        [](IAsyncSteps&, std::size_t, int) {});
        },
        [&](IAsyncSteps&, steptree::ErrorCode) { handled = true; });
    CHECK(rig.run() == "cancelled enough");
    CHECK_FALSE(handled);
}

TEST_CASE("a failed body's parallel takes no branches in its handler", "[parallel]") {
    Rig rig;
    IParallel* kept = nullptr;
    std::string refused;
    rig.flow.add(
        [&](IAsyncSteps& asi) {
            kept = &asi.parallel();
            asi.error("E");
        },
        [&](IAsyncSteps& asi, steptree::ErrorCode) {
            refused = codeOf([&] { kept->add([](IAsyncSteps&) {}); });
            asi.success();
        });
    CHECK(rig.run() == "ok");
    CHECK(refused == "InternalError");
}
