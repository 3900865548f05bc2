#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "catch.hpp"
#include "rig.hpp"
#include "steptree/breaker.hpp"
#include "steptree/channel.hpp"
#include "steptree/limiter.hpp"
#include "steptree/rwlock.hpp"

using namespace rig;

/// Once it is warm a tool serves these from its pool. [memory]
namespace {

constexpr int kWarm = 20;
constexpr int kRounds = 100;

/// `fill` gives a flow its steps; `after` runs when the tool has nothing left to do.
template <class Fill, class After>
std::size_t allocationsOf(VirtualTool& tool, Fill fill, After after) {
    std::size_t before = 0;
    for (int round = 0; round < kWarm + kRounds; ++round) {
        if (round == kWarm) before = allocations::count();
        AsyncSteps flow(tool);
        fill(flow);
        flow.execute();
        tool.run();
        after();
        REQUIRE_FALSE(flow.running());
    }
    return allocations::count() - before;
}

template <class Fill>
std::size_t allocationsOf(Fill fill) {
    VirtualTool tool;
    return allocationsOf(tool, fill, [] {});
}

/// 48 bytes, as large as captures of a step may be at least.
struct Capture {
    std::array<std::int64_t, 6> numbers{1, 2, 3, 4, 5, 6};
};
static_assert(sizeof(Capture) == 48);

}  // namespace

TEST_CASE("steps with captures of 48 bytes cost no allocation", "[memory]") {
    std::int64_t sum = 0;
    const auto add = [&sum](auto& asi, int many) {
        for (int i = 0; i < many; ++i) {
            asi.add([kept = Capture{}](IAsyncSteps& inner) {
                inner.add([kept](IAsyncSteps&) { static_cast<void>(kept); });
            });
        }
        asi.add([&sum](IAsyncSteps&) { ++sum; });
    };
    CHECK(allocationsOf([&](AsyncSteps& flow) { add(flow, 1); }) == 0);
    CHECK(allocationsOf([&](AsyncSteps& flow) { add(flow, 50); }) == 0);
    CHECK(allocationsOf(
              [&](AsyncSteps& flow) { flow.add([&](IAsyncSteps& asi) { add(asi, 20); }); }) == 0);
    CHECK(sum == 3 * (kWarm + kRounds));
}

TEST_CASE("handlers with captures of 48 bytes cost no allocation", "[memory]") {
    CHECK(allocationsOf([](AsyncSteps& flow) {
              flow.add([](IAsyncSteps& asi) { asi.add([](IAsyncSteps&) {}); },
                       [kept = Capture{}](IAsyncSteps&, const std::string&) {
                           static_cast<void>(kept);
                       });
          }) == 0);
}

TEST_CASE("values that fit inside cost no allocation", "[memory]") {
    CHECK(allocationsOf([](AsyncSteps& flow) {
              flow.add([](IAsyncSteps& asi) { asi.success(1, 2.0, std::int64_t{3}); });
              flow.add([](IAsyncSteps& asi, int a, double, std::int64_t) { asi.success(a); });
              flow.add([](IAsyncSteps&, int) {});
          }) == 0);
}

TEST_CASE("loops cost no allocation", "[memory]") {
    CHECK(allocationsOf([](AsyncSteps& flow) {
              flow.loop([count = 0](IAsyncSteps& asi) mutable {
                  if (++count == 300) asi.breakNoThrow();
              });
              flow.repeat(300,
                          [](IAsyncSteps& asi, std::int64_t) { asi.add([](IAsyncSteps&) {}); });
              flow.repeat(10, [](IAsyncSteps& asi) {
                  asi.repeat(10, [kept = Capture{}](IAsyncSteps&) { static_cast<void>(kept); });
              });
          }) == 0);
    std::vector<int> numbers{1, 2, 3};
    CHECK(allocationsOf([&](AsyncSteps& flow) {
              flow.forEach(std::ref(numbers), [](IAsyncSteps&, std::size_t, int&) {});
          }) == 0);
}

TEST_CASE("timeouts and cancel handlers cost no allocation", "[memory]") {
    CHECK(allocationsOf([](AsyncSteps& flow) {
              flow.add([](IAsyncSteps& asi) {
                  asi.setTimeout(1000);
                  asi.setCancel([kept = Capture{}](IAsyncSteps&) { static_cast<void>(kept); });
                  asi.add([](IAsyncSteps& inner) {
                      inner.setTimeout(10);
                      inner.success();
                  });
              });
          }) == 0);
}

