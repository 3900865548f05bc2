#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "jobshop.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/error.hpp"
#include "steptree/jobqueue.hpp"
#include "steptree/run.hpp"
#include "steptree/worker.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

/// A process that takes a job and hangs. It's begun while this one has a thread only.
[[noreturn]] void workAndHang(const RedisServer& server) {
    AsyncTool tool;
    RedisConnection connection({.prefix = "shop", .port = server.port()});
    JobQueue letters(connection, "letters");
    steptree::run(tool, enqueue(letters, "1")).get();
    const auto hangs =
        step([](IAsyncSteps& asi, const std::string&, const Job&) { asi.waitExternal(); });
    Worker worker(tool, letters, hangs, {.lease = 1s});
    for (;;) pause();
}

TEST_CASE("a job of a process that is killed is taken over within its lease", "[redis][thread]") {
    auto server = std::make_unique<RedisServer>();
    const pid_t child = fork();
    if (child == 0) workAndHang(*server);
    Shop shop(std::move(server));
    while (shop.counts().run == 0) std::this_thread::sleep_for(2ms);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    std::atomic<std::int64_t> losses = 0;
    const auto notes =
        step([&](IAsyncSteps&, const std::string&, const Job& job) { losses = job.losses(); });
    Worker worker(shop.tool, shop.letters, notes, {.lease = 1s});
    shop.untilEmpty();
    CHECK(losses == 1);
}

TEST_CASE(
    "a server that is restarted empty, or stands still for longer than a lease: jobs are left",
    "[redis][thread]") {
    Shop shop;
    shop.send("1");
    std::mutex mutex;
    std::vector<std::string> reports;
    const auto hangs = step([&](IAsyncSteps& asi, const std::string&, const Job&) {
        asi.setCancel([&shop](IAsyncSteps&) { shop.note("left"); });
    });
    Worker worker(shop.tool, shop.letters, hangs,
                  {.lease = 1s, .report = [&](const StepError& error) {
                       const std::lock_guard locked(mutex);
                       reports.push_back(error.code());
                   }});
    while (worker.size() == 0) std::this_thread::sleep_for(1ms);
    shop.server.signal(SIGSTOP);
    while (shop.noted().empty()) std::this_thread::sleep_for(5ms);
    shop.server.kill();
    while (worker.size() > 0) std::this_thread::sleep_for(5ms);
    shop.server.start();
    for (bool sent = false; !sent;) {
        try {
            shop.send("2");
            sent = true;
        } catch (const StepError& error) {
            CHECK(error.code() == errors::RedisFailed);
            std::this_thread::sleep_for(5ms);
        }
    }
    while (worker.size() == 0) std::this_thread::sleep_for(5ms);
    worker.drain(0).get();
    const std::lock_guard locked(mutex);
    CHECK_FALSE(reports.empty());
}

TEST_CASE("a worker that is destroyed lets its jobs' leases end", "[redis][thread]") {
    Shop shop;
    shop.send("1");
    {
        const auto hangs =
            step([](IAsyncSteps& asi, const std::string&, const Job&) { asi.waitExternal(); });
        Worker worker(shop.tool, shop.letters, hangs, {.lease = 1s});
        while (worker.size() == 0) std::this_thread::sleep_for(1ms);
    }
    Worker worker(shop.tool, shop.letters, shop.noting(), {.lease = 1s});
    shop.untilEmpty();
    CHECK(shop.noted() == std::vector<std::string>{"1"});
}

TEST_CASE("a drain gives back what doesn't end in time", "[redis][thread]") {
    Shop shop;
    for (const char* text : {"1", "2", "3"}) shop.send(text);
    const auto hangs = step([&](IAsyncSteps& asi, const std::string& letter, const Job&) {
        asi.setCancel([&shop, letter](IAsyncSteps&) { shop.note("left " + letter); });
    });
    Worker worker(shop.tool, shop.letters, hangs, {.concurrency = 2});
    while (worker.size() < 2) std::this_thread::sleep_for(1ms);
    CHECK(worker.drain(20ms).get() == 2);
    CHECK(worker.drain(0).get() == 2);
    CHECK(shop.counts().jobs == 3);
    CHECK(shop.counts().run == 0);
    Worker next(shop.tool, shop.letters, shop.noting());
    shop.untilEmpty();
    CHECK(shop.noted().size() == 5);
}

