#include <cstdlib>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/delay.hpp"
#include "steptree/limiter.hpp"
#include "steptree/mutex.hpp"
#include "steptree/parallel.hpp"
#include "steptree/redislimiter.hpp"
#include "steptree/redisrwlock.hpp"
#include "steptree/redisthrottle.hpp"
#include "steptree/rwlock.hpp"
#include "steptree/throttle.hpp"
#include "virtualredis.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

namespace {

/// So far apart that no two things that have nothing to do with each other happen at the same time.
constexpr int kSecond = 100'000;
constexpr std::int64_t kQueue = 6;
constexpr auto kLease = 24h;

/// Of a section: which guard it wants, how long it lasts, and what is inside.
struct Part {
    std::string name;
    int which;
    int pause;
    int ms;
    int timeout;
    bool isParallel;
    std::vector<Part> inside;
};

struct Program {
    explicit Program(unsigned seed) : random(seed) {
        for (int i = 0; i < 12; ++i) {
            at.push_back(chance(4 * kSecond));
            flows.push_back(
                {partOf(std::to_string(i) + ".0", 0), partOf(std::to_string(i) + ".1", 0)});
        }
    }

    int chance(int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); }
    Part partOf(const std::string& name, int depth) {
        Part part{name, chance(12), 1 + chance(kSecond), 1 + chance(kSecond), 0, false, {}};
        if (chance(4) == 0) part.timeout = 1 + chance(2 * kSecond);
        part.isParallel = chance(2) == 0;
        if (depth >= 2 || chance(3) != 0) return part;
        part.inside = {partOf(name + "0", depth + 1), partOf(name + "1", depth + 1)};
        return part;
    }

    std::mt19937 random;
    std::vector<int> at;
    std::vector<std::vector<Part>> flows;
};

/// By flow, and by the number that a section wants.
using GuardOf = std::function<Guard&(std::size_t flow, int which)>;

/// What each flow has seen, and when.
class Trace {
  public:
    Trace(const Program& program, Tool& tool, GuardOf guardOf)
        : tool_(tool), guardOf_(std::move(guardOf)), seen(program.flows.size()) {
        for (std::size_t i = 0; i < program.flows.size(); ++i) {
            auto& flow = *flows_.emplace_back(std::make_unique<AsyncSteps>(tool));
            flow.add(delay(program.at[i]));
            for (const Part& part : program.flows[i]) add(flow, part, i);
            flow.execute();
        }
    }

    std::vector<std::vector<std::string>> sorted() {
        for (auto& words : seen) std::ranges::sort(words);
        return seen;
    }

  private:
    void say(std::size_t flow, const std::string& what) {
        seen[flow].push_back(std::to_string(tool_.now()) + " " + what);
    }
    template <class To>
    void add(To& to, const Part& part, std::size_t flow) {
        to.add(
            [this, &part, flow](IAsyncSteps& outer) {
                outer.add(delay(part.pause));
                outer.add([this, &part, flow](IAsyncSteps& timed) {
                    if (part.timeout > 0) timed.setTimeout(part.timeout);
                    timed.sync(guardOf_(flow, part.which),
                               [this, &part, flow](IAsyncSteps& asi) { body(asi, part, flow); });
                });
            },
            [this, &part, flow](IAsyncSteps& asi, const std::string& code) {
                const StepError& error = *asi.state().lastError();
                say(flow, part.name + " " + code + " " + std::string(error.guard()) + " " +
                              std::to_string(error.retryAfter()) + " " +
                              (code == "Timeout" ? "" : error.info()));
                asi.success();
            });
    }
    void body(IAsyncSteps& asi, const Part& part, std::size_t flow) {
        say(flow, part.name + " in");
        asi.add(delay(part.ms));
        if (!part.isParallel) {
            for (const Part& each : part.inside) add(asi, each, flow);
        } else if (!part.inside.empty()) {
            auto& branches = asi.parallel();
            for (const Part& each : part.inside) add(branches, each, flow);
        }
        asi.add([this, &part, flow](IAsyncSteps&) { say(flow, part.name + " out"); });
    }

    Tool& tool_;
    const GuardOf guardOf_;
    std::vector<std::unique_ptr<AsyncSteps>> flows_;

  public:
    std::vector<std::vector<std::string>> seen;
};

int programs() {
    const char* const given = std::getenv("STEPTREE_PROGRAMS");
    return given != nullptr ? std::atoi(given) : 1;
}