TEST_CASE("a parallel costs no allocation", "[memory]") {
    CHECK(allocationsOf([](AsyncSteps& flow) {
              IParallel& parallel = flow.parallel();
              for (int i = 0; i < 10; ++i) {
                  parallel.add([kept = Capture{}](IAsyncSteps& asi) {
                      asi.add([kept](IAsyncSteps&) { static_cast<void>(kept); });
                  });
              }
              parallel.repeat(5, [](IAsyncSteps&) {});
          }) == 0);
}

TEST_CASE("race and any cost no allocation", "[memory]") {
    const auto first = race(
        [kept = Capture{}](IAsyncSteps& asi) {
            asi.setCancel([kept](IAsyncSteps&) { static_cast<void>(kept); });
            asi.waitExternal();
        },
        [](IAsyncSteps& asi) { asi.add([](IAsyncSteps& inner) { inner.success(1, 2.0); }); });
    const auto down = step([](IAsyncSteps& asi) { asi.errorNoThrow("Down"); });
    const auto up = [](IAsyncSteps& asi) { asi.success(std::int64_t{7}); };
    const auto last = any(down, down, down, down, up);
    CHECK(allocationsOf([&](AsyncSteps& flow) {
              flow.add(first);
              flow.add([](IAsyncSteps&, int, double) {});
              flow.add(last);
              flow.add([](IAsyncSteps&, std::int64_t) {});
          }) == 0);
}

TEST_CASE("a delay costs no allocation", "[memory]") {
    const auto pause = delay(3);
    const auto both = parallel(delay(std::chrono::milliseconds(5)), delay(4.5));
    CHECK(allocationsOf([&](AsyncSteps& flow) {
              flow.add(pause).add(both);
              flow.repeat(10, [&pause](IAsyncSteps& asi) { asi.add(pause); });
          }) == 0);
}

TEST_CASE("a retry costs no allocation", "[memory]") {
    steptree::RetryBudget budget({.capacity = 10, .ratio = 3});
    const auto tries = retry({.max = 4, .backoff = {.base = 3}, .budget = &budget},
                             [kept = Capture{}](IAsyncSteps& asi, std::int64_t attempt) {
                                 asi.setTimeout(1000);
                                 asi.add([kept, attempt](IAsyncSteps& inner) {
                                     if (attempt < 4) return inner.errorNoThrow("Busy");
                                     inner.success(kept.numbers[0]);
                                 });
                             });
    CHECK(allocationsOf([&](AsyncSteps& flow) {
              flow.add(tries);
              flow.add([](IAsyncSteps&, std::int64_t) {});
          }) == 0);
}

TEST_CASE("a hedge costs no allocation", "[memory]") {
    steptree::RetryBudget budget({.capacity = 10, .ratio = 3});
    const auto pause = delay(10);
    const auto asks = hedge({.after = 3, .max = 4, .budget = &budget},
                            [kept = Capture{}, &pause](IAsyncSteps& asi, std::int64_t attempt) {
                                asi.add(pause);
                                asi.add([kept, attempt](IAsyncSteps& inner) {
                                    if (attempt < 3) return inner.errorNoThrow("Busy");
                                    inner.success(kept.numbers[0]);
                                });
                            });
    CHECK(allocationsOf([&](AsyncSteps& flow) {
              flow.add(asks);
              flow.add([](IAsyncSteps&, std::int64_t) {});
          }) == 0);
}

TEST_CASE("an external event costs no allocation", "[memory]") {
    VirtualTool tool;
    Completion completion;
    const auto wait = [&](AsyncSteps& flow) {
        flow.add([&](IAsyncSteps& asi) { completion = asi.waitExternal(); });
    };
    CHECK(allocationsOf(tool, wait, [&] {
              completion.success();
              tool.run();
          }) == 0);
    CHECK(allocationsOf(tool, wait, [&] {
              completion.success(7);
              tool.run();
          }) == 0);
}

