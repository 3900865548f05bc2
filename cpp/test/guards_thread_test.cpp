#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "compete.hpp"
#include "steptree/barrier.hpp"
#include "steptree/breaker.hpp"
#include "steptree/gate.hpp"
#include "steptree/keyed.hpp"
#include "steptree/limiter.hpp"
#include "steptree/rwlock.hpp"

using namespace rig;
using namespace steptree;

namespace {

/// Each of kLockings rounds is a section.
template <class Body>
void contend(Guard& guard, Body body) {
    compete(kLockings, [&guard, body](IAsyncSteps& asi, std::int64_t round, int) {
        asi.sync(guard, [body, round](IAsyncSteps& inner) { body(inner, round); });
    });
}

}  // namespace

TEST_CASE("four threads lock a mutex 100,000 times each", "[guards][thread]") {
    ThreadMutex mutex;
    std::int64_t counter = 0;  // what the mutex guards
    contend(mutex, [&counter](IAsyncSteps& asi, std::int64_t round) {
        ++counter;
        if (round % 16 == 0) asi.add([&counter](IAsyncSteps&) { counter += 0; });
    });
    CHECK(counter == kThreads * kLockings);
}

TEST_CASE("four threads lock the guards of few keys 100,000 times each", "[guards][thread]") {
    constexpr int kKeys = 3;
    ThreadKeyed<int, ThreadMutex> keyed([](int) { return MutexOptions(); });
    std::int64_t counters[kKeys] = {};  // what the guards guard
    compete(kLockings, [&](IAsyncSteps& asi, std::int64_t round, int) {
        const int key = static_cast<int>(round) % kKeys;
        asi.sync(keyed.of(key), [&counters, key, round](IAsyncSteps& inner) {
            ++counters[key];
            if (round % 16 == 0) inner.relinquish();
        });
    });
    CHECK(counters[0] + counters[1] + counters[2] == kThreads * kLockings);
    CHECK(keyed.size() == 0);
}

TEST_CASE("no more lines of four threads are in than a mutex has places", "[guards][thread]") {
    ThreadMutex mutex({.max = 2});
    std::atomic<int> in{0};
    std::atomic<int> most{0};
    std::atomic<std::int64_t> entries{0};
    contend(mutex, [&](IAsyncSteps& asi, std::int64_t round) {
        const int now = ++in;
        if (now > most) most = now;
        ++entries;
        if (round % 16 == 0) asi.relinquish();
        asi.add([&in](IAsyncSteps&) { --in; });
    });
    CHECK(most <= 2);
    CHECK(entries == kThreads * kLockings);
}

/// Whether a wait ends by a grant or by its timeout, nothing gets lost.
TEST_CASE("timeouts and grants of other threads meet at a mutex", "[guards][thread]") {
    constexpr std::int64_t kRounds = 2'000;
    ThreadMutex mutex;
    std::atomic<int> in{0};
    std::atomic<bool> met{false};
    std::atomic<std::int64_t> seen{0};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int) {
        hurry(asi, round % 2, [&](IAsyncSteps& limited) {
            limited.sync(mutex, [&](IAsyncSteps& section) { alone(section, in, met); });
        });
        asi.add([&seen](IAsyncSteps&) { ++seen; });
    });
    CHECK_FALSE(met);
    CHECK(seen == kThreads * kRounds);
    CHECK(isFree(mutex));
}

TEST_CASE("four threads enter a throttle 100,000 times each", "[guards][thread]") {
    ThreadThrottle throttle({.max = 200, .period = 1});
    std::atomic<std::int64_t> entries{0};
    contend(throttle, [&entries](IAsyncSteps&, std::int64_t) { ++entries; });
    CHECK(entries == kThreads * kLockings);
}

/// ToolQueues change hands between tools while their timers fire.
TEST_CASE("timeouts and entries of several threads meet at a throttle", "[guards][thread]") {
    constexpr std::int64_t kRounds = 500;
    ThreadThrottle throttle({.max = 1, .period = 1});
    std::atomic<std::int64_t> ends{0};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        hurry(asi, (round + thread) % 3 + 1,
              [&](IAsyncSteps& limited) { limited.sync(throttle, [](IAsyncSteps&) {}); });
        asi.add([&ends](IAsyncSteps&) { ++ends; });
    });
    CHECK(ends == kThreads * kRounds);
}

TEST_CASE("four threads lock a limiter 100,000 times each", "[guards][thread]") {
    ThreadLimiter limiter({.concurrent = 2, .rate = 200, .period = 1});
    std::atomic<int> in{0};
    std::atomic<int> most{0};
    std::atomic<std::int64_t> entries{0};
    contend(limiter, [&](IAsyncSteps&, std::int64_t) {
        const int now = ++in;
        if (now > most) most = now;
        ++entries;
        --in;
    });
    CHECK(most <= 2);
    CHECK(entries == kThreads * kLockings);
}

