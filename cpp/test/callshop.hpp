#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "../redis/connection.hpp"
#include "redisserver.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/error.hpp"
#include "steptree/redisservice.hpp"
#include "steptree/run.hpp"
#include "steptree/server.hpp"

namespace rig {

/// A server of Redis, a service there as two processes have it, and who writes down what happens.
struct CallShop {
    using Asking = steptree::Step<steptree::AnyValues, steptree::Values<std::string>>;

    explicit CallShop(steptree::RedisServiceOptions options = {},
                      std::vector<std::string> redis = {})
        : CallShop(std::make_unique<RedisServer>(std::move(redis)), options) {}
    /// Of a server that is there.
    explicit CallShop(std::unique_ptr<RedisServer> redis,
                      steptree::RedisServiceOptions options = {})
        : owned(std::move(redis)),
          near({.prefix = "shop", .port = server.port()}),
          far({.prefix = "shop", .port = server.port()}),
          prices(near, "prices", options),
          served(far, "prices", options) {}

    std::string ask(const std::string& method, const std::string& args) {
        return steptree::run(tool, call(prices, method, args)).get();
    }
    /// The code with which it fails; '': it doesn't. Errors stay in their flow: who frees one that
    /// another thread has caught races with that, as ThreadSanitizer sees it.
    std::string codeOf(const Asking& asking) {
        const auto told = asking.onError(
            [](steptree::IAsyncSteps& asi, const std::string& code) { asi.success("!" + code); });
        const std::string reply = steptree::run(tool, told).get();
        return reply.starts_with('!') ? reply.substr(1) : "";
    }
    std::string failing(const std::string& method, const std::string& args = "[]") {
        return codeOf(call(prices, method, args));
    }
    /// What Redis says to these words.
    steptree::detail::redis::Reply redis(std::vector<std::string> words) {
        using steptree::detail::redis::Reply;
        auto answer = std::make_shared<std::promise<Reply>>();
        steptree::RedisConnection::Access::wire(far).send(
            std::move(words), [answer](Reply reply) { answer->set_value(std::move(reply)); });
        return answer->get_future().get();
    }
    /// What a script of the service answers.
    steptree::detail::redis::Reply script(const char* name, std::vector<std::string> args) {
        using steptree::detail::redis::Reply;
        auto answer = std::make_shared<std::promise<Reply>>();
        steptree::RedisConnection::Access::script(
            far, name, "{shop:call:prices}", std::move(args),
            [answer](Reply reply) { answer->set_value(std::move(reply)); });
        return answer->get_future().get();
    }
    /// The sessions there are.
    std::vector<std::string> sessions() {
        std::vector<std::string> found;
        const auto all = redis({"ZRANGE", "{shop:call:prices}:sessions", "0", "-1"});
        for (const auto& one : all.list) found.push_back(one.text);
        return found;
    }
    /// How many calls wait for a server.
    std::int64_t waiting() { return redis({"ZCARD", "{shop:call:prices}:queue"}).number; }

    void note(const std::string& word) {
        const std::lock_guard locked(mutex);
        done.push_back(word);
    }
    std::vector<std::string> noted() {
        const std::lock_guard locked(mutex);
        return done;
    }
    std::size_t count(const std::string& word) {
        const std::lock_guard locked(mutex);
        return static_cast<std::size_t>(std::ranges::count(done, word));
    }
    /// A handler that doesn't end by itself.
    auto hanging() {
        return steptree::step(
            [this](steptree::IAsyncSteps& asi, const std::string&, const steptree::ServedCall&) {
                note("begins");
                asi.setCancel([this](steptree::IAsyncSteps&) { note("left"); });
            });
    }

    std::unique_ptr<RedisServer> owned;
    RedisServer& server = *owned;
    steptree::RedisConnection near;  // the callers' process
    steptree::RedisConnection far;   // the servers'
    steptree::RedisService prices;
    steptree::RedisService served;
    steptree::AsyncTool tool;
    std::mutex mutex;
    std::vector<std::string> done;
};

}  // namespace rig
