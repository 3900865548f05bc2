#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "jobshop.hpp"
#include "steptree/delay.hpp"
#include "steptree/error.hpp"
#include "steptree/jobqueue.hpp"
#include "steptree/mutex.hpp"
#include "steptree/run.hpp"
#include "steptree/sync.hpp"
#include "steptree/worker.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

TEST_CASE("a worker runs jobs, and those that come later, too", "[redis][thread]") {
    Shop shop;
    shop.send("1");
    Worker worker(shop.tool, shop.letters, shop.noting());
    shop.send("2");
    shop.untilEmpty();
    CHECK(shop.noted() == std::vector<std::string>{"1", "2"});
    CHECK(worker.drain(1s).get() == 0);
    CHECK(worker.size() == 0);
    shop.send("3");
    CHECK(shop.counts().jobs == 1);
}

TEST_CASE("jobs that fail are tried again, then they are dead letters that can be revived",
          "[redis][thread]") {
    Shop shop;
    std::atomic<bool> mends = false;
    const auto fails = step([&](IAsyncSteps& asi, const std::string&, const Job& job) {
        shop.note(std::to_string(job.attempt()) + " after " + std::to_string(job.causes().size()));
        if (!mends) asi.error("Unreachable", "try " + std::to_string(job.attempt()));
    });
    Worker worker(shop.tool, shop.letters, fails.named("post"),
                  {.retry = {.max = 3, .backoff = {.base = 1, .jitter = 0}}});
    const std::string id = shop.send(R"({"to":"ann"})");
    shop.untilEmpty();
    CHECK(shop.noted() == std::vector<std::string>{"1 after 0", "2 after 1", "3 after 2"});
    const auto dead = shop.dead();
    REQUIRE(dead.size() == 1);
    CHECK(dead[0].id == id);
    CHECK(dead[0].code == "Unreachable");
    CHECK(dead[0].info == "try 3");
    CHECK(dead[0].path == "post");
    CHECK(dead[0].attempts == 3);
    CHECK(dead[0].text == R"({"to":"ann"})");
    REQUIRE(dead[0].causes.size() == 3);
    CHECK(dead[0].causes[0].info == "try 1");
    for (const char* none : {"", "-", "+", "$", "*", "0", "x-y", "99999999999999999999-1"}) {
        CHECK_FALSE(steptree::run(shop.tool, shop.letters.revive(none)).get());
        CHECK_FALSE(steptree::run(shop.tool, shop.letters.discard(none)).get());
    }
    CHECK(steptree::run(shop.tool, shop.letters.look("")).get().state.empty());
    mends = true;
    CHECK(steptree::run(shop.tool, shop.letters.revive(dead[0].entry)).get());
    shop.untilEmpty();
    CHECK(shop.noted().back() == "1 after 0");
    CHECK(shop.dead().empty());
    CHECK_FALSE(steptree::run(shop.tool, shop.letters.revive(dead[0].entry)).get());
}

TEST_CASE("jobs of a key run in order, delayed ones in time, unique ones once", "[redis][thread]") {
    Shop shop;
    for (const char* text : {"1", "2", "3", "4"}) shop.send(text, {.key = "ann"});
    const std::string one = shop.send("5", {.unique = "u"});
    CHECK(shop.send("6", {.unique = "u"}) == one);
    shop.send("7", {.delay = 500});
    CHECK(shop.counts().due == 1);
    Worker worker(shop.tool, shop.letters, shop.noting());
    shop.untilEmpty();
    auto done = shop.noted();
    CHECK(done.back() == "7");
    std::erase_if(done, [](const std::string& text) { return text > "4"; });
    CHECK(done == std::vector<std::string>{"1", "2", "3", "4"});
    CHECK(shop.noted().size() == 6);
}

TEST_CASE("progress is seen, a guard holds for all jobs", "[redis][thread]") {
    Shop shop;
    ThreadMutex one;
    std::atomic<int> inside = 0;
    std::atomic<bool> overlapped = false;
    const auto work = step([&](IAsyncSteps& asi, const std::string&, const Job& job) {
        overlapped = overlapped || ++inside > 1;
        asi.add(job.progress(R"({"done":3})"));
        asi.add(delay(30));
        asi.add([&](IAsyncSteps&) { --inside; });
    });
    Worker worker(shop.tool, shop.letters, sync(one, work));
    const std::string id = shop.send("1");
    shop.send("2");
    JobLook look;
    while ((look = steptree::run(shop.tool, shop.letters.look(id)).get()).progress.empty()) {
        std::this_thread::sleep_for(1ms);
    }
    CHECK(look.progress == R"({"done":3})");
    CHECK(look.state == "runs");
    shop.untilEmpty();
    CHECK_FALSE(overlapped);
}

TEST_CASE("a worker has so many jobs at a time, of the first queue first, and doesn't poll",
          "[redis][thread]") {
    Shop shop;
    JobQueue urgent(shop.connection, "urgent");
    for (const char* text : {"3", "4"}) shop.send(text);
    for (const char* text : {"1", "2"}) steptree::run(shop.tool, enqueue(urgent, text)).get();
    Worker worker(shop.tool, {&urgent, &shop.letters}, shop.noting(), {.concurrency = 1});
    shop.untilEmpty();
    CHECK(shop.noted() == std::vector<std::string>{"1", "2", "3", "4"});
    std::this_thread::sleep_for(50ms);
    const auto scripts = [&] {
        const std::string stats = askRedis(shop.connection, {"INFO", "commandstats"}).text;
        const std::string name = "cmdstat_evalsha:calls=";
        return std::stoll(stats.substr(stats.find(name) + name.size()));
    };
    const auto before = scripts();
    std::this_thread::sleep_for(200ms);
    CHECK(scripts() == before);
}

TEST_CASE("a mistake of a handler is told to the report of its worker, at each attempt",
          "[redis][thread]") {
    Shop shop;
    const auto wrong = step([&](IAsyncSteps& asi, const std::string& payload, const Job&) {
        if (payload == "[]") static_cast<void>(payload.at(100));
        asi.error("NoHost");
    });
    const auto report = [&](const StepError& error) {
        shop.note(error.path() + " " + error.code());
    };
    const auto again = [](const std::string&) -> RetryDecision { return true; };
    Worker worker(shop.tool, shop.letters, wrong,
                  {.retry = {.max = 2, .backoff = {.base = 1}, .on = again}, .report = report});
    const std::string id = shop.send("[]");
    shop.send("[1]");
    shop.untilEmpty();
    CHECK(shop.noted() == std::vector<std::string>(2, "letters/" + id + " InternalError"));
}