TEST_CASE("four threads lock a read-write lock 100,000 times each", "[guards][thread]") {
    ThreadRwLock lock;
    std::int64_t written = 0;  // what the lock guards
    std::atomic<int> writers{0};
    std::atomic<int> readers{0};
    std::atomic<bool> met{false};
    compete(kLockings, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        const auto write = [&](IAsyncSteps& section) {
            if (++writers != 1 || readers != 0) met = true;
            ++written;
            section.add([&](IAsyncSteps&) { --writers; });
        };
        const auto read = [&, round](IAsyncSteps& section) {
            ++readers;
            if (writers != 0) met = true;
            const std::int64_t seen = written;
            if (round % 16 == 0) section.relinquish();
            section.add([&, seen](IAsyncSteps&) {
                if (written != seen) met = true;
                --readers;
            });
        };
        if ((round + thread) % 4 == 0) {
            asi.sync(lock.write, write);
        } else {
            asi.sync(lock.read, read);
        }
    });
    CHECK_FALSE(met);
    CHECK(written == kThreads * kLockings / 4);
}

TEST_CASE("timeouts and grants of other threads meet at a read-write lock", "[guards][thread]") {
    constexpr std::int64_t kRounds = 1'000;
    ThreadRwLock lock;
    std::atomic<int> writers{0};
    std::atomic<bool> met{false};
    std::atomic<std::int64_t> seen{0};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        hurry(asi, round % 2, [&, writes = (round + thread) % 4 == 0](IAsyncSteps& limited) {
            if (writes) {
                limited.sync(lock.write,
                             [&](IAsyncSteps& section) { alone(section, writers, met); });
                return;
            }
            limited.sync(lock.read, [&](IAsyncSteps& section) {
                if (writers != 0) met = true;
                section.relinquish();
            });
        });
        asi.add([&seen](IAsyncSteps&) { ++seen; });
    });
    CHECK_FALSE(met);
    CHECK(seen == kThreads * kRounds);
    CHECK(isFree(lock.write));
}

/// Whether a wait for several places ends by a grant or by its timeout, none is lost.
TEST_CASE("threads take one to three places of a mutex, and give all of them back",
          "[guards][thread]") {
    constexpr std::int64_t kRounds = 2'000;
    ThreadMutex mutex({.max = 3});
    std::atomic<std::int64_t> in{0};
    std::atomic<bool> tooMany{false};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        const std::int64_t places = 1 + (round + thread) % 3;
        hurry(asi, round % 4, [&, places](IAsyncSteps& limited) {
            limited.sync(mutex.places(places), [&, places](IAsyncSteps& section) {
                if ((in += places) > 3) tooMany = true;
                section.relinquish();
                section.add([&in, places](IAsyncSteps&) { in -= places; });
                section.setCancel([&in, places](IAsyncSteps&) { in -= places; });
            });
        });
    });
    CHECK_FALSE(tooMany);
    CHECK(mutex.waiting() == 0);
    CHECK(mutex.active() == 0);
    CHECK(mutex.available() == 3);
}

TEST_CASE("a gate that one thread opens and closes lets in the lines of others",
          "[guards][thread]") {
    constexpr std::int64_t kRounds = 5'000;
    ThreadGate gate({.open = false});
    std::atomic<std::int64_t> passed{0};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        if (thread == 0) {
            if (round % 2 == 0 || round + 1 == kRounds) {
                gate.open();
            } else {
                gate.close();
            }
            return;
        }
        hurry(asi, 1 + round % 2, [&, round](IAsyncSteps& limited) {
            if (round % 3 == 0) {
                gate.wait(limited);
            } else {
                limited.sync(gate, [&passed](IAsyncSteps&) { ++passed; });
            }
        });
    });
    CHECK(gate.isOpen());
    CHECK(gate.waiting() == 0);
    CHECK(passed > 0);
}

/// Whatever becomes of a probe, its place comes back: else the breaker would never close again.
TEST_CASE("four threads open a breaker, probe it and close it, again and again",
          "[guards][thread]") {
    constexpr std::int64_t kRounds = 5'000;
    std::atomic<std::int64_t> asked{0}, entered{0}, refused{0}, failed{0}, timedOut{0};
    ThreadBreaker breaker(
        {.calls = 20, .minCalls = 5, .openFor = 1, .probes = 2, .on = [&asked](const std::string&) {
             return ++asked > 0;
         }});
    const auto call = [&](IAsyncSteps& asi, std::int64_t round) {
        asi.sync(breaker, [&, round](IAsyncSteps& section) {
            ++entered;
            if (round / 50 % 2 == 0) section.error("E");
            if (round % 50 == 49) section.waitExternal();
            if (breaker.active() < 1) section.error("Nobody");
        });
    };
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int) {
        asi.add(
            [&, round](IAsyncSteps& limited) {
                if (round % 50 == 49) limited.setTimeout(1);
                call(limited, round);
            },
            [&](IAsyncSteps& ended, const std::string& code) {
                if (code == "E") ++failed;
                if (code == errors::DefenseRejected) ++refused;
                if (code == errors::Timeout) ++timedOut;
                ended.success();
            });
    });
    // Who timed out has entered, or waited for a probe.
    CHECK(entered + refused <= kThreads * kRounds);
    CHECK(entered + refused + timedOut >= kThreads * kRounds);
    CHECK(refused > 0);
    CHECK(timedOut > 0);
    CHECK(failed > 0);
    CHECK(asked <= failed);
    CHECK(breaker.active() == 0);
    CHECK(breaker.waiting() == 0);
    AsyncTool tool;
    AsyncSteps flow(tool);
    flow.add(delay(5));
    for (int i = 0; i < 2; ++i) flow.sync(breaker, [](IAsyncSteps&) {});
    flow.promise().get();
    CHECK(breaker.state() == BreakerState::closed);
}

