#pragma once

#include <cstddef>
#include <cstdint>

namespace resp {

/// What one client may ask of the server. Sizes are bytes, times are milliseconds, 0 as a time is
/// "no limit".
struct Limits {
    /// Clients served at the same time; one more is told so and closed.
    std::size_t connections = 1000;
    /// Steps that a client's flow runs in a row before it is the others' turn.
    std::size_t burst = 100;
    /// One argument of a command.
    std::size_t bulk = 8 * 1024 * 1024;
    /// Arguments of one command, its name included.
    std::size_t args = 65'536;
    /// All arguments of one command together.
    std::size_t request = 16 * 1024 * 1024;
    /// One line: an inline command or a length.
    std::size_t line = 64 * 1024;
    /// Received and not yet looked at; beyond it the socket isn't read.
    std::size_t input = 1024 * 1024;
    /// Replies that the client has not taken; beyond it no further command of his is run.
    std::size_t output = 1024 * 1024;
    /// One command, from its first step to its reply; a wait that the client asked for has its own.
    std::int64_t commandMs = 5000;
    /// From the first byte of a command to its last.
    std::int64_t requestMs = 10'000;
    /// Between two commands.
    std::int64_t idleMs = 0;
    /// Until the client has taken the replies beyond `output`.
    std::int64_t outputMs = 10'000;
    /// Until the client has closed his side too, once the server has closed its own.
    std::int64_t lingerMs = 1000;
};

}  // namespace resp
