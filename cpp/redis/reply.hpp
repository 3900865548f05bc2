#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

struct redisReply;

namespace steptree::detail::redis {

/// What Redis has answered, or why it hasn't.
struct Reply {
    enum class Kind : std::uint8_t { nothing, number, text, list, error, lost };

    Kind kind = Kind::nothing;
    std::int64_t number = 0;
    std::string text{};  // of an error, too; lost: why there's no answer
    std::vector<Reply> list{};

    bool isError() const noexcept { return kind == Kind::error || kind == Kind::lost; }
    /// Whether the server refuses, by such a word: NOSCRIPT, LOADING.
    bool refuses(const char* word) const noexcept;

    /// Null: the connection was lost before it came. Throws std::bad_alloc only.
    static Reply of(const redisReply* reply);
    /// Lost; in a few characters, which take no memory.
    static Reply gone(const char* why) noexcept;
};

/// Is called once, on the connection's thread, which it must not hold up.
using Answer = std::function<void(Reply)>;

}  // namespace steptree::detail::redis
