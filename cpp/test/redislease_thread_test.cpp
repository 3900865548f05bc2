#include <chrono>
#include <future>
#include <string>
#include <vector>

#include "catch.hpp"
#include "guardshop.hpp"
#include "steptree/delay.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

namespace {

constexpr auto kLease = 1s;
constexpr auto kPatient = 20s;  // a machine may be slow

/// In a process of its own: takes the lock, or waits for it, and writes what comes of that.
void holds(const RedisServer& server, int out) {
    Process process(server);
    RedisMutex mutex(process.connection, "m", {.lease = kLease, .patience = kPatient});
    const auto write = [out](const std::string& word) {
        static_cast<void>(!::write(out, (word + "\n").data(), word.size() + 1));
    };
    const auto section = sync(mutex, [&](IAsyncSteps& asi) {
        write("in " + mutex.token(asi));
        asi.waitExternal();
    });
    write(codeOf([&] { run(process.tool, section).get(); }));
    for (;;) ::pause();
}

/// What children write.
struct Pipe {
    Pipe() { REQUIRE(pipe(ends) == 0); }
    ~Pipe() {
        for (const int end : ends) ::close(end);
    }
    std::string line() const {
        std::string text;
        for (char next = 0; read(ends[0], &next, 1) == 1 && next != '\n';) text += next;
        return text;
    }
    int ends[2];
};

}  // namespace

TEST_CASE("what a killed process had, and waited for, goes to others within its lease",
          "[redis][thread]") {
    const RedisServer server;
    const Pipe pipe;
    Child one([&] { holds(server, pipe.ends[1]); });
    REQUIRE(pipe.line().starts_with("in "));
    Child two([&] { holds(server, pipe.ends[1]); });
    Process mine(server);
    mine.untilWaiting("mutex:m", 1);
    RedisMutex mutex(mine.connection, "m", {.lease = kLease, .patience = kPatient});
    Said said;
    auto ends = mine.codeOf(sync(mutex, [&](IAsyncSteps&) { said.say("in"); }));
    mine.untilWaiting("mutex:m", 2);
    std::this_thread::sleep_for(kLease + 200ms);
    CHECK(said.words().empty());
    two.kill();
    one.kill();
    const auto killed = std::chrono::steady_clock::now();
    CHECK(ends.get() == "ok");
    CHECK(std::chrono::steady_clock::now() - killed < kLease * 3 / 2);
}

TEST_CASE("a process that was paused loses its lock when it resumes", "[redis][thread]") {
    const RedisServer server;
    const Pipe pipe;
    Child one([&] { holds(server, pipe.ends[1]); });
    const std::string before = pipe.line();
    one.signal(SIGSTOP);
    Process mine(server);
    RedisMutex mutex(mine.connection, "m", {.lease = kLease, .patience = kPatient});
    std::string token;
    CHECK(mine.codeOf(sync(mutex, [&](IAsyncSteps& asi) { token = mutex.token(asi); })).get() ==
          "ok");
    one.signal(SIGCONT);
    CHECK(pipe.line() == "LeaseLost");
    CHECK(std::stoll(token) > std::stoll(before.substr(3)));
}

TEST_CASE("a process that doesn't reach Redis loses its locks, and who asks fails",
          "[redis][thread]") {
    RedisServer server;
    Process mine(server);
    RedisMutex mutex(mine.connection, "m", {.lease = kLease, .patience = 100ms});
    RedisMutex other(mine.connection, "other", {.lease = kLease, .patience = 100ms});
    Stays holder(mutex);
    auto held = std::async(std::launch::async, [&] { return mine.failureOf(holder.section()); });
    holder.said.until(1);
    const auto begun = std::chrono::steady_clock::now();
    server.signal(SIGSTOP);
    const auto empty = sync(other, [](IAsyncSteps&) {});
    CHECK(mine.failureOf(empty) == "RedisFailed other -1 mutex 'other': no answer in time");
    CHECK(held.get() ==
          "LeaseLost m -1 mutex 'm': Redis has not been heard of for the time of the lease");
    CHECK(std::chrono::steady_clock::now() - begun < kLease);
    server.signal(SIGCONT);
    CHECK(mine.codeOf(empty).get() == "ok");
}

TEST_CASE("what Redis has forgotten is lost, the token grows all the same", "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    RedisMutex first(one.connection, "m", {.lease = kLease, .patience = kPatient});
    RedisMutex second(two.connection, "m", {.lease = kLease, .patience = kPatient});
    std::string before;
    Said said;
    const auto section = sync(first, [&](IAsyncSteps& asi) {
        before = first.token(asi);
        asi.waitExternal();
        said.say("in");
    });
    auto held = std::async(std::launch::async, [&] { return one.failureOf(section); });
    said.until(1);
    askRedis(one.connection, {"FLUSHALL"});
    CHECK(held.get() == "LeaseLost m -1 mutex 'm': Redis does not know the place any more");
    std::string token;
    CHECK(two.codeOf(sync(second, [&](IAsyncSteps& asi) { token = second.token(asi); })).get() ==
          "ok");
    CHECK(std::stoll(token) > std::stoll(before));
}

