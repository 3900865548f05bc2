#include <signal.h>

#include <chrono>
#include <condition_variable>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../redis/connection.hpp"
#include "../redis/scripts.hpp"
#include "catch.hpp"
#include "redisserver.hpp"
#include "steptree/error.hpp"

using namespace rig;
using namespace std::chrono_literals;
using steptree::RedisConnection;
using steptree::RedisOptions;
using steptree::detail::redis::Listener;
using steptree::detail::redis::Reply;
using steptree::detail::redis::Wire;
using Access = RedisConnection::Access;

namespace {

std::future<Reply> sent(RedisConnection& to, std::vector<std::string> words) {
    auto answer = std::make_shared<std::promise<Reply>>();
    Access::wire(to).send(std::move(words), [answer](Reply reply) { answer->set_value(reply); });
    return answer->get_future();
}

std::string ask(RedisConnection& to, std::vector<std::string> words) {
    const Reply reply = sent(to, std::move(words)).get();
    return reply.kind == Reply::Kind::number ? std::to_string(reply.number) : reply.text;
}

/// What it has heard, and how often it was told to look for itself.
class Heard final : public Listener {
  public:
    void heard(const std::string& text) noexcept override { say(text); }
    void again() noexcept override { say("again"); }
    /// Waits for what comes next.
    std::string next() {
        std::unique_lock locked(mutex_);
        if (!told_.wait_for(locked, 20s, [this] { return !words_.empty(); })) return "nothing";
        const std::string word = words_.front();
        words_.erase(words_.begin());
        return word;
    }

  private:
    void say(const std::string& word) {
        const std::lock_guard locked(mutex_);
        words_.push_back(word);
        told_.notify_one();
    }

    std::mutex mutex_;
    std::condition_variable told_;
    std::vector<std::string> words_;
};

RedisOptions at(const RedisServer& server) {
    return {.prefix = "shop", .port = server.port()};
}

}  // namespace

TEST_CASE("a connection sends commands, and answers each", "[redis][thread]") {
    const RedisServer server;
    RedisConnection shop(at(server));
    CHECK(ask(shop, {"SET", "a", std::string("x\0y", 3)}) == "OK");
    CHECK(ask(shop, {"GET", "a"}) == std::string("x\0y", 3));
    CHECK(sent(shop, {"GET", "none"}).get().kind == Reply::Kind::nothing);
    CHECK(ask(shop, {"INCRBY", "n", "5"}) == "5");
    const Reply list = sent(shop, {"MGET", "a", "n"}).get();
    REQUIRE(list.list.size() == 2);
    CHECK(list.list[1].text == "5");
    const Reply wrong = sent(shop, {"INCR", "a"}).get();
    CHECK(wrong.kind == Reply::Kind::error);
    CHECK(wrong.refuses("ERR"));
}

TEST_CASE("a connection is one over a socket, with a user, a password, a database",
          "[redis][thread]") {
    const RedisServer server(
        {"--requirepass", "secret", "--user", "shop", "on", ">pass", "~*", "&*", "+@all"});
    RedisConnection plain({.prefix = "shop", .socket = server.socket(), .password = "secret"});
    CHECK(ask(plain, {"SET", "a", "0"}) == "OK");
    RedisConnection user({.prefix = "shop",
                          .port = server.port(),
                          .user = "shop",
                          .password = "pass",
                          .database = 3});
    CHECK(ask(user, {"ACL", "WHOAMI"}) == "shop");
    CHECK(sent(user, {"GET", "a"}).get().kind == Reply::Kind::nothing);
    RedisConnection wrong({.prefix = "shop", .port = server.port(), .password = "other"});
    CHECK(sent(wrong, {"GET", "a"}).get().kind == Reply::Kind::lost);
}

