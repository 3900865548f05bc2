#pragma once

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>

/// The SHA-256 of a file in hexadecimal digits; blocks the thread, for seconds if the file is
/// large. When it is asked to stop it throws `Canceled`. What can't be read: `FileError`. `done`:
/// how many bytes it has read.
std::string sha256(const std::stop_token& stop, const std::string& path,
                   std::atomic<std::uint64_t>& done);
