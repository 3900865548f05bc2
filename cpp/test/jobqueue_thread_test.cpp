#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "jobshop.hpp"
#include "steptree/error.hpp"
#include "steptree/jobqueue.hpp"
#include "steptree/run.hpp"
#include "steptree/worker.hpp"

using namespace rig;
using namespace steptree;
using namespace std::chrono_literals;

TEST_CASE("mistakes of queues and workers are said at the call", "[redis][thread]") {
    Shop shop;
    CHECK_THROWS_AS(JobQueue(shop.connection, "a{"), StepError);
    CHECK_THROWS_AS(JobQueue(shop.connection, "a", {.limit = 0}), StepError);
    CHECK_THROWS_AS(enqueue(shop.letters, "1", {.delay = -1}), StepError);
    const auto make = [&](WorkerOptions options) {
        Worker(shop.tool, shop.letters, shop.noting(), std::move(options));
    };
    CHECK_THROWS_AS(make({.concurrency = 0}), StepError);
    CHECK_THROWS_AS(make({.retry = {.max = 0}}), StepError);
    CHECK_THROWS_AS(make({.lease = 10ms}), StepError);
    CHECK_THROWS_AS(make({.losses = -1}), StepError);
    JobQueue small(shop.connection, "small", {.limit = 1});
    CHECK_FALSE(steptree::run(shop.tool, enqueue(small, "1")).get().empty());
    CHECK_THROWS_WITH(steptree::run(shop.tool, enqueue(small, "2")).get(),
                      Catch::Contains("DefenseRejected"));
}

TEST_CASE("what is no job, too new, or past its deadline is a dead letter", "[redis][thread]") {
    Shop shop({.maxDepth = 3});
    shop.send("1", {.version = 7});
    shop.send("2", {.deadline = 20, .version = 0});
    shop.send("\"no\"");
    CHECK_THROWS_AS(enqueue(shop.letters, "{"), StepError);
    CHECK_THROWS_AS(enqueue(shop.letters, "[[[[1]]]]"), StepError);
    const auto waits =
        step([](IAsyncSteps& asi, const std::string&, const Job&) { asi.waitExternal(); });
    Worker worker(shop.tool, shop.letters, waits,
                  {.version = 6, .accepts = [](const std::string& text, std::int64_t) {
                       if (text == "\"no\"") throw std::runtime_error("a word");
                       return true;
                   }});
    shop.untilEmpty();
    std::vector<std::string> codes;
    for (const DeadLetter& letter : shop.dead()) codes.push_back(letter.code + " " + letter.info);
    std::ranges::sort(codes);
    REQUIRE(codes.size() == 3);
    CHECK(codes[0] == "InvalidJob a word");
    CHECK(codes[1] == "InvalidJob its version is 7, the handler knows 6");
    CHECK(codes[2].starts_with("Timeout"));
}

TEST_CASE("a command that is sent twice adds one job, whose time is the server's",
          "[redis][thread]") {
    Shop shop;
    for (int i = 0; i < 2; ++i) {
        CHECK(
            askScript(shop.connection, "jobs/enqueue", {"id", "1", "", "", "0", "0", "", "0", "9"})
                .text == "id");
    }
    CHECK(shop.counts().jobs == 1);
    const auto time = askRedis(shop.connection, {"TIME"});
    const auto at = askRedis(shop.connection, {"HGET", "{shop:jobs:letters}:job:id", "at"});
    CHECK(std::abs(std::stoll(at.text) / 1000 - std::stoll(time.list.at(0).text)) <= 2);
}

TEST_CASE("what is too large for the worker is a dead letter that isn't kept, and few are",
          "[redis][thread]") {
    Shop shop;
    JobQueue small(shop.connection, "letters", {.deadLetters = 2, .maxBytes = 8});
    shop.send("\"much too large\"");
    Worker worker(shop.tool, small, shop.noting());
    shop.untilEmpty();
    REQUIRE(shop.dead().size() == 1);
    CHECK(shop.dead()[0].code == "InvalidJob");
    CHECK_FALSE(shop.dead()[0].text);
    CHECK_THROWS_WITH(steptree::run(shop.tool, small.revive(shop.dead()[0].entry)).get(),
                      Catch::Contains("not kept"));
    for (int i = 0; i < 3; ++i) shop.send("\"much too large again\"");
    shop.untilEmpty();
    CHECK(shop.dead().size() == 2);
    CHECK(shop.noted().empty());
}

TEST_CASE("a job that is removed is not run, and a dead letter that is discarded is gone",
          "[redis][thread]") {
    Shop shop;
    const std::string first = shop.send("1", {.key = "ann", .unique = "u"});
    shop.send("2", {.key = "ann"});
    const std::string third = shop.send("3", {.key = "ann"});
    const std::string late = shop.send("4", {.delay = 60'000});
    const auto removes = [&](const std::string& id) {
        return steptree::run(shop.tool, shop.letters.remove(id)).get();
    };
    for (const std::string& id : {first, third, late}) CHECK(removes(id));
    CHECK_FALSE(removes(first));
    CHECK(shop.send("5", {.unique = "u"}) != first);
    Worker worker(shop.tool, shop.letters, shop.noting(), {.concurrency = 1});
    shop.untilEmpty();
    auto noted = shop.noted();
    std::ranges::sort(noted);
    CHECK(noted == std::vector<std::string>{"2", "5"});
    shop.send("6", {.version = 7});
    worker.drain(1s).get();
    Worker older(shop.tool, shop.letters, shop.noting(), {.version = 6});
    shop.untilEmpty();
    const std::string entry = shop.dead().at(0).entry;
    CHECK(steptree::run(shop.tool, shop.letters.discard(entry)).get());
    CHECK_FALSE(steptree::run(shop.tool, shop.letters.discard(entry)).get());
    CHECK(shop.dead().empty());
}