TEST_CASE("what was on its way when the server dies is lost, and the next server is found",
          "[redis][thread]") {
    RedisServer server;
    RedisConnection shop(at(server));
    const auto heard = std::make_shared<Heard>();
    Access::wire(shop).listen("news", heard);
    CHECK(heard->next() == "again");
    server.signal(SIGSTOP);
    auto lost = sent(shop, {"SET", "a", "1"});
    CHECK(lost.wait_for(20ms) == std::future_status::timeout);
    server.kill();
    CHECK(lost.get().kind == Reply::Kind::lost);
    CHECK(sent(shop, {"SET", "a", "1"}).get().kind == Reply::Kind::lost);
    server.start();
    CHECK(heard->next() == "again");
    while (ask(shop, {"SET", "a", "2"}) != "OK") std::this_thread::sleep_for(5ms);
    CHECK(ask(shop, {"PUBLISH", "news", "hello"}) == "1");
    CHECK(heard->next() == "hello");
}

TEST_CASE("commands wait for the first connection; without one they fail", "[redis][thread]") {
    RedisConnection none({.prefix = "shop", .port = 1});
    CHECK(sent(none, {"PING"}).get().kind == Reply::Kind::lost);
    std::future<Reply> late;
    {
        RedisServer server;
        server.signal(SIGSTOP);
        RedisConnection slow(
            {.prefix = "shop", .port = server.port(), .password = "x", .connectTimeout = 50ms});
        CHECK(sent(slow, {"PING"}).get().kind == Reply::Kind::lost);
        RedisConnection closes({.prefix = "shop", .port = server.port(), .password = "x"});
        late = sent(closes, {"PING"});
    }
    CHECK(late.get().kind == Reply::Kind::lost);
}

TEST_CASE("who leaves a channel hears no more, others do", "[redis][thread]") {
    const RedisServer server;
    RedisConnection shop(at(server));
    const auto one = std::make_shared<Heard>();
    const auto two = std::make_shared<Heard>();
    Wire& wire = Access::wire(shop);
    wire.listen("news", one);
    CHECK(one->next() == "again");
    wire.listen("news", two);
    CHECK(one->next() == "again");
    CHECK(two->next() == "again");
    wire.leave("news", *one);
    CHECK(ask(shop, {"PUBLISH", "news", "a"}) == "1");
    CHECK(two->next() == "a");
    wire.leave("news", *two);
    while (ask(shop, {"PUBLISH", "news", "b"}) != "0") std::this_thread::sleep_for(1ms);
    CHECK(one.use_count() == 1);
    CHECK(two.use_count() == 1);
}

TEST_CASE("a channel that was left is heard again at once, however often", "[redis][thread]") {
    const RedisServer server;
    RedisConnection shop(at(server));
    Wire& wire = Access::wire(shop);
    for (int i = 0; i < 200; ++i) {
        const auto one = std::make_shared<Heard>();
        const auto other = std::make_shared<Heard>();
        wire.listen("news", one);
        if (i % 2 == 0) CHECK(one->next() == "again");
        if (i % 3 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i));
        wire.leave("news", *one);
        if (i % 5 == 0) std::this_thread::sleep_for(std::chrono::microseconds(i));
        wire.listen("news", other);
        CHECK(other->next() == "again");
        CHECK(ask(shop, {"PUBLISH", "news", "a"}) == "1");
        while (other->next() != "a") continue;
        wire.leave("news", *other);
    }
}

TEST_CASE("a script is loaded when the server doesn't know it", "[redis][thread]") {
    const RedisServer server;
    RedisConnection shop(at(server));
    for (const auto& script : steptree::detail::redis::allScripts()) {
        INFO(script.name);
        CHECK(ask(shop, {"SCRIPT", "LOAD", std::string(script.text)}) == script.sha);
    }
    CHECK(ask(shop, {"SCRIPT", "FLUSH"}) == "OK");
    std::promise<Reply> answered;
    const std::string key = Access::key(shop, "jobs", "mails", "Worker");
    CHECK(key == "{shop:jobs:mails}");
    Access::script(shop, "jobs/counts", key, {}, [&](Reply reply) { answered.set_value(reply); });
    CHECK_FALSE(answered.get_future().get().isError());
}

TEST_CASE("mistakes are said where they are made", "[redis][thread]") {
    CHECK_THROWS_AS(RedisConnection({.prefix = "a b"}), steptree::StepError);
    CHECK_THROWS_AS(RedisConnection({.prefix = ""}), steptree::StepError);
    RedisConnection shop({.prefix = "shop", .port = 1});
    CHECK_THROWS_AS(Access::key(shop, "jobs", "a{b", "Worker"), steptree::StepError);
}