TEST_CASE("an abandoned operation keeps its place in a mutex over Redis, and that is renewed",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    RedisMutex first(one.connection, "m", {.lease = kLease, .patience = kPatient});
    RedisMutex second(two.connection, "m", {.lease = kLease, .patience = kPatient});
    Promise<void> goesOn;
    const auto waits = step([&](IAsyncSteps& asi) { asi.await(goesOn.future()); });
    CHECK(one.codeOf(sync(first, waits).timeout(50ms)).get() == "Timeout");
    Said said;
    auto ends = two.codeOf(sync(second, [&](IAsyncSteps&) { said.say("in"); }));
    std::this_thread::sleep_for(kLease * 3 / 2);
    CHECK(said.words().empty());
    goesOn.success();
    CHECK(ends.get() == "ok");
}

TEST_CASE("who is told to wait for Redis does, and what was given without an answer comes back",
          "[redis][thread]") {
    RedisServer server;
    Process mine(server);
    askRedis(mine.connection, {"PING"});
    server.signal(SIGSTOP);
    RedisMutex gone(mine.connection, "m", {.lease = kLease, .patience = 50ms});
    Said said;
    const auto says = [&](IAsyncSteps&) { said.say("in"); };
    CHECK(mine.codeOf(sync(gone, says)).get() == "RedisFailed");
    RedisMutex waits(mine.connection, "m",
                     {.lease = kLease, .patience = 50ms, .whenDown = WhenDown::wait});
    auto ends = mine.codeOf(sync(waits, says));
    std::this_thread::sleep_for(200ms);
    CHECK(said.words().empty());
    server.signal(SIGCONT);
    CHECK(ends.get() == "ok");
}

TEST_CASE("a process goes on by itself with its share, and with Redis when that is back",
          "[redis][thread]") {
    RedisServer server;
    Process mine(server);
    askRedis(mine.connection, {"PING"});
    RedisMutex mutex(mine.connection, "m",
                     {.max = 5, .lease = kLease, .patience = 50ms, .whenDown = WhenDown::local(2)});
    server.signal(SIGSTOP);
    std::atomic<int> active = 0;
    std::atomic<int> most = 0;
    const auto section = sync(mutex, [&](IAsyncSteps& asi) {
        CHECK(codeOf([&] { mutex.token(asi); }) == "InternalError");
        most = std::max<int>(most, ++active);
        asi.add(delay(10ms)).add([&](IAsyncSteps&) { --active; });
    });
    std::vector<Future<void>> runs;
    for (int i = 0; i < 5; ++i) runs.push_back(run(mine.tool, section));
    for (auto& each : runs) each.get();
    CHECK(most == 2);
    server.signal(SIGCONT);
    askRedis(mine.connection, {"PING"});
    std::string token;
    for (int i = 0; i < 100 && token.empty(); ++i) {
        const auto asks = sync(mutex, [&](IAsyncSteps& asi) {
            if (codeOf([&] { token = mutex.token(asi); }) != "nothing") asi.add(delay(10ms));
        });
        CHECK(mine.codeOf(asks).get() == "ok");
    }
    CHECK(std::stoll(token) > 0);
}

TEST_CASE("with a full memory Redis fails who asks, and renews and takes back all the same",
          "[redis][thread]") {
    const RedisServer server;
    Process one(server);
    Process two(server);
    RedisMutex first(one.connection, "m", {.lease = kLease, .patience = kPatient});
    RedisMutex second(two.connection, "m", {.lease = kLease, .patience = kPatient});
    RedisMutex other(two.connection, "other", {.lease = kLease, .patience = kPatient});
    Stays holder(first);
    auto held = one.codeOf(holder.section());
    holder.said.until(1);
    auto waits = two.codeOf(sync(second, [](IAsyncSteps&) {}));
    one.untilWaiting("mutex:m", 1);
    askRedis(one.connection, {"CONFIG", "SET", "maxmemory", "1"});
    CHECK(two.failureOf(sync(other, [](IAsyncSteps&) {}))
              .starts_with("RedisFailed other -1 mutex 'other': OOM"));
    std::this_thread::sleep_for(kLease * 3 / 2);
    holder.letGo();
    CHECK(held.get() == "ok");
    CHECK(waits.get() == "ok");
}

TEST_CASE("what was given, or given back, without an answer is given back when Redis is back",
          "[redis][thread]") {
    RedisServer server;
    Process one(server);
    Process two(server);
    RedisMutex lossy(one.connection, "m", {.lease = 20s, .patience = 100ms});
    RedisMutex other(two.connection, "m", {.lease = 20s, .patience = kPatient});
    const auto nothing = [](IAsyncSteps&) {};
    Stays stays(lossy);
    auto held = one.codeOf(stays.section());
    stays.said.until(1);
    const auto begun = std::chrono::steady_clock::now();
    server.signal(SIGSTOP);
    stays.letGo();
    CHECK(held.get() == "ok");                                       // given back, unheard
    CHECK(one.codeOf(sync(lossy, nothing)).get() == "RedisFailed");  // and asked for once more
    server.signal(SIGCONT);
    CHECK(two.codeOf(sync(other, nothing)).get() == "ok");
    askRedis(two.connection, {"CLIENT", "PAUSE", "300", "ALL"});
    auto unheard = one.codeOf(sync(lossy, nothing));
    CHECK(unheard.get() == "RedisFailed");
    CHECK(two.codeOf(sync(other, nothing)).get() == "ok");
    CHECK(std::chrono::steady_clock::now() - begun < 15s);
    while (!two.keys().empty()) std::this_thread::sleep_for(1ms);
}