TEST_CASE("lines of other threads wait for a probe, and go on with what it finds out",
          "[guards][thread]") {
    for (const bool works : {true, false}) {
        ThreadBreaker breaker({.minCalls = 1, .openFor = 1});
        std::vector<std::unique_ptr<AsyncTool>> tools;
        std::vector<std::unique_ptr<AsyncSteps>> flows;
        std::vector<Future<>> ends;
        const auto start = [&](auto body) {
            tools.push_back(std::make_unique<AsyncTool>());
            flows.push_back(std::make_unique<AsyncSteps>(*tools.back()));
            body(*flows.back());
            ends.push_back(flows.back()->promise());
        };
        std::atomic<int> entered{0}, refused{0};
        const auto call = [&](AsyncSteps& flow, auto body) {
            flow.add([&breaker, body](IAsyncSteps& asi) { asi.sync(breaker, body); },
                     [&](IAsyncSteps& asi, const std::string& code) {
                         if (code != errors::DefenseRejected) return asi.success();
                         if (asi.state().lastError()->retryAfter() == 1) ++refused;
                         asi.success();
                     });
        };
        start([&](AsyncSteps& flow) {
            call(flow, [](IAsyncSteps& asi) { asi.error("E"); });
            flow.add(delay(5));
            call(flow, [&, works](IAsyncSteps& asi) {
                asi.loop([&](IAsyncSteps& round) {
                    if (breaker.waiting() == 3) round.breakLoop();
                    round.add(delay(1));
                });
                asi.add([works](IAsyncSteps& last) {
                    if (!works) last.error("E");
                });
            });
        });
        while (breaker.state() != BreakerState::halfOpen || breaker.active() == 0) {
            std::this_thread::yield();
        }
        for (int i = 0; i < 3; ++i) {
            start([&](AsyncSteps& flow) { call(flow, [&](IAsyncSteps&) { ++entered; }); });
        }
        for (const Future<>& end : ends) end.get();
        CHECK(entered == (works ? 3 : 0));
        CHECK(refused == (works ? 0 : 3));
        CHECK(breaker.waiting() == 0);
        CHECK(breaker.active() == 0);
    }
}

/// A wait ends by a grant, a refusal or a timeout, whichever comes first; the breaker goes on.
TEST_CASE("timeouts, grants and refusals of other threads meet at a half-open breaker",
          "[guards][thread]") {
    constexpr std::int64_t kRounds = 3'000;
    ThreadBreaker breaker({.minCalls = 1, .openFor = 1, .probes = 2, .maxQueue = 2});
    std::atomic<std::int64_t> seen{0};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int thread) {
        asi.add(
            [&, round, thread](IAsyncSteps& limited) {
                if (round % 3 == 0) limited.setTimeout(1);
                limited.sync(breaker, [round, thread](IAsyncSteps& section) {
                    section.add(delay(round % 2));
                    section.add([round, thread](IAsyncSteps& last) {
                        if (round % 7 == thread) last.error("E");
                    });
                });
            },
            [](IAsyncSteps& ended, const std::string&) { ended.success(); });
        asi.add([&seen](IAsyncSteps&) { ++seen; });
    });
    CHECK(seen == kThreads * kRounds);
    CHECK(breaker.active() == 0);
    CHECK(breaker.waiting() == 0);
}

TEST_CASE("four threads go from phase to phase by a barrier", "[guards][thread]") {
    constexpr std::int64_t kRounds = 5'000;
    ThreadBarrier barrier({.parties = kThreads});
    std::atomic<std::int64_t> arrived{0};
    std::atomic<bool> early{false};
    compete(kRounds, [&](IAsyncSteps& asi, std::int64_t round, int) {
        ++arrived;
        barrier.wait(asi);
        asi.add([&, round](IAsyncSteps&) {
            if (arrived < (round + 1) * kThreads) early = true;
        });
        barrier.wait(asi);
    });
    CHECK_FALSE(early);
    CHECK(arrived == kRounds * kThreads);
    CHECK(barrier.waiting() == 0);
}
