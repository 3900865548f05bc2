#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>

#include "catch.hpp"

namespace child {

struct Ended {
    bool aborted = false;
    std::string said;
};

/// What a process of its own does with `act`: whether it aborts, and what it writes to stderr.
inline Ended inChild(const std::function<void()>& act) {
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

inline bool has(const Ended& ended, const char* part) {
    return ended.said.find(part) != std::string::npos;
}

}  // namespace child
