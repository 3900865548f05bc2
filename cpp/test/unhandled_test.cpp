#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <stdexcept>
#include <string>

#include "catch.hpp"
#include "rig.hpp"

using namespace rig;

namespace {

struct Ended {
    bool aborted = false;
    std::string said;
};

/// What a process of its own does with `act`: whether it aborts, and what it writes to stderr.
Ended inChild(const std::function<void()>& act) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        std::signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        act();
        _exit(0);
    }
    close(ends[1]);
    Ended ended;
    char buffer[256];
    for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) {
        ended.said.append(buffer, static_cast<std::size_t>(got));
    }
    close(ends[0]);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    ended.aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    return ended;
}

bool has(const Ended& ended, const char* part) {
    return ended.said.find(part) != std::string::npos;
}

void fail(steptree::Options options) {
    VirtualTool tool;
    AsyncSteps flow(tool, std::move(options));
    flow.add(
        [](IAsyncSteps& asi) { asi.add([](IAsyncSteps& inner) { inner.error("Lost", "why"); }); });
    flow.execute();
    tool.run();
}

void failInCancel(steptree::Options options) {
    VirtualTool tool;
    AsyncSteps flow(tool, std::move(options));
    flow.add([](IAsyncSteps& asi) {
        asi.setCancel([](IAsyncSteps&) { throw std::runtime_error("from a cancel handler"); });
    });
    flow.execute();
    tool.run();
    flow.cancel();
}

}  // namespace

TEST_CASE("an unhandled error without a hook terminates the process", "[unhandled]") {
    const Ended ended = inChild([] { fail({}); });
    CHECK(ended.aborted);
    CHECK(has(ended, "Lost"));
    CHECK(has(ended, "why"));
    CHECK(has(ended, "0/0"));
}

TEST_CASE("a report without a hook is printed", "[unhandled]") {
    const Ended ended = inChild([] { failInCancel({}); });
    CHECK_FALSE(ended.aborted);
    CHECK(has(ended, "InternalError"));
    CHECK(has(ended, "from a cancel handler"));
}

TEST_CASE("a hook that throws terminates the process", "[unhandled]") {
    const auto throws = [](const std::string&, const std::string&, std::exception_ptr,
                           const std::string&) { throw std::runtime_error("hook"); };
    CHECK(inChild([&] {
              steptree::Options options;
              options.unhandled = throws;
              fail(std::move(options));
          }).aborted);
    CHECK(inChild([&] {
              steptree::Options options;
              options.report = throws;
              failInCancel(std::move(options));
          }).aborted);
}