TEST_CASE("a cancelled flow costs no allocation", "[memory]") {
    VirtualTool tool;
    std::size_t before = 0;
    for (int round = 0; round < kWarm + kRounds; ++round) {
        if (round == kWarm) before = allocations::count();
        AsyncSteps flow(tool);
        flow.add([](IAsyncSteps& asi) {
            asi.setCancel([](IAsyncSteps&) {});
            asi.add([](IAsyncSteps& inner) { inner.waitExternal(); });
        });
        flow.execute();
        tool.run();
        flow.cancel();
    }
    CHECK(allocations::count() == before);
}

TEST_CASE("guards cost no allocation, free or waited for", "[memory]") {
    VirtualTool tool;
    steptree::Mutex mutex({.max = 2});
    steptree::Limiter limiter({.concurrent = 100, .maxQueue = 200, .rate = 3, .period = 5});
    steptree::Breaker breaker({.period = 100});
    const auto sections = [&](AsyncSteps& flow) {
        IParallel& parallel = flow.parallel();
        for (int i = 0; i < 10; ++i) {
            parallel.add([&](IAsyncSteps& asi) {
                asi.sync(mutex, [](IAsyncSteps& section) {
                    section.add([](IAsyncSteps& inner) { inner.success(1); });
                    section.add([](IAsyncSteps&, int) {});
                });
                asi.sync(limiter, [](IAsyncSteps&) {});
                asi.sync(breaker, [](IAsyncSteps& section) { section.relinquish(); });
            });
        }
    };
    CHECK(allocationsOf(tool, sections, [] {}) == 0);
}

TEST_CASE("who waits for a probe of a breaker costs no allocation", "[memory]") {
    VirtualTool tool;
    steptree::Breaker breaker({.calls = 1, .openFor = 5});
    const auto pause = delay(5);
    std::int64_t waited = 0;
    const auto sections = [&](AsyncSteps& flow) {
        flow.add(
            [&](IAsyncSteps& asi) {
                asi.sync(breaker, [](IAsyncSteps& section) { section.errorNoThrow("E"); });
            },
            [](IAsyncSteps& asi, const std::string&) { asi.success(); });
        flow.add(pause);
        IParallel& parallel = flow.parallel();
        for (int i = 0; i < 10; ++i) {
            parallel.add([&](IAsyncSteps& asi) {
                asi.sync(breaker, [](IAsyncSteps& section) { section.relinquish(); });
            });
        }
        parallel.add(
            [&](IAsyncSteps& asi) { asi.add([&](IAsyncSteps&) { waited += breaker.waiting(); }); });
    };
    CHECK(allocationsOf(tool, sections, [] {}) == 0);
    CHECK(waited == 9 * (kWarm + kRounds));
}

TEST_CASE("cleanups and shields cost no allocation", "[memory]") {
    const auto shielded = shield(10, [](IAsyncSteps& inner) {
        inner.setTimeout(5);
        inner.add([](IAsyncSteps& last) { last.success(2, 3); });
    });
    CHECK(allocationsOf([&shielded](AsyncSteps& flow) {
              flow.repeat(3, [&shielded](IAsyncSteps& asi) {
                  asi.defer([kept = Capture{}](IAsyncSteps& own) {
                      static_cast<void>(kept);
                      own.add([](IAsyncSteps&) {});
                  });
                  asi.defer([](IAsyncSteps& own) { own.success(1); });
                  asi.setTimeout(100);
                  asi.add(shielded);
              });
          }) == 0);
}

TEST_CASE("a channel and a read-write lock cost no allocation, free or waited for", "[memory]") {
    VirtualTool tool;
    steptree::RwLock lock;
    steptree::Channel<std::string> meeting({.capacity = 0});
    steptree::Channel<int> buffer({.capacity = 3});
    const auto sections = [&](AsyncSteps& flow) {
        IParallel& parallel = flow.parallel();
        for (int i = 0; i < 12; ++i) {
            parallel.add([&, i](IAsyncSteps& asi) {
                asi.sync(i % 4 == 0 ? lock.write : lock.read,
                         [](IAsyncSteps& section) { section.relinquish(); });
                if (i % 2 == 0) {
                    meeting.send(asi, "short");
                    buffer.send(asi, i);
                } else {
                    meeting.receive(asi);
                    buffer.receive(asi);
                }
            });
        }
    };
    CHECK(allocationsOf(tool, sections, [] {}) == 0);
}