/// `make(at)` of a connection, or null: a guard of this process. `of(guard, which)`: what a section
/// wants of it.
template <class Local, class Remote, class Of>
void compare(const char* kind, const Local& local, const Remote& remote, const Of& of) {
    static const RedisServer server;
    const unsigned first = givenSeed() != 0 ? givenSeed() : 1;
    for (int i = 0; i < programs(); ++i) {
        const unsigned seed = first + static_cast<unsigned>(i);
        const std::string name = std::string(kind) + " " + std::to_string(seed);
        INFO(name << ": --rng-seed " << seed);
        const Program program(seed);
        const auto here = local(name);
        VirtualTool tool;
        Trace expected(program, tool,
                       [&](std::size_t, int which) -> Guard& { return of(*here, which); });
        tool.advance(10'000'000);
        VirtualRedis redis(server);
        const decltype(remote(redis.connection, name)) there[] = {remote(redis.connection, name),
                                                                  remote(redis.connection, name),
                                                                  remote(redis.connection, name)};
        Trace seen(program, redis.tool, [&](std::size_t flow, int which) -> Guard& {
            return of(*there[flow % 3], which);
        });
        redis.run();
        CHECK(expected.sorted() == seen.sorted());
    }
}

const auto itself = [](auto& guard, int) -> Guard& { return guard; };
const auto several = [](auto& mutex, int which) -> Guard& {
    return which < 8 ? mutex : mutex.places(1 + which % 3);
};
const auto side = [](auto& lock, int which) -> Guard& {
    if (which < 8) return lock.read;
    return lock.write;
};

template <class Options>
void compareThrottles(const char* kind, ThrottleOptions local, Options remote) {
    local.maxQueue = remote.maxQueue = kQueue;
    remote.lease = kLease;
    compare(
        kind,
        [local](const std::string& name) {
            auto options = local;
            options.name = name;
            return std::make_unique<Throttle>(options);
        },
        [remote](RedisConnection& shop, const std::string& name) {
            return std::make_unique<RedisThrottle>(shop, name, remote);
        },
        itself);
}

void compareLimiters(const char* kind, LimiterOptions local, RedisLimiterOptions remote) {
    local.maxQueue = remote.maxQueue = kQueue;
    remote.lease = kLease;
    compare(
        kind,
        [local](const std::string& name) {
            auto options = local;
            options.name = name;
            return std::make_unique<Limiter>(options);
        },
        [remote](RedisConnection& shop, const std::string& name) {
            return std::make_unique<RedisLimiter>(shop, name, remote);
        },
        itself);
}

}  // namespace

TEST_CASE("guards over Redis let in at the same times as local ones, with the same errors",
          "[redis][thread]") {
    SECTION("a mutex") {
        compare(
            "mutex",
            [](const std::string& name) {
                return std::make_unique<Mutex>(
                    MutexOptions{.max = 3, .maxQueue = kQueue, .name = name});
            },
            [](RedisConnection& shop, const std::string& name) {
                return std::make_unique<RedisMutex>(
                    shop, name, RedisMutexOptions{.max = 3, .maxQueue = kQueue, .lease = kLease});
            },
            several);
    }
    SECTION("a read-write lock") {
        compare(
            "rwlock",
            [](const std::string& name) {
                return std::make_unique<RwLock>(RwLockOptions{.maxQueue = kQueue, .name = name});
            },
            [](RedisConnection& shop, const std::string& name) {
                return std::make_unique<RedisRwLock>(
                    shop, name, RedisRwLockOptions{.maxQueue = kQueue, .lease = kLease});
            },
            side);
    }
    SECTION("throttles") {
        for (const auto algorithm : {ThrottleAlgorithm::fixed, ThrottleAlgorithm::sliding}) {
            compareThrottles(
                algorithm == ThrottleAlgorithm::fixed ? "fixed" : "sliding",
                {.max = 4, .period = kSecond, .algorithm = algorithm},
                RedisThrottleOptions{.max = 4, .period = kSecond, .algorithm = algorithm});
        }
        compareThrottles("bucket", {.max = 3, .period = kSecond, .burst = 2},
                         RedisThrottleOptions{.max = 3, .period = kSecond, .burst = 2});
    }
    SECTION("limiters") {
        compareLimiters("both", {.concurrent = 3, .rate = 5, .period = kSecond},
                        {.concurrent = 3, .rate = 5, .period = kSecond});
        compareLimiters("bursts", {.concurrent = 2, .rate = 4, .period = kSecond, .burst = 3},
                        {.concurrent = 2, .rate = 4, .period = kSecond, .burst = 3});
        compareLimiters("places", {.concurrent = 2}, {.concurrent = 2});
        compareLimiters("entries", {.rate = 4, .period = kSecond}, {.rate = 4, .period = kSecond});
    }
}
