#include "steptree/keyed.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rig.hpp"
#include "steptree/nitrosteps.hpp"

using namespace rig;
using namespace steptree;

namespace {

void wait(IAsyncSteps& asi) {
    asi.waitExternal();
}

void nothing(IAsyncSteps&) {}

}  // namespace

TEST_CASE("make gives a guard or its options, by any function of the key", "[keyed]") {
    Rig rig;
    Keyed<std::string, Limiter> options(
        [](const std::string& user) { return LimiterOptions{.concurrent = 2, .name = user}; });
    Keyed<int, Mutex> guards([count = 0](int) mutable { return Mutex({.max = ++count}); });
    std::string said;
    rig.flow.sync(options.of("Ann"), [&](IAsyncSteps&) { said += options.get("Ann")->name(); });
    rig.flow.sync(guards.of(1), [&](IAsyncSteps& asi) {
        asi.sync(guards.of(2), [&](IAsyncSteps&) {
            said += std::to_string(guards.get(2)->available()) + std::to_string(guards.size());
        });
    });
    CHECK(rig.run() == "ok");
    CHECK(said == "Ann12");
    CHECK(options.size() + guards.size() == 0);
    CHECK(guards.get(1) == nullptr);
}

TEST_CASE("what make throws is what the section of a key fails with", "[keyed]") {
    Rig rig;
    Keyed<int, Mutex> keyed([](int key) {
        if (key > 0) throw StepError("NoUser");
        return MutexOptions{.max = key};
    });
    std::vector<std::string> codes;
    for (const int key : {1, 0}) {
        rig.flow.add([&, key](IAsyncSteps& asi) { asi.sync(keyed.of(key), &nothing); },
                     [&](IAsyncSteps& asi, const std::string& code) {
                         codes.push_back(code);
                         asi.success();
                     });
    }
    CHECK(rig.run() == "ok");
    CHECK(codes == std::vector<std::string>{"NoUser", "InternalError"});
    CHECK(keyed.size() == 0);
}

TEST_CASE("a flow that is cancelled while it makes a guard leaves none", "[keyed]") {
    Rig rig;
    Keyed<int, Mutex> keyed([&](int) {
        rig.flow.cancel("enough");
        return MutexOptions();
    });
    bool ran = false;
    rig.flow.sync(keyed.of(1), [&](IAsyncSteps&) { ran = true; });
    CHECK(rig.run() == "cancelled enough");
    CHECK(!ran);
    CHECK(keyed.size() == 0);
}

TEST_CASE("what of() gives may be gone, and a step value of it outlives its Keyed", "[keyed]") {
    Rig rig;
    std::optional<Step<>> section;
    {
        Keyed<std::string, Mutex> keyed([](const std::string&) { return MutexOptions(); });
        const auto payload = std::make_shared<int>(5);
        const Step<> inner = step([payload](IAsyncSteps&) {});
        section = sync(keyed.of("a key that is no short string, so that it is on the heap"), inner);
        rig.flow.sync(keyed.of("another key that is no short string, on the heap, too"),
                      [payload, &keyed](IAsyncSteps&) { CHECK(keyed.size() == 1); });
        rig.flow.sync(keyed.of("a third key that is no short string"), *section,
                      [](IAsyncSteps&, const std::string&) {});
        rig.flow.add(*section);
        rig.flow.add(sync(keyed.of("k"), [](IAsyncSteps& asi) { asi.setTimeout(1), wait(asi); }));
        CHECK(rig.run() == "error Timeout");
        CHECK(keyed.size() == 0);
    }
    CHECK(section.has_value());
}

TEST_CASE("lines that wait for the guard of a key leave none when they are cancelled", "[keyed]") {
    VirtualTool tool;
    Keyed<int, Limiter> keyed([](int) { return LimiterOptions{.concurrent = 1}; });
    std::vector<std::unique_ptr<AsyncSteps>> flows;
    for (int i = 0; i < 3; ++i) {
        flows.push_back(std::make_unique<AsyncSteps>(tool));
        flows.back()->sync(keyed.of(7), &wait);
        flows.back()->execute();
    }
    tool.run();
    CHECK(keyed.get(7)->waiting() == 2);
    for (const auto& flow : flows) flow->cancel();
    CHECK(keyed.size() == 0);
}

TEST_CASE("a guard that is read isn't dropped meanwhile", "[keyed]") {
    Rig rig;
    Keyed<int, Mutex> keyed([](int) { return MutexOptions(); });
    auto reading = keyed.get(1);
    rig.flow.sync(keyed.of(1), [&](IAsyncSteps&) { reading = keyed.get(1); });
    CHECK(rig.run() == "ok");
    CHECK(reading->available() == 1);
    CHECK(keyed.size() == 1);
    reading.reset();
    CHECK(keyed.size() == 0);
}

TEST_CASE("a flow of a fixed size locks and waits for guards of keys", "[keyed]") {
    VirtualTool tool;
    Keyed<int, Limiter> keyed([](int) { return LimiterOptions{.concurrent = 1, .rate = 1}; });
    AsyncSteps holder(tool);
    NitroSteps<MaxSteps<8>, MaxSyncs<2>, MaxStack<64>> waiter(tool);
    bool in = false;
    holder.sync(keyed.of(1), [](IAsyncSteps& asi) { asi.add(delay(5)); });
    waiter.sync(keyed.of(1), [&](IAsyncSteps&) { in = true; });
    holder.execute();
    CHECK(rig::run(tool, waiter) == "ok");
    CHECK(in);
}

TEST_CASE("a million keys leave no guard behind", "[keyed]") {
    Rig rig;
    Keyed<std::int64_t, Mutex> keyed([](std::int64_t) { return MutexOptions(); });
    std::int64_t most = 0;
    rig.flow.repeat(1'000'000, [&](IAsyncSteps& asi, std::int64_t i) {
        asi.sync(keyed.of(i), [&](IAsyncSteps&) { most = std::max(most, keyed.size()); });
    });
    CHECK(rig.run() == "ok");
    CHECK(most == 1);
    CHECK(keyed.size() == 0);
}

/// In each millisecond ten keys come that never come again: at most 1,010 remember something.
template <class G, class Options>
std::int64_t mostOf(const Options& options) {
    Rig rig;
    Keyed<std::int64_t, G> keyed([&](std::int64_t) { return options; });
    std::int64_t most = 0;
    rig.flow.repeat(1'000'000, [&](IAsyncSteps& asi, std::int64_t i) {
        asi.sync(keyed.of(i), &nothing);
        if (i % 10 == 9) rig.tool.elapse(1);
        most = std::max(most, keyed.size());
    });
    CHECK(rig.run() == "ok");
    return most;
}

TEST_CASE("of a million keys that come once there are twice as many guards as are in use",
          "[keyed]") {
    CHECK(mostOf<Throttle>(ThrottleOptions{.max = 2, .period = 100}) <= 2 * 1010 + 2);
    CHECK(mostOf<Throttle>(ThrottleOptions{
              .max = 2, .period = 100, .algorithm = ThrottleAlgorithm::sliding}) <= 2 * 1010 + 2);
    CHECK(mostOf<Limiter>(LimiterOptions{.concurrent = 1, .rate = 2, .period = 100, .burst = 1}) <=
          2 * 1010 + 2);
    CHECK(mostOf<Breaker>(BreakerOptions{.period = 50}) <= 2 * 1010 + 2);
}