TEST_CASE("what is said of a job whose lease was lost changes nothing, and tokens only grow",
          "[redis][thread]") {
    Shop shop;
    const std::string id = shop.send("1");
    std::mutex mutex;
    std::vector<Job> jobs;
    const auto keeps = step([&](IAsyncSteps& asi, const std::string&, const Job& job) {
        {
            const std::lock_guard locked(mutex);
            jobs.push_back(job);
        }
        asi.error("Again");
    });
    Worker worker(shop.tool, shop.letters, keeps,
                  {.retry = {.max = 3, .backoff = {.base = 1, .cap = 1}}});
    shop.untilEmpty();
    REQUIRE(jobs.size() == 3);
    CHECK(std::stoll(jobs[0].token()) < std::stoll(jobs[1].token()));
    CHECK(std::stoll(jobs[1].token()) < std::stoll(jobs[2].token()));
    CHECK_THROWS_WITH(steptree::run(shop.tool, jobs[0].progress("1")).get(),
                      Catch::Contains("LeaseLost"));
    CHECK(askScript(shop.connection, "jobs/done", {id, jobs[0].token()}).number == 0);
}

TEST_CASE("a job that loses too many workers is a dead letter", "[redis][thread]") {
    Shop shop;
    shop.send("1");
    const auto hangs =
        step([](IAsyncSteps& asi, const std::string&, const Job&) { asi.waitExternal(); });
    {
        Worker lost(shop.tool, shop.letters, hangs, {.lease = 1s});
        while (lost.size() == 0) std::this_thread::sleep_for(1ms);
    }
    Worker worker(shop.tool, shop.letters, hangs, {.lease = 1s, .losses = 0});
    shop.untilEmpty();
    REQUIRE(shop.dead().size() == 1);
    CHECK(shop.dead()[0].code == "LeaseLost");
}

TEST_CASE("no job is lost while Redis is killed, and a worker drains without it",
          "[redis][thread]") {
    Shop shop({}, {"--appendonly", "yes", "--appendfsync", "always"});
    Worker worker(shop.tool, shop.letters, shop.noting(), {.concurrency = 4, .lease = 1s});
    const auto until = [](const auto& works) {
        for (;;) {
            try {
                return works();
            } catch (const StepError&) {
                std::this_thread::sleep_for(5ms);
            }
        }
    };
    for (int i = 0; i < 60; ++i) {
        if (i % 20 == 10) {
            shop.server.kill();
            shop.server.start();
        }
        until([&] { shop.send(std::to_string(i), {.unique = std::to_string(i)}); });
    }
    until([&] { shop.untilEmpty(); });
    const auto done = shop.noted();
    for (int i = 0; i < 60; ++i) {
        INFO(i);
        CHECK(std::ranges::count(done, std::to_string(i)) >= 1);
    }
    shop.server.kill();
    CHECK(worker.drain(0).get() == 0);
}

TEST_CASE("a worker may be destroyed at any time, also by a flow of its tool", "[redis][thread]") {
    Shop shop;
    for (int i = 0; i < 200; ++i) shop.send(std::to_string(i));
    for (int i = 0; i < 60; ++i) {
        std::optional<Worker> worker(std::in_place, shop.tool, shop.letters, shop.noting(),
                                     WorkerOptions{.concurrency = 4, .lease = 1s});
        std::this_thread::sleep_for(std::chrono::microseconds(i * 50));
        if (i % 3 == 0) static_cast<void>(worker->drain(0));
        if (i % 2 == 0) {
            steptree::run(shop.tool, step([&](IAsyncSteps&) { worker.reset(); })).get();
        }
    }
    Worker worker(shop.tool, shop.letters, shop.noting(), {.lease = 1s});
    shop.untilEmpty();
    CHECK(shop.noted().size() >= 200);
}
