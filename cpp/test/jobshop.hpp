#pragma once

#include <chrono>
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
#include "steptree/jobqueue.hpp"
#include "steptree/run.hpp"
#include "steptree/worker.hpp"

namespace rig {

/// What Redis says to these words.
inline steptree::detail::redis::Reply askRedis(steptree::RedisConnection& to,
                                               std::vector<std::string> words) {
    using steptree::detail::redis::Reply;
    auto answer = std::make_shared<std::promise<Reply>>();
    steptree::RedisConnection::Access::wire(to).send(
        std::move(words), [answer](Reply reply) { answer->set_value(std::move(reply)); });
    return answer->get_future().get();
}

/// What a script of the queue letters answers.
inline steptree::detail::redis::Reply askScript(steptree::RedisConnection& to, const char* name,
                                                std::vector<std::string> args) {
    using steptree::detail::redis::Reply;
    auto answer = std::make_shared<std::promise<Reply>>();
    steptree::RedisConnection::Access::script(
        to, name, "{shop:jobs:letters}", std::move(args),
        [answer](Reply reply) { answer->set_value(std::move(reply)); });
    return answer->get_future().get();
}

/// A server, a queue of it, and who writes down what was done.
struct Shop {
    explicit Shop(steptree::JobQueueOptions options = {}, std::vector<std::string> redis = {})
        : Shop(std::make_unique<RedisServer>(std::move(redis)), options) {}
    /// Of a server that is there.
    explicit Shop(std::unique_ptr<RedisServer> redis, steptree::JobQueueOptions options = {})
        : owned(std::move(redis)),
          connection({.prefix = "shop", .port = server.port()}),
          letters(connection, "letters", options) {}

    std::string send(const std::string& payload, steptree::EnqueueOptions options = {}) {
        return steptree::run(tool, enqueue(letters, payload, std::move(options))).get();
    }
    steptree::JobCounts counts() { return steptree::run(tool, letters.counts()).get(); }
    std::vector<steptree::DeadLetter> dead() { return steptree::run(tool, letters.dead()).get(); }
    void untilEmpty() {
        while (counts().jobs > 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }

    void note(const std::string& word) {
        const std::lock_guard locked(mutex);
        done.push_back(word);
    }
    std::vector<std::string> noted() {
        const std::lock_guard locked(mutex);
        return done;
    }
    auto noting() {
        return steptree::step([this](steptree::IAsyncSteps&, const std::string& letter,
                                     const steptree::Job&) { note(letter); });
    }

    std::unique_ptr<RedisServer> owned;
    RedisServer& server = *owned;
    steptree::RedisConnection connection;
    steptree::JobQueue letters;
    steptree::AsyncTool tool;
    std::mutex mutex;
    std::vector<std::string> done;
};

}  // namespace rig
