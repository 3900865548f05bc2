#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <future>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "catch.hpp"
#include "codeof.hpp"
#include "onthreadof.hpp"
#include "steptree/asyncsteps.hpp"
#include "steptree/asynctool.hpp"
#include "steptree/delay.hpp"
#include "steptree/future.hpp"
#include "steptree/loop.hpp"
#include "steptree/run.hpp"
#include "steptree/stallwatch.hpp"
#include "steptree/steps.hpp"

using namespace steptree;
using namespace std::chrono_literals;
using rig::codeOf;
using rig::onThreadOf;

namespace {

StallWatch watchOf(Tool& tool, StallOptions options) {
    return onThreadOf(tool, [&] { return StallWatch(tool, std::move(options)); });
}

StartOptions reportsTo(std::string name, Options::Hook report) {
    Options options{.name = std::move(name)};
    options.report = std::move(report);
    return {.options = std::make_shared<const Options>(std::move(options))};
}

/// What is written to standard error meanwhile goes into a file.
class ErrorFile {
  public:
    ErrorFile() : file_(std::tmpfile()), before_(dup(STDERR_FILENO)) {
        dup2(fileno(file_), STDERR_FILENO);
    }
    ErrorFile(const ErrorFile&) = delete;
    ErrorFile& operator=(const ErrorFile&) = delete;
    ~ErrorFile() {
        dup2(before_, STDERR_FILENO);
        close(before_);
        std::fclose(file_);
    }

    bool isEmpty() const {
        struct stat found {};
        fstat(fileno(file_), &found);
        return found.st_size == 0;
    }
    std::string text() {
        std::string text(1000, '\0');
        std::rewind(file_);
        text.resize(std::fread(text.data(), 1, text.size(), file_));
        return text;
    }

  private:
    std::FILE* file_;
    int before_;
};

}  // namespace

TEST_CASE("while a body holds the loop another thread says which one", "[stallwatch][thread]") {
    AsyncTool tool;
    ErrorFile file;
    {
        const StallWatch stalls = watchOf(tool, {.body = 5ms});
        std::promise<std::string> reported;
        auto options = reportsTo(
            "or\nder", [&](const std::string& code, auto&&...) { reported.set_value(code); });
        const auto holds = step([&](IAsyncSteps&) {
            while (file.isEmpty()) continue;
        });
        tool.start(steps(holds.named("sp\tin")).named("page"), std::move(options));
        CHECK(reported.get_future().get() == "Stalled");
    }
    const std::regex line(
        "steptree: flow \\d+ \"or\\\\nder\" at page/sp\\\\tin has held the loop for \\d+ ms\n");
    CHECK(std::regex_match(file.text(), line));
}

TEST_CASE("what is told of a stuck body is waited for, though it has cancelled the watch",
          "[stallwatch][thread]") {
    AsyncTool tool;
    std::optional<StallWatch> stalls;
    std::promise<void> cancelled;
    bool left = false;
    stalls.emplace(watchOf(tool, {.body = 1ms, .onStuck = [&](const StuckBody&) {
                                      stalls->cancel();
                                      cancelled.set_value();
                                      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
                                      left = true;
                                  }}));
    std::future<void> told = cancelled.get_future();
    tool.start(step([&told](IAsyncSteps&) { told.wait(); }));
    told.wait();
    stalls.reset();
    CHECK(left);
}

TEST_CASE("who asks for it is told of a body that is stuck, once", "[stallwatch][thread]") {
    AsyncTool tool;
    std::atomic<int> told{0};
    StuckBody stuck;
    std::thread::id teller;
    auto stalls = watchOf(tool, {.body = 2, .onStuck = [&](const StuckBody& body) {
                                     stuck = body;
                                     teller = std::this_thread::get_id();
                                     ++told;
                                 }});
    const std::string longName(300, 'x');
    const auto spin = step([&](IAsyncSteps&) {
        const int before = told;
        while (told == before) continue;
        const auto end = std::chrono::steady_clock::now() + 10ms;
        while (std::chrono::steady_clock::now() < end) continue;
    });
    const auto quiet = [](auto&&...) {};
    const auto inner = steps(spin.named("in/\u00e4" + longName)).named(longName + "\u00e4y");
    Promise<> ended;
    auto options = reportsTo("job", quiet);
    options.done = [&](Outcome&) { ended.success(); };
    tool.start(inner, std::move(options));
    ended.future().get();
    CHECK(told == 1);
    CHECK(stuck.flow > 0);
    CHECK(stuck.name == "job");
    CHECK(stuck.ms >= 2);
    CHECK(teller != std::this_thread::get_id());
    CHECK(stuck.path.size() <= 384);
    CHECK(stuck.path.substr(0, 4) == "…x");
    CHECK(stuck.path.find("x\u00e4y/in/\u00e4xxx") != std::string::npos);
    stalls.cancel();
}

TEST_CASE("a wait of real time is told on the tool's thread", "[stallwatch][thread]") {
    AsyncTool tool;
    const StallWatch stalls = watchOf(tool, {.wait = 2});
    std::promise<std::string> told;
    std::thread::id teller;
    auto options = reportsTo("", [&](auto&&, const std::string& info, auto&&...) {
        teller = std::this_thread::get_id();
        told.set_value(info.substr(0, info.find('\n')));
    });
    tool.start(steps(step([](IAsyncSteps& asi) { asi.waitExternal(); })).timeout(60s),
               std::move(options));
    CHECK(std::regex_match(told.get_future().get(),
                           std::regex("0/0 waits for its completion, for \\d+ ms now")));
    CHECK(teller == onThreadOf(tool, [] { return std::this_thread::get_id(); }));
}

TEST_CASE("a watch is its tool's thread's, and may outlive the tool", "[stallwatch][thread]") {
    auto tool = std::make_unique<AsyncTool>();
    CHECK(codeOf([&] { const StallWatch none(*tool, {.body = 5}); }) == "InternalError");
    StallWatch stalls = watchOf(*tool, {.body = 60'000, .wait = 1});
    tool->start(step([](IAsyncSteps& asi) { asi.waitExternal(); }),
                reportsTo("", [](auto&&...) {}));
    run(*tool, step([](IAsyncSteps&) {})).get();
    tool.reset();
    CHECK_FALSE(stalls.valid());
}

TEST_CASE("another thread ends watches while bodies run and lines wait", "[stallwatch][thread]") {
    AsyncTool tool;
    std::atomic<bool> over{false};
    std::atomic<int> reports{0};
    const auto busy = loop([&over](IAsyncSteps& asi) {
        if (over) asi.breakLoop();
        asi.add(step([](IAsyncSteps& inner) { inner.add(delay(2ms)); }));
    });
    std::vector<Future<void>> ends;
    for (int i = 0; i < 4; ++i) {
        Promise<> ended;
        ends.push_back(ended.future());
        auto options = reportsTo("busy", [&](auto&&...) { ++reports; });
        options.done = [ended = std::move(ended)](Outcome&) mutable { ended.success(); };
        tool.start(busy, std::move(options));
    }
    for (int i = 0; i < 50; ++i) {
        StallWatch first = watchOf(tool, {.body = 1, .wait = 1, .onStuck = [](auto&&) {}});
        std::optional<StallWatch> other(watchOf(tool, {.wait = 1}));
        const int before = reports;
        while (reports == before) std::this_thread::yield();
        first.cancel();
        CHECK_FALSE(first.valid());
        other.reset();
    }
    over = true;
    for (const Future<void>& end : ends) end.get();
}
