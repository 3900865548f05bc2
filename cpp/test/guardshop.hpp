#pragma once

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "codeof.hpp"
#include "jobshop.hpp"
#include "steptree/redismutex.hpp"
#include "steptree/sync.hpp"

namespace rig {

/// What is said, in its order, by any thread.
class Said {
  public:
    void say(std::string word) {
        const std::lock_guard locked(mutex_);
        words_.push_back(std::move(word));
        told_.notify_all();
    }
    std::vector<std::string> words() {
        const std::lock_guard locked(mutex_);
        return words_;
    }
    /// Waits till there are so many.
    std::vector<std::string> until(std::size_t count) {
        std::unique_lock locked(mutex_);
        told_.wait_for(locked, std::chrono::seconds(30), [&] { return words_.size() >= count; });
        return words_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable told_;
    std::vector<std::string> words_;
};

/// A connection and a tool each, as of a process, to one server.
struct Process {
    explicit Process(const RedisServer& server)
        : Process({.prefix = "shop", .port = server.port()}) {}
    explicit Process(steptree::RedisOptions options) : connection(std::move(options)) {}

    /// Runs it there, and gives the code that it ends with: "ok".
    template <class Step>
    std::future<std::string> codeOf(Step step) {
        return std::async(std::launch::async, [this, step = std::move(step)] {
            const std::string code = rig::codeOf([&] { steptree::run(tool, step).get(); });
            return code == "nothing" ? "ok" : code;
        });
    }
    /// What it fails with there: "code guard retryAfter info"; "ok".
    template <class Step>
    std::string failureOf(Step step) {
        std::string found = "ok";
        steptree::run(tool, step.onError([&found](steptree::IAsyncSteps& asi, const std::string&) {
            const steptree::StepError& error = *asi.state().lastError();
            found = error.code() + " " + std::string(error.guard()) + " " +
                    std::to_string(error.retryAfter()) + " " + error.info();
            asi.success();
        })).get();
        return found;
    }
    std::vector<std::string> keys() { return list({"KEYS", "*"}); }
    std::vector<std::string> list(std::vector<std::string> words) {
        std::vector<std::string> texts;
        for (const auto& each : askRedis(connection, std::move(words)).list)
            texts.push_back(each.text);
        return texts;
    }
    /// How many wait for the guard with these keys.
    std::int64_t waiting(const std::string& base) {
        return askRedis(connection, {"ZCARD", "{shop:" + base + "}:q"}).number;
    }
    /// Till so many do.
    void untilWaiting(const std::string& base, std::int64_t count) {
        while (waiting(base) != count) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    steptree::RedisConnection connection;
    steptree::AsyncTool tool;
};

/// A section that says that it's in and stays till it's cancelled, loses its place, or is let go.
struct Stays {
    explicit Stays(steptree::Guard& guard, std::string word = "in") : guard(guard), word(word) {}

    auto section() {
        return steptree::sync(guard, [this](steptree::IAsyncSteps& asi) {
            const std::lock_guard locked(mutex);
            done = asi.waitExternal();
            said.say(word);
        });
    }
    void letGo() {
        const std::lock_guard locked(mutex);
        done.success();
    }

    steptree::Guard& guard;
    const std::string word;
    Said said;
    std::mutex mutex;
    steptree::Completion done;
};

/// A process of its own, which is killed with this one.
class Child {
  public:
    template <class Run>
    explicit Child(Run run) : id_(fork()) {
        if (id_ != 0) return;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        run();
        for (;;) ::pause();
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    ~Child() { kill(); }

    void signal(int number) const { ::kill(id_, number); }
    void kill() {
        if (id_ <= 0) return;
        signal(SIGKILL);
        waitpid(std::exchange(id_, -1), nullptr, 0);
    }

  private:
    pid_t id_;
};

}  // namespace rig
