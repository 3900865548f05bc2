#include "steptree/detail/slots.hpp"

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "catch.hpp"

using steptree::detail::Slot;
using steptree::detail::Slots;

TEST_CASE("a slot is taken once", "[slots]") {
    Slots slots(nullptr, nullptr);
    int step = 0;
    Slot* slot = slots.acquire(&step);
    const auto generation = slot->generation();
    CHECK(slot->open(generation));
    CHECK(slot->take(generation));
    CHECK_FALSE(slot->open(generation));
    CHECK_FALSE(slot->take(generation));
    CHECK_FALSE(slot->takeRemote(generation, nullptr));
    static_cast<void>(slots.release(slot));
}

TEST_CASE("a released slot is stale, also when it is used again", "[slots]") {
    Slots slots(nullptr, nullptr);
    int step = 0;
    Slot* slot = slots.acquire(&step);
    const auto old = slot->generation();
    static_cast<void>(slots.release(slot));
    CHECK_FALSE(slot->open(old));
    CHECK_FALSE(slot->takeRemote(old, nullptr));
    CHECK(slots.acquire(&step) == slot);
    CHECK(slot->generation() != old);
    CHECK_FALSE(slot->takeRemote(old, nullptr));
    CHECK(slot->takeRemote(slot->generation(), nullptr));
}

TEST_CASE("a slot on its way through the inbox is not used again before it has arrived",
          "[slots]") {
    Slots slots(nullptr, nullptr);
    int step = 0;
    Slot* slot = slots.acquire(&step);
    REQUIRE(slot->takeRemote(slot->generation(), nullptr));
    static_cast<void>(slots.release(slot));
    CHECK(slots.acquire(&step) != slot);
    CHECK(slots.arrived(slot) == nullptr);
    CHECK(slots.acquire(&step) == slot);
}

TEST_CASE("a slot that has arrived is its owner's until released", "[slots]") {
    Slots slots(nullptr, nullptr);
    int step = 0;
    Slot* slot = slots.acquire(&step);
    REQUIRE(slot->takeRemote(slot->generation(), nullptr));
    CHECK(slots.arrived(slot) == &step);
    static_cast<void>(slots.release(slot));
    CHECK(slots.acquire(&step) == slot);
}

TEST_CASE("nobody takes a slot of a closed slab", "[slots]") {
    Slots slots(nullptr, nullptr);
    int step = 0;
    Slot* before = slots.acquire(&step);
    const auto generation = before->generation();
    slots.close();
    CHECK_FALSE(before->open(generation));
    CHECK_FALSE(before->takeRemote(generation, nullptr));
    Slot* after = slots.acquire(&step);
    CHECK_FALSE(after->takeRemote(after->generation(), nullptr));
    static_cast<void>(slots.release(before));
    static_cast<void>(slots.release(after));
}

TEST_CASE("slots that are open at once are distinct", "[slots]") {
    Slots slots(nullptr, nullptr);
    int step = 0;
    std::set<Slot*> open;
    for (int i = 0; i < 1000; ++i) open.insert(slots.acquire(&step));
    CHECK(open.size() == 1000);
}

TEST_CASE("of eight threads exactly one takes a slot", "[slots][thread]") {
    constexpr int kThreads = 8;
    constexpr int kSlots = 2000;
    Slots slots(nullptr, nullptr);
    int step = 0;
    struct Contest {
        Slot* slot;
        std::uint64_t generation;
        std::atomic<int> winners{0};
    };
    std::vector<Contest> contests(kSlots);
    for (Contest& contest : contests) {
        contest.slot = slots.acquire(&step);
        contest.generation = contest.slot->generation();
    }
    std::atomic<bool> go = false;
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
        threads.emplace_back([&, t] {
            while (!go) std::this_thread::yield();
            for (Contest& contest : contests) {
                const bool won = t == 0 ? contest.slot->take(contest.generation)
                                        : contest.slot->takeRemote(contest.generation, nullptr);
                if (won) ++contest.winners;
            }
        });
    }
    go = true;
    for (std::thread& thread : threads) thread.join();
    for (const Contest& contest : contests) REQUIRE(contest.winners == 1);
}
